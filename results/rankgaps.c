// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/rankgaps.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "lib/mem.h"
#include "results/sorted.h"

/* So many tries by the normal distribution; then the bracket is halved. */
#define GUESSES 8
/* Differences in a slot that may be sorted by shifting them. */
#define SLOT_MAX 64

/* In a row of equal slots, whose number is that of the differences. */
static size_t slot_of(double d, double least, double scale)
{
	return (size_t)((d - least) * scale);
}

static void insertion_sort(double *d, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double x = d[i];
		size_t k = i;

		for (; k > 0 && d[k - 1] > x; k--)
			d[k] = d[k - 1];
		d[k] = x;
	}
}

/*
 * All differences in ascending order but for those of one slot; false when some slot has so
 * many that it is no help.
 */
static bool spread(const struct rankset *set, double *d, size_t n)
{
	double least = set->arm[0].v - set->base[set->n_base - 1].v;
	double width = set->arm[set->n_arm - 1].v - set->base[0].v - least;
	double scale = (n - 1) / width;
	__cleanup_free uint32_t *upto = NULL;
	uint32_t most = 0, sum = 0;

	if (!(width > 0) || !isfinite(scale))
		return false;
	upto = xcalloc(n, sizeof(*upto));
	for (size_t j = 0; j < set->n_arm; j++)
		for (size_t i = 0; i < set->n_base; i++)
			upto[slot_of(set->arm[j].v - set->base[i].v, least, scale)]++;
	for (size_t k = 0; k < n; k++) {
		most = upto[k] > most ? upto[k] : most;
		upto[k] = sum += upto[k];
	}
	if (most > SLOT_MAX)
		return false;
	for (size_t j = 0; j < set->n_arm; j++) {
		for (size_t i = 0; i < set->n_base; i++) {
			double x = set->arm[j].v - set->base[i].v;

			d[--upto[slot_of(x, least, scale)]] = x;
		}
	}
	return true;
}

static double *sorted_differences(const struct rankset *set)
{
	size_t n = rankset_pairs(set), all = 0;
	double *d = xreallocarray(NULL, n, sizeof(*d));

	if (spread(set, d, n)) {
		insertion_sort(d, n);
		return d;
	}
	for (size_t j = 0; j < set->n_arm; j++)
		for (size_t i = 0; i < set->n_base; i++)
			d[all++] = set->arm[j].v - set->base[i].v;
	sorted_sort(d, NULL, n);
	return d;
}

/* In place. */
static void merge_differences(struct rankgaps *g, size_t all)
{
	double near = 16 * DBL_EPSILON * rankset_magnitude(g->set);
	double *d = g->d;
	size_t kept = 0;

	for (size_t i = 0; i < all; i++) {
		if (fabs(d[i]) <= near)
			d[i] = 0;
		if (!kept || d[i] - d[kept - 1] > near) {
			g->below[kept] = i;
			d[kept++] = d[i];
		}
	}
	g->below[kept] = all;
	g->n = kept;
}

void rankgaps_init(struct rankgaps *g, struct rankset *set)
{
	size_t all = rankset_pairs(set);

	*g = (struct rankgaps){ .set = set, .d = sorted_differences(set) };
	g->below = xreallocarray(NULL, all + 1, sizeof(*g->below));
	g->median = 0.5 * g->d[(all - 1) / 2] + 0.5 * g->d[all / 2] + 0.0;
	merge_differences(g, all);
	g->p = xreallocarray(NULL, g->n + 1, sizeof(*g->p));
	for (size_t i = 0; i <= g->n; i++)
		g->p[i] = NAN;
	g->falling = rankset_symmetric(set);
	rankset_rank(set, g->median);
	g->deviation = rankset_deviation(set);
	g->beyond[0] = g->beyond[1] = NAN;
}

void rankgaps_release(struct rankgaps *g)
{
	free(g->d);
	free(g->below);
	free(g->p);
	*g = (struct rankgaps){ .set = NULL };
}

/* A shift in gap @i, between the differences i - 1 and i, where p does not change. */
static double in_gap(const struct rankgaps *g, size_t i)
{
	if (i == 0)
		return g->d[0] - rankset_magnitude(g->set);
	if (i == g->n)
		return g->d[g->n - 1] + rankset_magnitude(g->set);
	return 0.5 * g->d[i - 1] + 0.5 * g->d[i];
}

