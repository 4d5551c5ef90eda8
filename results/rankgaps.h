/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exact interval: p changes only where the shift passes a difference arm - base, so the
 * bounds are differences, and one shift in each gap between them is all that is tried. Part of
 * ranktest; nothing else includes it.
 */
#ifndef FSDELTA_RESULTS_RANKGAPS_H
#define FSDELTA_RESULTS_RANKGAPS_H

#include "results/rankset.h"

struct rankgaps {
	struct rankset *set;	/* borrowed */
	double median;		/* of all differences */
	double *d;		/* ascending, those merged that only rounding tells apart */
	size_t n;
	uint32_t *below;	/* n + 1: how many differences are below gap i, which ends at d[i] */
	double *p;		/* n + 1: in gap i; NaN: not tried yet */
	double deviation;	/* of the rank sum, near the median */
	double beyond[2];	/* at the last try below and above it; NaN: none yet */
	bool falling;		/* p falls on both sides of the estimate */
};

/* The differences must be fewer than 2^32. */
void rankgaps_init(struct rankgaps *g, struct rankset *set);
void rankgaps_release(struct rankgaps *g);

/*
 * Does each pair of bounds say of shift 0 what its p says? So it is when 0 lies in a gap, and p
 * falls.
 */
bool rankgaps_decide_zero(const struct rankgaps *g);

/* The bounds at level @alpha; -INFINITY and INFINITY: none. @est is between them. */
void rankgaps_bounds(struct rankgaps *g, double est, double alpha, double *lo, double *hi);

#endif
