/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FSDELTA_RESULTS_STATS_H
#define FSDELTA_RESULTS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Descriptive statistics of one sample.
 *
 * Pure: no I/O, no random numbers, and the result does not depend on the order of
 * the values. A figure that does not exist is NaN, never 0: test with isnan().
 * Values near the ends of the range of a double are scaled by a power of two first,
 * so that squares neither overflow nor vanish.
 */
struct stats {
	size_t n;
	double min, max;
	double mean;
	double median;		/* mean of the two middle values for an even n */
	double sd;		/* sample deviation, divided by n - 1; NaN for n < 2 */
	double sd_pop;		/* population deviation, divided by n (some mails print it) */
	double cv;		/* sd / |mean|, a ratio, not a percentage */
	double hmean;		/* n / sum(1/x); NaN unless all x > 0 */
	double hmean_se;	/* hmean^2 * sd(1/x) / sqrt(n) */
	double gmean;		/* exp(mean(log x)); NaN unless all x > 0 */
	double mad;		/* median of |x - median|, not scaled */
	double mad_sd;		/* 1.4826 * mad: estimates sd under normal noise */
	double mean_lo, mean_hi;	/* Student t, 95 %; NaN when n < 2 or sd == 0 */
	double hmean_lo, hmean_hi;	/* t interval of 1/x inverted; NaN if it reaches 0 */
};

/*
 * Fill @s from the @n values @x. Returns 0; -EINVAL when a value is not finite
 * (then everything but n is NaN). n == 0 is no error: everything is NaN.
 */
int stats_describe(const double *x, size_t n, struct stats *s);

/* Ascending order, in place. */
void stats_sort(double *x, size_t n);

/*
 * Quantile of type 7 (Hyndman and Fan; the default of R): h = (n - 1) * p.
 * @sorted is ascending. NaN when n == 0 or p is outside 0..1.
 */
double stats_quantile(const double *sorted, size_t n, double p);

/* Median of @x in any order; NaN when n == 0. */
double stats_median(const double *x, size_t n);

/*
 * Interval of the median from order statistics: x(k) .. x(n+1-k), with the largest k
 * for which the exact coverage 1 - 2 P(Bin(n, 1/2) <= k - 1) is at least @conf.
 * Needs no assumption but independence. k == 0 and NaN in the rest when no interval
 * exists (95 %: n < 6; 99 %: n < 8).
 */
struct stats_median_ci {
	size_t k;
	double lo, hi;
	double coverage;	/* the true one, never below @conf */
};

void stats_median_ci(const double *sorted, size_t n, double conf,
		     struct stats_median_ci *ci);

/*
 * Welch's t test of arm - base, for readers who expect it; it decides nothing here.
 * Everything but diff is NaN when n < 2 on a side or both sides are constant.
 */
struct stats_welch {
	double diff;		/* mean(arm) - mean(base) */
	double t, df, p;	/* df of Welch and Satterthwaite, p two-sided */
	double lo, hi;		/* interval of diff at the confidence asked for */
};

void stats_welch(const struct stats *base, const struct stats *arm, double conf,
		 struct stats_welch *w);

#endif
