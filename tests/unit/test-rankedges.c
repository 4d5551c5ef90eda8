// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/ranktest.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "tests/unit/rankcheck.h"
#include "tests/unit/vectors.h"

/* p by going through all assignments, against the clever way. */
static double brute_p(const double *v, const int *block, unsigned int arm, size_t n)
{
	double rank[16], expect = 0, seen = 0;
	unsigned int extreme = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		rank[i] = 0.5;
		for (size_t j = 0; j < n; j++)
			rank[i] += v[j] < v[i] ? 1 : v[j] == v[i] ? 0.5 : 0;
	}
	for (size_t i = 0; i < n; i++) {
		double sum = 0, count = 0, arms = 0;

		for (size_t j = 0; j < n; j++) {
			sum += block[j] == block[i] ? rank[j] : 0;
			count += block[j] == block[i];
			arms += block[j] == block[i] && (arm >> j & 1);
		}
		expect += sum / count * arms / count;
		seen += arm >> i & 1 ? rank[i] : 0;
	}
	for (unsigned int a = 0; a < 1u << n; a++) {
		int surplus[16] = { 0 };
		double t = 0;
		bool same = true;

		for (size_t i = 0; i < n; i++) {
			surplus[block[i]] += (int)(a >> i & 1) - (int)(arm >> i & 1);
			t += a >> i & 1 ? rank[i] : 0;
		}
		for (size_t i = 0; i < 16; i++)
			same &= surplus[i] == 0;
		all += same;
		extreme += same && fabs(t - expect) >= fabs(seen - expect) - 1e-9;
	}
	return (double)extreme / all;
}

/* Random plans: uneven blocks, blocks with one side only, ties, signs. */
static void agrees_with_brute_force(void **state)
{
	uint64_t seed = 20;

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t n = 2 + (size_t)(rank_draw(&seed) * 9), kept = 0;
		int n_blocks = 1 + (int)(rank_draw(&seed) * 3), count[2][16] = { 0 };
		double value[2][16], v[16], levels = rank_draw(&seed) < 0.5 ? 4 : 1e6;
		uint64_t blocks[2][16];
		int block[16];
		bool is_arm[16];
		unsigned int arm = 0;
		struct ranktest_input in = {
			.base = { .value = value[0], .block = blocks[0] },
			.arm = { .value = value[1], .block = blocks[1] },
		};
		struct ranktest r;

		for (size_t i = 0; i < n; i++) {
			struct ranktest_side *side;

			is_arm[i] = rank_draw(&seed) < 0.5;
			block[i] = (int)(rank_draw(&seed) * n_blocks);
			v[i] = floor(rank_draw(&seed) * levels) - (round % 2);
			count[is_arm[i]][block[i]]++;
			side = is_arm[i] ? &in.arm : &in.base;
			value[is_arm[i]][side->n] = v[i];
			blocks[is_arm[i]][side->n++] = 1000000007u * (block[i] + 1);
		}
		for (size_t i = 0; i < n; i++) {
			if (!count[0][block[i]] || !count[1][block[i]])
				continue;
			arm |= (unsigned int)is_arm[i] << kept;
			block[kept] = block[i];
			v[kept++] = v[i];
		}
		assert_int_equal(ranktest_run(&in, &r), 0);
		assert_int_equal(r.n_base + r.n_arm, kept);
		assert_int_equal(r.units_dropped, n - kept);
		if (!kept) {
			assert_true(isnan(r.p) && isnan(r.shift) && isnan(r.pct));
			continue;
		}
		vec_expect("brute force", "p", r.p, brute_p(v, block, arm, kept));
		rank_check_agreement("brute force", &in);
	}
}

static void drops_blocks_with_one_side(void **state)
{
	static const double base[] = { 1, 2, 3, 50 }, arm[] = { 4, 5, 6, 70 };
	static const uint64_t bb[] = { 7, 7, 7, 1 }, ab[] = { 7, 7, 7, 2 };
	struct ranktest_input in = {
		.base = { base, bb, ARRAY_SIZE(base) },
		.arm = { arm, ab, ARRAY_SIZE(arm) },
	};
	struct ranktest r;

	(void)state;
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_int_equal(r.blocks, 1);
	assert_int_equal(r.blocks_dropped, 2);
	assert_int_equal(r.units_dropped, 2);
	assert_int_equal(r.n_base, 3);
	assert_int_equal(r.n_arm, 3);
	vec_expect("dropped", "p", r.p, 0.1);
	in.base.n = 0;
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_int_equal(r.n_arm, 0);
	assert_true(isnan(r.p) && isnan(r.shift) && isnan(r.p_min));
}

