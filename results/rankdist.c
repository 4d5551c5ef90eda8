// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The exact distribution of a rank sum: in a block, count the subsets of each size by
 * their sum (Streitberg and Roehmel); over the blocks, convolve.
 */
#include "results/rankset.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* Beyond these one p takes more than half a second, and the normal p is as good. */
#define EXACT_ANY 120
#define EXACT_PAIRS 2000

/* Probabilities of consecutive sums, in units of the rank grid. */
struct dist {
	double *p;
	size_t n;
};

bool rankset_small(const struct rankset *set)
{
	size_t n = set->n_base + set->n_arm, largest = 0;

	for (size_t b = 0; b < set->n_blocks; b++)
		if (set->blocks[b].n > largest)
			largest = set->blocks[b].n;
	return n <= EXACT_ANY || (largest <= 8 && n * largest <= 2 * EXACT_PAIRS);
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint32_t least_rank(const struct rankset *set, const struct rank_block *block)
{
	uint32_t least = set->rank2[block->first];

	for (size_t i = 1; i < block->n; i++)
		if (set->rank2[block->first + i] < least)
			least = set->rank2[block->first + i];
	return least;
}

/* The grid on which all sums lie: without ties every second doubled rank is missing. */
static uint32_t common_step(const struct rankset *set)
{
	uint32_t step = 0;

	for (size_t b = 0; b < set->n_blocks; b++) {
		const struct rank_block *block = &set->blocks[b];
		uint32_t least = least_rank(set, block);

		for (size_t i = 0; i < block->n; i++)
			step = gcd(step, set->rank2[block->first + i] - least);
	}
	return step;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The ranks of a block on the grid, from 0, ascending. */
static uint32_t *grid_ranks(const struct rankset *set, const struct rank_block *block,
			    uint32_t step)
{
	uint32_t *r = xcalloc(block->n, sizeof(*r));
	uint32_t least = least_rank(set, block);

	for (size_t i = 0; i < block->n; i++)
		r[i] = (set->rank2[block->first + i] - least) / step;
	qsort(r, block->n, sizeof(*r), ascending);
	return r;
}

/*
 * One more number @r[i]: ways[k * width + s] counts the subsets of size k with sum s of the
 * numbers seen so far. Sizes that can no longer grow to @m and sums that no subset of that
 * size has are left out. @upto[i] is the sum of the first i numbers.
 */
static void add_number(double *ways, size_t width, const uint32_t *r, const uint64_t *upto,
		       size_t i, size_t n, size_t m)
{
	size_t least_k = m + i + 1 > n ? m + i + 1 - n : 1;

	for (size_t k = i + 1 < m ? i + 1 : m; k >= least_k && k >= 1; k--) {
		double *restrict to = ways + k * width + r[i];
		const double *restrict from = ways + (k - 1) * width;
		size_t least = upto[k - 1], most = upto[i] - upto[i + 1 - k];

		for (size_t s = least; s <= most; s++)
			to[s] += from[s];
	}
}

/*
 * Sums of the subsets of @m of the @n numbers @r (ascending), as probabilities from the
 * least sum to the largest.
 */
static struct dist subset_sums(const uint32_t *r, size_t n, size_t m)
{
	uint64_t *upto = xcalloc(n + 1, sizeof(*upto));
	size_t width;
	struct dist d;
	double *ways, *full, total = 0;

	for (size_t i = 0; i < n; i++)
		upto[i + 1] = upto[i] + r[i];
	width = upto[n] - upto[n - m] + 1;
	ways = xcalloc((m + 1) * width, sizeof(*ways));
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		add_number(ways, width, r, upto, i, n, m);

	full = ways + m * width + upto[m];
	d.n = width - upto[m];
	d.p = xcalloc(d.n, sizeof(*d.p));
	for (size_t s = 0; s < d.n; s++)
		total += full[s];
	for (size_t s = 0; s < d.n; s++)
		d.p[s] = full[s] / total;
	free(ways);
	free(upto);
	return d;
}

/*
 * *all becomes the distribution of the sum of both, in place from the top; @add is used up.
 * Below *all lie at least as many zeros as @add is wide, and above it room for the result.
 */
static void convolve(struct dist *all, struct dist add)
{
	size_t *at = xcalloc(add.n, sizeof(*at)), n = 0;

	for (size_t s = 0; s < add.n; s++)
		if (add.p[s] > 0)
			at[n++] = s;
	all->n += add.n - 1;
	for (size_t i = all->n; i-- > 0;) {
		const double *here = all->p + i;
		double p = 0;

		for (size_t k = 0; k < n; k++)
			p += add.p[at[k]] * *(here - at[k]);
		/* Denormal numbers matter to no p, and are slow. */
		all->p[i] = p > DBL_MIN / DBL_EPSILON ? p : 0;
	}
	free(at);
	free(add.p);
}

/*
 * The sum over the smaller side of a block, whichever that is: the deviation of one side
 * from its expectation is the other's with the sign turned. So one sum over the blocks
 * needs one side throughout: turn the distribution of a base sum round.
 */
static struct dist block_dist(const struct rank_block *block, const uint32_t *r)
{
	bool turned = 2 * block->m > block->n;
	struct dist d = subset_sums(r, block->n, turned ? block->n - block->m : block->m);

	for (size_t lo = 0, hi = d.n - 1; turned && lo < hi; lo++, hi--) {
		double p = d.p[lo];

		d.p[lo] = d.p[hi];
		d.p[hi] = p;
	}
	return d;
}

/* Where p[0] of block_dist() lies, seen from the expectation of the arm's sum. */
static double block_start(const struct rank_block *block, const uint32_t *r)
{
	double all = 0, least = 0;

	for (size_t i = 0; i < block->n; i++) {
		all += r[i];
		least += i < block->m ? r[i] : 0;
	}
	return least - all * block->m / block->n;
}

/* The sum over all blocks, which are used up; it lies in *memory, to be freed. */
static struct dist sum_dist(struct dist *blocks, size_t n_blocks, double **memory)
{
	struct dist all = blocks[0];
	size_t widest = 0, total = 1;

	for (size_t b = 0; b < n_blocks; b++) {
		widest = blocks[b].n > widest ? blocks[b].n : widest;
		total += blocks[b].n - 1;
	}
	*memory = xcalloc(widest + total, sizeof(**memory));
	all.p = *memory + widest;
	memcpy(all.p, blocks[0].p, all.n * sizeof(*all.p));
	free(blocks[0].p);
	for (size_t b = 1; b < n_blocks; b++)
		convolve(&all, blocks[b]);
	return all;
}

/*
 * P(|S| >= |@seen|) for S of the distribution @all, whose first value is at @start. Expectations
 * are fractions: what differs by less than 1e-6 is equal.
 */
static double both_tails(const struct dist *all, double start, double seen)
{
	double p = 0;

	seen = fabs(seen) - 1e-6;
	for (size_t s = 0; s < all->n; s++)
		if (fabs(start + s) >= seen)
			p += all->p[s];
	return fmin(1, p);
}

/* The arm's rank sum, seen from its expectation, doubled. */
static double deviation2(const struct rankset *set)
{
	double sum2, expect2;

	rankset_sums(set, &sum2, &expect2);
	return sum2 - expect2;
}

static double p_of_all(const struct rankset *set, uint32_t step)
{
	struct dist *blocks = xcalloc(set->n_blocks, sizeof(*blocks)), all;
	double *memory, start = 0, p;

	for (size_t b = 0; b < set->n_blocks; b++) {
		uint32_t *r = grid_ranks(set, &set->blocks[b], step);

		blocks[b] = block_dist(&set->blocks[b], r);
		start += block_start(&set->blocks[b], r);
		free(r);
	}
	all = sum_dist(blocks, set->n_blocks, &memory);
	free(blocks);
	p = both_tails(&all, start, deviation2(set) / step);
	free(memory);
	return p;
}

/* --- one block without ties --- */

struct ranktest_known {
	struct rank_block block;
	struct dist dist;
	double start;
};

void ranktest_memory_release(struct ranktest_memory *memory)
{
	for (size_t i = 0; i < memory->n; i++)
		free(memory->known[i].dist.p);
	free(memory->known);
	*memory = (struct ranktest_memory)RANKTEST_MEMORY_INIT;
}

/* Midranks have the sum of the ranks that they stand for, but never their squares'. */
static bool any_tie(const struct rankset *set)
{
	uint64_t n = set->n_base + set->n_arm, squares = 0;

	for (uint64_t i = 0; i < n; i++)
		squares += (uint64_t)set->rank2[i] * set->rank2[i];
	return squares != 4 * (n * (n + 1) * (2 * n + 1) / 6);
}

static const struct ranktest_known *known_block(struct ranktest_memory *memory,
						const struct rank_block *block)
{
	struct ranktest_known *known;
	uint32_t *r;

	for (size_t i = 0; i < memory->n; i++)
		if (memory->known[i].block.n == block->n && memory->known[i].block.m == block->m)
			return &memory->known[i];
	GROW(memory->known, memory->n);
	known = &memory->known[memory->n++];
	r = xcalloc(block->n, sizeof(*r));
	for (size_t i = 0; i < block->n; i++)
		r[i] = i;
	*known = (struct ranktest_known){ *block, block_dist(block, r), block_start(block, r) };
	free(r);
	return known;
}

/* --- all --- */

double rankset_p_exact(const struct rankset *set)
{
	uint32_t step;

	if (set->n_blocks == 1 && set->memory && !any_tie(set)) {
		const struct ranktest_known *known = known_block(set->memory, set->blocks);

		return both_tails(&known->dist, known->start, deviation2(set) / 2);
	}
	step = common_step(set);
	if (!step)
		return 1;
	if (rankset_all_pairs(set) && set->n_blocks <= RANKSET_EXACT_PAIRS)
		return rankset_p_pairs(set, step);
	return p_of_all(set, step);
}

double rankset_p_near(const struct rankset *set)
{
	uint32_t step;

	if (!rankset_all_pairs(set) || set->n_blocks <= RANKSET_EXACT_PAIRS)
		return rankset_p_exact(set);
	step = common_step(set);
	return step ? rankset_p_pairs(set, step) : 1;
}
