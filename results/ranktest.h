/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The test, the estimate and the interval of a comparison; they never contradict each other.
 *
 * Test: sum of the midranks of the arm's units among all units, judged against every
 * assignment of units to arms that keeps the counts in each block (exactly the
 * randomisation of an interleaved run). One block is the Mann-Whitney test with ties.
 * Exact up to 120 units, up to 2000 in pairs and as many fewer as blocks are larger (1000 in
 * fours, 500 in eights); above that the normal approximation with tie and continuity
 * correction.
 *
 * Estimate: Hodges and Lehmann's shift, the median of all differences arm - base, on
 * logarithms when all values are > 0 (then it is a ratio, given in per cent). When the
 * arms' shares differ between blocks, that median can take a drift for an effect; when the
 * test thinks little of it (p < 0.5), it is the shift at which the rank sum meets its
 * expectation: the same rule, within blocks.
 *
 * Interval: all shifts that the same test does not reject.
 *
 * Pure and deterministic. 16 bytes a unit are kept, and twice that while sorting.
 */
#ifndef FSDELTA_RESULTS_RANKTEST_H
#define FSDELTA_RESULTS_RANKTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The units of one side. @block[i] says in which block unit i ran; NULL = no blocks. */
struct ranktest_side {
	const double *value;
	const uint64_t *block;
	size_t n;
};

/*
 * Distributions that several tests have in common: without blocks and ties they depend on the
 * number of units only. The tests add what they need.
 */
struct ranktest_memory {
	struct ranktest_known *known;
	size_t n;
};

#define RANKTEST_MEMORY_INIT { NULL, 0 }

void ranktest_memory_release(struct ranktest_memory *memory);

struct ranktest_input {
	struct ranktest_side base, arm;
	bool raw;	/* differences, not ratios, even when all values are > 0 */
	struct ranktest_memory *memory; /* borrowed; NULL: nothing is kept. No figure depends on it */
};

struct ranktest {
	size_t n_base, n_arm;		/* units used */
	size_t blocks;			/* blocks used */
	size_t blocks_dropped;		/* one side only: they carry no information */
	size_t units_dropped;		/* the units in them */
	bool exact;			/* p counts assignments; else it is p_normal */
	bool log_scale;			/* shift is a difference of logarithms */
	double u;			/* pairs with arm > base, ties half */
	double rank_sum, rank_expect;	/* of the arm */
	double p;			/* two-sided: P(|T - ET| >= |t - ET|) */
	double p_normal;
	double p_min;			/* the smallest p that this plan can reach, without ties */
	double shift;			/* arm - base on the test scale */
	double pct;			/* shift in per cent of the base; NaN: base median is 0 */
};

/* NaN = not available; infinite = no bound on this side (too few units). */
struct ranktest_interval {
	double lo, hi;		/* test scale */
	double pct_lo, pct_hi;
};

/*
 * 0; -EINVAL when a value is not finite or only one side has blocks; -ERANGE when raw
 * values are too large to subtract; -E2BIG above 2^31 units. With no block (or no unit)
 * common to both sides this returns 0, n_base == n_arm == 0 and NaN everywhere else.
 */
int ranktest_run(const struct ranktest_input *in, struct ranktest *out);

/*
 * The interval at confidence @conf (0.95, 0.90, or 1 - multiple_level()). It excludes 0
 * exactly when ranktest_run() finds p <= 1 - conf; a bound that is 0 then counts as outside.
 */
int ranktest_interval(const struct ranktest_input *in, double conf,
		      struct ranktest_interval *ci);

/*
 * The same for @n confidences at once, which takes little more than one does. No interval for
 * one that is NaN.
 */
int ranktest_intervals(const struct ranktest_input *in, const double *conf, size_t n,
		       struct ranktest_interval *ci);

/*
 * The smallest p that a plan with these counts per block can reach: 2 / prod C(b + a, a),
 * at most 1. For planning and for "needs n units".
 */
double ranktest_p_min(const size_t *base, const size_t *arm, size_t n_blocks);

#endif
