/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single operations made by hand, shaped like those of kernels under an instruction counter. */
#ifndef FSDELTA_TESTS_GOLDEN_EXACT_H
#define FSDELTA_TESTS_GOLDEN_EXACT_H

#include "results/run.h"

#define EXACT_PERTURBATIONS 5

/*
 * A class of operations in one arm. Operation i has a path of its own, the same in both arms; one
 * in 128 has a commit, at a place that the pad gives.
 */
struct exact_class {
	const char *op;
	uint64_t path;
	int64_t constant[EXACT_PERTURBATIONS]; /* more in each operation */
	uint64_t noise[EXACT_PERTURBATIONS];   /* up to that much more, without a pattern */
	uint64_t shift; /* commits fall that many operations later */
};

/*
 * One iteration per perturbation (pads 0, 7, 123, 300, 1000; seeds 1 to 5), each of two rounds of
 * @ops / 2 operations, with elapsed and cpu. Arm 0 has the even sequence numbers from @seq on.
 */
void exact_series(struct run *r, uint64_t seq, size_t arm, const char *workload,
		  const char *target, const struct exact_class *classes, size_t n, size_t ops);

/* The golden case. */
size_t exact_runs(struct run **runs);

#endif
