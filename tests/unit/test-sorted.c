// SPDX-License-Identifier: GPL-2.0-or-later
/* The fast ways for sorted and for large samples say what the plain ways say. */
#include "results/sorted.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "results/datacheck.h"
#include "results/rankbig.h"

/* https://en.wikipedia.org/wiki/Xorshift, for a sequence that is the same everywhere */
static double next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / 9007199254740992.0;
}

enum shape { SMOOTH, SKEWED, TIED, TWO_MODES, SIGNED, CONSTANT, HUGE_VALUES, TINY_VALUES, SHAPES };

static double draw(enum shape shape, uint64_t *seed)
{
	double u = next(seed), bell = next(seed) + next(seed) + next(seed) + next(seed) - 2;

	switch (shape) {
	case SMOOTH:
		return 100 + 3 * bell;
	case SKEWED:
		return 10 - log(1 - u);
	case TIED:
		return floor(50 + 4 * bell);
	case TWO_MODES:
		return (u < 0.3 ? 60 : 80) + bell;
	case SIGNED:
		return 5 * bell;
	case CONSTANT:
		return 7;
	case HUGE_VALUES:
		return 1e307 * (1 + u);
	default:
		return 1e-307 * (1 + u);
	}
}

static double *sample(enum shape shape, size_t n, double factor, uint64_t *seed)
{
	double *x = xcalloc(n, sizeof(*x));

	for (size_t i = 0; i < n; i++)
		x[i] = factor * draw(shape, seed);
	return x;
}

static void near(const char *what, size_t n, int shape, double got, double want, double scale)
{
	if (isnan(got) && isnan(want))
		return;
	if (got == want || fabs(got - want) <= 1e-12 * (fabs(want) + scale))
		return;
	fail_msg("%s of %zu values, shape %d: %.17g, not %.17g", what, n, shape, got, want);
}

static const size_t sizes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 51, 999, 1000, 1001, 3000, 9000 };

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sorts(void **state)
{
	uint64_t seed = 88172645463325252ULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (int shape = 0; shape < SHAPES; shape++) {
			__cleanup_free double *x = sample(shape, sizes[i], 1, &seed);
			__cleanup_free double *y = xcalloc(sizes[i], sizeof(*y));
			__cleanup_free double *work = xcalloc(sizes[i], sizeof(*work));

			memcpy(y, x, sizes[i] * sizeof(*x));
			sorted_sort(x, i % 2 ? work : NULL, sizes[i]);
			qsort(y, sizes[i], sizeof(*y), ascending);
			for (size_t j = 0; j < sizes[i]; j++)
				if (x[j] != y[j])
					fail_msg("value %zu of %zu, shape %d", j, sizes[i], shape);
		}
}

static void same_stats(const struct stats *got, const struct stats *want, size_t n, int shape)
{
	double scale = want->sd > 0 ? want->sd : 0;

	near("min", n, shape, got->min, want->min, 0);
	near("max", n, shape, got->max, want->max, 0);
	near("mean", n, shape, got->mean, want->mean, scale);
	near("median", n, shape, got->median, want->median, 0);
	near("sd", n, shape, got->sd, want->sd, 0);
	near("sd_pop", n, shape, got->sd_pop, want->sd_pop, 0);
	near("mad", n, shape, got->mad, want->mad, 0);
	near("mad_sd", n, shape, got->mad_sd, want->mad_sd, 0);
	near("hmean", n, shape, got->hmean, want->hmean, 0);
	near("hmean_se", n, shape, got->hmean_se, want->hmean_se, 0);
	near("hmean_lo", n, shape, got->hmean_lo, want->hmean_lo, 0);
	near("hmean_hi", n, shape, got->hmean_hi, want->hmean_hi, 0);
	near("gmean", n, shape, got->gmean, want->gmean, 0);
	near("mean_lo", n, shape, got->mean_lo, want->mean_lo, scale);
	near("mean_hi", n, shape, got->mean_hi, want->mean_hi, scale);
	if (fabs(want->mean) > want->sd)
		near("cv", n, shape, got->cv, want->cv, 0);
}

static void describes(void **state)
{
	uint64_t seed = 88172645463325252ULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (int shape = 0; shape < SHAPES; shape++) {
			__cleanup_free double *x = sample(shape, sizes[i], 1, &seed);
			struct stats got, want;

			assert_int_equal(stats_describe(x, sizes[i], &want), 0);
			sorted_sort(x, NULL, sizes[i]);
			sorted_describe(x, NULL, sizes[i], &got);
			assert_int_equal(got.n, sizes[i]);
			same_stats(&got, &want, sizes[i], shape);
		}
}

static void nothing(void **state)
{
	struct stats s;

	(void)state;
	sorted_describe(NULL, NULL, 0, &s);
	assert_int_equal(s.n, 0);
	assert_true(isnan(s.mean) && isnan(s.median) && isnan(s.mad) && isnan(s.hmean));
}

