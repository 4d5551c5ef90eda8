/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file systems. To add one: one entry in the table of fs.c.
 */
#ifndef FSDELTA_HARNESS_FS_H
#define FSDELTA_HARNESS_FS_H

#include "lib/strvec.h"

#include <stdbool.h>
#include <stdint.h>

struct fs_type {
	const char *name;	 /* as in /proc/filesystems and mount -t */
	const char *mkfs;	 /* program */
	const char *package;	 /* Debian package of @mkfs */
	const char *base_options; /* always given: quiet, overwrite (we have checked the device ourselves) */
	/*
	 * Options that are comma lists behind one flag, of which mkfs takes only the last: ours are
	 * merged with the user's. NULL when there are none.
	 */
	const char *extended_flag;
	const char *extended;	       /* nothing left for the kernel to do after mount */
	const char *extended_fresh;    /* the same on fresh sparse memory: no discard */
	const char *fresh_options;     /* extra words on fresh memory: no discard */
	uint64_t min_size;	       /* bytes that mkfs needs with default options */
};

extern const struct fs_type fs_types[]; /* sorted; ends with name NULL */
const struct fs_type *fs_find(const char *name);

/*
 * The mkfs command for @node. @options: the user's words, as one string (quotes
 * allowed); may be NULL. @fresh: the device is a new sparse file, so discarding
 * it would only take time. 0, or -EINVAL when the quotes do not match.
 */
int fs_mkfs_argv(const struct fs_type *fs, const char *options, bool fresh, const char *node,
		 struct strvec *argv);

#endif
