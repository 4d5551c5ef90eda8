/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What could make a comparison misleading, seen in the values alone. Nothing here removes
 * data. Pure; values are finite; a figure that does not exist is NaN.
 */
#ifndef FSDELTA_RESULTS_TREND_H
#define FSDELTA_RESULTS_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "results/metric.h"

/* A warning is given at p < .01. */
#define TREND_ALPHA 0.01

/*
 * residual[i] = x[i] - median of its arm, in the order of @x (of time, for the two tests
 * below). @arm[i] < @n_arms. @residual may be @x.
 */
void trend_residuals(const double *x, const size_t *arm, size_t n, size_t n_arms,
		     double *residual);

/* Mann and Kendall's test for a trend over time; variance corrected for ties. */
struct trend_drift {
	double s, variance;
	double z, p;	/* with continuity correction, two-sided; NaN for n < 3 */
	bool warn;
};

void trend_drift(const double *x, size_t n, struct trend_drift *out);
/*
 * A trend inside groups of values: s and variance are the sums of those of the groups (Hirsch
 * and Slack), so that a step from one group to the next is none. @group[i] < @n_groups; NULL
 * with one group: all are in it.
 */
void trend_drift_within(const double *x, const size_t *group, size_t n, size_t n_groups,
			struct trend_drift *out);

/* Autocorrelation at lag 1: z = (r + 1/n) / sqrt((n - 2)^2 / (n^2 (n - 1))), one-sided. */
struct trend_lag1 {
	double r, z, p;	/* NaN for n < 3 or constant values */
	bool warn;
};

void trend_lag1(const double *x, size_t n, struct trend_lag1 *out);

/*
 * Two modes: the split of the sorted values, two at least on each side, with the largest
 * share of the sum of squares between the parts (Engelman and Hartigan).
 */
struct trend_split {
	double share;			/* SSB / SST; NaN for n < 4 or constant values */
	double critical;		/* of share at .01 without modes; NaN for n < 8 */
	size_t n_low;			/* values in the lower part */
	double mean_low, mean_high;
	bool modes;	/* share above critical, and a fifth of the values in each part */
};

void trend_split(const double *x, size_t n, struct trend_split *out);

/*
 * Did the share of a mode change? Fisher's exact test, two-sided: @low_a of @n_a against
 * @low_b of @n_b. NaN when a side is empty.
 */
double trend_share_p(size_t low_a, size_t n_a, size_t low_b, size_t n_b);

/*
 * Modified z = 0.6745 (x - median) / MAD (Iglewicz and Hoaglin). With a MAD of 0 there is no
 * z: NaN for all, and what differs from the median by more than 5 % is an outlier.
 */
void trend_modified_z(const double *x, size_t n, double *z);

struct trend_outliers {
	size_t warn;	/* z > 5 on the slow side (either side of a neutral metric) */
	size_t note;	/* z > 3.5, without those */
	size_t worst;	/* index of the worst one; n when there is none */
};

void trend_outliers(const double *x, size_t n, enum direction better,
		    struct trend_outliers *out);

#endif