static void sees_the_same_shape(void **state)
{
	uint64_t seed = 88172645463325252ULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (int shape = 0; shape < HUGE_VALUES; shape++) {
			size_t n = sizes[i];
			__cleanup_free double *x = sample(shape, n, 1, &seed);
			struct trend_outliers got, want;
			struct data_resolution r;
			struct trend_split split, all;
			struct stats s;
			double tied, step;

			x[0] *= i % 2 ? 2 : 0.5;
			sorted_sort(x, NULL, n);
			sorted_describe(x, NULL, n, &s);
			for (int better = BETTER_NEUTRAL; better <= BETTER_HIGHER; better++) {
				sorted_outliers(x, &s, better, &got);
				trend_outliers(x, n, better, &want);
				assert_int_equal(got.warn, want.warn);
				assert_int_equal(got.note, want.note);
				assert_int_equal(got.worst < n, want.worst < n);
				if (want.worst < n)
					assert_true(x[got.worst] == x[want.worst]);
			}
			sorted_resolution(x, n, &tied, &step);
			data_resolution(x, n, NAN, &r);
			near("tied", n, shape, tied, r.tied, 0);
			near("step", n, shape, step, r.step, 0);
			sorted_split(x, n, &split);
			trend_split(x, n, &all);
			assert_int_equal(split.modes, all.modes);
			if (n <= SORTED_SPLIT_MAX)
				assert_int_equal(split.n_low, all.n_low);
		}
}

static double *logs_of(const double *x, size_t n)
{
	double *logs = xcalloc(n, sizeof(*logs));

	for (size_t i = 0; i < n; i++)
		logs[i] = log(x[i]);
	return logs;
}

/* Estimates and bounds are differences of the same values: they must be the same bits. */
static void same_test(enum shape shape, size_t n, size_t m, double factor)
{
	uint64_t seed = 88172645463325252ULL + n;
	__cleanup_free double *a = sample(shape, n, 1, &seed), *b = sample(shape, m, factor, &seed);
	struct ranktest_input in = { .base = { a, NULL, n }, .arm = { b, NULL, m } };
	__cleanup_free double *la = NULL, *lb = NULL;
	struct ranktest_interval ci, want_ci;
	struct ranktest got, want;
	struct rankbig big = { .n_base = n, .n_arm = m };

	assert_int_equal(ranktest_run(&in, &want), 0);
	sorted_sort(a, NULL, n);
	sorted_sort(b, NULL, m);
	la = logs_of(a, n);
	lb = logs_of(b, m);
	big.log_scale = a[0] > 0 && b[0] > 0;
	big.base = big.log_scale ? la : a;
	big.arm = big.log_scale ? lb : b;
	big.base_median = stats_quantile(a, n, 0.5);
	rankbig_run(&big, &got);
	near("u", n, shape, got.u, want.u, 0);
	near("rank_sum", n, shape, got.rank_sum, want.rank_sum, 0);
	near("rank_expect", n, shape, got.rank_expect, want.rank_expect, 0);
	near("p", n, shape, got.p_normal, want.p_normal, 1);
	near("p_min", n, shape, got.p_min, want.p_min, 0);
	near("shift", n, shape, got.shift, want.shift, 0);
	near("pct", n, shape, got.pct, want.pct, 0);
	assert_int_equal(got.log_scale, want.log_scale);
	for (int level = 0; level < 3; level++) {
		static const double conf[] = { 0.5, 0.95, 0.999 };

		rankbig_interval(&big, conf[level], &ci);
		assert_int_equal(ranktest_interval(&in, conf[level], &want_ci), 0);
		near("lo", n, shape, ci.lo, want_ci.lo, 0);
		near("hi", n, shape, ci.hi, want_ci.hi, 0);
		near("pct_lo", n, shape, ci.pct_lo, want_ci.pct_lo, 0);
		near("pct_hi", n, shape, ci.pct_hi, want_ci.pct_hi, 0);
	}
}

static void tests_the_same(void **state)
{
	(void)state;
	for (int shape = 0; shape < HUGE_VALUES; shape++) {
		same_test(shape, 1000, 1000, 1);
		same_test(shape, 1000, 1003, 1.01);
		same_test(shape, 2500, 1111, 0.9);
		same_test(shape, 5000, 5001, 1.002);
	}
}

/* Far apart, and where the other side has nearly all values. */
static void tests_extremes(void **state)
{
	(void)state;
	same_test(SMOOTH, 1000, 1000, 5);
	same_test(SMOOTH, 1000, 1000, 0.01);
	same_test(SKEWED, 20000, 1000, 1);
	same_test(TWO_MODES, 1000, 20000, 1.3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts),
		cmocka_unit_test(describes),
		cmocka_unit_test(nothing),
		cmocka_unit_test(sees_the_same_shape),
		cmocka_unit_test(tests_the_same),
		cmocka_unit_test(tests_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
