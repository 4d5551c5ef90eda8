// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints what is in a file of --each: "class clock count sum rounds threads" for each class and
 * clock, by first appearance. For tests/test-native.sh.
 */
#include "results/each.h"

#include <inttypes.h>
#include <string.h>

#include "lib/file.h"
#include "lib/mem.h"

/* @at is the first sequence of its class and clock. */
static void print_class(const struct each *e, size_t at)
{
	const struct each_seq *first = &e->seqs[at];
	uint64_t count = 0, sum = 0, rounds = 0, threads = 0;

	for (size_t i = 0; i < e->n; i++) {
		const struct each_seq *s = &e->seqs[i];

		if (s->clock != first->clock || strcmp(s->op, first->op))
			continue;
		if (i < at)
			return;
		count += s->n;
		for (size_t k = 0; k < s->n; k++)
			sum += s->v[k];
		rounds = s->round >= rounds ? s->round + 1 : rounds;
		threads = s->thread >= threads ? s->thread + 1 : threads;
	}
	printf("%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", first->op,
	       e->clocks.v[first->clock], count, sum, rounds, threads);
}

int main(int argc, char **argv)
{
	__cleanup_strbuf struct strbuf data = STRBUF_INIT;
	__cleanup_each struct each *e = NULL;
	__cleanup_free char *error = NULL;

	if (argc != 2 || file_read(argv[1], &data, 0))
		return 2;
	e = each_parse(data.buf, data.len, &error);
	if (!e) {
		fprintf(stderr, "%s: %s\n", argv[1], error);
		return 1;
	}
	for (size_t i = 0; i < e->n; i++)
		print_class(e, i);
	return 0;
}
