// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/rankbig.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include "lib/large.h"
#include "lib/mem.h"
#include "results/sorted.h"

/* So many differences are looked at one by one. */
#define FEW 131072
/* Values a side from which the first guess comes, and the share of pairs for its slope. */
#define THIN 1024
#define SLOPE_SHARE 0.002
#define LANES 8

static double pairs(const struct rankbig *big)
{
	return (double)big->n_base * (double)big->n_arm;
}

/*
 * Along the sorted arm the first base unit that fits only moves up. A lane does this for part of
 * the arm, without a branch to guess; its steps depend on each other, those of LANES lanes do
 * not.
 */
struct lane {
	size_t i, j, end;
	uint64_t sum;
};

static size_t safe_steps(const struct rankbig *big, const struct lane *lanes)
{
	size_t safe = SIZE_MAX;

	for (size_t l = 0; l < LANES; l++) {
		size_t base = big->n_base - lanes[l].i, arm = lanes[l].end - lanes[l].j;

		safe = base < safe ? base : safe;
		safe = arm < safe ? arm : safe;
	}
	return safe;
}

static inline void step(const struct rankbig *big, struct lane *lane, double t)
{
	size_t up = big->arm[lane->j] - big->base[lane->i] > t, here = 1 - up;

	lane->sum += here * (big->n_base - lane->i);
	lane->i += up;
	lane->j += here;
}

