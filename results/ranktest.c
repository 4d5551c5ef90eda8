// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/ranktest.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include "lib/mem.h"
#include "results/rankset.h"

/* With more differences than this a bound comes from the normal approximation. */
#define EXACT_DIFFERENCES 40000
/* Halvings of a bracket: 2^-44 of its width is below the precision of any sample. */
#define HALVINGS 44

static double least_difference(const struct rankset *set)
{
	return set->arm[0].v - set->base[set->n_base - 1].v;
}

static double most_difference(const struct rankset *set)
{
	return set->arm[set->n_arm - 1].v - set->base[0].v;
}

/* The size of the values: what a step beyond all differences can be measured in. */
static double magnitude(const struct rankset *set)
{
	double largest = fmax(fabs(set->arm[0].v), fabs(set->arm[set->n_arm - 1].v));

	largest = fmax(largest, fabs(set->base[0].v));
	largest = fmax(largest, fabs(set->base[set->n_base - 1].v));
	return largest > 0 ? largest : 1;
}

static uint64_t pairs(const struct rankset *set)
{
	return (uint64_t)set->n_base * set->n_arm;
}

/* How far the arm's rank sum is above its expectation at shift @theta, doubled. */
static double excess(struct rankset *set, double theta)
{
	double sum2, expect2;

	rankset_rank(set, theta);
	rankset_sums(set, &sum2, &expect2);
	return sum2 - expect2;
}

static double current_p(const struct rankset *set, bool exact)
{
	return exact ? rankset_p_exact(set) : rankset_p_normal(set);
}

static bool accepted(struct rankset *set, double theta, bool exact, double alpha)
{
	rankset_rank(set, theta);
	return current_p(set, exact) > alpha;
}

/* The arm's share is the same in all blocks: a drift over the blocks cancels. */
static bool balanced(const struct rankset *set)
{
	const struct rank_block *first = set->blocks;

	for (size_t b = 1; b < set->n_blocks; b++)
		if (set->blocks[b].m * first->n != first->m * set->blocks[b].n)
			return false;
	return true;
}

static double median_difference(const struct rankset *set)
{
	uint64_t lower_half = (pairs(set) + 1) / 2;
	double lower = rankset_difference(set, lower_half), upper = lower;

	if (pairs(set) % 2 == 0 && rankset_count(set, lower) == lower_half)
		upper = rankset_next_difference(set, lower);
	return 0.5 * lower + 0.5 * upper;
}

/* Where the excess, which falls with the shift, gets below @limit (inclusive if @at). */
static double crossing(struct rankset *set, bool at)
{
	double lo = least_difference(set) - magnitude(set);
	double hi = most_difference(set) + magnitude(set);

	for (int i = 0; i < HALVINGS; i++) {
		double mid = lo + (hi - lo) / 2, e = excess(set, mid);

		if (e > 1e-6 || (at && e >= -1e-6))
			lo = mid;
		else
			hi = mid;
	}
	return lo + (hi - lo) / 2;
}

static double estimate(struct rankset *set)
{
	double median = median_difference(set);

	if (balanced(set) || accepted(set, median, rankset_small(set), 0.5))
		return median;
	return 0.5 * crossing(set, false) + 0.5 * crossing(set, true);
}

static double base_median(const struct rankset *set)
{
	size_t n = set->n_base;

	return 0.5 * set->base[(n - 1) / 2].v + 0.5 * set->base[n / 2].v;
}

/* A shift on the test scale in per cent of the base; no bound stays no bound. */
static double percent_of(const struct rankset *set, double shift)
{
	double median;

	if (isinf(shift))
		return shift;
	if (set->log_scale)
		return 100 * expm1(shift);
	median = base_median(set);
	return median == 0 ? NAN : 100 * (shift / median);
}

double ranktest_p_min(const size_t *base, const size_t *arm, size_t n_blocks)
{
	double log_ways = 0;

	for (size_t b = 0; b < n_blocks; b++)
		log_ways += gsl_sf_lnchoose(base[b] + arm[b], arm[b]);
	return fmin(1, 2 * exp(-log_ways));
}

static double plan_p_min(const struct rankset *set)
{
	double log_ways = 0;

	for (size_t b = 0; b < set->n_blocks; b++)
		log_ways += gsl_sf_lnchoose(set->blocks[b].n, set->blocks[b].m);
	return fmin(1, 2 * exp(-log_ways));
}

static void fill(struct rankset *set, struct ranktest *out)
{
	double sum2, expect2;

	out->n_base = set->n_base;
	out->n_arm = set->n_arm;
	out->blocks = set->n_blocks;
	out->log_scale = set->log_scale;
	out->exact = rankset_small(set);
	out->p_min = plan_p_min(set);

	rankset_rank(set, 0);
	rankset_sums(set, &sum2, &expect2);
	out->rank_sum = sum2 / 2;
	out->rank_expect = expect2 / 2;
	out->u = out->rank_sum - 0.5 * set->n_arm * (set->n_arm + 1);
	out->p_normal = rankset_p_normal(set);
	out->p = out->exact ? rankset_p_exact(set) : out->p_normal;
	out->shift = estimate(set);
	out->pct = percent_of(set, out->shift);
}

