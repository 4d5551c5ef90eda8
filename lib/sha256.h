/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256, for naming content. FIPS 180-4, https://doi.org/10.6028/NIST.FIPS.180-4 */
#ifndef FSDELTA_LIB_SHA256_H
#define FSDELTA_LIB_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_HEX 65 /* characters of a digest in hex, with the final '\0' */

struct sha256 {
	uint32_t state[8];
	uint64_t len; /* bytes added so far */
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);
/* The digest of all that was added, in lower case hex. @s must then be initialised anew. */
void sha256_hex(struct sha256 *s, char hex[SHA256_HEX]);

#endif
