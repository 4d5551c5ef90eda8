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
	struct ranktest_memory *memory;	/* NULL: none */
	uint32_t *rank2;		/* twice the midrank: always a whole number */
};

/* Errors as ranktest_run(). Release in any case. */
int rankset_init(struct rankset *set, const struct ranktest_input *in);
void rankset_release(struct rankset *set);

/* How many differences arm - base there are. */
static inline uint64_t rankset_pairs(const struct rankset *set)
{
	return (uint64_t)set->n_base * set->n_arm;
}

/* The size of the values: what a step beyond all differences can be measured in. */
double rankset_magnitude(const struct rankset *set);
/* The arm's share is the same in all blocks: a drift over the blocks cancels. */
bool rankset_balanced(const struct rankset *set);
/*
 * In every block, either side's distribution is its own mirror image, whatever the shift (but
 * where it makes a tie). So p falls with the distance of the shift from the estimate.
 */
bool rankset_symmetric(const struct rankset *set);

/* Fill rank2[] with the ranks of all units after taking @theta off the arm's values. */
void rankset_rank(struct rankset *set, double theta);

/* Twice the arm's rank sum and its expectation under the current rank2[]. */
void rankset_sums(const struct rankset *set, double *sum2, double *expect2);

/*
 * Of the n_arm * n_base differences arm - base, in O(n) steps and without memory: how many
 * are <= @t, the smallest above @t, and (up to 64 counts) the @k-th smallest, from 1.
 */
uint64_t rankset_count(const struct rankset *set, double t);
double rankset_next_difference(const struct rankset *set, double t);
double rankset_difference(const struct rankset *set, uint64_t k);

/* p of the current rank2[]: normal approximation, and exact where rankset_small(). */
double rankset_p_normal(const struct rankset *set);
double rankset_deviation(const struct rankset *set); /* of the rank sum */
double rankset_p_exact(const struct rankset *set);
/* The same but for the last digits: RANKSET_NEAR of it at the most. */
double rankset_p_near(const struct rankset *set);
#define RANKSET_NEAR 1e-10

/* Is each block a pair? */
bool rankset_all_pairs(const struct rankset *set);
/*
 * p of pairs whose ranks differ by multiples of @step, not all by 0: to the last bit up to
 * RANKSET_EXACT_PAIRS, since sums above 2^53 are rounded; else as rankset_p_near().
 */
double rankset_p_pairs(const struct rankset *set, uint32_t step);
#define RANKSET_EXACT_PAIRS 52
bool rankset_small(const struct rankset *set);

#endif
