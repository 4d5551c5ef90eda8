// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>

#include "lib/mem.h"
#include "results/stats.h"

void trend_residuals(const double *x, const size_t *arm, size_t n, size_t n_arms,
		     double *residual)
{
	double *of_arm = xcalloc(n, sizeof(*of_arm));
	double *median = xcalloc(n_arms, sizeof(*median));

	for (size_t a = 0; a < n_arms; a++) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			if (arm[i] == a)
				of_arm[count++] = x[i];
		median[a] = stats_median(of_arm, count);
	}
	for (size_t i = 0; i < n; i++)
		residual[i] = x[i] - median[arm[i]];
	free(median);
	free(of_arm);
}

/* Sorts @x and counts the pairs that were in descending order. */
static uint64_t sort_counting(double *x, double *work, size_t n)
{
	size_t half = n / 2, i = 0, j = half;
	uint64_t inversions;

	if (n < 2)
		return 0;
	inversions = sort_counting(x, work, half) + sort_counting(x + half, work, n - half);
	for (size_t k = 0; k < n; k++) {
		if (j == n || (i < half && x[i] <= x[j])) {
			work[k] = x[i++];
		} else {
			inversions += half - i;
			work[k] = x[j++];
		}
	}
	memcpy(x, work, n * sizeof(*x));
	return inversions;
}

static double pairs_of(double n)
{
	return n * (n - 1) / 2;
}

/* Adds the statistic and its variance. */
static void add_drift(const double *x, size_t n, struct trend_drift *out)
{
	double *sorted = xcalloc(n, sizeof(*sorted)), *work = xcalloc(n, sizeof(*work)), d = n;

	if (n)
		memcpy(sorted, x, n * sizeof(*x));
	out->s += pairs_of(d) - 2.0 * sort_counting(sorted, work, n);
	out->variance += d * (d - 1) * (2 * d + 5) / 18;
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && sorted[end] == sorted[i];)
			end++;
		t = end - i;
		out->s -= pairs_of(t);
		out->variance -= t * (t - 1) * (2 * t + 5) / 18;
	}
	free(work);
	free(sorted);
}

void trend_drift_within(const double *x, const size_t *group, size_t n, size_t n_groups,
			struct trend_drift *out)
{
	double *of_group;

	*out = (struct trend_drift) { NAN, NAN, NAN, NAN, false };
	if (n < 3)
		return;
	out->s = out->variance = out->z = 0;
	of_group = xcalloc(n, sizeof(*of_group));
	for (size_t g = 0; g < n_groups; g++) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			if (!group || group[i] == g)
				of_group[count++] = x[i];
		add_drift(of_group, count, out);
	}
	free(of_group);
	if (out->s != 0)
		out->z = (out->s - copysign(1, out->s)) / sqrt(out->variance);
	out->p = 2 * gsl_cdf_ugaussian_Q(fabs(out->z));
	out->warn = out->p < TREND_ALPHA;
}

void trend_drift(const double *x, size_t n, struct trend_drift *out)
{
	trend_drift_within(x, NULL, n, 1, out);
}

void trend_lag1(const double *x, size_t n, struct trend_lag1 *out)
{
	double mean, scale, squares = 0, products = 0, d = n;

	*out = (struct trend_lag1) { NAN, NAN, NAN, false };
	if (n < 3)
		return;
	mean = gsl_stats_mean(x, 1, n);
	scale = fmax(gsl_stats_max(x, 1, n) - mean, mean - gsl_stats_min(x, 1, n));
	if (!(scale > 0) || isinf(scale))
		return;
	for (size_t i = 0; i < n; i++) {
		double here = (x[i] - mean) / scale;

		squares += here * here;
		if (i + 1 < n)
			products += here * ((x[i + 1] - mean) / scale);
	}
	out->r = products / squares;
	out->z = (out->r + 1 / d) / sqrt((d - 2) * (d - 2) / (d * d * (d - 1)));
	out->p = gsl_cdf_ugaussian_Q(out->z);
	out->warn = out->p < TREND_ALPHA;
}

/*
 * Simulated for normal values (20000 samples each); the limit for many values is 2 / pi.
 * Straight in 1 / n between the entries.
 */
static const struct {
	double n, share;
} split_critical[] = {
	{ 8, 0.936 }, { 10, 0.909 }, { 12, 0.886 }, { 15, 0.860 }, { 20, 0.831 },
	{ 30, 0.794 }, { 50, 0.757 }, { 100, 0.721 }, { INFINITY, 2 / M_PI },
};

