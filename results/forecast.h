/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What earlier runs of a cell say of the next one: how much its primary metric scatters, and how
 * long an iteration takes, from mkfs to umount. Pure.
 */
#ifndef FSDELTA_RESULTS_FORECAST_H
#define FSDELTA_RESULTS_FORECAST_H

#include "results/run.h"

struct forecast {
	const char *metric; /* the primary one; borrowed from a run; NULL: no values */
	/*
	 * 100 * the deviation of the values' logarithms from the mean of their run, over all runs
	 * together: nearly the coefficient of variation in per cent. NaN: not known.
	 */
	double sd_pct;
	size_t values, runs; /* behind sd_pct */
	double seconds;	     /* median, from one iteration to the next; NaN: not known */
};

/*
 * @warmups: of warm-ups alone, else of valid iterations alone. For the time both count. Where
 * runs share a session, the order over all of them is what times are taken from.
 */
void forecast_cell(struct run *const *runs, size_t n, const char *workload, const char *target,
		   bool warmups, struct forecast *out);

/*
 * Units a side at which the 95 % interval is about +-@width_pct: 2 * (z.975 * sd / width)^2.
 * NaN when sd is.
 */
double forecast_units_for_width(double sd_pct, double width_pct);

#endif
