// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/rankset.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "lib/mem.h"

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int compare_unit(const void *a, const void *b)
{
	double x = ((const struct rank_unit *)a)->v, y = ((const struct rank_unit *)b)->v;

	return (x > y) - (x < y);
}

static int check_side(const struct ranktest_side *side, bool *positive, double *largest)
{
	for (size_t i = 0; i < side->n; i++) {
		if (!isfinite(side->value[i]))
			return -EINVAL;
		*positive &= side->value[i] > 0;
		*largest = fmax(*largest, fabs(side->value[i]));
	}
	return 0;
}

static int check(struct rankset *set, const struct ranktest_input *in)
{
	bool positive = true;
	double largest = 0;
	int ret;

	if (in->base.n > INT32_MAX / 2 || in->arm.n > INT32_MAX / 2)
		return -E2BIG;
	if (in->base.n && in->arm.n && !in->base.block != !in->arm.block)
		return -EINVAL;
	ret = check_side(&in->base, &positive, &largest);
	if (!ret)
		ret = check_side(&in->arm, &positive, &largest);
	if (ret)
		return ret;
	set->log_scale = positive && !in->raw;
	if (!set->log_scale && largest > DBL_MAX / 4)
		return -ERANGE;
	return 0;
}

/* All block names, each once, ascending; without blocks the one name 0. */
static uint64_t *block_names(const struct ranktest_input *in, size_t *n)
{
	size_t all = in->base.n + in->arm.n, unique = 0;
	uint64_t *names = xcalloc(all + 1, sizeof(*names));

	if (in->base.block) {
		memcpy(names, in->base.block, in->base.n * sizeof(*names));
		memcpy(names + in->base.n, in->arm.block, in->arm.n * sizeof(*names));
		qsort(names, all, sizeof(*names), compare_u64);
	} else {
		all = 1;
	}
	for (size_t i = 0; i < all; i++)
		if (!unique || names[i] != names[unique - 1])
			names[unique++] = names[i];
	*n = unique;
	return names;
}

static uint32_t find_block(const uint64_t *names, size_t n, uint64_t name)
{
	const uint64_t *found = bsearch(&name, names, n, sizeof(*names), compare_u64);

	return found - names;
}

static struct rank_unit *take_side(struct rankset *set, const struct ranktest_side *side,
				   const uint64_t *names, bool arm)
{
	struct rank_unit *units = xcalloc(side->n, sizeof(*units));

	for (size_t i = 0; i < side->n; i++) {
		double v = side->value[i];

		units[i].v = set->log_scale ? log(v) : v;
		if (side->block)
			units[i].block = find_block(names, set->n_blocks, side->block[i]);
		set->blocks[units[i].block].n++;
		set->blocks[units[i].block].m += arm;
	}
	return units;
}

/* Forget the units of dropped blocks (n == 0 by now) and sort the rest. */
static size_t keep_side(const struct rankset *set, struct rank_unit *units, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (set->blocks[units[i].block].n)
			units[kept++] = units[i];
	qsort(units, kept, sizeof(*units), compare_unit);
	return kept;
}

/* A block with one side only says nothing about the difference. */
static void drop_blocks(struct rankset *set)
{
	for (size_t b = 0; b < set->n_blocks; b++) {
		struct rank_block *block = &set->blocks[b];

		if (block->m && block->m < block->n)
			continue;
		set->blocks_dropped++;
		set->units_dropped += block->n;
		block->n = 0;
	}
}

/* Close the gaps that dropped blocks left, and give every unit its slot. */
static void number_slots(struct rankset *set)
{
	uint32_t *renamed = xcalloc(set->n_blocks, sizeof(*renamed));
	uint32_t *next = xcalloc(2 * set->n_blocks, sizeof(*next));
	size_t kept = 0, first = 0;

	for (size_t b = 0; b < set->n_blocks; b++) {
		struct rank_block block = set->blocks[b];

		if (!block.n)
			continue;
		block.first = first;
		first += block.n;
		renamed[b] = kept;
		next[2 * kept] = block.first;
		next[2 * kept + 1] = block.first + block.m;
		set->blocks[kept++] = block;
	}
	set->n_blocks = kept;
	for (size_t i = 0; i < set->n_arm; i++) {
		set->arm[i].block = renamed[set->arm[i].block];
		set->arm[i].slot = next[2 * set->arm[i].block]++;
	}
	for (size_t i = 0; i < set->n_base; i++) {
		set->base[i].block = renamed[set->base[i].block];
		set->base[i].slot = next[2 * set->base[i].block + 1]++;
	}
	free(next);
	free(renamed);
}

