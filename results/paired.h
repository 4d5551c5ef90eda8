/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact mode: operation i of one arm against operation i of the other. Pure numbers: no names, no
 * files. The values are those of results/each.h; differences are arm - base, and whole.
 *
 * Commits and waits. An operation into which a commit of the file system or a wait for the
 * device falls says nothing of its path, and a change may well move it to another operation.
 * On either side, a value is far if it is above Q3 + 3 (Q3 - Q1), Tukey's outer fence
 * (J. W. Tukey, Exploratory Data Analysis, 1977, section 2D), and also above twice the median:
 * in a machine that always does the same, quartiles fall together and the fence alone would
 * take any difference for far; a commit or a wait is at least as long as an operation. A
 * pair with a far value on either side is left out of the distribution, and counted and summed
 * up in a cluster of its own.
 *
 * The value of a perturbation (a pair of pad and seed, the same on both sides) is the mode of the
 * differences when more than half of them are it ("clear"), else the median when the quartiles
 * are not further apart than PAIRED_TIGHT ("tight": a reading of the clock rounds by 1, and there
 * are two of them). Otherwise there is none: the phases differ.
 *
 * The noise floor is the largest magnitude of the values of an arm against itself, over pairs of
 * perturbations: over those with the same pad, if there are any (another pad may well have
 * another, longer path, in both arms), else over all. What other random numbers do to the
 * kernel is in it. Both arms' floors count, as either may have met the worse numbers.
 *
 * The verdict, from the values of all N perturbations:
 *   UNTESTABLE         N < PAIRED_MIN_PERTURBATIONS, or fewer than that have PAIRED_MIN_OPS pairs
 *   UNSURE             the arms did not do the same operations
 *   SAME               the value is 0 in more than half of them
 *   REGRESSED, IMPROVED, SMALL (below the smallest effect of interest)
 *                      another value is the same, to the unit, in more than half of them, and its
 *                      magnitude is above both noise floors; in all of them, when there is
 *                      no noise floor
 *   SAME               none of these, but the quartiles of all perturbations are within the
 *                      smallest effect of interest
 *   UNSURE             anything else
 * The last two, and any value within a floor, say which it is: the values are all there and
 * within the floors ("within the salt of the hash tables"), or else "phases differ".
 */
#ifndef FSDELTA_RESULTS_PAIRED_H
#define FSDELTA_RESULTS_PAIRED_H

#include "results/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAIRED_TIGHT 2
#define PAIRED_MIN_OPS 20
#define PAIRED_MIN_PERTURBATIONS 3

/* Of the differences, every 5 %: for pictures. */
#define PAIRED_QUANTILES 21

/* The operations of one thread in one round, on both sides. */
struct paired_span {
	const uint64_t *base, *arm;
	size_t n_base, n_arm; /* not the same: the common beginning is compared */
};

/* One class of operations, one perturbation. */
struct paired {
	size_t n_base, n_arm;	/* operations */
	bool unequal;		/* a span has not as many on both sides */
	size_t n;		/* pairs of the distribution; 0: the figures of it are 0 */
	int64_t mode;		/* ties: the nearest to the median, then to 0, then the lower */
	double mode_share;	/* of n */
	int64_t q1, median, q3;	/* q1 of rank ceil(n / 4), q3 as many from the top */
	int64_t quantile[PAIRED_QUANTILES]; /* [i]: of rank 1 + round(i (n - 1) / 20) */
	bool clear, tight;
	int64_t value;		/* meaningful if clear or tight */
	size_t far;		/* pairs of the cluster */
	int64_t far_total;	/* sum of their differences */
	uint64_t base_median;	/* of all values of the base; 0: none */
	uint64_t base_total, arm_total; /* of all values, the cluster included */
};

void paired_compare(const struct paired_span *spans, size_t n, struct paired *out);

static inline bool paired_has_value(const struct paired *p)
{
	return p->n && (p->clear || p->tight);
}

enum paired_why {
	PAIRED_WHY_NONE,
	PAIRED_WHY_FEW_PERTURBATIONS,
	PAIRED_WHY_FEW_OPERATIONS,
	PAIRED_WHY_UNEQUAL,
	PAIRED_WHY_PHASES,
	PAIRED_WHY_SALT,
	PAIRED_WHY_NO_FLOOR, /* there is no noise floor, and not all perturbations agree */
};

/* A sentence without full stop; "" for PAIRED_WHY_NONE. */
const char *paired_why_str(enum paired_why why);

/* An arm against itself. */
struct paired_floor {
	bool known;
	uint64_t magnitude;
	size_t pairs, of; /* pairs of perturbations that gave a value, of those looked at */
};

/* @p: the @n pairs of perturbations of one arm. */
void paired_floor(const struct paired *p, size_t n, struct paired_floor *out);

struct paired_input {
	const struct paired *v; /* arm against base, one per perturbation, in any order */
	size_t n;
	struct paired_floor base, arm;
	double delta_pct; /* smallest effect of interest, >= 0 */
};

struct paired_result {
	enum verdict word;
	enum paired_why why;
	size_t n, usable;  /* perturbations, and those that have a value */
	bool agreed;	   /* value is that of more than half of them */
	int64_t value;
	size_t agree;	   /* how many have it */
	double pct;	   /* value, of the median operation of the base; NaN: not agreed, or that is 0 */
	double lo_pct, hi_pct; /* the lowest and highest quartile of all, likewise; NaN: not known */
};

void paired_decide(const struct paired_input *in, struct paired_result *out);

#endif
