// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/verdict.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "tests/unit/vectors.h"

/* Ten units a side, lower is better, +4.6 % [3.1, 6.0], smallest effect 1 %. */
static const struct verdict_input slower = {
	.n_base = 10, .n_arm = 10, .better = BETTER_LOWER, .delta_pct = 1, .alpha = 0.05,
	.shift = 0.045, .pct = 4.6, .p = 0.0002, .p_adj = 0.0008, .p_min = 0.00001,
	.ci95 = { 3.1, 6.0 }, .ci90 = { 3.3, 5.8 }, .ci_adj = { 2.5, 6.6 },
	.boot_noise_pct = NAN,
};

static struct verdict_result decide(struct verdict_input in)
{
	struct verdict_result out;

	verdict_decide(&in, &out);
	return out;
}

static void expect(struct verdict_input in, enum verdict word, enum verdict_why why)
{
	struct verdict_result out = decide(in);

	if (out.word != word || out.why != why)
		fail_msg("%s (%s), expected %s (%s)", verdict_str(out.word),
			 verdict_why_str(out.why), verdict_str(word), verdict_why_str(why));
}

static void direction_belongs_to_the_metric(void **state)
{
	struct verdict_input in = slower;

	(void)state;
	expect(in, VERDICT_REGRESSED, VERDICT_WHY_NONE);
	in.better = BETTER_HIGHER;
	expect(in, VERDICT_IMPROVED, VERDICT_WHY_NONE);
	in.better = BETTER_NEUTRAL;
	expect(in, VERDICT_HIGHER, VERDICT_WHY_NONE);

	in.shift = -0.047;
	in.pct = -4.6;
	in.ci_adj = (struct verdict_interval) { -6.6, -2.5 };
	expect(in, VERDICT_LOWER, VERDICT_WHY_NONE);
	in.better = BETTER_LOWER;
	expect(in, VERDICT_IMPROVED, VERDICT_WHY_NONE);
	in.better = BETTER_HIGHER;
	expect(in, VERDICT_REGRESSED, VERDICT_WHY_NONE);
}

static void a_real_difference_has_a_size(void **state)
{
	struct verdict_input in = slower;

	(void)state;
	in.ci_adj.lo = 0.4;
	expect(in, VERDICT_REGRESSED, VERDICT_WHY_SIZE);
	in.delta_pct = 4.6;
	expect(in, VERDICT_REGRESSED, VERDICT_WHY_SIZE);
	in.delta_pct = 4.7;
	expect(in, VERDICT_SMALL, VERDICT_WHY_NONE);
	in.delta_pct = 10;
	expect(in, VERDICT_SMALL, VERDICT_WHY_NONE);
	in.delta_pct = 0;
	expect(in, VERDICT_REGRESSED, VERDICT_WHY_NONE);
	/* Half of all differences are 0, yet the ranks differ: real, of no size. */
	in.shift = in.pct = 0;
	in.ci_adj.lo = 0;
	expect(in, VERDICT_SMALL, VERDICT_WHY_NONE);
}

static void same_needs_a_narrow_interval(void **state)
{
	struct verdict_input in = slower;

	(void)state;
	in.shift = -0.002;
	in.pct = -0.2;
	in.p = in.p_adj = 0.63;
	in.ci95 = in.ci_adj = (struct verdict_interval) { -1.1, 0.8 };
	in.ci90 = (struct verdict_interval) { -0.9, 0.6 };
	expect(in, VERDICT_SAME, VERDICT_WHY_NONE);
	in.delta_pct = 0.8;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_NOISE);
	in.ci90.hi = INFINITY;
	in.delta_pct = 100;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_NOISE);
	/* The family takes a claim back that the row alone would have made. */
	in = slower;
	in.p = 0.03;
	in.p_adj = 0.3;
	in.ci_adj.lo = -2;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_NOISE);
	/* Figures that contradict each other claim nothing. */
	in.p_adj = 0.03;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_NOISE);
}

