// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/multiple.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "lib/mem.h"
#include "tests/unit/vectors.h"

static void check_one(const char *id, const char *key, struct json_object *expected,
		      const double *got, size_t n)
{
	size_t n_want;
	double *want = vec_array(expected, key, &n_want);

	assert_int_equal(n, n_want);
	for (size_t i = 0; i < n; i++)
		vec_expect(id, key, got[i], want[i]);
	free(want);
}

static void check_adjust(const char *id, struct json_object *input,
			 struct json_object *expected)
{
	size_t n;
	double *p = vec_array(input, "p", &n);
	double *adjusted = xcalloc(n, sizeof(*adjusted));

	multiple_holm(p, n, adjusted);
	check_one(id, "holm", expected, adjusted, n);
	multiple_bh(p, n, adjusted);
	check_one(id, "bh", expected, adjusted, n);
	/* In place gives the same. */
	multiple_holm(p, n, p);
	check_one(id, "holm", expected, p, n);
	free(adjusted);
	free(p);
}

static void adjust_vectors(void **state)
{
	(void)state;
	vectors_each("p_adjust", 7, check_adjust);
}

static void nothing_to_adjust(void **state)
{
	double p[] = { NAN, NAN }, adjusted[] = { 0, 0 };

	(void)state;
	multiple_holm(NULL, 0, NULL);
	multiple_bh(NULL, 0, NULL);
	multiple_holm(p, ARRAY_SIZE(p), adjusted);
	assert_true(isnan(adjusted[0]) && isnan(adjusted[1]));
	adjusted[0] = adjusted[1] = 0;
	multiple_bh(p, ARRAY_SIZE(p), adjusted);
	assert_true(isnan(adjusted[0]) && isnan(adjusted[1]));
}

static void ties_stay_equal(void **state)
{
	double p[] = { 0.02, 0.001, 0.02, 0.3, 0.02 }, adjusted[5];

	(void)state;
	multiple_holm(p, ARRAY_SIZE(p), adjusted);
	assert_true(adjusted[0] == adjusted[2] && adjusted[2] == adjusted[4]);
	assert_true(adjusted[1] < adjusted[0] && adjusted[0] < adjusted[3]);
	multiple_bh(p, ARRAY_SIZE(p), adjusted);
	assert_true(adjusted[0] == adjusted[2] && adjusted[2] == adjusted[4]);
}

/* A row may lose by the row before it: its interval must not claim otherwise. */
static void level_decides_like_the_family(void **state)
{
	static const double p[] = { 0.0001, 0.013, 0.014, 0.02, 0.04, 0.7, 1 };
	static const double alpha = 0.05;
	double adjusted[ARRAY_SIZE(p)];

	(void)state;
	multiple_holm(p, ARRAY_SIZE(p), adjusted);
	for (size_t i = 0; i < ARRAY_SIZE(p); i++) {
		double level = multiple_level(p[i], adjusted[i], alpha);

		assert_true(level > 0 && level <= alpha);
		assert_int_equal(p[i] <= level, adjusted[i] <= alpha);
	}
	assert_true(multiple_level(0, 0, alpha) == alpha);
	assert_true(isnan(multiple_level(NAN, NAN, alpha)));
	assert_true(multiple_level(0.03, 0.03, alpha) == alpha);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adjust_vectors),
		cmocka_unit_test(nothing_to_adjust),
		cmocka_unit_test(ties_stay_equal),
		cmocka_unit_test(level_decides_like_the_family),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
