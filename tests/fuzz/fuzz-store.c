// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes are a run or a sentence that says why not. A run that was read is written and
 * read again, and must then be the same to the byte. The same for what is known of noise.
 */
#include "results/store.h"

#include <stdint.h>
#include <string.h>

#include "lib/mem.h"
#include "results/store-codec.h"
#include "results/store-noise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same_again(const struct run *r)
{
	__cleanup_strbuf struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	__cleanup_free char *error = NULL;
	__cleanup_run struct run *again = NULL;

	if (store_encode_result(r, &first))
		abort();
	again = store_parse_result("again", first.buf, first.len, &error);
	if (!again || error || again->load_warnings.n)
		abort();
	if (store_encode_result(again, &second) || first.len != second.len ||
	    memcmp(first.buf, second.buf, first.len))
		abort();
}

static void check(struct run *r, char *error)
{
	if (!r == !error)
		abort();
	for (size_t i = 1; r && i < r->n_iterations; i++)
		if (r->iterations[i - 1].seq >= r->iterations[i].seq)
			abort();
	if (r)
		same_again(r);
	run_free(r);
	free(error);
}

static void check_noise(const char *text, size_t size)
{
	__cleanup_noise struct noise read = NOISE_INIT, again = NOISE_INIT;
	__cleanup_strbuf struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	__cleanup_free char *error = NULL, *error2 = NULL;
	int ret = store_noise_parse("fuzz", text, size, &read, &error);

	if (!ret == !!error || (ret && read.n))
		abort();
	store_noise_encode(&read, &first);
	if (store_noise_parse("again", first.buf, first.len, &again, &error2))
		abort();
	store_noise_encode(&again, &second);
	if (strcmp(first.buf, second.buf))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	char *error;
	struct run *r;

	r = store_parse_result("fuzz", text, size, &error);
	check(r, error);
	r = store_parse_journal("fuzz", text, size, &error);
	check(r, error);
	check_noise(text, size);
	return 0;
}
