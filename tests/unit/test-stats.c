// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/stats.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "lib/mem.h"
#include "tests/unit/vectors.h"

static const double utime_before[] = {
	35993, 35712, 35369, 35544, 35623, 35939, 35693, 35562, 35675
};

/* R gives up on 1/x of these two; ours must equal the same data near one, scaled. */
static void check_scaled(const char *id, const struct stats *got, const double *near,
			 size_t n, double unit)
{
	struct stats s;

	assert_int_equal(stats_describe(near, n, &s), 0);
	vec_expect(id, "hmean_se", got->hmean_se, s.hmean_se * unit);
	vec_expect(id, "hmean_lo", got->hmean_lo, s.hmean_lo * unit);
	vec_expect(id, "hmean_hi", got->hmean_hi, s.hmean_hi * unit);
}

static void check_interval(const char *id, struct json_object *expected, const char *key,
			   double lo, double hi)
{
	size_t n;
	double *want = vec_array(expected, key, &n);

	assert_int_equal(n, 2);
	vec_expect(id, key, lo, want[0]);
	vec_expect(id, key, hi, want[1]);
	free(want);
}

static void check_quantiles(const char *id, struct json_object *expected, double *x, size_t n)
{
	size_t n_probs, n_want;
	double *probs = vec_array(expected, "q_probs", &n_probs);
	double *want = vec_array(expected, "q_type7", &n_want);

	assert_int_equal(n_probs, n_want);
	assert_int_not_equal(n_want, 0);
	stats_sort(x, n);
	for (size_t i = 0; i < n_want; i++)
		vec_expect(id, "quantile", stats_quantile(x, n, probs[i]), want[i]);
	free(probs);
	free(want);
}

static void check_describe(const char *id, struct json_object *input,
			   struct json_object *expected)
{
	static const double huge[] = { 1, 2, 3, 4 }, tiny[] = { 1, 2, 4 };
	struct stats s;
	size_t n;
	double *x = vec_array(input, "x", &n);

	assert_int_equal(stats_describe(x, n, &s), 0);
	assert_int_equal(s.n, vec_num(expected, "n"));
	vec_expect(id, "min", s.min, vec_num(expected, "min"));
	vec_expect(id, "max", s.max, vec_num(expected, "max"));
	vec_expect(id, "mean", s.mean, vec_num(expected, "mean"));
	vec_expect(id, "median", s.median, vec_num(expected, "median"));
	vec_expect(id, "sd", s.sd, vec_num(expected, "sd_sample"));
	vec_expect(id, "sd_pop", s.sd_pop, vec_num(expected, "sd_population"));
	vec_expect(id, "cv", s.cv, vec_num(expected, "cv"));
	vec_expect(id, "hmean", s.hmean, vec_num(expected, "hmean"));
	vec_expect(id, "gmean", s.gmean, vec_num(expected, "gmean"));
	vec_expect(id, "mad", s.mad, vec_num(expected, "mad_raw"));
	vec_expect(id, "mad_sd", s.mad_sd, vec_num(expected, "mad_scaled"));
	check_interval(id, expected, "t95", s.mean_lo, s.mean_hi);
	if (!strcmp(id, "desc/huge")) {
		check_scaled(id, &s, huge, ARRAY_SIZE(huge), 1e300);
	} else if (!strcmp(id, "desc/tiny")) {
		check_scaled(id, &s, tiny, ARRAY_SIZE(tiny), 1e-300);
	} else {
		vec_expect(id, "hmean_se", s.hmean_se, vec_num(expected, "hmean_se"));
		check_interval(id, expected, "hmean_t95", s.hmean_lo, s.hmean_hi);
	}
	check_quantiles(id, expected, x, n);
	free(x);
}

static void describe_vectors(void **state)
{
	(void)state;
	vectors_each("describe", 20, check_describe);
}

static void check_median_ci(const char *id, struct json_object *input,
			    struct json_object *expected)
{
	struct stats_median_ci ci;
	size_t n;
	double *x = vec_array(input, "x", &n);

