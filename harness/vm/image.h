/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel image says about itself. Pure: bytes of any origin in, bounds checked.
 *
 * Source: Documentation/arch/x86/boot.rst (bzImage), elf(5), and for the PVH entry
 * Documentation of Xen, XEN_ELFNOTE_PHYS32_ENTRY in xen/include/public/elfnote.h.
 */
#ifndef FSDELTA_HARNESS_VM_IMAGE_H
#define FSDELTA_HARNESS_VM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

enum image_format {
	IMAGE_BZIMAGE, /* compressed, with a setup header */
	IMAGE_ELF,     /* vmlinux */
};

enum image_packing { /* of the payload of a bzImage */
	PACKED_NOT,    /* an ELF file as it is */
	PACKED_GZIP,
	PACKED_XZ,
	PACKED_ZSTD,
	PACKED_LZMA,
	PACKED_BZIP2,
	PACKED_LZ4,
	PACKED_LZO,
	PACKED_UNKNOWN,
};

struct image {
	enum image_format format;
	char *release; /* "6.1.0-57-amd64"; NULL when the image does not say; owned */
	char *banner;  /* the whole version line; of a bzImage without "Linux version " */
	/* bzImage: where its payload lies in the file; of length 0 when it does not say */
	size_t payload, payload_len;
	enum image_packing packing;
	/* ELF */
	bool pvh;	       /* can be entered through PVH, as QEMU's -kernel does for an ELF file */
	char *build_id; /* lower case hex; NULL: none; owned */
};

#define IMAGE_INIT { 0 }

/*
 * Reads the @len bytes of a kernel image. 0; -ENOEXEC when they are no x86-64 kernel image, with a
 * sentence in *@why (static).
 */
int image_parse(const void *data, size_t len, struct image *out, const char **why);
void image_release(struct image *img);

/* By the first bytes. */
enum image_packing image_packing(const void *data, size_t len);
/* "gzip" */
const char *image_packing_name(enum image_packing p);

#define __cleanup_image __attribute__((cleanup(image_release)))

#endif
