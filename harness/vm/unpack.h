/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decompression of kernels and modules, whatever their build chose. */
#ifndef FSDELTA_HARNESS_VM_UNPACK_H
#define FSDELTA_HARNESS_VM_UNPACK_H

#include "harness/vm/image.h"
#include "lib/strbuf.h"

/* A vmlinux with debug information is that large; more is not believed. */
#define UNPACK_MOST (1UL << 30)

/*
 * Appends what @data holds to @out, at most @most bytes. What follows the compressed data (a
 * bzImage has its size there) is ignored. 0; -EBADMSG when the data are damaged or cut off,
 * -EFBIG when they are more than @most, -ENOENT when the program that can do it (lz4, lzop,
 * bzip2) is not installed, -EOPNOTSUPP for an unknown kind, or -errno; *@why is then a sentence,
 * the caller frees. On an error @out holds anything.
 */
int unpack(enum image_packing packing, const void *data, size_t len, size_t most,
	   struct strbuf *out, char **why);

#endif