	vec_expect(id, "median", stats_median(x, n), vec_num(expected, "median"));
	stats_sort(x, n);
	stats_median_ci(x, n, vec_num(input, "conf"), &ci);
	assert_int_equal(ci.k, vec_num(expected, "k"));
	vec_expect(id, "lo", ci.lo, vec_num(expected, "lo"));
	vec_expect(id, "hi", ci.hi, vec_num(expected, "hi"));
	vec_expect(id, "coverage", ci.coverage, vec_num(expected, "coverage"));
	free(x);
}

static void median_ci_vectors(void **state)
{
	(void)state;
	vectors_each("median_ci", 7, check_median_ci);
}

static void check_ranks(const char *id, struct json_object *input,
			struct json_object *expected)
{
	struct stats_median_ci ci;
	double x[1000];
	size_t count;
	double *n = vec_array(input, "n", &count);
	double *k = vec_array(expected, "k", &count);
	double *coverage = vec_array(expected, "coverage", &count);

	for (size_t i = 0; i < ARRAY_SIZE(x); i++)
		x[i] = i + 1;
	for (size_t i = 0; i < count; i++) {
		stats_median_ci(x, n[i], vec_num(input, "conf"), &ci);
		assert_int_equal(ci.k, k[i]);
		vec_expect(id, "coverage", ci.coverage, coverage[i]);
		vec_expect(id, "lo", ci.lo, k[i] > 0 ? k[i] : NAN);
		vec_expect(id, "hi", ci.hi, k[i] > 0 ? n[i] + 1 - k[i] : NAN);
	}
	free(n);
	free(k);
	free(coverage);
}

static void median_ci_ranks(void **state)
{
	(void)state;
	vectors_each("median_ci_ranks", 2, check_ranks);
}

static void check_welch(const char *id, struct json_object *input,
			struct json_object *expected)
{
	struct stats base, arm;
	struct stats_welch w;
	size_t nb, na;
	double *b = vec_array(input, "base", &nb);
	double *a = vec_array(input, "variant", &na);

	assert_int_equal(stats_describe(b, nb, &base), 0);
	assert_int_equal(stats_describe(a, na, &arm), 0);
	stats_welch(&base, &arm, 0.95, &w);
	vec_expect(id, "diff", w.diff, vec_num(expected, "diff"));
	vec_expect(id, "t", w.t, vec_num(expected, "t"));
	vec_expect(id, "df", w.df, vec_num(expected, "df"));
	vec_expect(id, "p", w.p, vec_num(expected, "p"));
	check_interval(id, expected, "ci95", w.lo, w.hi);
	free(a);
	free(b);
}

static void welch_vectors(void **state)
{
	(void)state;
	vectors_each("welch_t", 12, check_welch);
}

/* Two mails print a deviation each, of different kinds, and a mean under a wrong name. */
static void published_figures(void **state)
{
	static const double after[] = {
		32968, 33146, 32996, 33159, 33000, 33016, 32829, 32685, 32815
	};
	static const double unlink_real[] = { 80, 63, 65, 67, 75, 75, 75, 74, 76 };
	struct stats s;

	(void)state;
	assert_int_equal(stats_describe(utime_before, ARRAY_SIZE(utime_before), &s), 0);
	assert_true(fabs(s.sd_pop - 182.161981912585) < 1e-11);
	assert_true(fabs(s.hmean - 35677.9600871036) < 1e-9);
	assert_int_equal(stats_describe(after, ARRAY_SIZE(after), &s), 0);
	assert_true(fabs(s.sd_pop - 146.829034703967) < 1e-11);
	assert_true(fabs(s.mean - 32957.1111111111) < 1e-9);
	assert_true(fabs(s.hmean - 32956.4559461858) < 1e-9);
	assert_int_equal(stats_describe(unlink_real, ARRAY_SIZE(unlink_real), &s), 0);
	assert_true(fabs(s.sd - 5.76146200581454) < 1e-13);
	assert_true(s.median == 75);
}

