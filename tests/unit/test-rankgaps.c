// SPDX-License-Identifier: GPL-2.0-or-later
/* The quick way to an exact interval against the slow one: each shift by going through all sums. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "results/rankset.h"
#include "tests/unit/rankcheck.h"

#define UNITS 70 /* a side, at the most */
#define SUMS 20000

static const double confs[] = { 0.3, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 1 - 1e-6 };

/* Samples of random layout. */
struct layout {
	double value[2][UNITS];
	uint64_t block[2][UNITS];
	size_t n[2];
	bool blocked, raw;
};

static struct ranktest_input input_of(const struct layout *l, struct ranktest_memory *memory)
{
	return (struct ranktest_input){
		.base = { l->value[0], l->blocked ? l->block[0] : NULL, l->n[0] },
		.arm = { l->value[1], l->blocked ? l->block[1] : NULL, l->n[1] },
		.raw = l->raw, .memory = memory,
	};
}

/* Ways to choose the arm of a block, by sum of the doubled ranks; then their shares. */
static size_t block_sums(const struct rankset *set, const struct rank_block *block, double *share)
{
	static double ways[UNITS + 1][SUMS];
	size_t top = 0;
	double total = 0;

	for (size_t i = 0; i < block->n; i++)
		top += set->rank2[block->first + i];
	assert_true(top < SUMS);
	for (size_t k = 0; k <= block->m; k++)
		memset(ways[k], 0, (top + 1) * sizeof(ways[k][0]));
	ways[0][0] = 1;
	for (size_t i = 0; i < block->n; i++) {
		size_t r = set->rank2[block->first + i];

		for (size_t k = block->m; k-- > 0;)
			for (size_t s = 0; s + r <= top; s++)
				ways[k + 1][s + r] += ways[k][s];
	}
	for (size_t s = 0; s <= top; s++)
		total += ways[block->m][s];
	for (size_t s = 0; s <= top; s++)
		share[s] = ways[block->m][s] / total;
	return top;
}

