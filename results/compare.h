/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparing runs: the one document that every report renders. Pure: runs in,
 * comparison out.
 *
 * The percent difference is 100 * (B - A) / A of the centres, A the base. Which
 * centre follows from the metric's kind (metric.h): median for times, counts and
 * quantiles, harmonic mean for rates at fixed work, arithmetic mean for rates at
 * fixed time.
 */
#ifndef FSDELTA_RESULTS_COMPARE_H
#define FSDELTA_RESULTS_COMPARE_H

#include "results/run.h"
#include "results/stats.h"

#define COMPARE_SCHEMA "fsdelta-comparison/1"

struct compare_arm {
	char *label;
	char *role; /* "base" or "arm" */
	char *id;
	char *started;
	struct kv settings, host;
	uint64_t iterations, invalid, boots, planned;
	bool complete;
	char *command; /* quoted */
};

/* A fact that is not the same in all arms. */
struct compare_difference {
	char *key;	/* "kernel.release", "mount (btrfs)" */
	char **values;	/* one per arm; NULL = unknown */
	bool planned;	/* the plan varies it on purpose */
};

/* One side of a row. */
struct compare_side {
	size_t units;	     /* independent units behind the figures: iterations, later boots */
	struct stats stats;  /* n = 0 when the metric is missing on this side */
	double centre;	     /* NaN = not available */
	double *values;	     /* raw, by sequence number; n = stats.n */
	uint64_t *seqs, *blocks;
};

/* One metric of one workload on one target, one arm against the base. */
struct compare_row {
	char *workload, *target;
	struct metric metric; /* owned strings */
	char *centre_name;    /* "median" "hmean" "mean" */
	size_t arm;	      /* index in arms[], never 0 */
	struct compare_side base, side;
	double pct_mean, pct_median, pct_hmean; /* NaN = not available */
	double pct; /* of the centre that suits the kind */
	struct strvec notes;
};

struct comparison {
	struct compare_arm *arms; /* arms[0] is the base */
	size_t n_arms;
	struct strvec varied;
	struct compare_difference *differences;
	size_t n_differences;
	struct strvec warnings; /* what could mislead: sentences, the most important first */
	struct compare_row *rows; /* by workload, target, primary first, metric name, arm */
	size_t n_rows;
};

/* @runs[0] is the base. Borrowed. Never fails; what is missing is said in the rows. */
struct comparison *compare_runs(struct run *const *runs, size_t n);
void comparison_free(struct comparison *c);

static inline void cleanup_comparisonp(struct comparison **c)
{
	comparison_free(*c);
}
#define __cleanup_comparison __attribute__((cleanup(cleanup_comparisonp)))

#endif