static void says_what_could_have_been_seen(void **state)
{
	struct verdict_input in = slower;
	struct verdict_result out;

	(void)state;
	in.p = in.p_adj = 0.44;
	in.pct = 3.9;
	in.delta_pct = 5;
	in.ci95 = in.ci_adj = in.ci90 = (struct verdict_interval) { -6.8, 15.1 };
	out = decide(in);
	assert_int_equal(out.word, VERDICT_UNSURE);
	assert_true(fabs(out.mde_pct - 1.4294 * 10.95) < 0.001);
	assert_true(out.n_needed == 98);
	assert_true(out.ci95.lo == -6.8 && out.ci95.hi == 15.1);

	in.n_arm = 30;	/* as good as 15 a side */
	assert_true(decide(in).n_needed == 147);
	in.delta_pct = 0;
	assert_true(isnan(decide(in).n_needed));
	in.ci95.hi = INFINITY;
	out = decide(in);
	assert_true(isnan(out.mde_pct) && isnan(out.n_needed));
	in.ci95.hi = NAN;
	assert_true(isnan(decide(in).mde_pct));
}

static void too_few_units(void **state)
{
	struct verdict_input in = slower;

	(void)state;
	in.n_base = 5;
	expect(in, VERDICT_UNTESTABLE, VERDICT_WHY_FEW_UNITS);
	assert_true(decide(in).n_needed == 6);
	in.n_base = in.n_arm = 3;
	in.p_min = 0.1;
	expect(in, VERDICT_UNTESTABLE, VERDICT_WHY_FEW_UNITS);
	assert_true(decide(in).n_needed == 6);
	in.n_base = in.n_arm = 1;
	in.p_min = 1;
	expect(in, VERDICT_UNTESTABLE, VERDICT_WHY_ONE_UNIT);
	assert_true(decide(in).n_needed == 6);
	/* Six pairs reach .031, which a level of .01 does not accept; eight do. */
	in.n_base = in.n_arm = 6;
	in.p_min = 0.03125;
	in.alpha = 0.01;
	expect(in, VERDICT_UNTESTABLE, VERDICT_WHY_PLAN);
	assert_true(decide(in).n_needed == 8);
	in = slower;
	in.p = in.p_adj = NAN;
	expect(in, VERDICT_UNTESTABLE, VERDICT_WHY_NO_TEST);
	in.n_arm = 0;
	expect(in, VERDICT_MISSING, VERDICT_WHY_NONE);
	in.n_arm = 10;
	in.n_base = 0;
	in.exact = true;
	expect(in, VERDICT_MISSING, VERDICT_WHY_NONE);
}

static void no_claim_without_a_foundation(void **state)
{
	struct verdict_input in = slower;

	(void)state;
	in.sequential = true;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_SESSIONS);
	in.one_boot = true;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_ONE_BOOT);
	in.loss = true;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_LOSS);
	/* Not even "the same": another boot could differ. */
	in.loss = in.sequential = false;
	in.all_equal = true;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_ONE_BOOT);
	assert_true(decide(in).n_needed == VERDICT_MIN_UNITS);
}

static void boot_noise_widens(void **state)
{
	struct verdict_input in = slower;
	struct verdict_result out;

	(void)state;
	in.one_boot = true;
	in.boots_base = in.boots_arm = 1;
	in.boot_noise_pct = 0.3;
	expect(in, VERDICT_REGRESSED, VERDICT_WHY_NONE);
	in.boot_noise_pct = 1;
	expect(in, VERDICT_REGRESSED, VERDICT_WHY_SIZE);
	out = decide(in);
	/* 1.95996 * sqrt(2) % in squares with 1.5 and 1.4 %. */
	assert_true(fabs(out.ci95.lo - (4.6 - 3.1520)) < 0.001);
	assert_true(fabs(out.ci95.hi - (4.6 + 3.1056)) < 0.001);
	assert_true(isnan(out.n_needed));
	in.boot_noise_pct = 2;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_NOISE);
	in.boots_base = in.boots_arm = 40;
	expect(in, VERDICT_REGRESSED, VERDICT_WHY_NONE);
	in.pct = NAN;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_ONE_BOOT);
	/* Known noise of boots is not added when the units are boots. */
	in = slower;
	in.boot_noise_pct = 50;
	expect(in, VERDICT_REGRESSED, VERDICT_WHY_NONE);
}