/* The first base unit within @t of arm unit @j. */
static size_t first_fitting(const struct rankbig *big, size_t j, double t)
{
	size_t lo = 0, hi = big->n_base;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (big->arm[j] - big->base[mid] > t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* How many of the differences arm - base are <= @t. */
static uint64_t count(const struct rankbig *big, double t)
{
	struct lane a[LANES];
	uint64_t sum = 0;
	size_t safe;

	for (size_t l = 0; l < LANES; l++) {
		size_t from = big->n_arm * l / LANES, end = big->n_arm * (l + 1) / LANES;

		a[l] = (struct lane){ .j = from, .end = end };
		if (from < end)
			a[l].i = first_fitting(big, from, t);
	}
	while ((safe = safe_steps(big, a)) > 0)
		while (safe--)
			for (size_t l = 0; l < LANES; l++)
				step(big, &a[l], t);
	for (size_t l = 0; l < LANES; l++) {
		while (a[l].j < a[l].end && a[l].i < big->n_base)
			step(big, &a[l], t);
		sum += a[l].sum;
	}
	return sum;
}

/* The smallest difference above @t; infinite when there is none. */
static double next_difference(const struct rankbig *big, double t)
{
	double next = INFINITY;
	size_t i = big->n_base;

	for (size_t j = big->n_arm; j-- > 0;) {
		while (i > 0 && !(big->arm[j] - big->base[i - 1] > t))
			i--;
		if (i > 0)
			next = fmin(next, big->arm[j] - big->base[i - 1]);
	}
	return next;
}

/* n_lo differences are <= lo and n_hi <= hi; the wanted one is in between. */
struct bracket {
	double lo, hi;
	uint64_t n_lo, n_hi;
};

static void narrow(const struct rankbig *big, struct bracket *b, double t, uint64_t k)
{
	uint64_t n;

	if (!(t > b->lo && t < b->hi))
		return;
	n = count(big, t);
	if (n >= k) {
		b->hi = t;
		b->n_hi = n;
	} else {
		b->lo = t;
		b->n_lo = n;
	}
}

/* About the difference that the share @share of all is below. */
static double halving(const struct rankbig *big, double share)
{
	double lo = big->arm[0] - big->base[big->n_base - 1];
	double hi = big->arm[big->n_arm - 1] - big->base[0];

	for (int i = 0; i < 44; i++) {
		double mid = 0.5 * lo + 0.5 * hi;

		if ((double)count(big, mid) >= share * pairs(big))
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

/* @m values at even distances. */
static double *thin(const double *x, size_t n, size_t m)
{
	double *some = xcalloc(m, sizeof(*some));

	for (size_t i = 0; i < m; i++)
		some[i] = x[(size_t)(((double)i + 0.5) * n / m)];
	return some;
}

/*
 * A few values tell nearly where the wanted difference is among all; one count shows how far off
 * that is, and another just behind the target makes a narrow bracket.
 */
static void guess(const struct rankbig *big, struct bracket *b, uint64_t k)
{
	size_t n = big->n_base < THIN ? big->n_base : THIN;
	size_t m = big->n_arm < THIN ? big->n_arm : THIN;
	__cleanup_free double *base = thin(big->base, big->n_base, n);
	__cleanup_free double *arm = thin(big->arm, big->n_arm, m);
	struct rankbig few = { .base = base, .arm = arm, .n_base = n, .n_arm = m };
	double share = (double)k / pairs(big), t = halving(&few, share);
	double slope = (halving(&few, share + SLOPE_SHARE) - halving(&few, share - SLOPE_SHARE)) /
		       (2 * SLOPE_SHARE * pairs(big));

	narrow(big, b, t, k);
	if (b->hi == t)
		narrow(big, b, t - (1.02 * (double)(b->n_hi - k) + FEW / 8.0) * slope, k);
	else if (b->lo == t)
		narrow(big, b, t + (1.02 * (double)(k - b->n_lo) + FEW / 8.0) * slope, k);
}

/*
 * Where the wanted one would be in a bracket evenly filled, and a bit towards the end that is
 * farther away, so that both ends come near; now and then the middle, which always helps.
 */
static double between(const struct bracket *b, uint64_t k, int round)
{
	double n = (double)(b->n_hi - b->n_lo), share = (double)(k - b->n_lo) / n;
	double aside = fmax(0.25 * FEW / n, 0.02 * fmin(share, 1 - share));

	if (round % 4 == 3)
		share = 0.5;
	else
		share += share < 0.5 ? aside : -aside;
	return b->lo + share * (b->hi - b->lo);
}

/* The differences in the bracket, ascending; there are n_hi - n_lo. */
static double *differences(const struct rankbig *big, const struct bracket *b)
{
	size_t all = b->n_hi - b->n_lo, n = 0, from = 0;
	double *d = large_alloc((all + 1) * sizeof(*d));

	for (size_t j = 0; j < big->n_arm; j++) {
		while (from < big->n_base && big->arm[j] - big->base[from] > b->hi)
			from++;
		for (size_t i = from; i < big->n_base && n < all; i++) {
			double difference = big->arm[j] - big->base[i];

			if (!(difference > b->lo))
				break;
			d[n++] = difference;
		}
	}
	sorted_sort(d, NULL, n);
	return d;
}

/* The @k-th smallest difference, from 1, and the one after it. */
static double difference(const struct rankbig *big, uint64_t k, double *after)
{
	uint64_t all = (uint64_t)big->n_base * big->n_arm;
	struct bracket b = {
		.lo = nextafter(big->arm[0] - big->base[big->n_base - 1], -INFINITY),
		.hi = big->arm[big->n_arm - 1] - big->base[0],
		.n_hi = all,
	};
	__cleanup_free double *d = NULL;
	size_t i;

	guess(big, &b, k);
	for (int round = 0; b.n_hi - b.n_lo > FEW; round++) {
		narrow(big, &b, between(&b, k, round), k);
		/* Many are the same: go from one to the next. */
		if (round > 8) {
			double next = next_difference(big, b.lo);
			uint64_t n = count(big, next);

			if (n >= k) {
				*after = n > k ? next : next_difference(big, next);
				return next;
			}
			b.lo = next;
			b.n_lo = n;
		}
	}
	d = differences(big, &b);
	i = k - b.n_lo - 1;
	*after = i + 1 < b.n_hi - b.n_lo ? d[i + 1] : next_difference(big, b.hi);
	return d[i];
}

/*
 * Twice the excess of the arm's rank sum over its expectation at shift @theta, and its variance
 * (of the sum, not doubled): n m (N + 1 - sum(t^3 - t) / (N (N - 1))) / 12 with ties of t.
 */
static void moments(const struct rankbig *big, double theta, double *excess2, double *variance)
{
	double n = (double)big->n_base, m = (double)big->n_arm, all = n + m, ties = 0;
	const double *base = big->base, *arm = big->arm;
	size_t i = 0, j = 0;
	uint64_t above2 = 0;

	while (i < big->n_base || j < big->n_arm) {
		double b = i < big->n_base ? base[i] : INFINITY;
		double a = j < big->n_arm ? arm[j] - theta : INFINITY;
		double v = a < b ? a : b;
		size_t i0 = i, j0 = j, t;

		while (i < big->n_base && base[i] == v)
			i++;
		while (j < big->n_arm && arm[j] - theta == v)
			j++;
		above2 += (uint64_t)(i0 + i) * (j - j0);
		t = (i - i0) + (j - j0);
		if (t > 1)
			ties += (double)t * ((double)t * t - 1);
	}
	*excess2 = (double)above2 - n * m;
	*variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
}

static double normal_p(double excess2, double variance)
{
	double distance = 0.5 * fabs(excess2) - 0.5;

	if (!(distance > 0) || !(variance > 0))
		return 1;
	return fmin(1, 2 * gsl_cdf_ugaussian_Q(distance / sqrt(variance)));
}

static double percent_of(const struct rankbig *big, double shift)
{
	if (isinf(shift))
		return shift;
	if (big->log_scale)
		return 100 * expm1(shift);
	return big->base_median == 0 ? NAN : 100 * (shift / big->base_median);
}

void rankbig_run(struct rankbig *big, struct ranktest *out)
{
	double n = (double)big->n_base, m = (double)big->n_arm, after, d;
	uint64_t all = (uint64_t)big->n_base * big->n_arm;

	*out = (struct ranktest) {
		.n_base = big->n_base, .n_arm = big->n_arm, .blocks = 1,
		.log_scale = big->log_scale,
	};
	moments(big, 0, &big->excess2, &big->variance);
	out->u = 0.5 * (n * m + big->excess2);
	out->rank_expect = 0.5 * m * (n + m + 1);
	out->rank_sum = out->rank_expect + 0.5 * big->excess2;
	big->p = out->p = out->p_normal = normal_p(big->excess2, big->variance);
	out->p_min = fmin(1, 2 * exp(-gsl_sf_lnchoose(big->n_base + big->n_arm, big->n_arm)));
	d = difference(big, (all + 1) / 2, &after);
	big->estimate = all % 2 ? d : 0.5 * d + 0.5 * after;
	moments(big, big->estimate, &after, &big->variance);
	out->shift = big->estimate;
	out->pct = percent_of(big, out->shift);
}

void rankbig_interval(const struct rankbig *big, double conf, struct ranktest_interval *ci)
{
	uint64_t all = (uint64_t)big->n_base * big->n_arm;
	double z = gsl_cdf_ugaussian_Qinv((1 - conf) / 2), ignored, first, second;
	/* The rank sum counts differences: the largest one to be rejected names the bounds. */
	double rejected = floor(0.5 * pairs(big) - 0.5 - z * sqrt(big->variance));

	*ci = (struct ranktest_interval) { -INFINITY, INFINITY, NAN, NAN };
	if (rejected >= 0) {
		ci->lo = fmin(big->estimate, difference(big, (uint64_t)rejected + 1, &ignored));
		ci->hi = fmax(big->estimate, difference(big, all - (uint64_t)rejected, &ignored));
	}
	/* Ties at 0 make test and interval disagree by a hair. */
	if (big->p > 1 - conf) {
		ci->lo = fmin(ci->lo, 0);
		ci->hi = fmax(ci->hi, 0);
	} else if (ci->lo < 0 && ci->hi > 0) {
		*(big->excess2 > 0 ? &ci->lo : &ci->hi) = 0;
	}
	/* A negative base turns the order round. */
	first = percent_of(big, ci->lo);
	second = percent_of(big, ci->hi);
	ci->pct_lo = first > second ? second : first;
	ci->pct_hi = first > second ? first : second;
}
