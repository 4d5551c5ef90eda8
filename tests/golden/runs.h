/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs made by hand, for the tests of comparisons and reports. */
#ifndef FSDELTA_TESTS_GOLDEN_RUNS_H
#define FSDELTA_TESTS_GOLDEN_RUNS_H

#include "results/run.h"

/* A complete run with a host, one session and one boot for all; no iterations yet. */
struct run *runs_new(const char *label);

/* Names a workload and a target, with a job digest and a disk. */
void runs_add_workload(struct run *r, const char *name, const char *digest);
void runs_add_target(struct run *r, const char *name, const char *mount);

/* One more iteration of a cell, with what was in force; OK, without samples. */
struct iteration *runs_iterate(struct run *r, uint64_t seq, const char *workload,
			       const char *target, const char *mount);

/* Makes an iteration one that failed. */
void runs_fail(struct iteration *it, enum outcome outcome, const char *reason);

/* Adds one value; metrics are known by name (see runs.c). The primary one starts with '*'. */
void runs_sample(struct iteration *it, const char *metric, double value);

/*
 * @n iterations of a cell, as if two arms were interleaved: arm 0 has the even sequence numbers
 * from @seq on, arm 1 the odd ones. Each gets @metric with one of @values. Returns the number
 * of the first.
 */
size_t runs_series(struct run *r, uint64_t seq, size_t arm, const char *workload,
		   const char *target, const char *metric, const double *values, size_t n);

#endif
