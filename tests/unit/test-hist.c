// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/hist.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define N_VALUES 20000

/* splitmix64, seeded here: the same values in every run. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* All magnitudes alike. */
static uint64_t any_size(uint64_t *state)
{
	unsigned int bits = (unsigned int)(next_random(state) % 64);

	return next_random(state) >> bits;
}

static double relative_error(uint64_t got, uint64_t want)
{
	uint64_t diff = got > want ? got - want : want - got;

	return diff ? (double)diff / (double)want : 0;
}

static void check_value(uint64_t v)
{
	unsigned int i = hist_index(v);

	assert_true(i < HIST_BUCKETS);
	assert_true(hist_lower(i) <= v && v <= hist_upper(i));
	assert_true(hist_lower(i) <= hist_mid(i) && hist_mid(i) <= hist_upper(i));
	assert_true(relative_error(hist_mid(i), v) <= 1.0 / 128);
	if (v < 128)
		assert_int_equal(hist_mid(i), v);
}

static void test_error_bound(void **state)
{
	uint64_t seed = 1;
	int i;

	(void)state;
	for (i = 0; i < 64; i++) {
		check_value(UINT64_C(1) << i);
		check_value((UINT64_C(1) << i) - 1);
		check_value((UINT64_C(1) << i) + 1);
	}
	check_value(UINT64_MAX);
	check_value(UINT64_MAX - 1);
	for (i = 0; i < 1000; i++)
		check_value((uint64_t)i);
	for (i = 0; i < 200000; i++)
		check_value(any_size(&seed));
}

/* Every number is in exactly one bucket: each begins where the one before ends. */
static void test_buckets_tile(void **state)
{
	unsigned int i;

	(void)state;
	assert_int_equal(HIST_BUCKETS, 3776);
	assert_int_equal(hist_lower(0), 0);
	for (i = 0; i < HIST_BUCKETS; i++) {
		assert_int_equal(hist_index(hist_lower(i)), i);
		assert_int_equal(hist_index(hist_upper(i)), i);
		if (i)
			assert_true(hist_lower(i) == hist_upper(i - 1) + 1);
	}
	assert_true(hist_upper(HIST_BUCKETS - 1) == UINT64_MAX);
	/* Worked by hand: 1000 = 125 * 8, 62 beyond 64 * 8 in steps of 8. */
	assert_int_equal(hist_index(1000), 3 * 64 + 125);
	assert_int_equal(hist_lower(317), 1000);
	assert_int_equal(hist_upper(317), 1007);
	assert_int_equal(hist_mid(317), 1003);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void check_quantiles(const uint64_t *sorted, uint64_t n, const struct hist *h)
{
	/* In millionths, so that the rank needs no floating point. */
	static const uint64_t q[] = { 0, 1, 1000, 70000, 250000, 500000, 900000, 990000,
				      999000, 999999, 1000000 };
	uint64_t got, rank;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(q); i++) {
		rank = (q[i] * n + 999999) / 1000000;
		if (!rank)
			rank = 1;
		assert_true(hist_quantile(h, (double)q[i] / 1e6, &got));
		assert_true(relative_error(got, sorted[rank - 1]) <= 0.01);
		assert_true(got >= sorted[0] && got <= sorted[n - 1]);
		if (rank == 1 || rank == n)
			assert_true(got == sorted[rank - 1]);
	}
}

static void test_quantiles(void **state)
{
	static const uint64_t sizes[] = { 1, 2, 3, 10, 99, 100, 101, 1000, N_VALUES };
	uint64_t *v = xcalloc(N_VALUES, sizeof(*v)), seed = 2, k;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct hist *h = hist_new();

		for (k = 0; k < sizes[i]; k++) {
			v[k] = any_size(&seed);
			hist_record(h, v[k]);
		}
		qsort(v, sizes[i], sizeof(*v), compare_u64);
		assert_int_equal(h->count, sizes[i]);
		assert_true(h->min == v[0] && h->max == v[sizes[i] - 1]);
		check_quantiles(v, sizes[i], h);
		hist_free(h);
	}
	free(v);
}

/* Ranks are exact for exact values: 1 ... 100 in 100 buckets. */
static void test_rank(void **state)
{
	struct hist *h = hist_new();
	uint64_t v, got;

	(void)state;
	for (v = 1; v <= 100; v++)
		hist_record(h, v);
	for (v = 1; v <= 100; v++) {
		assert_true(hist_quantile(h, (double)v / 100, &got));
		assert_int_equal(got, v);
	}
	assert_true(hist_quantile(h, 0.501, &got));
	assert_int_equal(got, 51);
	hist_free(h);
}

