// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes are the operations of an iteration or a sentence that says why not. What was read
 * is written as it was. The hash, which would hide the rest, is made to fit.
 */
#include "results/each.h"

#include <stdint.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const uint8_t *data, size_t size)
{
	__cleanup_strbuf struct strbuf again = STRBUF_INIT;
	__cleanup_free char *error = NULL;
	__cleanup_each struct each *e = each_parse(data, size, &error);

	if (!e == !error)
		abort();
	if (!e)
		return;
	each_encode(e, &again);
	if (again.len != size || memcmp(again.buf, data, size))
		abort();
}

static void check_packed(const void *data, size_t size)
{
	__cleanup_free char *error = NULL;
	__cleanup_each struct each *e = each_unpack(data, size, &error);

	if (!e == !error)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	__cleanup_free uint8_t *copy = xmalloc(size + 1);
	__cleanup_strbuf struct strbuf packed = STRBUF_INIT;
	struct hash64 h = HASH64_INIT;

	check(data, size);
	check_packed(data, size);
	if (size < 8)
		return 0;
	memcpy(copy, data, size);
	hash64_add(&h, copy, size - 8);
	for (int i = 0; i < 8; i++)
		copy[size - 8 + i] = (uint8_t)(h.value >> (8 * i));
	check(copy, size);
	each_pack(copy, size, &packed);
	check_packed(packed.buf, packed.len);
	for (size_t at = 0; at < 16 && at < packed.len; at++) {
		packed.buf[at] ^= 1;
		check_packed(packed.buf, packed.len);
		packed.buf[at] ^= 1;
	}
	return 0;
}
