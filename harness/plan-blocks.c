// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of a plan: how many blocks there are, what is in them, and who comes first. */
#include "harness/plan.h"

#include "lib/mem.h"
#include "results/ranktest.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#define DEFAULT_ITERATIONS 10
/*
 * Pairs need some ten of them for a small p: with 6 iterations an arm the smallest p is 0.031
 * in pairs and 0.0093 in blocks of 2 + 2 (8: 0.0078 and 0.0015).
 */
#define TWICE_FROM 6
#define PAIRS_FROM 10

/* Without --blocks. */
static uint64_t iterations_asked(const struct plan *p, const struct job *job)
{
	if (p->opt->iterations)
		return p->opt->iterations;
	return job->iterations ? job->iterations : DEFAULT_ITERATIONS;
}

/* How many of its iterations every arm has in one block of @job's cells. */
static uint64_t times_in_block(const struct plan *p, const struct job *job)
{
	uint64_t n = iterations_asked(p, job);

	if (p->n_arms < 2 || p->stopping.rule == STOPPING_WIDTH)
		return 1;
	/* So that the first look can decide: 8 pairs reach p = 0.0078, 4 blocks of 2 + 2 0.0015. */
	if (p->stopping.rule == STOPPING_DECIDED)
		return 2;
	if (p->opt->blocks)
		return p->opt->blocks < PAIRS_FROM ? 2 : 1;
	return n >= TWICE_FROM && n < PAIRS_FROM ? 2 : 1;
}

uint64_t plan_iterations(const struct plan *p, const struct job *job)
{
	if (p->stopping.rule != STOPPING_FIXED)
		return stopping_most(&p->stopping);
	if (p->opt->blocks)
		return p->opt->blocks * times_in_block(p, job);
	return iterations_asked(p, job);
}

/* A cell in one block. */
struct cell_ref {
	size_t target, job;
	uint64_t number, times; /* of each arm: the first iteration, and how many */
};

static void add_step(struct plan *p, const struct plan_step *step)
{
	GROW(p->steps, p->n_steps);
	p->steps[p->n_steps] = *step;
	p->steps[p->n_steps].seq = p->n_steps;
	p->n_steps++;
}

/* @cell's part of a block. @rounds: numbers that warm-ups of the plan have used up. */
static void add_cell(struct plan *p, gsl_rng *rng, const struct cell_ref *cell, uint64_t block,
		     uint64_t rounds, bool warmup)
{
	size_t order[2 * PLAN_MAX_ARMS], n = 0;
	uint64_t seen[PLAN_MAX_ARMS] = { 0 };

	for (uint64_t i = 0; i < cell->times; i++)
		for (size_t a = 0; a < p->n_arms; a++)
			order[n++] = a;
	gsl_ran_shuffle(rng, order, n, sizeof(*order));
	for (size_t i = 0; i < n; i++) {
		uint64_t number = cell->number + seen[order[i]]++;

		add_step(p, &(struct plan_step){
			.block = block, .number = number, .round = rounds + number,
			.arm = order[i], .target = cell->target, .job = cell->job,
			.warmup = warmup,
		});
	}
}

/* @cell in block @b (from 0) of the warm-ups or of the others; false: it has had enough. */
static bool plan_cell(const struct plan *p, struct cell_ref *cell, uint64_t b, bool warmup)
{
	const struct job *job = p->jobs[cell->job];
	uint64_t times = warmup ? 1 : times_in_block(p, job);
	uint64_t n = warmup ? job->warmup : plan_iterations(p, job);

	cell->number = b * times;
	if (cell->number >= n)
		return false;
	cell->times = n - cell->number < times ? n - cell->number : times;
	return true;
}

/* Adds blocks until all cells have had enough; returns the number after the last one. */
static uint64_t add_blocks(struct plan *p, gsl_rng *rng, uint64_t first_block, bool warmup)
{
	__cleanup_free struct cell_ref *cells =
		xcalloc(p->n_jobs * p->n_targets, sizeof(struct cell_ref));

	for (uint64_t b = 0;; b++) {
		size_t n = 0;

		for (size_t j = 0; j < p->n_jobs; j++) {
			for (size_t t = 0; t < p->n_targets; t++) {
				cells[n] = (struct cell_ref){ .target = t, .job = j };
				n += plan_cell(p, &cells[n], b, warmup);
			}
		}
		if (!n)
			return first_block + b;
		gsl_ran_shuffle(rng, cells, n, sizeof(*cells));
		for (size_t c = 0; c < n; c++)
			add_cell(p, rng, &cells[c], first_block + b, first_block, warmup);
	}
}

void plan_make_order(struct plan *p)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	uint64_t block;

	gsl_rng_set(rng, (unsigned long)p->seed);
	block = add_blocks(p, rng, 0, true);
	add_blocks(p, rng, block, false);
	gsl_rng_free(rng);
}

double plan_p_min(const struct plan *p, const struct job *job, uint64_t units)
{
	uint64_t times = times_in_block(p, job), blocks = (units + times - 1) / times;
	__cleanup_free size_t *per_block = xcalloc(blocks, sizeof(*per_block));

	if (p->n_arms < 2)
		return 1;
	for (uint64_t b = 0; b < blocks; b++)
		per_block[b] = units - b * times < times ? units - b * times : times;
	return ranktest_p_min(per_block, per_block, blocks);
}

size_t plan_tests(const struct plan *p)
{
	return (p->n_arms - 1) * p->n_jobs * p->n_targets;
}

uint64_t plan_units_after(const struct plan *p, size_t i)
{
	const struct plan_step *s = &p->steps[i];

	if (s->warmup || (i + 1 < p->n_steps && s[1].block == s->block))
		return 0;
	/* The last of a block is the last of its arm there. */
	return s->number + 1;
}
