/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run: all that one arm produced in one invocation. In memory as on disk: a
 * header, the metrics that were declared, and one record per finished iteration
 * with its raw samples.
 */
#ifndef FSDELTA_RESULTS_RUN_H
#define FSDELTA_RESULTS_RUN_H

#include "lib/kv.h"
#include "lib/strvec.h"
#include "results/metric.h"
#include "results/outcome.h"
#include "results/stopping.h"

#include <stdbool.h>
#include <stdint.h>

#define RUN_SCHEMA "fsdelta-result/1"

/* One workload as it was run, kept so that raw output can be parsed again. */
struct run_workload {
	char *name;   /* "fsync-new" */
	char *digest; /* of the job's text */
	char *text;   /* the whole .job file */
};

/* One target as it was used. */
struct run_target {
	char *name;   /* "btrfs", "dir:/some/folder" */
	char *fs;     /* "btrfs"; "" for a folder used as it is */
	char *mkfs;   /* mkfs command as run, quoted; "" if none */
	char *mount;  /* mount options asked for; "" if none */
	char *device; /* "memory 4 GiB", "image FILE 8 GiB", "/dev/disk/by-id/..." */
};

struct each;

/* What exact mode adds to an iteration (results/each.h). */
struct iteration_exact {
	bool perturbed;	    /* pad and seed are set */
	uint64_t pad, seed; /* files made first; seed of the guest's random numbers */
	char *file, *hash;  /* of the single operations, below the run's folder; NULL: none */
	struct each *each;  /* NULL: not loaded */
};

struct iteration {
	uint64_t seq;	/* position in the whole plan, over all arms, from 0: the order of things */
	uint64_t block; /* random block it belongs to, from 0 */
	char *workload;
	char *target;
	uint64_t number; /* iteration of its cell, from 0 */
	bool warmup;	 /* left out of statistics by plan */
	enum outcome outcome;
	char *reason;	   /* NULL when OK */
	char *started;	   /* UTC */
	uint64_t mono_ns;  /* CLOCK_MONOTONIC at the start of the timed window */
	char *boot_id;	   /* which boot it ran in */
	struct strvec warnings;
	struct kv environment; /* what was in force for this cell: mount options, device, ... */
	struct samples samples; /* empty unless OK */
	struct iteration_exact exact;
};

struct run {
	char *id;      /* folder name in the store */
	char *label;
	char *session; /* shared by the arms of one invocation */
	char *role;    /* "base" or "arm" or "": position of the arm in its plan */
	char *started; /* UTC */
	char *finished; /* UTC; NULL: the run has no end (killed, or going on) */
	bool complete;	/* every planned iteration has a record, or the plan's rule ended it */
	char *end_reason; /* why it ended early; NULL */
	char *version;	/* of the program that measured */
	struct strvec command; /* how it was called */
	uint64_t seed;
	uint64_t planned; /* iterations planned for this arm; with a rule, the most */
	bool aa;	  /* both arms of the plan are the same (A/A) */
	struct stopping stopping; /* the rule of the plan */
	struct stopped stopped;	  /* how it ended the run, if it did */
	uint64_t rule_units; /* pooled: run_units() of the session whose rule this is; else 0 */
	struct strvec varied;	/* names of the settings that the plan varies between arms */
	struct kv settings;	/* this arm's settings: mount, mkfs ... */
	struct kv host;		/* fingerprint: see harness/host.h for the keys */
	struct run_workload *workloads;
	size_t n_workloads;
	struct run_target *targets;
	size_t n_targets;
	struct iteration *iterations; /* by seq */
	size_t n_iterations;
	struct strvec load_warnings; /* what was wrong with the file; not stored */
};

struct run *run_new(void);
void run_free(struct run *r);
/* Adds an empty iteration and returns it (valid until the next add). */
struct iteration *run_add_iteration(struct run *r);
void iteration_release(struct iteration *it);
struct run_workload *run_add_workload(struct run *r);
struct run_target *run_add_target(struct run *r);
const struct run_workload *run_find_workload(const struct run *r, const char *name);
/* How many iterations, without warm-ups, the cell that has most of them has. */
uint64_t run_units(const struct run *r);
/* The units that the rule in @r has seen: its own session's where sessions are pooled. */
uint64_t run_rule_units(const struct run *r);

static inline void cleanup_runp(struct run **r)
{
	run_free(*r);
}
#define __cleanup_run __attribute__((cleanup(cleanup_runp)))

#endif
