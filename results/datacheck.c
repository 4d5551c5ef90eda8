// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/datacheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "lib/mem.h"
#include "results/stats.h"
#include "results/trend.h"

static double *sorted_copy(const double *x, size_t n)
{
	double *sorted = xcalloc(n, sizeof(*sorted));

	if (n)
		memcpy(sorted, x, n * sizeof(*x));
	stats_sort(sorted, n);
	return sorted;
}

bool data_heavy_tail(const double *x, size_t n)
{
	struct stats_median_ci ci;
	double *sorted, median, apart, most;

	if (!n)
		return false;
	sorted = sorted_copy(x, n);
	median = stats_quantile(sorted, n, 0.5);
	stats_median_ci(sorted, n, 0.95, &ci);
	apart = fabs(gsl_stats_mean(sorted, 1, n) - median);
	most = sorted[n - 1];
	free(sorted);
	return apart > 0.5 * (ci.hi - ci.lo) || (median > 0 && most > 1.5 * median);
}

void data_resolution(const double *x, size_t n, double mde_pct, struct data_resolution *out)
{
	double *sorted = sorted_copy(x, n), median = stats_quantile(sorted, n, 0.5);
	size_t tied = 0;

	*out = (struct data_resolution) { NAN, NAN, NAN, false };
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && sorted[end] == sorted[i];)
			end++;
		if (end - i > 1)
			tied += end - i;
		if (end < n)
			out->step = fmin(out->step, sorted[end] - sorted[i]);
	}
	free(sorted);
	if (n)
		out->tied = (double)tied / n;
	if (median != 0)
		out->step_pct = 100 * (out->step / fabs(median));
	out->coarse = !isnan(out->step) && (out->tied > 0.3 || out->step_pct > mde_pct / 2);
}

static bool worse(double a, double b, enum direction better)
{
	return better == BETTER_HIGHER ? a < b : a > b;
}

/* P(at least @k) of the sum of independent events with probabilities @p. */
static double tail_of_events(const double *p, size_t n, size_t k)
{
	double *dist = xcalloc(n + 1, sizeof(*dist)), tail = 0;

	dist[0] = 1;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = i + 1; j > 0; j--)
			dist[j] = dist[j] * (1 - p[i]) + dist[j - 1] * p[i];
		dist[0] *= 1 - p[i];
	}
	for (size_t j = k; j <= n; j++)
		tail += dist[j];
	free(dist);
	return fmin(1, tail);
}

void data_first(const double *x, const size_t *boot, size_t n, size_t n_boots,
		enum direction better, struct data_first *out)
{
	double *chance = xcalloc(n_boots, sizeof(*chance));

	*out = (struct data_first) { .p = NAN };
	for (size_t b = 0; b < n_boots; b++) {
		size_t count = 0, beaten = 0;
		double first = NAN;

		for (size_t i = 0; i < n; i++) {
			if (boot[i] != b)
				continue;
			if (count++ == 0)
				first = x[i];
			else
				beaten += worse(first, x[i], better);
		}
		if (count < 2)
			continue;
		chance[out->boots++] = 1.0 / count;
		out->worst_first += beaten == count - 1;
	}
	if (out->boots)
		out->p = tail_of_events(chance, out->boots, out->worst_first);
	out->warn = 2 * out->worst_first > out->boots && out->p < TREND_ALPHA;
	free(chance);
}

enum data_loss data_loss(size_t failed_base, size_t planned_base, size_t failed_arm,
			 size_t planned_arm)
{
	if (!failed_base && !failed_arm)
		return DATA_LOSS_NONE;
	if (5 * failed_base > planned_base || 5 * failed_arm > planned_arm)
		return DATA_LOSS_TOO_MUCH;
	if (trend_share_p(failed_base, planned_base, failed_arm, planned_arm) < TREND_ALPHA)
		return DATA_LOSS_TOO_MUCH;
	return failed_base * planned_arm == failed_arm * planned_base ? DATA_LOSS_NONE :
									DATA_LOSS_UNEVEN;
}

/* Means and sizes of the boots that have two iterations at least; their number. */
static size_t boot_means(const double *x, const size_t *boot, size_t n, size_t n_boots,
			 double *mean, double *size, double *within)
{
	double *of_boot = xcalloc(n, sizeof(*of_boot)), degrees = 0;
	size_t boots = 0;

	*within = 0;
	for (size_t b = 0; b < n_boots; b++) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			if (boot[i] == b)
				of_boot[count++] = x[i];
		if (count < 2)
			continue;
		mean[boots] = gsl_stats_mean(of_boot, 1, count);
		size[boots++] = count;
		*within += gsl_stats_variance(of_boot, 1, count) * (count - 1);
		degrees += count - 1;
	}
	*within /= degrees;
	free(of_boot);
	return boots;
}

void data_boots(const double *x, const size_t *boot, size_t n, size_t n_boots,
		double cost_ratio, struct data_boots *out)
{
	double *mean = xcalloc(n_boots, sizeof(*mean)), *size = xcalloc(n_boots, sizeof(*size));
	double within, inverse = 0, explained;
	size_t boots = boot_means(x, boot, n, n_boots, mean, size, &within);

	*out = (struct data_boots) { NAN, NAN, NAN, false, NAN };
	if (boots >= 2) {
		for (size_t b = 0; b < boots; b++)
			inverse += 1 / size[b];
		out->iterations = boots / inverse;
		explained = within / out->iterations;
		out->iter_var = within;
		out->boot_var = fmax(0, gsl_stats_variance(mean, 1, boots) - explained);
		out->boots_matter = out->boot_var > explained;
		if (out->boot_var > 0 && cost_ratio > 0)
			out->worth = fmax(1, ceil(sqrt(cost_ratio * within / out->boot_var)));
	}
	free(size);
	free(mean);
}
