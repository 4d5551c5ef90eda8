// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes are series of finite numbers, or sentences that say where they are not. A number
 * is what strtod() makes of it.
 */
#include "results/numbers.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "lib/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mistakes(const struct strvec *mistakes)
{
	if (mistakes->n > NUMBERS_MISTAKES_MAX + 1)
		abort();
	for (size_t i = 0; i < mistakes->n; i++)
		for (const char *s = mistakes->v[i]; *s; s++)
			if ((unsigned char)*s < 0x20)
				abort();
}

static void check(int ret, struct numbers *n, struct strvec *mistakes)
{
	if (!ret != !mistakes->n || !ret != (n->n > 0))
		abort();
	for (size_t i = 0; i < n->n; i++) {
		if (!n->series[i].n)
			abort();
		for (size_t j = 0; j < n->series[i].n; j++)
			if (!isfinite(n->series[i].v[j]))
				abort();
	}
	check_mistakes(mistakes);
	numbers_release(n);
	strvec_release(mistakes);
}

static void check_number(const char *text, size_t len)
{
	__cleanup_free char *copy = xstrndup(text, len);
	double v = 0;
	char *end;

	if (number_parse(text, len, &v))
		return;
	/* A number has no NUL, so that strtod() sees all of it. */
	if (strtod(copy, &end) != v || end != copy + len)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct numbers n = NUMBERS_INIT;
	struct strvec mistakes = STRVEC_INIT;
	int ret;

	ret = numbers_parse(text, size, size % 2, &n, &mistakes);
	check(ret, &n, &mistakes);
	ret = numbers_parse_column(text, size, size % 3 ? "2" : "mean", size % 2, &n, &mistakes);
	check(ret, &n, &mistakes);
	for (size_t from = 0; from < size && from < 64; from++)
		check_number(text + from, size - from < 24 ? size - from : 24);
	return 0;
}
