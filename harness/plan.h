/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of a run: arms x targets x workloads x iterations, in the order in which they
 * are executed.
 *
 * The order is made of blocks: each cell (workload on target) comes once in a block, the cells
 * in random order, and there has every arm once, in random order, one directly after the
 * other. With 6 to 9 iterations an arm, it has every arm twice (2 + 2 in any order: with so few
 * iterations, pairs hardly reach a small p); an odd rest is a block of pairs. With one arm
 * there is nothing to balance: once. --blocks N makes N blocks: every arm once from 10 on, else
 * twice. With --until-width every arm comes once, with --until-decided twice, in as many blocks
 * as the rule may need. Warm-ups come first, in pairs, in blocks of their own.
 *
 * Drift of the machine then hits all arms alike, and the random order is what
 * the exact test of a comparison refers to. Seeded (GSL's mt19937, which takes 32 bits, and
 * gsl_ran_shuffle): the same seed gives the same order everywhere.
 */
#ifndef FSDELTA_HARNESS_PLAN_H
#define FSDELTA_HARNESS_PLAN_H

#include "harness/env/env.h"
#include "harness/fs.h"
#include "harness/options.h"
#include "results/stopping.h"
#include "workloads/job.h"
#include "workloads/tool.h"

struct plan_target {
	char *name;		 /* "btrfs" or "dir:/some/folder" */
	const struct fs_type *fs; /* NULL for a folder used as it is */
	char *dir;		 /* the folder; NULL for a file system */
};

struct plan_step {
	uint64_t seq;	 /* place in the plan, from 0 */
	uint64_t block;	 /* from 0; with the cell, names the steps that were shuffled together */
	uint64_t number; /* of its cell and arm, from 0; warm-ups have numbers of their own */
	uint64_t round;	 /* as number, but not the same for warm-ups and others */
	size_t arm, target, job;
	bool warmup;
};

#define PLAN_MAX_ARMS 64
#define PLAN_MAX_ITERATIONS 100000

struct plan {
	const struct run_options *opt; /* borrowed */
	const struct option_arm *arms; /* opt's, or own */
	size_t n_arms;
	struct option_arm own[2];      /* one made of --label, or one arm under two names (--aa) */
	struct stopping stopping;
	struct plan_target *targets;
	size_t n_targets;
	struct job **jobs;
	size_t n_jobs;
	struct env_disk_spec disk;
	uint64_t seed;
	struct strvec varied;	/* settings that are not the same in all arms */
	struct plan_step *steps;
	size_t n_steps;
};

/*
 * Builds the plan; every mistake is a sentence in @problems (the plan is then not usable,
 * but can be released). @dirs: where jobs are looked up. @sysroot: prefix of /proc.
 */
void plan_build(struct plan *p, const struct run_options *opt, const struct strvec *dirs,
		const char *sysroot, struct strvec *problems);
void plan_release(struct plan *p);

/* plan-blocks.c: makes the steps, from everything else. */
void plan_make_order(struct plan *p);
/* How many iterations each arm has of @job's cells, without warm-ups; the most, with a rule. */
uint64_t plan_iterations(const struct plan *p, const struct job *job);
/*
 * The smallest p that a comparison of two arms can reach in @job's cells after @units iterations
 * of each (at most plan_iterations()). 1 with one arm.
 */
double plan_p_min(const struct plan *p, const struct job *job, uint64_t units);
/* How many primary tests a comparison of the arms makes, with one primary metric a cell. */
size_t plan_tests(const struct plan *p);
/* plan-stop.c: the rule that ends the run, and what is wrong with it. Needs arms, jobs, targets. */
void plan_choose_stop(struct plan *p, struct strvec *problems);
/* How many units are done when step @i is, the last one of its block; 0: it is not, or a warm-up. */
uint64_t plan_units_after(const struct plan *p, size_t i);

/* The label of an arm's result: the arm's own, "LABEL.ARM" when --label is given too; the caller frees. */
char *plan_label(const struct plan *p, size_t arm);
/* How many iterations the plan has for arm @arm, warm-ups included. */
uint64_t plan_count(const struct plan *p, size_t arm);
/* Does any target need a file system of ours (and so root)? */
bool plan_needs_root(const struct plan *p);
/* Mount options of an arm: the plan's and then the arm's, joined; the caller frees, NULL when none. */
char *plan_mount_options(const struct plan *p, size_t arm);
/* mkfs words of an arm: the plan's and then the arm's; the caller frees, NULL when none. */
char *plan_mkfs_options(const struct plan *p, size_t arm);
/* The seed of a workload's iteration: the same for the round of every arm. */
uint64_t plan_step_seed(const struct plan *p, const struct plan_step *s);
/* "memory 8 GiB", "image FILE 8 GiB", "/dev/..."; the caller frees. */
char *plan_disk_text(const struct plan *p);

#endif