static double critical_share(size_t n)
{
	for (size_t i = 1; i < ARRAY_SIZE(split_critical) && n >= split_critical[0].n; i++) {
		double from = 1 / split_critical[i - 1].n, to = 1 / split_critical[i].n;
		double part = (from - 1.0 / n) / (from - to);

		if (n <= split_critical[i].n)
			return split_critical[i - 1].share +
			       part * (split_critical[i].share - split_critical[i - 1].share);
	}
	return NAN;
}

static void best_split(const double *sorted, size_t n, struct trend_split *out)
{
	double mean = gsl_stats_mean(sorted, 1, n);
	double scale = fmax(sorted[n - 1] - mean, mean - sorted[0]);
	double total = 0, sum = 0, best = -1;

	if (!(scale > 0) || isinf(scale))
		return;
	for (size_t i = 0; i < n; i++)
		total += (sorted[i] - mean) / scale * ((sorted[i] - mean) / scale);
	/* The parts' sums of deviations are equal but for the sign. */
	for (size_t i = 0; i + 2 < n; i++) {
		double low = i + 1, high = n - low, between;

		sum += (sorted[i] - mean) / scale;
		between = sum * sum * (1 / low + 1 / high);
		if (low >= 2 && between > best) {
			best = between;
			out->n_low = i + 1;
		}
	}
	out->share = best / total;
	out->mean_low = gsl_stats_mean(sorted, 1, out->n_low);
	out->mean_high = gsl_stats_mean(sorted + out->n_low, 1, n - out->n_low);
}

void trend_split(const double *x, size_t n, struct trend_split *out)
{
	double *sorted;

	*out = (struct trend_split) {
		.share = NAN, .critical = critical_share(n), .mean_low = NAN, .mean_high = NAN,
	};
	if (n < 4)
		return;
	sorted = xcalloc(n, sizeof(*sorted));
	memcpy(sorted, x, n * sizeof(*x));
	stats_sort(sorted, n);
	best_split(sorted, n, out);
	free(sorted);
	out->modes = out->share > out->critical &&
		     5 * fmin(out->n_low, n - out->n_low) >= n;
}

double trend_share_p(size_t low_a, size_t n_a, size_t low_b, size_t n_b)
{
	size_t low = low_a + low_b, high = n_a + n_b - low;
	double seen, p = 0;

	if (!n_a || !n_b)
		return NAN;
	seen = gsl_ran_hypergeometric_pdf(low_a, low, high, n_a);
	for (size_t k = 0; k <= n_a && k <= low; k++) {
		double here = gsl_ran_hypergeometric_pdf(k, low, high, n_a);

		/* Tables as likely as the one seen count, whatever the rounding. */
		if (here <= seen * (1 + 1e-7))
			p += here;
	}
	return fmin(1, p);
}

static double mad_of(const double *x, size_t n, double median)
{
	double *distance = xcalloc(n, sizeof(*distance)), mad;

	for (size_t i = 0; i < n; i++)
		distance[i] = fabs(x[i] - median);
	mad = stats_median(distance, n);
	free(distance);
	return mad;
}

void trend_modified_z(const double *x, size_t n, double *z)
{
	double median = stats_median(x, n), mad = mad_of(x, n, median);

	for (size_t i = 0; i < n; i++)
		z[i] = mad > 0 ? 0.6745 * ((x[i] - median) / mad) : NAN;
}

/* How far on the side that counts. */
static double badness(double distance, enum direction better)
{
	if (better == BETTER_NEUTRAL)
		return fabs(distance);
	return better == BETTER_LOWER ? distance : -distance;
}

void trend_outliers(const double *x, size_t n, enum direction better,
		    struct trend_outliers *out)
{
	double median = stats_median(x, n), worst = 0;
	double *z = xcalloc(n, sizeof(*z));

	*out = (struct trend_outliers) { .worst = n };
	trend_modified_z(x, n, z);
	for (size_t i = 0; i < n; i++) {
		double bad = badness(x[i] - median, better);
		bool far = isnan(z[i]) ? bad > 0.05 * fabs(median) : badness(z[i], better) > 5;
		bool note = !far && badness(z[i], better) > 3.5;

		out->warn += far;
		out->note += note;
		if ((far || note) && bad > worst) {
			worst = bad;
			out->worst = i;
		}
	}
	free(z);
}
