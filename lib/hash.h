/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FNV-1a, 64 bit: tells texts apart. Not for security. http://www.isthe.com/chongo/tech/comp/fnv/ */
#ifndef FSDELTA_LIB_HASH_H
#define FSDELTA_LIB_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash64 {
	uint64_t value;
};

#define HASH64_INIT { 0xcbf29ce484222325ULL }

static inline void hash64_add(struct hash64 *h, const void *data, size_t len)
{
	const unsigned char *p = data;

	while (len--) {
		h->value ^= *p++;
		h->value *= 0x100000001b3ULL;
	}
}

#endif
