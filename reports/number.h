/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures for people: one unit for all figures of a row, few digits, at most 9 columns. */
#ifndef FSDELTA_REPORTS_NUMBER_H
#define FSDELTA_REPORTS_NUMBER_H

#include "results/metric.h"

#include <stddef.h>

#define NUMBER_WIDTH 9

#define NUMBER_SHORT (-1) /* three digits, with an exponent if need be */
#define NUMBER_WHOLE (-2) /* none for whole numbers, one for others */

/* How the figures of a row are shown. */
struct number_scale {
	const char *unit; /* "us"; the metric's own where nothing is known of it */
	double divisor;	  /* shown = value / divisor */
	int decimals;	  /* of the shown figures, or one of the two above */
};

/* Chosen for figures of @m up to the magnitude @largest (> 0; 0 or NaN: nothing but zeros). */
struct number_scale number_scale(const struct metric *m, double largest);

/* "12.41", "-" when @v is NaN; the caller frees. */
char *number_text(double v, const struct number_scale *scale);
/* A change in percent: "+4.61%", beyond 1000 the ratio "x12.4", "-" when NaN; the caller frees. */
char *number_percent(double pct);
/* An interval of percentages: "[-6.1, -5.2]", ".." where there is no bound, "-" without any. */
char *number_interval(double lo, double hi);
/* A spread, given as a ratio: "1.2%"; "-" when NaN; the caller frees. */
char *number_spread(double cv);

#endif
