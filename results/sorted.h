/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stats.h, trend.h and datacheck.h say of a sample, for values that are sorted already:
 * one pass each, so that millions of values are a matter of milliseconds. The figures
 * are the same up to rounding. Pure; @x is ascending and finite; NaN = does not exist.
 */
#ifndef FSDELTA_RESULTS_SORTED_H
#define FSDELTA_RESULTS_SORTED_H

#include "results/stats.h"
#include "results/trend.h"

/* Ascending order, in place, in time that grows with @n only. @work: room for @n, or NULL. */
void sorted_sort(double *x, double *work, size_t n);

/* As stats_describe(). @logs: the logarithms of @x, or NULL if they are not at hand. */
void sorted_describe(const double *x, const double *logs, size_t n, struct stats *s);

/* Values beyond @z modified z scores on one side; with a MAD of 0, over 5 % off. */
size_t sorted_beyond(const double *x, const struct stats *s, double z, bool above);

/* As trend_outliers(), but for .worst: the index is one in @x. */
void sorted_outliers(const double *x, const struct stats *s, enum direction better,
		     struct trend_outliers *out);

/* The share of the values that another one equals, and the smallest step (NaN: none). */
void sorted_resolution(const double *x, size_t n, double *tied, double *step);

/*
 * As trend_split(), on SORTED_SPLIT_MAX values taken at even distances if there are more: a
 * mode is a fifth of the values, and those show it. .n_low counts all values.
 */
#define SORTED_SPLIT_MAX 4001
void sorted_split(const double *x, size_t n, struct trend_split *out);

#endif