static void constant_values(void **state)
{
	static const double five[] = { 5, 5, 5, 5, 5, 5 }, six[] = { 6, 6, 6, 6, 6, 6 };
	struct ranktest_input in = { .base = { five, NULL, 6 }, .arm = { five, NULL, 6 } };
	struct ranktest r;
	struct ranktest_interval ci;

	(void)state;
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_true(r.p == 1 && r.p_normal == 1 && r.shift == 0 && r.pct == 0);
	assert_int_equal(ranktest_interval(&in, 0.95, &ci), 0);
	assert_true(ci.lo == 0 && ci.hi == 0 && ci.pct_lo == 0 && ci.pct_hi == 0);

	in.arm.value = six;
	assert_int_equal(ranktest_run(&in, &r), 0);
	vec_expect("constant", "p", r.p, 2.0 / 924);
	vec_expect("constant", "pct", r.pct, 20);
	assert_int_equal(ranktest_interval(&in, 0.95, &ci), 0);
	vec_expect("constant", "pct_lo", ci.pct_lo, 20);
	vec_expect("constant", "pct_hi", ci.pct_hi, 20);
}

static void percent_without_logarithms(void **state)
{
	static const double zeros[] = { 0, 0, 0, 0 }, some[] = { 12, 12, 13, 12 };
	static const double minus[] = { -10, -10, -10, -10 }, less[] = { -12, -12, -11, -12 };
	struct ranktest_input in = { .base = { zeros, NULL, 4 }, .arm = { some, NULL, 4 } };
	struct ranktest r;
	struct ranktest_interval ci;

	(void)state;
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_true(!r.log_scale && r.shift == 12 && isnan(r.pct));
	assert_int_equal(ranktest_interval(&in, 0.95, &ci), 0);
	assert_true(ci.lo == 12 && isnan(ci.pct_lo) && isnan(ci.pct_hi));

	in.base.value = minus;
	in.arm.value = less;
	assert_int_equal(ranktest_run(&in, &r), 0);
	vec_expect("negative base", "pct", r.pct, 20);
	assert_int_equal(ranktest_interval(&in, 0.95, &ci), 0);
	assert_true(ci.lo == -2 && ci.hi == -1);
	assert_true(ci.pct_lo == 10 && ci.pct_hi == 20);
}

static void refuses(void **state)
{
	static const double good[] = { 1, 2, 3 }, huge[] = { -DBL_MAX, 2, 3 };
	static const uint64_t blocks[] = { 1, 2, 3 };
	double bad[] = { 1, NAN, 3 };
	struct ranktest_input in = { .base = { good, NULL, 3 }, .arm = { bad, NULL, 3 } };
	struct ranktest r;
	struct ranktest_interval ci;

	(void)state;
	assert_int_equal(ranktest_run(&in, &r), -EINVAL);
	assert_true(isnan(r.p) && isnan(r.pct));
	assert_int_equal(ranktest_interval(&in, 0.95, &ci), -EINVAL);
	assert_true(isnan(ci.lo) && isnan(ci.pct_hi));
	bad[1] = INFINITY;
	assert_int_equal(ranktest_run(&in, &r), -EINVAL);
	in.arm.value = huge;
	assert_int_equal(ranktest_run(&in, &r), -ERANGE);
	in.arm.value = good;
	in.arm.block = blocks;
	assert_int_equal(ranktest_run(&in, &r), -EINVAL);
}

static void smallest_p_of_a_plan(void **state)
{
	static const size_t ten[] = { 10 }, three[] = { 3 }, one[] = { 1, 1, 1, 1, 1, 1 };
	static const size_t two[] = { 2, 2, 2 };

	(void)state;
	vec_expect("plan", "3 + 3", ranktest_p_min(three, three, 1), 0.1);
	vec_expect("plan", "10 + 10", ranktest_p_min(ten, ten, 1), 2.0 / 184756);
	vec_expect("plan", "6 pairs", ranktest_p_min(one, one, 6), 0.03125);
	vec_expect("plan", "5 pairs", ranktest_p_min(one, one, 5), 0.0625);
	vec_expect("plan", "3 blocks of 2 + 2", ranktest_p_min(two, two, 3), 2.0 / 216);
	vec_expect("plan", "one pair", ranktest_p_min(one, one, 1), 1);
}

