// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The exact distribution of a rank sum where each block is a pair: the number of ways in which
 * some of the pairs can be turned round.
 */
#include "results/rankset.h"

#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"

bool rankset_all_pairs(const struct rankset *set)
{
	/* No block is smaller than a pair. */
	return 2 * set->n_blocks == set->n_base + set->n_arm;
}

/* How far apart the units of each pair are, on the grid, ascending; their sum. */
static uint32_t *pair_steps(const struct rankset *set, uint32_t step, uint64_t *sum)
{
	uint32_t *x = xcalloc(set->n_blocks, sizeof(*x));

	*sum = 0;
	for (size_t b = 0; b < set->n_blocks; b++) {
		const uint32_t *r = set->rank2 + set->blocks[b].first;
		uint32_t apart = (r[0] > r[1] ? r[0] - r[1] : r[1] - r[0]) / step;
		size_t i = b;

		for (; i > 0 && x[i - 1] > apart; i--)
			x[i] = x[i - 1];
		x[i] = apart;
		*sum += apart;
	}
	return x;
}

/* Two doubles that are added at once, wherever they lie. */
typedef double two_doubles __attribute__((vector_size(16), aligned(8), may_alias));

/* ways[s + x] += ways[s] up to @most, from the top, four at a time. */
static void add_step(double *ways, size_t x, size_t most)
{
	size_t s = most + 1;

	for (; s >= x + 4; s -= 4) {
		two_doubles *to = (two_doubles *)(ways + s - 4);
		const two_doubles *from = (const two_doubles *)(ways + s - 4 - x);
		two_doubles low = to[0] + from[0], high = to[1] + from[1];

		to[0] = low;
		to[1] = high;
	}
	for (; s > x; s--)
		ways[s - 1] += ways[s - 1 - x];
}

/* In how many ways can some of the @n numbers @x (ascending) have a sum of @most or less? */
static double sums_upto(const uint32_t *x, size_t n, size_t most)
{
	__cleanup_free double *ways = xcalloc(most + 1, sizeof(*ways));
	size_t upto = 0;
	double sum = 0;

	ways[0] = 1;
	for (size_t i = 0; i + 1 < n && x[i] <= most; i++) {
		upto = upto + x[i] < most ? upto + x[i] : most;
		add_step(ways, x[i], upto);
	}
	for (size_t s = 0; s <= upto; s++)
		sum += s + x[n - 1] <= most ? 2 * ways[s] : ways[s];
	return sum;
}

/*
 * Turning round a pair adds or takes off how far it is apart, so what counts is the sum of
 * those turned round; small sums are as likely as large ones.
 */
double rankset_p_pairs(const struct rankset *set, uint32_t step)
{
	double sum2, expect2, p;
	uint64_t all, seen;
	uint32_t *x;

	rankset_sums(set, &sum2, &expect2);
	seen = llround(2 * fabs(sum2 - expect2) / step);
	if (!seen)
		return 1;
	x = pair_steps(set, step, &all);
	p = ldexp(sums_upto(x, set->n_blocks, (all - seen) / 2), 1 - (int)set->n_blocks);
	free(x);
	return p;
}