static void nothing_is_not_zero(void **state)
{
	struct stats s;
	struct stats_median_ci ci;
	double one = 42;

	(void)state;
	assert_int_equal(stats_describe(NULL, 0, &s), 0);
	assert_int_equal(s.n, 0);
	assert_true(isnan(s.mean) && isnan(s.median) && isnan(s.min) && isnan(s.max));
	assert_true(isnan(s.sd) && isnan(s.sd_pop) && isnan(s.mad) && isnan(s.cv));
	assert_true(isnan(stats_median(NULL, 0)));
	assert_true(isnan(stats_quantile(&one, 1, -0.1)));
	assert_true(isnan(stats_quantile(&one, 1, 1.1)));
	assert_true(isnan(stats_quantile(&one, 1, NAN)));
	stats_median_ci(NULL, 0, 0.95, &ci);
	assert_int_equal(ci.k, 0);
	assert_true(isnan(ci.lo) && isnan(ci.hi) && isnan(ci.coverage));
}

static void refuses_what_is_not_finite(void **state)
{
	static const double bad[] = { NAN, INFINITY, -INFINITY };
	struct stats s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		double x[] = { 1, 2, bad[i], 3 };

		assert_int_equal(stats_describe(x, ARRAY_SIZE(x), &s), -EINVAL);
		assert_int_equal(s.n, ARRAY_SIZE(x));
		assert_true(isnan(s.mean) && isnan(s.min) && isnan(s.max));
	}
}

static void ends_of_the_range(void **state)
{
	static const double wide[] = { -DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX };
	static const double top[] = { DBL_MAX, DBL_MAX };
	static const double tiny[] = { DBL_TRUE_MIN, 3 * DBL_TRUE_MIN };
	static const double spread[] = { 1e-310, 1e300 };
	static const double zeros[] = { 0, 0, 0 };
	struct stats s;

	(void)state;
	assert_int_equal(stats_describe(wide, ARRAY_SIZE(wide), &s), 0);
	assert_true(s.mean == 0 && isnan(s.cv) && s.median == 0);
	assert_int_equal(stats_describe(top, ARRAY_SIZE(top), &s), 0);
	assert_true(s.mean == DBL_MAX && s.median == DBL_MAX && s.sd == 0 && s.cv == 0);
	assert_int_equal(stats_describe(tiny, ARRAY_SIZE(tiny), &s), 0);
	assert_true(s.mean == 2 * DBL_TRUE_MIN && s.cv > 0.7 && s.cv < 0.71);
	assert_int_equal(stats_describe(spread, ARRAY_SIZE(spread), &s), 0);
	assert_true(fabs(s.hmean / 2e-310 - 1) < 1e-9);
	assert_int_equal(stats_describe(zeros, ARRAY_SIZE(zeros), &s), 0);
	assert_true(s.mean == 0 && s.sd == 0 && s.mad == 0);
	assert_true(isnan(s.cv) && isnan(s.hmean) && isnan(s.gmean));
}

static void order_does_not_matter(void **state)
{
	double x[ARRAY_SIZE(utime_before)];
	struct stats a, b;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(x); i++)
		x[i] = utime_before[ARRAY_SIZE(x) - 1 - i] / 3;
	assert_int_equal(stats_describe(x, ARRAY_SIZE(x), &a), 0);
	stats_sort(x, ARRAY_SIZE(x));
	assert_int_equal(stats_describe(x, ARRAY_SIZE(x), &b), 0);
	assert_memory_equal(&a, &b, sizeof(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(describe_vectors),
		cmocka_unit_test(median_ci_vectors),
		cmocka_unit_test(median_ci_ranks),
		cmocka_unit_test(welch_vectors),
		cmocka_unit_test(published_figures),
		cmocka_unit_test(nothing_is_not_zero),
		cmocka_unit_test(refuses_what_is_not_finite),
		cmocka_unit_test(ends_of_the_range),
		cmocka_unit_test(order_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