/* All of 100 pairs point one way: 2 / 2^100, which no sampling and no normal p gives. */
static void smallest_p_is_reached(void **state)
{
	double base[100], arm[100];
	uint64_t pair[100];
	struct ranktest_input in = { .base = { base, pair, 100 }, .arm = { arm, pair, 100 } };
	struct ranktest r;

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		pair[i] = i;
		base[i] = 100 + (i * 37 % 100);
		arm[i] = base[i] + 0.5;
	}
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_true(r.exact);
	vec_expect("100 pairs", "p_min", r.p_min, ldexp(1, -99));
	vec_expect("100 pairs", "p", r.p, ldexp(1, -99));
}

/* Runs drift by 1 % a block and one side ran more often late: no effect may appear. */
static void drift_over_uneven_blocks(void **state)
{
	double base[40], arm[40];
	uint64_t bb[40], ab[40];
	struct ranktest_input in = { .base = { base, bb, 0 }, .arm = { arm, ab, 0 } };
	struct ranktest r;
	uint64_t seed = 1;

	(void)state;
	for (uint64_t b = 0; b < 10; b++) {
		for (int i = 0; i < 4; i++) {
			double v = 100 * pow(1.01, b) * (1 + 1e-4 * rank_draw(&seed));

			if (i == 0 || (i < 3 && b < 5)) {
				bb[in.base.n] = b;
				base[in.base.n++] = v;
			} else {
				ab[in.arm.n] = b;
				arm[in.arm.n++] = v;
			}
		}
	}
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_true(r.p > 0.05);
	assert_true(fabs(r.pct) < 0.02);
	rank_check_agreement("drift", &in);
	in.base.block = in.arm.block = NULL;
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_true(r.pct > 1);
}

/* Above the exact sizes: against the exact result just below, and the known shift. */
static void normal_above_the_limits(void **state)
{
	enum { SIDE = 70 };
	double base[SIDE], arm[SIDE];
	uint64_t block[SIDE];
	struct ranktest_input in = {
		.base = { base, NULL, 60 }, .arm = { arm, NULL, 60 },
	};
	struct ranktest r;
	struct ranktest_interval exact, normal;
	uint64_t seed = 5;

	(void)state;
	for (size_t i = 0; i < SIDE; i++) {
		block[i] = i / 35;
		base[i] = 100 + 3 * rank_draw(&seed);
		arm[i] = 100.3 + 3 * rank_draw(&seed);
	}
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_true(r.exact);
	if (fabs(r.p_normal / r.p - 1) > 0.05)
		fail_msg("normal p %g, exact p %g", r.p_normal, r.p);
	assert_int_equal(ranktest_interval(&in, 0.95, &exact), 0);
	in.base.n = in.arm.n = 61;
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_true(!r.exact && r.p == r.p_normal);
	assert_int_equal(ranktest_interval(&in, 0.95, &normal), 0);
	assert_true(fabs(normal.pct_lo - exact.pct_lo) < 0.1);
	assert_true(fabs(normal.pct_hi - exact.pct_hi) < 0.1);
	rank_check_agreement("normal", &in);

	in.base.n = in.arm.n = SIDE;
	in.base.block = in.arm.block = block;
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_true(!r.exact && r.blocks == 2);
	rank_check_agreement("normal, blocks of 70", &in);
}

/* 4e8 differences, symmetric about 2.5, which are never formed. */
static void shift_of_many(void **state)
{
	enum { SIDE = 20000 };
	double *base = xcalloc(SIDE, sizeof(*base)), *arm = xcalloc(SIDE, sizeof(*arm));
	struct ranktest_input in = {
		.base = { base, NULL, SIDE }, .arm = { arm, NULL, SIDE - 1 }, .raw = true,
	};
	struct ranktest r;
	struct ranktest_interval ci;

	(void)state;
	for (size_t i = 0; i < SIDE; i++) {
		base[(i * 7919) % SIDE] = i;
		arm[i] = i + 3;
	}
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_true(r.shift == 2.5);
	assert_true(r.p > 0.9 && !r.exact);
	assert_int_equal(ranktest_interval(&in, 0.95, &ci), 0);
	/* Uniform values 1 apart: the half width is 1.96 * sqrt(n / 6) = 113. */
	assert_true(ci.lo > -113 && ci.lo < -108 && ci.hi > 113 && ci.hi < 118);
	rank_check_agreement("many", &in);
	free(arm);
	free(base);
}