int ranktest_run(const struct ranktest_input *in, struct ranktest *out)
{
	struct rankset set;
	int ret;

	*out = (struct ranktest) {
		.u = NAN, .rank_sum = NAN, .rank_expect = NAN, .p = NAN, .p_normal = NAN,
		.p_min = NAN, .shift = NAN, .pct = NAN,
	};
	ret = rankset_init(&set, in);
	out->blocks_dropped = set.blocks_dropped;
	out->units_dropped = set.units_dropped;
	if (!ret && set.n_blocks)
		fill(&set, out);
	rankset_release(&set);
	return ret;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* All differences, ascending, those merged that only rounding tells apart. */
static double *distinct_differences(const struct rankset *set, size_t *n)
{
	double *d = xcalloc(pairs(set), sizeof(*d));
	double near = 16 * DBL_EPSILON * magnitude(set);
	size_t all = 0, kept = 0;

	for (size_t j = 0; j < set->n_arm; j++)
		for (size_t i = 0; i < set->n_base; i++)
			d[all++] = set->arm[j].v - set->base[i].v;
	qsort(d, all, sizeof(*d), ascending);
	for (size_t i = 0; i < all; i++) {
		if (fabs(d[i]) <= near)
			d[i] = 0;
		if (!kept || d[i] - d[kept - 1] > near)
			d[kept++] = d[i];
	}
	*n = kept;
	return d;
}

/* A shift in gap @i, between the differences i - 1 and i, where p does not change. */
static double in_gap(const struct rankset *set, const double *d, size_t n, size_t i)
{
	if (i == 0)
		return d[0] - magnitude(set);
	if (i == n)
		return d[n - 1] + magnitude(set);
	return 0.5 * d[i - 1] + 0.5 * d[i];
}

/*
 * From the estimate outwards, bisect for the last gap that is not rejected. @near is the
 * gap beside the estimate, @far the outermost one. Returns the number of steps from @near
 * to that gap, or -1 when even @near is rejected.
 */
static long last_accepted(struct rankset *set, const double *d, size_t n, long near, long far,
			  double alpha)
{
	long step = far < near ? -1 : 1;
	long good = -1, bad = (far - near) * step + 1;

	while (bad - good > 1) {
		long mid = (good + bad) / 2;

		if (accepted(set, in_gap(set, d, n, near + step * mid), true, alpha))
			good = mid;
		else
			bad = mid;
	}
	return good;
}

static void exact_bounds(struct rankset *set, double est, double alpha, double *lo, double *hi)
{
	size_t n, below = 0, upto;
	double *d = distinct_differences(set, &n);
	long steps;

	while (below < n && d[below] < est)
		below++;
	upto = below;
	while (upto < n && d[upto] <= est)
		upto++;

	steps = last_accepted(set, d, n, below, 0, alpha);
	*lo = steps < 0 ? est : (size_t)steps == below ? -INFINITY : d[below - steps - 1];
	steps = last_accepted(set, d, n, upto, n, alpha);
	*hi = steps < 0 ? est : upto + steps == n ? INFINITY : d[upto + steps];
	free(d);
}

/*
 * In one block the rank sum is a count of differences, so the largest rank sum to be
 * rejected says which differences are the bounds.
 */
static void order_bounds(struct rankset *set, double est, double alpha, double *lo, double *hi)
{
	double z = gsl_cdf_ugaussian_Qinv(alpha / 2), rejected;

	rankset_rank(set, est);
	rejected = floor(0.5 * pairs(set) - 0.5 - z * rankset_deviation(set));
	*lo = -INFINITY;
	*hi = INFINITY;
	if (rejected < 0)
		return;
	*lo = fmin(est, rankset_difference(set, (uint64_t)rejected + 1));
	*hi = fmax(est, rankset_difference(set, pairs(set) - (uint64_t)rejected));
}

/* With blocks: on the real line, by halving the bracket. */
static double normal_bound(struct rankset *set, double est, double far, double alpha)
{
	double good = est, bad = far;

	if (accepted(set, far, false, alpha))
		return far < est ? -INFINITY : INFINITY;
	for (int i = 0; i < HALVINGS; i++) {
		double mid = 0.5 * good + 0.5 * bad;

		if (accepted(set, mid, false, alpha))
			good = mid;
		else
			bad = mid;
	}
	return good;
}

/*
 * The reference distribution changes with the shift (blocks, ties), so p is not quite
 * monotone, and 0 itself may be a tie: make sure that test and interval say the same.
 */
static void agree_at_zero(struct rankset *set, double alpha, double *lo, double *hi)
{
	double above = excess(set, 0);

	if (current_p(set, rankset_small(set)) > alpha) {
		*lo = fmin(*lo, 0);
		*hi = fmax(*hi, 0);
	} else if (*lo < 0 && *hi > 0) {
		*(above > 0 ? lo : hi) = 0;
	}
}

static void bounds(struct rankset *set, double alpha, struct ranktest_interval *ci)
{
	double est = estimate(set);
	double first, second;

	if (rankset_small(set) && pairs(set) <= EXACT_DIFFERENCES) {
		exact_bounds(set, est, alpha, &ci->lo, &ci->hi);
	} else if (set->n_blocks == 1) {
		order_bounds(set, est, alpha, &ci->lo, &ci->hi);
	} else {
		ci->lo = normal_bound(set, est, least_difference(set) - magnitude(set), alpha);
		ci->hi = normal_bound(set, est, most_difference(set) + magnitude(set), alpha);
	}
	agree_at_zero(set, alpha, &ci->lo, &ci->hi);

	/* A negative base turns the order round. */
	first = percent_of(set, ci->lo);
	second = percent_of(set, ci->hi);
	ci->pct_lo = first > second ? second : first;
	ci->pct_hi = first > second ? first : second;
}

int ranktest_interval(const struct ranktest_input *in, double conf,
		      struct ranktest_interval *ci)
{
	struct rankset set;
	int ret;

	*ci = (struct ranktest_interval) { NAN, NAN, NAN, NAN };
	ret = rankset_init(&set, in);
	if (!ret && set.n_blocks && conf > 0 && conf < 1)
		bounds(&set, 1 - conf, ci);
	rankset_release(&set);
	return ret;
}
