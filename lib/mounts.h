/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is mounted where, from /proc/self/mountinfo below a prefix (see lib/proc.h).
 *
 * Paths are compared component by component, so /mnt/t is not on the way to /mnt/t-old,
 * and decoded ("/mnt/a b", not "/mnt/a\040b"). On the real machine ("") symbolic links in
 * a path are followed first.
 */
#ifndef FSDELTA_LIB_MOUNTS_H
#define FSDELTA_LIB_MOUNTS_H

#include "lib/strvec.h"

#include <stdbool.h>

struct mount_info {
	int id;		 /* of the mount, while it lasts */
	char *dir;	 /* where it is mounted */
	char *source;	 /* "/dev/loop3"; of several devices the kernel shows one */
	char *type;	 /* "ext4" */
	char *options;	 /* in force: of the mount and of the file system, merged */
	unsigned int major, minor; /* of the file system; btrfs has an anonymous one, major 0 */
};

#define MOUNT_INFO_INIT { 0 }

void mount_info_release(struct mount_info *m);

/*
 * The mount that shows the absolute @path, also when @path itself does not exist. What is
 * mounted over counts, what is hidden below it does not. 0, with @m to be released by the
 * caller; -ENOENT when there is none, -EINVAL when @path is not absolute, or -errno.
 */
int mounts_find(const char *root, const char *path, struct mount_info *m);

/* Type and options in force of the mount that shows @path; the caller frees. As mounts_find(). */
int mounts_describe(const char *root, const char *path, char **type, char **options);

/*
 * Adds where block device @major:@minor is mounted to @dirs: by the number of the file
 * system or, for those with an anonymous one (btrfs), by the device shown as its source.
 * Other members of a btrfs are not shown there: see /sys/fs/btrfs. 0 or -errno.
 */
int mounts_of_device(const char *root, unsigned int major, unsigned int minor,
		     struct strvec *dirs);

/* Does @m show block device @major:@minor, by the same rule? */
bool mounts_is_device(const char *root, const struct mount_info *m, unsigned int major,
		      unsigned int minor);

/* Adds the mount points below @dir, itself not included, to @dirs. 0 or -errno. */
int mounts_below(const char *root, const char *dir, struct strvec *dirs);

/* Is @path @dir or below it? Whole components; both without "." and "..". */
bool path_is_below(const char *path, const char *dir);

#define __cleanup_mount_info __attribute__((cleanup(mount_info_release)))

#endif