/* p of the same units after taking @theta off the arm. */
static double shifted_p(const struct ranktest_input *in, double theta)
{
	double *arm = xcalloc(in->arm.n, sizeof(*arm));
	struct ranktest_input moved = *in;
	struct ranktest r;

	for (size_t i = 0; i < in->arm.n; i++)
		arm[i] = in->arm.value[i] - theta;
	moved.arm.value = arm;
	assert_int_equal(ranktest_run(&moved, &r), 0);
	free(arm);
	return r.p;
}

/* A bound is where the test turns: rejected just outside, not just inside. */
static void bounds_are_where_the_test_turns(void **state)
{
	static const size_t sizes[] = { 6, 10, 25, 61, 70 };
	double base[70], arm[70];
	uint64_t seed = 11, blocks[3][70];
	const double alpha = 0.05, near = 1e-9;

	(void)state;
	for (size_t i = 0; i < 70; i++) {
		base[i] = 50 * rank_draw(&seed);
		arm[i] = 50 * rank_draw(&seed);
		blocks[0][i] = 0;
		blocks[1][i] = i;
		blocks[2][i] = i % 2;
	}
	for (size_t k = 0; k < 3 * ARRAY_SIZE(sizes); k++) {
		struct ranktest_input in = {
			.base = { base, blocks[k % 3], sizes[k / 3] },
			.arm = { arm, blocks[k % 3], sizes[k / 3] }, .raw = true,
		};
		struct ranktest_interval ci;

		assert_int_equal(ranktest_interval(&in, 1 - alpha, &ci), 0);
		assert_true(isfinite(ci.lo) && isfinite(ci.hi));
		assert_true(shifted_p(&in, ci.lo - near) <= alpha);
		assert_true(shifted_p(&in, ci.lo + near) > alpha);
		assert_true(shifted_p(&in, ci.hi - near) > alpha);
		assert_true(shifted_p(&in, ci.hi + near) <= alpha);
	}
}

/* Five pairs reach 1/16 and no less: rejected at that level, never below. */
static void the_level_itself_rejects(void **state)
{
	static const double base[] = { 10, 11, 12, 13, 14 };
	static const double arm[] = { 9.5, 10.2, 11.1, 11.9, 12.7 };
	static const uint64_t pair[] = { 1, 2, 3, 4, 5 };
	struct ranktest_input in = { .base = { base, pair, 5 }, .arm = { arm, pair, 5 } };
	struct ranktest_interval ci;

	(void)state;
	assert_int_equal(ranktest_interval(&in, 1 - 0.0625, &ci), 0);
	assert_true(isfinite(ci.lo) && isfinite(ci.hi) && ci.hi <= 0);
	assert_int_equal(ranktest_interval(&in, 0.95, &ci), 0);
	assert_true(ci.lo == -INFINITY && ci.hi == INFINITY);
	assert_true(ci.pct_lo == -INFINITY && ci.pct_hi == INFINITY);
	assert_int_equal(ranktest_interval(&in, 1, &ci), 0);
	assert_true(isnan(ci.lo) && isnan(ci.hi));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_brute_force),
		cmocka_unit_test(drops_blocks_with_one_side),
		cmocka_unit_test(constant_values),
		cmocka_unit_test(percent_without_logarithms),
		cmocka_unit_test(refuses),
		cmocka_unit_test(smallest_p_of_a_plan),
		cmocka_unit_test(smallest_p_is_reached),
		cmocka_unit_test(drift_over_uneven_blocks),
		cmocka_unit_test(normal_above_the_limits),
		cmocka_unit_test(shift_of_many),
		cmocka_unit_test(bounds_are_where_the_test_turns),
		cmocka_unit_test(the_level_itself_rejects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
