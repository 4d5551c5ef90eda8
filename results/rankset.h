/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sorted units of a rank test and what can be counted in them without forming all
 * differences. Part of ranktest; nothing else includes it.
 */
#ifndef FSDELTA_RESULTS_RANKSET_H
#define FSDELTA_RESULTS_RANKSET_H

#include "results/ranktest.h"

struct rank_unit {
	double v;	/* on the test scale */
	uint32_t block;	/* index in blocks[] */
	uint32_t slot;	/* index in rank2[] */
};

/* Slots first .. first + n - 1 of rank2[]; the first m of them are the arm's. */
struct rank_block {
	size_t first, n, m;
};

struct rankset {
	struct rank_unit *base, *arm;	/* ascending by v */
	size_t n_base, n_arm;
	struct rank_block *blocks;
	size_t n_blocks;
	size_t blocks_dropped, units_dropped;
	bool log_scale;
	uint32_t *rank2;		/* twice the midrank: always a whole number */
};

/* Errors as ranktest_run(). Release in any case. */
int rankset_init(struct rankset *set, const struct ranktest_input *in);
void rankset_release(struct rankset *set);

/* Fill rank2[] with the ranks of all units after taking @theta off the arm's values. */
void rankset_rank(struct rankset *set, double theta);

/* Twice the arm's rank sum and its expectation under the current rank2[]. */
void rankset_sums(const struct rankset *set, double *sum2, double *expect2);

/*
 * Of the n_arm * n_base differences arm - base, in O(n) steps and without memory: how many
 * are <= @t, the smallest above @t, and (64 counts) the @k-th smallest, from 1.
 */
uint64_t rankset_count(const struct rankset *set, double t);
double rankset_next_difference(const struct rankset *set, double t);
double rankset_difference(const struct rankset *set, uint64_t k);

/* p of the current rank2[]: normal approximation, and exact where rankset_small(). */
double rankset_p_normal(const struct rankset *set);
double rankset_deviation(const struct rankset *set); /* of the rank sum */
double rankset_p_exact(const struct rankset *set);
bool rankset_small(const struct rankset *set);

#endif