static void test_no_data(void **state)
{
	struct hist *h = hist_new();
	uint64_t got = 7;
	double mean = 7;

	(void)state;
	assert_false(hist_quantile(h, 0.5, &got));
	assert_false(hist_mean(h, &mean));
	assert_int_equal(hist_next(h, 0), HIST_BUCKETS);
	hist_record(h, 0);
	assert_false(hist_quantile(h, -0.1, &got));
	assert_false(hist_quantile(h, 1.1, &got));
	assert_false(hist_quantile(h, (double)NAN, &got));
	assert_int_equal(got, 7);
	assert_true(mean == 7);
	assert_true(hist_quantile(h, 0.5, &got));
	assert_int_equal(got, 0);
	assert_true(hist_mean(h, &mean));
	assert_true(mean == 0);
	hist_free(h);
}

static void test_sum(void **state)
{
	struct hist *h = hist_new(), *sum = hist_new();
	double mean;

	(void)state;
	hist_record(h, UINT64_MAX / 2);
	hist_record(h, 3);
	assert_true(h->sum == UINT64_MAX / 2 + 3);
	assert_true(hist_mean(h, &mean));
	hist_merge(sum, h);
	hist_record(h, UINT64_MAX / 2);
	assert_true(h->sum == UINT64_MAX);
	hist_record(h, 1);
	assert_true(h->sum == UINT64_MAX);
	assert_false(hist_mean(h, &mean));
	hist_merge(sum, h);
	assert_true(sum->sum == UINT64_MAX);
	assert_int_equal(sum->count, 6);
	hist_free(sum);
	hist_free(h);
}

static void test_merge(void **state)
{
	struct hist *all = hist_new(), *half[2] = { hist_new(), hist_new() };
	struct hist *merged = hist_new();
	uint64_t seed = 3, v;
	int i;

	(void)state;
	for (i = 0; i < 5000; i++) {
		v = 1 + any_size(&seed) / 16384;
		hist_record(all, v);
		hist_record(half[i % 2], v);
	}
	hist_merge(merged, half[0]);
	assert_memory_equal(merged, half[0], sizeof(*merged));
	hist_merge(merged, half[1]);
	assert_memory_equal(merged, all, sizeof(*all));
	/* An empty one has no minimum to give. */
	memset(half[0], 0, sizeof(*half[0]));
	hist_merge(merged, half[0]);
	assert_memory_equal(merged, all, sizeof(*all));
	hist_free(merged);
	hist_free(half[1]);
	hist_free(half[0]);
	hist_free(all);
}

static void test_restore(void **state)
{
	struct hist *h = hist_new(), *back = hist_new();
	uint64_t seed = 4;
	unsigned int i;

	(void)state;
	for (i = 0; i < 5000; i++)
		hist_record(h, 5 + any_size(&seed) / 16384);
	for (i = hist_next(h, 0); i < HIST_BUCKETS; i = hist_next(h, i + 1))
		assert_int_equal(hist_restore_bucket(back, i, h->bucket[i]), 0);
	assert_true(back->min <= h->min && back->max >= h->max);
	assert_true(relative_error(back->sum, h->sum) <= 0.01);
	assert_int_equal(hist_restore_totals(back, h->min, h->max, h->sum), 0);
	assert_memory_equal(back, h, sizeof(*h));
	hist_free(back);
	hist_free(h);
}

static void test_restore_rejects(void **state)
{
	struct hist *h = hist_new(), *copy = hist_new();

	(void)state;
	assert_int_equal(hist_restore_totals(h, 0, 0, 0), -EINVAL);
	assert_int_equal(hist_restore_bucket(h, HIST_BUCKETS, 1), -EINVAL);
	assert_int_equal(hist_restore_bucket(h, UINT64_MAX, 1), -EINVAL);
	assert_int_equal(hist_restore_bucket(h, UINT64_C(1) << 32, 1), -EINVAL);
	assert_int_equal(hist_restore_bucket(h, 1, 0), -EINVAL);
	assert_memory_equal(h, copy, sizeof(*h));

	assert_int_equal(hist_restore_bucket(h, hist_index(1000), 2), 0);
	assert_int_equal(hist_restore_bucket(h, hist_index(5), 1), 0);
	assert_int_equal(hist_restore_bucket(h, 5, UINT64_MAX), -EINVAL);
	memcpy(copy, h, sizeof(*h));
	assert_int_equal(hist_restore_totals(h, 6, 1000, 2005), -EINVAL);
	assert_int_equal(hist_restore_totals(h, 5, 1008, 2005), -EINVAL);
	assert_int_equal(hist_restore_totals(h, 5, 999, 2005), -EINVAL);
	assert_int_equal(hist_restore_totals(h, 1000, 5, 2005), -EINVAL);
	assert_int_equal(hist_restore_totals(h, 5, 1007, 2004), -EINVAL);
	assert_int_equal(hist_restore_totals(h, 5, 1007, 2020), -EINVAL);
	assert_memory_equal(h, copy, sizeof(*h));
	assert_int_equal(hist_restore_totals(h, 5, 1007, 2019), 0);
	hist_free(copy);
	hist_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_bound),
		cmocka_unit_test(test_buckets_tile),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_rank),
		cmocka_unit_test(test_no_data),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_restore),
		cmocka_unit_test(test_restore_rejects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
