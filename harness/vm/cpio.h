/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes an initramfs: a cpio archive of the "newc" kind. The same calls give the same bytes:
 * owner root, time 0, inode numbers by counting. Source: Documentation/driver-api/early-userspace/
 * buffer-format.rst. Pure.
 */
#ifndef FSDELTA_HARNESS_VM_CPIO_H
#define FSDELTA_HARNESS_VM_CPIO_H

#include "lib/strbuf.h"
#include "lib/strvec.h"

#include <sys/types.h>

struct cpio {
	struct strbuf *out;
	struct strvec dirs; /* added so far */
	unsigned int ino;
};

#define CPIO_INIT(sb) { .out = (sb) }

/*
 * A regular file with permissions @perm. @name is relative ("a/b"); folders on its way are added
 * when they were not yet, here and below. 0, or -EFBIG from 4 GiB on.
 */
int cpio_file(struct cpio *c, const char *name, mode_t perm, const void *data, size_t len);
void cpio_dir(struct cpio *c, const char *name);
void cpio_link(struct cpio *c, const char *name, const char *target);
void cpio_char_device(struct cpio *c, const char *name, unsigned int major, unsigned int minor);
/* Ends the archive and releases what @c owns. */
void cpio_end(struct cpio *c);

#endif