static void values_without_spread(void **state)
{
	static const struct verdict_interval none = { NAN, NAN };
	struct verdict_input in = slower;

	(void)state;
	in.all_equal = true;
	in.p = in.p_adj = 1;
	in.shift = in.pct = 0;
	in.ci95 = in.ci90 = in.ci_adj = (struct verdict_interval) { 0, 0 };
	expect(in, VERDICT_SAME, VERDICT_WHY_NONE);
	in.pct = NAN;
	in.ci95 = in.ci90 = in.ci_adj = none;
	expect(in, VERDICT_SAME, VERDICT_WHY_NONE);
	/* "0 -> 12": there is no per cent, and no doubt. */
	in = slower;
	in.pct = NAN;
	in.shift = 12;
	in.ci95 = in.ci90 = in.ci_adj = none;
	expect(in, VERDICT_REGRESSED, VERDICT_WHY_NO_PERCENT);
	in.p_adj = 0.2;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_NOISE);
}

static void exact_metrics_need_no_test(void **state)
{
	struct verdict_input in = {
		.n_base = 1, .n_arm = 1, .better = BETTER_LOWER, .delta_pct = 1, .alpha = 0.05,
		.p = NAN, .p_adj = NAN, .p_min = NAN, .exact = true, .shift = -1,
		.pct = -0.0001, .boot_noise_pct = NAN,
	};

	(void)state;
	expect(in, VERDICT_SMALL, VERDICT_WHY_NONE);
	in.delta_pct = 0;
	expect(in, VERDICT_IMPROVED, VERDICT_WHY_NONE);
	in.shift = 0;
	expect(in, VERDICT_SAME, VERDICT_WHY_NONE);
	in.shift = in.pct = NAN;
	expect(in, VERDICT_UNSURE, VERDICT_WHY_NO_TEST);
}

static void check_mde(const char *id, struct json_object *input, struct json_object *expected)
{
	size_t count, m;
	double *n = vec_array(input, "n", &count);
	double *approx = vec_array(expected, "approx_two_sample", &m);
	double *exact = vec_array(expected, "two_sample", &m);

	assert_int_equal(count, m);
	for (size_t i = 0; i < count; i++) {
		double mde = verdict_mde_planned(n[i], 1, 0.05, 0.8);

		/* The vector was printed to ten digits. */
		assert_true(fabs(mde / approx[i] - 1) < 1e-6);
		if (n[i] >= 5 && fabs(mde / exact[i] - 1) > 0.02)
			fail_msg("%s: %g at n %g", id, mde, n[i]);
	}
	assert_true(isnan(verdict_mde_planned(1, 1, 0.05, 0.8)));
	free(n);
	free(approx);
	free(exact);
}

static void mde_vectors(void **state)
{
	(void)state;
	vectors_each("minimum_detectable_effect", 1, check_mde);
}

static void names(void **state)
{
	enum verdict v;

	(void)state;
	for (int i = VERDICT_MISSING; i <= VERDICT_IMPROVED; i++) {
		assert_int_equal(verdict_parse(verdict_str(i), &v), 0);
		assert_int_equal(v, i);
	}
	assert_int_equal(verdict_parse("FASTER", &v), -EINVAL);
	for (int i = VERDICT_WHY_NONE; i <= VERDICT_WHY_NO_PERCENT; i++)
		assert_int_equal(strlen(verdict_why_str(i)) == 0, i == VERDICT_WHY_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(direction_belongs_to_the_metric),
		cmocka_unit_test(a_real_difference_has_a_size),
		cmocka_unit_test(same_needs_a_narrow_interval),
		cmocka_unit_test(says_what_could_have_been_seen),
		cmocka_unit_test(too_few_units),
		cmocka_unit_test(no_claim_without_a_foundation),
		cmocka_unit_test(boot_noise_widens),
		cmocka_unit_test(values_without_spread),
		cmocka_unit_test(exact_metrics_need_no_test),
		cmocka_unit_test(mde_vectors),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