static double slow_p(const struct rankset *set)
{
	static double all[SUMS], sum[SUMS], share[SUMS];
	double sum2, expect2, p = 0;
	size_t top = 0;

	all[0] = 1;
	for (size_t b = 0; b < set->n_blocks; b++) {
		size_t more = block_sums(set, &set->blocks[b], share);

		assert_true(top + more < SUMS);
		memset(sum, 0, (top + more + 1) * sizeof(*sum));
		for (size_t s = 0; s <= more; s++)
			for (size_t t = 0; share[s] > 0 && t <= top; t++)
				sum[t + s] += share[s] * all[t];
		top += more;
		memcpy(all, sum, (top + 1) * sizeof(*all));
	}
	rankset_sums(set, &sum2, &expect2);
	for (size_t s = 0; s <= top; s++)
		if (fabs(s - expect2) >= fabs(sum2 - expect2) - 1e-6)
			p += all[s];
	return fmin(1, p);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Every difference once, ascending, and p in the gap before each and after the last. */
struct slow {
	double d[UNITS * UNITS];
	double p[UNITS * UNITS + 1];
	size_t n;
};

static double gap(const struct rankset *set, const struct slow *s, size_t i)
{
	if (i == 0)
		return s->d[0] - rankset_magnitude(set);
	if (i == s->n)
		return s->d[s->n - 1] + rankset_magnitude(set);
	return 0.5 * s->d[i - 1] + 0.5 * s->d[i];
}

static void slow_differences(const struct rankset *set, struct slow *s)
{
	double near = 0x1p-48 * rankset_magnitude(set);
	size_t all = 0;

	for (size_t j = 0; j < set->n_arm; j++)
		for (size_t i = 0; i < set->n_base; i++)
			s->d[all++] = set->arm[j].v - set->base[i].v;
	qsort(s->d, all, sizeof(*s->d), ascending);
	s->n = 0;
	for (size_t i = 0; i < all; i++) {
		double d = fabs(s->d[i]) <= near ? 0 : s->d[i];

		if (!s->n || d - s->d[s->n - 1] > near)
			s->d[s->n++] = d;
	}
	for (size_t i = 0; i <= s->n; i++)
		s->p[i] = NAN;
}

static bool slow_accepts(struct rankset *set, struct slow *s, size_t i, double alpha)
{
	if (isnan(s->p[i])) {
		rankset_rank(set, gap(set, s, i));
		s->p[i] = slow_p(set);
	}
	return s->p[i] > alpha;
}

/* Steps from gap @near towards @far that are accepted, by halving; -1: not even @near. */
static long slow_search(struct rankset *set, struct slow *s, long near, long far, double alpha)
{
	long step = far < near ? -1 : 1, good = -1, bad = (far - near) * step + 1;

	while (bad - good > 1) {
		long mid = (good + bad) / 2;

		if (slow_accepts(set, s, near + step * mid, alpha))
			good = mid;
		else
			bad = mid;
	}
	return good;
}

static void slow_bounds(struct rankset *set, struct slow *s, const struct ranktest *r, double alpha,
			double *lo, double *hi)
{
	size_t below = 0, upto;
	long steps;

	while (below < s->n && s->d[below] < r->shift)
		below++;
	for (upto = below; upto < s->n && s->d[upto] <= r->shift;)
		upto++;
	steps = slow_search(set, s, below, 0, alpha);
	*lo = steps < 0 ? r->shift : (size_t)steps == below ? -INFINITY : s->d[below - steps - 1];
	steps = slow_search(set, s, upto, s->n, alpha);
	*hi = steps < 0 ? r->shift : upto + steps == s->n ? INFINITY : s->d[upto + steps];
	if (r->p > alpha) {
		*lo = fmin(*lo, 0);
		*hi = fmax(*hi, 0);
	} else if (*lo < 0 && *hi > 0) {
		*(r->rank_sum > r->rank_expect ? lo : hi) = 0;
	}
}

static void check_layout(int round, const struct layout *l, struct ranktest_memory *memory)
{
	static struct slow slow;
	struct ranktest_input in = input_of(l, NULL), remembering = input_of(l, memory);
	struct ranktest_interval ci[ARRAY_SIZE(confs)], one;
	struct ranktest r, again;
	struct rankset set;

	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_int_equal(ranktest_run(&remembering, &again), 0);
	assert_true(r.exact);
	assert_memory_equal(&r.p, &again.p, sizeof(r.p));
	assert_int_equal(ranktest_intervals(&remembering, confs, ARRAY_SIZE(confs), ci), 0);
	assert_int_equal(rankset_init(&set, &in), 0);
	rankset_rank(&set, 0);
	if (fabs(r.p - slow_p(&set)) > 1e-12 * r.p)
		fail_msg("round %d: p %.17g, not %.17g", round, r.p, slow_p(&set));
	slow_differences(&set, &slow);
	for (size_t i = 0; i < ARRAY_SIZE(confs); i++) {
		double lo, hi;

		slow_bounds(&set, &slow, &r, 1 - confs[i], &lo, &hi);
		if (ci[i].lo != lo || ci[i].hi != hi)
			fail_msg("round %d at %g: %.17g to %.17g, not %.17g to %.17g", round,
				 confs[i], ci[i].lo, ci[i].hi, lo, hi);
	}
	assert_int_equal(ranktest_interval(&in, confs[4], &one), 0);
	assert_memory_equal(&one, &ci[4], sizeof(one));
	rankset_release(&set);
}

static void add_unit(struct layout *l, int side, uint64_t block, double levels, double effect,
		     uint64_t *seed)
{
	double v = rank_draw(seed) + rank_draw(seed) + rank_draw(seed) + 3 + side * effect;

	l->value[side][l->n[side]] = levels > 0 ? 1 + floor(v * levels) : v;
	l->block[side][l->n[side]++] = block;
}

/* Some drift from block to block, effects of all sizes, half of the layouts with ties. */
static void draw_layout(struct layout *l, size_t blocks, size_t base, size_t arm, bool uneven,
			uint64_t *seed)
{
	double levels = rank_draw(seed) < 0.5 ? 0 : 1 + floor(rank_draw(seed) * 12);
	double effect = floor(rank_draw(seed) * 4) * 0.3;

	*l = (struct layout){ .blocked = blocks > 1, .raw = rank_draw(seed) < 0.5 };
	for (size_t b = 0; b < blocks; b++) {
		size_t more = uneven ? (size_t)(rank_draw(seed) * 3) : 0;

		for (size_t i = 0; i < base; i++)
			add_unit(l, 0, b, levels, effect, seed);
		for (size_t i = 0; i < arm + more; i++)
			add_unit(l, 1, b, levels, effect, seed);
	}
}

static void check_layouts(int rounds, size_t most_blocks, size_t most_units, bool same_size,
			  bool uneven)
{
	struct ranktest_memory memory = RANKTEST_MEMORY_INIT;
	uint64_t seed = 1000 * most_blocks + most_units;

	for (int round = 0; round < rounds; round++) {
		size_t blocks = 1 + (size_t)(rank_draw(&seed) * most_blocks);
		size_t base = 1 + (size_t)(rank_draw(&seed) * most_units);
		size_t arm = same_size ? base : 1 + (size_t)(rank_draw(&seed) * most_units);
		struct layout l;

		draw_layout(&l, blocks, base, arm, uneven, &seed);
		check_layout(round, &l, &memory);
	}
	ranktest_memory_release(&memory);
}

static void one_block(void **state)
{
	(void)state;
	check_layouts(1500, 1, 7, false, false);
	check_layouts(40, 1, 20, false, false);
}

static void one_block_same_size(void **state)
{
	(void)state;
	check_layouts(1000, 1, 8, true, false);
	check_layouts(20, 1, 24, true, false);
}

static void pairs(void **state)
{
	(void)state;
	check_layouts(1500, 12, 1, true, false);
	check_layouts(40, 60, 1, true, false);
}

static void blocks_same_size(void **state)
{
	(void)state;
	check_layouts(700, 5, 3, true, false);
}

static void blocks_uneven(void **state)
{
	(void)state;
	check_layouts(700, 5, 3, false, true);
}

/* Above 52 pairs the quick sum is rounded; it must not be by more than it says. */
static void many_pairs_are_near(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct ranktest_input in;
		struct rankset set;
		struct layout l;

		draw_layout(&l, 50 + round % (UNITS - 49), 1, 1, false, &seed);
		in = input_of(&l, NULL);
		assert_int_equal(rankset_init(&set, &in), 0);
		for (int i = -3; i <= 3; i++) {
			double p, near;

			rankset_rank(&set, i * 0.1);
			p = rankset_p_exact(&set);
			near = rankset_p_near(&set);
			assert_true(fabs(p - near) <= RANKSET_NEAR * p);
		}
		rankset_release(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_block),
		cmocka_unit_test(one_block_same_size),
		cmocka_unit_test(pairs),
		cmocka_unit_test(blocks_same_size),
		cmocka_unit_test(blocks_uneven),
		cmocka_unit_test(many_pairs_are_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
