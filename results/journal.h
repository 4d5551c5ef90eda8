/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that only grows, line by line. Each append is one write followed by fdatasync();
 * after a failed one the file is as it was. One writer at a time: the file is locked.
 */
#ifndef FSDELTA_RESULTS_JOURNAL_H
#define FSDELTA_RESULTS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct journal {
	int fd;	     /* -1: closed */
	off_t size;  /* what is known to be whole */
	bool cut;    /* the file ends within a line, which the next append must end */
};

#define JOURNAL_INIT { .fd = -1 }

/* Creates @path, which must not exist. 0 or -errno. */
int journal_create(struct journal *j, const char *path);
/*
 * Opens @path for more and ends a line that was cut. -EBUSY: another process has it open;
 * another -errno.
 */
int journal_open(struct journal *j, const char *path);
/*
 * Appends @data, which ends with '\n', and makes it durable. 0 or -errno: then nothing was
 * added.
 */
int journal_append(struct journal *j, const void *data, size_t len);
/* 0 or -errno. */
int journal_close(struct journal *j);

#endif
