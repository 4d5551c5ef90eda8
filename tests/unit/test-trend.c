// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/trend.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "lib/mem.h"
#include "tests/unit/vectors.h"

static void check_trend(const char *id, struct json_object *input,
			struct json_object *expected)
{
	struct trend_drift drift;
	struct trend_lag1 lag;
	size_t n;
	double *x = vec_array(input, "x", &n);

	trend_drift(x, n, &drift);
	vec_expect(id, "S", drift.s, vec_num(expected, "S"));
	vec_expect(id, "var", drift.variance, vec_num(expected, "var"));
	vec_expect(id, "z", drift.z, vec_num(expected, "z"));
	vec_expect(id, "p", drift.p, vec_num(expected, "p"));
	assert_int_equal(drift.warn, drift.p < 0.01);
	trend_lag1(x, n, &lag);
	vec_expect(id, "r1", lag.r, vec_num(expected, "r1"));
	vec_expect(id, "r1_z", lag.z, vec_num(expected, "r1_z"));
	vec_expect(id, "r1_p", lag.p, vec_num(expected, "r1_p_one_sided"));
	assert_int_equal(lag.warn, lag.p < 0.01);
	free(x);
}

static void trend_vectors(void **state)
{
	(void)state;
	vectors_each("mann_kendall", 4, check_trend);
}

static void check_modified_z(const char *id, struct json_object *input,
			     struct json_object *expected)
{
	size_t n, m;
	double *x = vec_array(input, "x", &n);
	double *want = vec_array(expected, "modified_z", &m);
	double *z = xcalloc(n, sizeof(*z));

	assert_int_equal(n, m);
	trend_modified_z(x, n, z);
	for (size_t i = 0; i < n; i++)
		vec_expect(id, "z", z[i], want[i]);
	free(z);
	free(want);
	free(x);
}

static void modified_z_vectors(void **state)
{
	(void)state;
	vectors_each("modified_z", 4, check_modified_z);
}

static void check_split(const char *id, struct json_object *input,
			struct json_object *expected)
{
	struct trend_split split;
	size_t n;
	double *x = vec_array(input, "x", &n);

	trend_split(x, n, &split);
	vec_expect(id, "stat", split.share, vec_num(expected, "stat"));
	vec_expect(id, "n_low", split.n_low, vec_num(expected, "n_low"));
	vec_expect(id, "mean_low", split.mean_low, vec_num(expected, "mean_low"));
	vec_expect(id, "mean_high", split.mean_high, vec_num(expected, "mean_high"));
	assert_int_equal(split.modes, split.share > 0.94);
	free(x);
}

static void split_vectors(void **state)
{
	(void)state;
	vectors_each("two_cluster_split", 4, check_split);
}

/* One value far off is an outlier, not a mode; below eight values nothing is claimed. */
static void what_is_not_two_modes(void **state)
{
	static const double far[] = { 1, 1.1, 1.2, 1, 1.1, 1.2, 1, 1.1, 1.2, 1.1, 9, 9.1 };
	static const double low[] = { -9, 1, 1.1, 1.2, 1, 1.1, 1.2, 1, 1.1, 1.2, 1.1 };
	static const double few[] = { 1, 1.01, 1.02, 9, 9.01, 9.02, 9.03 };
	static const double same[] = { 4, 4, 4, 4, 4, 4, 4, 4, 4 };
	struct trend_split split;

	(void)state;
	trend_split(far, ARRAY_SIZE(far), &split);
	assert_true(split.share > split.critical && split.n_low == 10 && !split.modes);
	trend_split(far + 1, ARRAY_SIZE(far) - 2, &split);
	assert_true(!split.modes);
	trend_split(low, ARRAY_SIZE(low), &split);
	assert_true(split.n_low >= 2 && split.share < 0.8);
	trend_split(few, ARRAY_SIZE(few), &split);
	assert_true(split.share > 0.99 && isnan(split.critical) && !split.modes);
	trend_split(same, ARRAY_SIZE(same), &split);
	assert_true(isnan(split.share) && isnan(split.mean_low) && !split.modes);
	trend_split(few, 3, &split);
	assert_true(isnan(split.share) && !split.modes);
}

static void critical_share_between_the_entries(void **state)
{
	double x[1000];
	struct trend_split split;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(x); i++)
		x[i] = i % 7;
	trend_split(x, 8, &split);
	vec_expect("critical", "8", split.critical, 0.936);
	trend_split(x, 100, &split);
	vec_expect("critical", "100", split.critical, 0.721);
	trend_split(x, 9, &split);
	vec_expect("critical", "9", split.critical, 0.936 - 0.027 * (1.0 / 8 - 1.0 / 9) * 40);
	trend_split(x, 1000, &split);
	assert_true(split.critical > 2 / M_PI && split.critical < 0.721);
}

static void residuals_take_the_arms_out(void **state)
{
	static const double x[] = { 10, 100, 12, 104, 11, 102 };
	static const size_t arm[] = { 0, 1, 0, 1, 0, 1 };
	static const double want[] = { -1, -2, 1, 2, 0, 0 };
	double residual[6];

	(void)state;
	trend_residuals(x, arm, ARRAY_SIZE(x), 2, residual);
	for (size_t i = 0; i < ARRAY_SIZE(x); i++)
		assert_true(residual[i] == want[i]);
}

