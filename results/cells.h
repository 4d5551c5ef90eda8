/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking a run apart: which metrics each cell (workload on target) has, how its iterations
 * ended, and the values of one metric in the order in which they were measured. Only valid
 * iterations count: outcome OK, and no warm-up. Everything points into the runs.
 */
#ifndef FSDELTA_RESULTS_CELLS_H
#define FSDELTA_RESULTS_CELLS_H

#include "results/run.h"

static inline bool iteration_is_valid(const struct iteration *it)
{
	return it->outcome == OUTCOME_OK && !it->warmup;
}

/* Is @it of this cell? NULL stands for any workload or target. */
bool iteration_is_of(const struct iteration *it, const char *workload, const char *target);

struct cell_counts {
	uint64_t warmups;	/* left out by plan, however they ended */
	uint64_t valid;
	uint64_t invalid;	/* neither valid nor a warm-up */
	uint64_t outcomes[OUTCOME_CRASHED + 1]; /* of valid and invalid ones */
};

struct cell_counts cell_count(const struct run *r, const char *workload, const char *target);

/* A value and where it was measured; borrowed. */
struct cell_sample {
	const struct iteration *iteration;
	const struct sample *sample;
};

/* A metric of a cell; the strings are borrowed. */
struct cell_key {
	const char *workload, *target, *metric;
	bool primary;
	struct cell_sample *samples; /* of all runs, one run after the other */
	size_t n_samples;
};

struct cell_keys {
	struct cell_key *v;
	size_t n;
};

/*
 * Every metric of every cell that has a value in at least one of the @n runs: by workload,
 * target, primary first, name.
 */
void cell_keys_collect(struct run *const *runs, size_t n, struct cell_keys *keys);
void cell_keys_release(struct cell_keys *keys);

/* One metric of one cell. */
struct series {
	const struct metric *metric; /* as declared by its first sample; NULL: no sample */
	double *values;
	uint64_t *seqs, *blocks;     /* of the iterations, as many as values */
	const char **boots;	     /* the same; NULL or "" where not known */
	size_t n;
	size_t foreign;		     /* samples left out: not in the unit of the first one */
	bool rounded;		     /* a whole number above 2^53 lost its last digits */
};

/* @key is one of those that were collected of @r, and of others maybe. */
void series_collect(const struct run *r, const struct cell_key *key, struct series *s);
void series_release(struct series *s);

#endif