static bool accepted(struct rankgaps *g, size_t i, double alpha)
{
	if (isnan(g->p[i])) {
		rankset_rank(g->set, in_gap(g, i));
		g->p[i] = rankset_p_near(g->set);
	}
	/* Too near to leave it to the last digits. */
	if (fabs(g->p[i] - alpha) <= RANKSET_NEAR * alpha) {
		rankset_rank(g->set, in_gap(g, i));
		g->p[i] = rankset_p_exact(g->set);
	}
	return g->p[i] > alpha;
}

/* How far from its expectation the rank sum is in gap @i; the estimate is where it is 0. */
static double distance(const struct rankgaps *g, size_t i)
{
	return fabs(0.5 * rankset_pairs(g->set) - g->below[i]);
}

/*
 * A search for the last gap that is accepted, on one side of the estimate: @good and @bad count
 * the steps from gap @near in direction @step.
 */
struct search {
	long near, step;
	long good, bad;
};

static size_t gap_of(const struct search *s, long steps)
{
	return s->near + s->step * steps;
}

/* The last gap between the two at which the rank sum is not more than @far off. */
static long last_within(const struct rankgaps *g, const struct search *s, double far)
{
	long lo = s->good, hi = s->bad;

	while (hi - lo > 1) {
		long mid = (lo + hi) / 2;

		if (distance(g, gap_of(s, mid)) <= far)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* The deviation that a normal distribution with this p would have. */
static double deviation_by_p(const struct rankgaps *g, size_t i)
{
	double tail = gsl_cdf_ugaussian_Qinv(g->p[i] / 2);

	if (tail > 0.1 && isfinite(tail) && distance(g, i) > 0.5)
		return (distance(g, i) - 0.5) / tail;
	return g->deviation;
}

/* The ranks near the bound differ from those at the estimate, and so does their deviation. */
static double deviation_by_ranks(const struct rankgaps *g, const struct search *s, double z)
{
	long at = last_within(g, s, 0.5 + z * g->deviation);

	rankset_rank(g->set, in_gap(g, gap_of(s, at > 0 ? at : 0)));
	return rankset_deviation(g->set);
}

/*
 * Where the normal distribution puts the last gap, by what the last try @from (-1: none yet)
 * says of its deviation, or the search at another level. Not beyond what is known.
 */
static long guess(struct rankgaps *g, const struct search *s, double z, long from)
{
	double *deviation = &g->beyond[s->step > 0];
	long at;

	if (from >= 0)
		*deviation = deviation_by_p(g, gap_of(s, from));
	else if (isnan(*deviation))
		*deviation = deviation_by_ranks(g, s, z);
	at = last_within(g, s, 0.5 + z * *deviation);
	/* Known to be accepted, so its neighbour is what is asked for. */
	return at > s->good ? at : s->good + 1;
}

static long last_accepted(struct rankgaps *g, long near, long far, double alpha)
{
	long step = far < near ? -1 : 1;
	struct search s = { near, step, -1, (far - near) * step + 1 };
	double z = g->falling ? gsl_cdf_ugaussian_Qinv(alpha / 2) : NAN;
	long from = -1;

	for (int i = 0; s.bad - s.good > 1; i++) {
		if (g->falling && i < GUESSES)
			from = guess(g, &s, z, from);
		else
			from = (s.good + s.bad) / 2;
		if (accepted(g, gap_of(&s, from), alpha))
			s.good = from;
		else
			s.bad = from;
	}
	return s.good;
}

bool rankgaps_decide_zero(const struct rankgaps *g)
{
	size_t lo = 0, hi = g->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (g->d[mid] < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return g->falling && !(lo < g->n && g->d[lo] == 0);
}

void rankgaps_bounds(struct rankgaps *g, double est, double alpha, double *lo, double *hi)
{
	size_t below = 0, upto;
	long steps;

	while (below < g->n && g->d[below] < est)
		below++;
	upto = below;
	while (upto < g->n && g->d[upto] <= est)
		upto++;

	steps = last_accepted(g, below, 0, alpha);
	*lo = steps < 0 ? est : (size_t)steps == below ? -INFINITY : g->d[below - steps - 1];
	steps = last_accepted(g, upto, g->n, alpha);
	*hi = steps < 0 ? est : upto + steps == g->n ? INFINITY : g->d[upto + steps];
}
