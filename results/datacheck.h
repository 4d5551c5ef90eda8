/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * More of what could mislead (see trend.h): the shape, the resolution and the loss of
 * samples, and the noise between boots. Pure; values are finite; NaN = does not exist.
 */
#ifndef FSDELTA_RESULTS_DATACHECK_H
#define FSDELTA_RESULTS_DATACHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "results/metric.h"

/*
 * Mean and deviation are not to be trusted: they are more than half the width of the
 * median's 95 % interval apart, or the largest value is over 1.5 times the median.
 */
bool data_heavy_tail(const double *x, size_t n);

/* Steps between the values, as a clock or counter that is too coarse makes them. */
struct data_resolution {
	double step;		/* smallest difference of two values; NaN: all are equal */
	double step_pct;	/* of |median|; NaN when that is 0 */
	double tied;		/* share of the values that another one equals; NaN: n == 0 */
	bool coarse;		/* step over half of @mde_pct, or over 30 % tied */
};

/* @mde_pct as verdict_result has it; NaN = not known. Constant values are not coarse. */
void data_resolution(const double *x, size_t n, double mde_pct, struct data_resolution *out);

/*
 * Is the first iteration of a boot not like the others (cold caches, a grown image)? @x in
 * order of time, @boot[i] < @n_boots. Only boots with two iterations or more count.
 */
struct data_first {
	size_t boots;		/* that count */
	size_t worst_first;	/* in which the first was worse than all others */
	double p;		/* of so many by chance; NaN without a boot that counts */
	bool warn;		/* over half of the boots, and p < .01 */
};

void data_first(const double *x, const size_t *boot, size_t n, size_t n_boots,
		enum direction better, struct data_first *out);

/* Units that were planned and gave nothing: the rest may be the lucky ones. */
enum data_loss {
	DATA_LOSS_NONE,
	DATA_LOSS_UNEVEN,	/* some failed, more on one side: say so */
	DATA_LOSS_TOO_MUCH,	/* over 20 % of a side, or p < .01 that it is chance */
};

enum data_loss data_loss(size_t failed_base, size_t planned_base, size_t failed_arm,
			 size_t planned_arm);

/*
 * Where the noise is (Kalibera and Jones): s_iter^2 is the variance within boots, T_boot^2
 * that of the boots' means beyond what the iterations explain (0 when they explain it all).
 */
struct data_boots {
	double iter_var, boot_var;	/* NaN without two boots of two iterations */
	double iterations;		/* mean number a boot (harmonic) */
	bool boots_matter;		/* boot_var > iter_var / iterations: boot more often */
	/* ceil(sqrt(boot cost / iteration cost * iter_var / boot_var)); NaN: no limit */
	double worth;			/* iterations a boot that are worth taking */
};

/* @cost_ratio: cost of a boot in iterations, > 0; NaN = not known, then worth is NaN. */
void data_boots(const double *x, const size_t *boot, size_t n, size_t n_boots,
		double cost_ratio, struct data_boots *out);

#endif
