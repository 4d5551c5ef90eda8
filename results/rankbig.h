/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranktest.h for large samples without blocks: p by the normal approximation, estimate and bounds
 * exactly those differences that ranktest finds, but after a few passes over the values where
 * that takes hundreds. Pure and deterministic; 16 bytes a unit on the logarithmic scale,
 * nothing otherwise.
 */
#ifndef FSDELTA_RESULTS_RANKBIG_H
#define FSDELTA_RESULTS_RANKBIG_H

#include "results/ranktest.h"

/* From this many units of both sides on it pays; below, use ranktest. */
#define RANKBIG_MIN 2000

struct rankbig {
	const double *base, *arm; /* ascending, on the test scale; borrowed */
	size_t n_base, n_arm;
	bool log_scale;		  /* they are logarithms */
	double base_median;	  /* of the values themselves */
	/* Filled by rankbig_run(). */
	double estimate, p;
	double excess2;		  /* rank sum - expectation, doubled */
	double variance;	  /* of the rank sum, at the estimate */
};

/* Values are finite, and differences fit in a double. Fills all of @out. */
void rankbig_run(struct rankbig *big, struct ranktest *out);

/* After rankbig_run(). As ranktest_interval(). */
void rankbig_interval(const struct rankbig *big, double conf, struct ranktest_interval *ci);

#endif