static void nothing_to_say_about_little(void **state)
{
	static const double same[] = { 3, 3, 3, 3 };
	struct trend_drift drift;
	struct trend_lag1 lag;

	(void)state;
	trend_drift(same, 2, &drift);
	assert_true(isnan(drift.s) && isnan(drift.p) && !drift.warn);
	trend_drift(same, 4, &drift);
	assert_true(drift.s == 0 && drift.variance == 0 && drift.p == 1 && !drift.warn);
	trend_lag1(same, 4, &lag);
	assert_true(isnan(lag.r) && isnan(lag.p) && !lag.warn);
	trend_lag1(same, 0, &lag);
	assert_true(isnan(lag.r));
}

/* Many values: the count of inversions must not take a square of time, nor overflow. */
static void drift_of_many(void **state)
{
	enum { MANY = 200000 };
	double *x = xcalloc(MANY, sizeof(*x));
	struct trend_drift drift;

	(void)state;
	for (size_t i = 0; i < MANY; i++)
		x[i] = -(double)i;
	trend_drift(x, MANY, &drift);
	assert_true(drift.s == -0.5 * MANY * (MANY - 1.0) && drift.warn);
	free(x);
}

/* A step between sessions is no drift, what rises in each of them is. */
static void drift_inside_groups(void **state)
{
	static const double step[] = { 10, 12, 11, 13, 10, 12, 20, 22, 21, 23, 20, 22 };
	static const double rise[] = { 20, 21, 22, 23, 24, 25, 10, 11, 12, 13, 14, 15 };
	static const size_t group[] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1 };
	struct trend_drift one, two;

	(void)state;
	trend_drift(step, ARRAY_SIZE(step), &one);
	assert_true(one.warn);
	trend_drift_within(step, group, ARRAY_SIZE(step), 2, &one);
	assert_false(one.warn);
	trend_drift(rise, ARRAY_SIZE(rise), &one);
	assert_false(one.warn);
	trend_drift_within(rise, group, ARRAY_SIZE(rise), 2, &one);
	/* 15 pairs each, and the variance of 6 values twice: 6 * 5 * 17 / 18. */
	assert_true(one.s == 30 && one.warn);
	assert_float_equal(one.variance, 2 * 6 * 5 * 17 / 18.0, 1e-12);
	/* Groups may alternate. */
	trend_drift_within(rise, group, ARRAY_SIZE(rise), 3, &two);
	assert_true(two.z == one.z);
}

static void share_of_a_mode(void **state)
{
	(void)state;
	/* The lady tasting tea. */
	vec_expect("fisher", "3 of 4", trend_share_p(3, 4, 1, 4), 34.0 / 70);
	vec_expect("fisher", "4 of 4", trend_share_p(4, 4, 0, 4), 2.0 / 70);
	vec_expect("fisher", "equal", trend_share_p(2, 4, 2, 4), 1);
	vec_expect("fisher", "all low", trend_share_p(5, 5, 7, 7), 1);
	assert_true(isnan(trend_share_p(0, 0, 1, 4)));
}

static void outliers_on_the_side_that_counts(void **state)
{
	static const double x[] = { 10, 10.1, 9.9, 10.2, 9.8, 10.05, 9.95, 10.1, 14, 10.75 };
	static const double tied[] = { 5, 5, 5, 5, 5, 5.2, 6, 4 };
	struct trend_outliers o;

	(void)state;
	trend_outliers(x, ARRAY_SIZE(x), BETTER_LOWER, &o);
	assert_int_equal(o.warn, 1);
	assert_int_equal(o.note, 1);
	assert_int_equal(o.worst, 8);
	trend_outliers(x, ARRAY_SIZE(x), BETTER_HIGHER, &o);
	assert_int_equal(o.warn, 0);
	assert_int_equal(o.note, 0);
	assert_int_equal(o.worst, ARRAY_SIZE(x));
	trend_outliers(x, ARRAY_SIZE(x), BETTER_NEUTRAL, &o);
	assert_int_equal(o.warn, 1);

	trend_outliers(tied, ARRAY_SIZE(tied), BETTER_LOWER, &o);
	assert_int_equal(o.warn, 1);
	assert_int_equal(o.worst, 6);
	trend_outliers(tied, ARRAY_SIZE(tied), BETTER_NEUTRAL, &o);
	assert_int_equal(o.warn, 2);
	trend_outliers(NULL, 0, BETTER_LOWER, &o);
	assert_true(o.warn == 0 && o.note == 0 && o.worst == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trend_vectors),
		cmocka_unit_test(modified_z_vectors),
		cmocka_unit_test(split_vectors),
		cmocka_unit_test(what_is_not_two_modes),
		cmocka_unit_test(critical_share_between_the_entries),
		cmocka_unit_test(residuals_take_the_arms_out),
		cmocka_unit_test(nothing_to_say_about_little),
		cmocka_unit_test(drift_of_many),
		cmocka_unit_test(drift_inside_groups),
		cmocka_unit_test(share_of_a_mode),
		cmocka_unit_test(outliers_on_the_side_that_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
