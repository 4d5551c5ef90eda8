/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading /proc and /sys below a prefix, so that tests replay captured machines.
 * @root is "" for the real machine, or a folder that holds proc/ and sys/.
 */
#ifndef FSDELTA_LIB_PROC_H
#define FSDELTA_LIB_PROC_H

#include <stdint.h>

/* The whole file; the caller frees. NULL with errno set when it cannot be read. */
char *proc_read(const char *root, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The first line without its end, white space trimmed; the caller frees. */
char *proc_read_line(const char *root, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An unsigned decimal that is the file's whole first line. 0 or -errno. */
int proc_read_u64(const char *root, uint64_t *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * The value behind "@key" and a separator (':' or blanks) at the start of a line
 * of @text, as in /proc/meminfo and /proc/cpuinfo; the caller frees. NULL: no such line.
 */
char *proc_field(const char *text, const char *key);

#endif
