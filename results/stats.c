// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "lib/mem.h"

#define T_CONF 0.95
/* Up to so many values, shifting them is faster than any better way. */
#define SHIFT_MAX 100

void stats_sort(double *x, size_t n)
{
	if (n > SHIFT_MAX) {
		gsl_sort(x, 1, n);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		double here = x[i];
		size_t k = i;

		for (; k > 0 && x[k - 1] > here; k--)
			x[k] = x[k - 1];
		x[k] = here;
	}
}

double stats_quantile(const double *sorted, size_t n, double p)
{
	if (!n || !(p >= 0 && p <= 1))
		return NAN;
	return gsl_stats_quantile_from_sorted_data(sorted, 1, n, p);
}

static double *sorted_copy(const double *x, size_t n)
{
	double *copy = xcalloc(n, sizeof(*copy));

	if (n)
		memcpy(copy, x, n * sizeof(*copy));
	stats_sort(copy, n);
	return copy;
}

double stats_median(const double *x, size_t n)
{
	double *sorted = sorted_copy(x, n);
	double median = stats_quantile(sorted, n, 0.5);

	free(sorted);
	return median;
}

static void clear(struct stats *s, size_t n)
{
	*s = (struct stats) {
		.n = n,
		.min = NAN, .max = NAN, .mean = NAN, .median = NAN,
		.sd = NAN, .sd_pop = NAN, .cv = NAN,
		.hmean = NAN, .hmean_se = NAN, .gmean = NAN,
		.mad = NAN, .mad_sd = NAN,
		.mean_lo = NAN, .mean_hi = NAN, .hmean_lo = NAN, .hmean_hi = NAN,
	};
}

static bool all_finite(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return false;
	return true;
}

/* The exponent e with 0.5 <= |x| / 2^e < 1, so that ldexp(x, -e) is near one. */
static int exponent_of(double x)
{
	int e = 0;

	frexp(x, &e);
	return e;
}

/* Half the width of the Student t interval of a mean. */
static double t_half(double sd, size_t n)
{
	return gsl_cdf_tdist_Qinv((1 - T_CONF) / 2, n - 1.0) * sd / sqrt(n);
}

static void arithmetic(struct stats *s, const double *sorted, double *work, double *work2)
{
	double largest = fmax(fabs(s->min), fabs(s->max));
	int e = exponent_of(largest);
	double mean, sd, half;

	for (size_t i = 0; i < s->n; i++)
		work[i] = ldexp(sorted[i], -e);

	mean = gsl_stats_mean(work, 1, s->n);
	s->mean = ldexp(mean, e);
	s->mad = ldexp(gsl_stats_mad0(work, 1, s->n, work2), e);
	s->mad_sd = 1.4826 * s->mad;
	s->sd_pop = 0;
	if (s->n < 2)
		return;

	sd = gsl_stats_sd_m(work, 1, s->n, mean);
	s->sd = ldexp(sd, e);
	s->sd_pop = s->sd * sqrt((s->n - 1.0) / s->n);
	if (mean != 0)
		s->cv = sd / fabs(mean);
	if (sd > 0) {
		half = t_half(sd, s->n);
		s->mean_lo = ldexp(mean - half, e);
		s->mean_hi = ldexp(mean + half, e);
	}
}

/* Harmonic and geometric mean. Scaled by the smallest value: no 1/x exceeds 2. */
static void reciprocal(struct stats *s, const double *sorted, double *work)
{
	int e = exponent_of(s->min);
	double mean, sd, half;

	for (size_t i = 0; i < s->n; i++)
		work[i] = log(sorted[i]);
	s->gmean = exp(gsl_stats_mean(work, 1, s->n));

	for (size_t i = 0; i < s->n; i++)
		work[i] = 1 / ldexp(sorted[i], -e);
	mean = gsl_stats_mean(work, 1, s->n);
	s->hmean = ldexp(1 / mean, e);
	if (s->n < 2)
		return;

	sd = gsl_stats_sd_m(work, 1, s->n, mean);
	s->hmean_se = ldexp(sd / sqrt(s->n) / mean / mean, e);
	half = t_half(sd, s->n);
	if (sd > 0 && mean - half > 0) {
		s->hmean_lo = ldexp(1 / (mean + half), e);
		s->hmean_hi = ldexp(1 / (mean - half), e);
	}
}

int stats_describe(const double *x, size_t n, struct stats *s)
{
	double *sorted, *work, *work2;

	clear(s, n);
	if (!n)
		return 0;
	if (!all_finite(x, n))
		return -EINVAL;

	sorted = sorted_copy(x, n);
	work = xcalloc(n, sizeof(*work));
	work2 = xcalloc(n, sizeof(*work2));

	s->min = sorted[0];
	s->max = sorted[n - 1];
	s->median = stats_quantile(sorted, n, 0.5);
	arithmetic(s, sorted, work, work2);
	if (s->min > 0)
		reciprocal(s, sorted, work);

	free(work2);
	free(work);
	free(sorted);
	return 0;
}

static double median_coverage(size_t n, size_t k)
{
	return 1 - 2 * gsl_cdf_binomial_P(k - 1, 0.5, n);
}

void stats_median_ci(const double *sorted, size_t n, double conf,
		     struct stats_median_ci *ci)
{
	size_t lo = 0, hi = n / 2 + 1;

	*ci = (struct stats_median_ci) { .lo = NAN, .hi = NAN, .coverage = NAN };

	/* Coverage falls with k: lo is always good enough (0: not yet known), hi never. */
	while (hi - lo > 1) {
		size_t k = lo + (hi - lo) / 2;

		if (2 * k <= n && median_coverage(n, k) >= conf)
			lo = k;
		else
			hi = k;
	}
	if (!lo)
		return;
	ci->k = lo;
	ci->lo = sorted[lo - 1];
	ci->hi = sorted[n - lo];
	ci->coverage = median_coverage(n, lo);
}

void stats_welch(const struct stats *base, const struct stats *arm, double conf,
		 struct stats_welch *w)
{
	double va, vb, se, scale;

	*w = (struct stats_welch) {
		.diff = arm->mean - base->mean,
		.t = NAN, .df = NAN, .p = NAN, .lo = NAN, .hi = NAN,
	};
	if (base->n < 2 || arm->n < 2)
		return;
	scale = fmax(base->sd, arm->sd);
	if (!(scale > 0))
		return;

	/* Variances of the means in units of scale^2: no square can overflow. */
	va = (base->sd / scale) * (base->sd / scale) / base->n;
	vb = (arm->sd / scale) * (arm->sd / scale) / arm->n;
	se = scale * sqrt(va + vb);
	w->t = w->diff / se;
	w->df = (va + vb) * (va + vb) / (va * va / (base->n - 1) + vb * vb / (arm->n - 1));
	w->p = 2 * gsl_cdf_tdist_Q(fabs(w->t), w->df);
	se *= gsl_cdf_tdist_Qinv((1 - conf) / 2, w->df);
	w->lo = w->diff - se;
	w->hi = w->diff + se;
}
