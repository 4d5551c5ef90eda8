// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/percent.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "lib/mem.h"
#include "tests/unit/vectors.h"

static struct percent_figure figure(struct json_object *pair, const char *key)
{
	return (struct percent_figure) { vec_num(pair, key), vec_decimals(pair, key) };
}

static const char *text(struct json_object *pair, const char *key)
{
	return json_object_get_string(json_object_object_get(pair, key));
}

/*
 * What the published figure follows from. B and S in the vectors mean "within .05"; where
 * they say nothing, the only formula that explains the figure.
 */
static const char *formulas_of(struct json_object *pair)
{
	if (strcmp(text(pair, "match"), "?"))
		return text(pair, "match");
	return strcmp(text(pair, "src"), "S4") ? "B" : "S";
}

static void published_pairs(void **state)
{
	static const char letter[] = { 'B', 'S', 'N', 'R' };
	struct json_object *pairs = vectors_load("mail-pairs.json");
	size_t claims = 0;

	(void)state;
	for (size_t i = 0; i < json_object_array_length(pairs); i++) {
		struct json_object *pair = json_object_array_get_idx(pairs, i);
		struct percent_figure a = figure(pair, "a"), b = figure(pair, "b");
		const char *name = text(pair, "metric");
		struct percent_match m[PERCENT_FORMULAS];

		vec_expect(name, "base", percent_change(a.value, b.value),
			   vec_num(pair, "base"));
		vec_expect(name, "sym", percent_by(PERCENT_SYMMETRIC, a.value, b.value),
			   vec_num(pair, "sym"));
		vec_expect(name, "new", percent_by(PERCENT_NEW, a.value, b.value),
			   vec_num(pair, "new"));
		if (isnan(vec_num(pair, "pub")))
			continue;
		claims++;
		if (!percent_explain(a, b, figure(pair, "pub"), m))
			fail_msg("%s %s: no formula", text(pair, "src"), name);
		if (!strchr(formulas_of(pair), letter[m[0].formula]))
			fail_msg("%s %s: %s", text(pair, "src"), name,
				 percent_formula_str(m[0].formula));
		assert_false(m[0].unsigned_claim);
	}
	json_object_put(pairs);
	assert_int_equal(claims, 123);
}

static struct percent_match best(double a, int a_dec, double b, int b_dec, double claim,
				 int claim_dec)
{
	struct percent_match m[PERCENT_FORMULAS];
	struct percent_figure fa = { a, a_dec }, fb = { b, b_dec }, fc = { claim, claim_dec };

	assert_int_not_equal(percent_explain(fa, fb, fc, m), 0);
	return m[0];
}

static void how_a_figure_came_about(void **state)
{
	struct percent_match m;

	(void)state;
	m = best(303.666, 3, 220.194, 3, -31.8, 1);
	assert_true(m.formula == PERCENT_SYMMETRIC && m.how == PERCENT_TRUNCATED);
	assert_int_equal(m.decimals, 1);
	m = best(3.75, 2, 0.69, 2, -81.7, 1);
	assert_true(m.formula == PERCENT_BASE && m.how == PERCENT_INPUTS);
	/* "Around 26 %", for a change of -21.02 % of the base. */
	m = best(91.4444, 4, 72.2222, 4, 26, 0);
	assert_true(m.formula == PERCENT_NEW && m.how == PERCENT_TRUNCATED);
	assert_true(m.unsigned_claim && m.decimals == 0);
	assert_true(fabs(m.value + 26.6154) < 0.001);
	m = best(100000, 0, 110455, 0, 10.5, 1);
	assert_true(m.formula == PERCENT_BASE && m.how == PERCENT_ROUNDED);
	/* Harmonic mean before, arithmetic after: the formula is the plain one. */
	m = best(35677.96, 2, 32957.11, 2, -7.626, 3);
	assert_true(m.formula == PERCENT_BASE && m.how == PERCENT_ROUNDED);
	/* "About 30 %". */
	m = best(1000, 0, 1334, 0, 30, 0);
	assert_true(m.formula == PERCENT_BASE && m.how == PERCENT_ROUNDED);
	assert_int_equal(m.decimals, -1);
	m = best(63247, 0, 220409, 0, 3.5, 1);
	assert_true(m.formula == PERCENT_RATIO && m.how == PERCENT_ROUNDED);
	/* A claim of unknown digits is taken as a whole number. */
	m = best(100, 0, 150, 0, 50, -1);
	assert_true(m.formula == PERCENT_BASE && m.decimals == 0);
	m = best(100, 0, 100, 0, 0, 1);
	assert_true(m.formula == PERCENT_BASE && m.how == PERCENT_ROUNDED);
}

static void nothing_explains(void **state)
{
	struct percent_match m[PERCENT_FORMULAS];
	struct percent_figure a = { 100, 2 }, b = { 150, 2 }, claim = { 77.7, 1 };
	struct percent_figure zero = { 0, 0 }, nan = { NAN, 0 };

	(void)state;
	assert_int_equal(percent_explain(a, b, claim, m), 0);
	assert_int_equal(percent_explain(a, b, nan, m), 0);
	assert_int_equal(percent_explain(nan, b, claim, m), 0);
	assert_int_equal(percent_explain(zero, zero, claim, m), 0);
	/* Unrounded inputs could be 35.02 % apart, which nobody calls 40 %. */
	a = (struct percent_figure) { 100, 1 };
	b = (struct percent_figure) { 134.9, 1 };
	assert_int_equal(percent_explain(a, b, (struct percent_figure) { 40, 0 }, m), 0);
	/* The base is 0: only what divides by something else can be meant. */
	claim.value = 200;
	assert_int_equal(percent_explain(zero, b, claim, m), 1);
	assert_int_equal(m[0].formula, PERCENT_SYMMETRIC);
}

static void not_available(void **state)
{
	(void)state;
	assert_true(isnan(percent_change(0, 12)));
	assert_true(isnan(percent_change(0, 0)));
	assert_true(isnan(percent_change(NAN, 1)));
	assert_true(isnan(percent_change(1, INFINITY)));
	assert_true(isnan(percent_change(1e-300, 1e300)));
	assert_true(isnan(percent_by(PERCENT_NEW, 1, 0)));
	assert_true(isnan(percent_by(PERCENT_SYMMETRIC, 1, -1)));
	assert_true(isnan(percent_by(PERCENT_RATIO, 0, 1)));
	assert_true(isnan(percent_by(PERCENT_FORMULAS, 1, 1)));
	assert_true(percent_change(8, 12) == 50);
	assert_true(percent_change(-10, -12) == 20);
	assert_true(percent_change(5, 0) == -100);
}

static void every_word_is_there(void **state)
{
	(void)state;
	for (int i = 0; i < PERCENT_FORMULAS; i++)
		assert_non_null(strchr(percent_formula_str(i), '/'));
	for (int i = 0; i < PERCENT_HOWS; i++)
		assert_true(strlen(percent_how_str(i)) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_pairs),
		cmocka_unit_test(how_a_figure_came_about),
		cmocka_unit_test(nothing_explains),
		cmocka_unit_test(not_available),
		cmocka_unit_test(every_word_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
