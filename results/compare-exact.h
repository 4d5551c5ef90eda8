/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact mode in a comparison: a row for each class of operations, clock and arm, from the single
 * operations of all perturbations that base and arm have in common (results/paired.h has the
 * figures and the rules). Values are instructions per operation: in a guest under QEMU's
 * instruction counter one instruction is one nanosecond.
 *
 * Included by results/compare.h, of which this is a part.
 */
#ifndef FSDELTA_RESULTS_COMPARE_EXACT_H
#define FSDELTA_RESULTS_COMPARE_EXACT_H

#include "lib/strvec.h"
#include "results/paired.h"

/* What every report of exact mode says. */
#define COMPARE_EXACT_CAVEAT \
	"path length and modelled device, not contention, caches or real devices"

struct compare_perturbation {
	uint64_t pad, seed;
	struct paired p;
};

struct compare_exact {
	char *workload, *target, *op, *clock; /* clock: "elapsed", "cpu" */
	size_t arm; /* index in comparison.arms, never 0 */
	struct compare_perturbation *v; /* by pad, seed */
	size_t n;
	struct paired_floor floor, arm_floor; /* of the base and of the arm */
	struct paired_result r; /* r.word: VERDICT_MISSING when n is 0 */
	bool confounded; /* a claim that was not accepted is about this row */
	struct strvec notes; /* sentences without a full stop */
};

struct comparison;
struct run;

/* compare-exact.c: fills c->exact; needs c->arms and c->claims. None without exact mode. */
void compare_add_exact(struct comparison *c, struct run *const *runs);
void compare_exact_release(struct comparison *c);

#endif
