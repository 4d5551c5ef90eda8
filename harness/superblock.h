/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What mkfs really made: the features in the superblock, which depend on the version of mkfs and
 * its configuration as much as on its options. What a mount sets by itself (compression of
 * btrfs, its space cache, a journal in need of recovery) is left out.
 *
 * Sources: fs/ext4/ext4.h, fs/btrfs and include/uapi/linux/btrfs_tree.h,
 * fs/xfs/libxfs/xfs_format.h.
 */
#ifndef FSDELTA_HARNESS_SUPERBLOCK_H
#define FSDELTA_HARNESS_SUPERBLOCK_H

#include "lib/strvec.h"

#include <stddef.h>

#define SUPERBLOCK_AREA 69632 /* the start of a device that holds any of them */

/*
 * Adds "name" for each feature that is on, "0x..." for bits without a name, and "size=VALUE" of
 * blocks, inodes, groups, log. Nothing when @area is not of @fs ("btrfs", "ext4", "xfs").
 */
void superblock_features(const char *fs, const unsigned char *area, size_t len,
			 struct strvec *out);

/* The same of the device @node, as one value with commas; NULL: not known. The caller frees. */
char *superblock_read(const char *fs, const char *node);

#endif
