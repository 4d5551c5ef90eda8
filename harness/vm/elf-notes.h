/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The notes of an ELF file. Pure, bounds checked; source: elf(5). */
#ifndef FSDELTA_HARNESS_VM_ELF_NOTES_H
#define FSDELTA_HARNESS_VM_ELF_NOTES_H

#include <stddef.h>
#include <stdint.h>

struct elf_note {
	const char *owner; /* "GNU"; ends with '\0' */
	uint32_t type;
	const uint8_t *data;
	size_t len;
};

/*
 * Calls @each with every note in the PT_NOTE segments of a little-endian 64 bit file for @machine
 * (EM_*). 0, or -ENOEXEC when it is not one or a segment lies outside of it. A note that is
 * damaged ends its segment.
 */
int elf_notes(const void *data, size_t len, unsigned int machine,
	      void (*each)(const struct elf_note *note, void *arg), void *arg);

#endif
