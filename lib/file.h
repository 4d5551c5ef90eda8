/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files, folders, and writing so that a crash loses nothing. */
#ifndef FSDELTA_LIB_FILE_H
#define FSDELTA_LIB_FILE_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends the content of @path (at most @max bytes, 0 = no limit) to @out.
 * 0, or -errno; -EFBIG when the file is longer than @max (the first @max bytes
 * are in @out). Works for /proc and /sys files, whose size is not known.
 */
int file_read(const char *path, struct strbuf *out, size_t max);

/* Creates or replaces @path. Not durable. 0 or -errno (a failed close included). */
int file_write(const char *path, const void *data, size_t len);

/* Writes all of @data to @fd. 0 or -errno. */
int file_write_fd(int fd, const void *data, size_t len);

/*
 * Replaces @path as one step: temporary file in the same folder, fsync, rename,
 * fsync of the folder. After a crash the old or the new content is there, whole.
 */
int file_write_atomic(const char *path, const void *data, size_t len);

/* fsync of a folder, so that names made in it survive. */
int file_sync_dir(const char *dir);

/* fsync of the files and folders in @path and below, not following symbolic links. 0 or -errno. */
int file_sync_tree(const char *path);

/* mkdir -p with mode 0755. 0 or -errno. */
int file_mkdir_p(const char *path);

/* Removes @path and all below it, not crossing symbolic links. 0 or -errno. */
int file_remove_tree(const char *path);

bool file_exists(const char *path);

/* Is @name a plain name: not empty, no '/', not starting with '.' or '-', no control bytes? */
bool file_is_plain_name(const char *name);

/*
 * Finds @prog on PATH, then in the sbin folders; the current folder is not on it. The caller
 * frees; NULL when it is not there.
 */
char *file_find_program(const char *prog);

#endif
