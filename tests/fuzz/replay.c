// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a fuzz target without a fuzzer: each file given as an argument as it is, cut at
 * every byte, and with bytes changed (the same way each time). The target aborts when it
 * finds something. Prints TAP. With clang -fsanitize=fuzzer, leave this file out.
 */
#include <stdint.h>
#include <string.h>

#include "lib/file.h"
#include "lib/mem.h"

#define CHANGES 500

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of exactly @size bytes, so that reading behind the end is seen. */
static void run(const char *data, size_t size)
{
	uint8_t *copy = xmalloc(size);

	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_cut(const struct strbuf *text)
{
	/* Long files: a thousand places are enough. */
	size_t step = text->len / 1000 + 1;

	for (size_t len = 0; len <= text->len; len += step)
		run(text->buf, len);
}

/* https://en.wikipedia.org/wiki/Xorshift, for a sequence that is the same everywhere */
static uint64_t xorshift(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void run_changed(const struct strbuf *text)
{
	static const char interesting[] = "\0\n\"{}[],:-09e.\\ \xff=;#";
	uint64_t state = 88172645463325252ULL;

	if (!text->len)
		return;
	for (int i = 0; i < CHANGES; i++) {
		__cleanup_strbuf struct strbuf copy = STRBUF_INIT;

		strbuf_add(&copy, text->buf, text->len);
		for (uint64_t n = xorshift(&state) % 3 + 1; n; n--)
			copy.buf[xorshift(&state) % copy.len] =
				interesting[xorshift(&state) % (sizeof(interesting) - 1)];
		run(copy.buf, copy.len);
	}
}

int main(int argc, char **argv)
{
	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		__cleanup_strbuf struct strbuf text = STRBUF_INIT;
		int ret = file_read(argv[i], &text, 0);

		if (ret) {
			printf("Bail out! %s: %s\n", argv[i], strerror(-ret));
			return 99;
		}
		run(text.buf, text.len);
		run_cut(&text);
		run_changed(&text);
		printf("ok %d - %s\n", i, argv[i]);
	}
	return 0;
}