int rankset_init(struct rankset *set, const struct ranktest_input *in)
{
	uint64_t *names;
	int ret;

	*set = (struct rankset) { .memory = in->memory };
	ret = check(set, in);
	if (ret)
		return ret;
	if (!in->base.n || !in->arm.n) {
		set->units_dropped = in->base.n + in->arm.n;
		return 0;
	}

	names = block_names(in, &set->n_blocks);
	set->blocks = xcalloc(set->n_blocks, sizeof(*set->blocks));
	set->base = take_side(set, &in->base, names, false);
	set->arm = take_side(set, &in->arm, names, true);
	free(names);

	drop_blocks(set);
	set->n_base = keep_side(set, set->base, in->base.n);
	set->n_arm = keep_side(set, set->arm, in->arm.n);
	number_slots(set);
	set->rank2 = xcalloc(set->n_base + set->n_arm, sizeof(*set->rank2));
	return 0;
}

void rankset_release(struct rankset *set)
{
	free(set->base);
	free(set->arm);
	free(set->blocks);
	free(set->rank2);
	*set = (struct rankset) { 0 };
}

double rankset_magnitude(const struct rankset *set)
{
	double largest = fmax(fabs(set->arm[0].v), fabs(set->arm[set->n_arm - 1].v));

	largest = fmax(largest, fabs(set->base[0].v));
	largest = fmax(largest, fabs(set->base[set->n_base - 1].v));
	return largest > 0 ? largest : 1;
}

bool rankset_balanced(const struct rankset *set)
{
	const struct rank_block *first = set->blocks;

	for (size_t b = 1; b < set->n_blocks; b++)
		if (set->blocks[b].m * first->n != first->m * set->blocks[b].n)
			return false;
	return true;
}

static bool any_equal(const struct rank_unit *units, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (units[i].v == units[i - 1].v)
			return true;
	return false;
}

bool rankset_symmetric(const struct rankset *set)
{
	if (rankset_balanced(set) && 2 * set->blocks[0].m == set->blocks[0].n)
		return true;
	return set->n_blocks == 1 && !any_equal(set->base, set->n_base) &&
	       !any_equal(set->arm, set->n_arm);
}

void rankset_rank(struct rankset *set, double theta)
{
	size_t i = 0, j = 0;

	while (i < set->n_base || j < set->n_arm) {
		size_t i0 = i, j0 = j;
		double b = i < set->n_base ? set->base[i].v : INFINITY;
		double a = j < set->n_arm ? set->arm[j].v - theta : INFINITY;
		double v = a < b ? a : b;
		uint32_t rank2;

		while (i < set->n_base && set->base[i].v == v)
			i++;
		while (j < set->n_arm && set->arm[j].v - theta == v)
			j++;
		rank2 = (i0 + j0) + (i + j) + 1;
		while (i0 < i)
			set->rank2[set->base[i0++].slot] = rank2;
		while (j0 < j)
			set->rank2[set->arm[j0++].slot] = rank2;
	}
}

static void block_sums(const struct rankset *set, const struct rank_block *block,
		       double *arm, double *all, double *squares)
{
	*arm = *all = *squares = 0;
	for (size_t i = 0; i < block->n; i++) {
		double r = set->rank2[block->first + i];

		*arm += i < block->m ? r : 0;
		*all += r;
		*squares += r * r;
	}
}

void rankset_sums(const struct rankset *set, double *sum2, double *expect2)
{
	*sum2 = *expect2 = 0;
	for (size_t b = 0; b < set->n_blocks; b++) {
		const struct rank_block *block = &set->blocks[b];
		double arm, all, squares;

		block_sums(set, block, &arm, &all, &squares);
		*sum2 += arm;
		*expect2 += all * block->m / block->n;
	}
}

/*
 * In one block this is the textbook formula with tie correction: the variance of the
 * ranks as they are contains the correction.
 */
static void normal_moments(const struct rankset *set, double *distance, double *variance)
{
	*distance = *variance = 0;

	for (size_t b = 0; b < set->n_blocks; b++) {
		const struct rank_block *block = &set->blocks[b];
		double n = block->n, m = block->m, arm, all, squares;

		block_sums(set, block, &arm, &all, &squares);
		*distance += arm - all * m / n;
		*variance += m * (n - m) / (n * (n - 1)) * (squares - all * all / n);
	}
}

double rankset_p_normal(const struct rankset *set)
{
	double distance, variance;

	normal_moments(set, &distance, &variance);
	/* Continuity: half a rank, which is 1 in doubled ranks. */
	distance = fabs(distance) - 1;
	if (!(distance > 0) || !(variance > 0))
		return 1;
	return fmin(1, 2 * gsl_cdf_ugaussian_Q(distance / sqrt(variance)));
}

double rankset_deviation(const struct rankset *set)
{
	double distance, variance;

	normal_moments(set, &distance, &variance);
	return sqrt(variance) / 2;
}
