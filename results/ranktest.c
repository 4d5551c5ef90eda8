// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/ranktest.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include "lib/mem.h"
#include "results/rankgaps.h"
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

static double median_difference(const struct rankset *set)
{
	uint64_t lower_half = (rankset_pairs(set) + 1) / 2;
	double lower = rankset_difference(set, lower_half), upper = lower;

	if (rankset_pairs(set) % 2 == 0 && rankset_count(set, lower) == lower_half)
		upper = rankset_next_difference(set, lower);
	return 0.5 * lower + 0.5 * upper;
}

/* Where the excess, which falls with the shift, gets below @limit (inclusive if @at). */
static double crossing(struct rankset *set, bool at)
{
	double lo = least_difference(set) - rankset_magnitude(set);
	double hi = most_difference(set) + rankset_magnitude(set);

	for (int i = 0; i < HALVINGS; i++) {
		double mid = lo + (hi - lo) / 2, e = excess(set, mid);

		if (e > 1e-6 || (at && e >= -1e-6))
			lo = mid;
		else
			hi = mid;
	}
	return lo + (hi - lo) / 2;
}

/* @median of all differences. */
static double estimate(struct rankset *set, double median)
{
	if (rankset_balanced(set) || accepted(set, median, rankset_small(set), 0.5))
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
	out->shift = estimate(set, median_difference(set));
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

/*
 * In one block the rank sum is a count of differences, so the largest rank sum to be
 * rejected says which differences are the bounds.
 */
static void order_bounds(struct rankset *set, double est, double alpha, double *lo, double *hi)
{
	double z = gsl_cdf_ugaussian_Qinv(alpha / 2), rejected;

	rankset_rank(set, est);
	rejected = floor(0.5 * rankset_pairs(set) - 0.5 - z * rankset_deviation(set));
	*lo = -INFINITY;
	*hi = INFINITY;
	if (rejected < 0)
		return;
	*lo = fmin(est, rankset_difference(set, (uint64_t)rejected + 1));
	*hi = fmax(est, rankset_difference(set, rankset_pairs(set) - (uint64_t)rejected));
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

/* What the intervals of all levels have in common. */
struct bounds_work {
	struct rankset *set;
	struct rankgaps gaps;
	bool exact;		/* by the gaps */
	double est;
	bool zero_decided;	/* by the bounds themselves */
	double above, p;	/* at shift 0, if not: the excess, and the test */
};

static void bounds_start(struct bounds_work *w, struct rankset *set)
{
	*w = (struct bounds_work) { .set = set };
	w->exact = rankset_small(set) && rankset_pairs(set) <= EXACT_DIFFERENCES;
	if (w->exact)
		rankgaps_init(&w->gaps, set);
	w->est = estimate(set, w->exact ? w->gaps.median : median_difference(set));
	w->zero_decided = w->exact && rankgaps_decide_zero(&w->gaps);
	if (w->zero_decided)
		return;
	w->above = excess(set, 0);
	w->p = current_p(set, rankset_small(set));
}

/*
 * The reference distribution changes with the shift (blocks, ties), so p is not quite
 * monotone, and 0 itself may be a tie: make sure that test and interval say the same.
 */
static void agree_at_zero(const struct bounds_work *w, double alpha, double *lo, double *hi)
{
	if (w->p > alpha) {
		*lo = fmin(*lo, 0);
		*hi = fmax(*hi, 0);
	} else if (*lo < 0 && *hi > 0) {
		*(w->above > 0 ? lo : hi) = 0;
	}
}

static void bounds(struct bounds_work *w, double alpha, struct ranktest_interval *ci)
{
	struct rankset *set = w->set;
	double est = w->est, first, second;

	if (w->exact) {
		rankgaps_bounds(&w->gaps, est, alpha, &ci->lo, &ci->hi);
	} else if (set->n_blocks == 1) {
		order_bounds(set, est, alpha, &ci->lo, &ci->hi);
	} else {
		double far = rankset_magnitude(set);

		ci->lo = normal_bound(set, est, least_difference(set) - far, alpha);
		ci->hi = normal_bound(set, est, most_difference(set) + far, alpha);
	}
	if (!w->zero_decided)
		agree_at_zero(w, alpha, &ci->lo, &ci->hi);

	/* A negative base turns the order round. */
	first = percent_of(set, ci->lo);
	second = percent_of(set, ci->hi);
	ci->pct_lo = first > second ? second : first;
	ci->pct_hi = first > second ? first : second;
}

int ranktest_intervals(const struct ranktest_input *in, const double *conf, size_t n,
		       struct ranktest_interval *ci)
{
	struct ranktest_memory memory = RANKTEST_MEMORY_INIT;
	struct bounds_work w;
	struct rankset set;
	int ret;

	for (size_t i = 0; i < n; i++)
		ci[i] = (struct ranktest_interval) { NAN, NAN, NAN, NAN };
	ret = rankset_init(&set, in);
	if (!set.memory)
		set.memory = &memory;
	if (!ret && set.n_blocks) {
		bounds_start(&w, &set);
		for (size_t i = 0; i < n; i++)
			if (conf[i] > 0 && conf[i] < 1)
				bounds(&w, 1 - conf[i], &ci[i]);
		rankgaps_release(&w.gaps);
	}
	rankset_release(&set);
	ranktest_memory_release(&memory);
	return ret;
}

int ranktest_interval(const struct ranktest_input *in, double conf,
		      struct ranktest_interval *ci)
{
	return ranktest_intervals(in, &conf, 1, ci);
}
