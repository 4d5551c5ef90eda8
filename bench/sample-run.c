// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/sample-run.h"

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "lib/mem.h"

static const char *const labels[] = { "before", "after" };
static const char start[] = "2026-01-31T12:34:56Z";

static struct run *new_run(size_t arm, unsigned long seed, size_t samples)
{
	struct run *r = run_new();
	struct run_workload *w = run_add_workload(r);
	struct run_target *t = run_add_target(r);

	str_replace(&r->id, arm ? "20260131T123456Z-after-0002" : "20260131T123456Z-before-0001");
	str_replace(&r->label, labels[arm]);
	str_replace(&r->session, "sample");
	str_replace(&r->role, arm ? "arm" : "base");
	str_replace(&r->started, start);
	str_replace(&r->finished, start);
	str_replace(&r->version, "0");
	r->complete = true;
	r->seed = seed;
	r->planned = samples;
	strvec_push(&r->varied, "mount");
	kv_set(&r->settings, "mount", arm ? "notreelog" : "");
	kv_set(&r->host, "kernel.release", "6.1.0");
	str_replace(&w->name, "sample");
	str_replace(&w->digest, "");
	str_replace(&w->text, "");
	str_replace(&t->name, "btrfs");
	str_replace(&t->fs, "btrfs");
	str_replace(&t->mkfs, "");
	str_replace(&t->mount, "");
	str_replace(&t->device, "memory 4 GiB");
	return r;
}

static void add_samples(gsl_rng *rng, struct iteration *it, size_t arm, size_t metrics)
{
	for (size_t m = 0; m < metrics; m++) {
		double centre = pow(10, m % 7) * (arm && m % 10 == 0 ? 0.95 : 1);
		__cleanup_free char *name = xasprintf("operation.m%04zu", m);
		struct metric metric = {
			.name = name, .unit = "s", .better = BETTER_LOWER, .kind = KIND_TIME,
			.primary = m == 0, .text = "a time of an operation",
		};

		samples_add(&it->samples, &metric,
			    value_double(centre * gsl_ran_lognormal(rng, 0, 0.03)));
	}
}

static void add_iteration(gsl_rng *rng, struct run *r, size_t arm, uint64_t block,
			  uint64_t seq, size_t metrics)
{
	struct iteration *it = run_add_iteration(r);

	it->seq = seq;
	it->block = it->number = block;
	it->outcome = OUTCOME_OK;
	it->mono_ns = 1000000000 * (seq + 1);
	str_replace(&it->workload, "sample");
	str_replace(&it->target, "btrfs");
	str_replace(&it->started, start);
	str_replace(&it->boot_id, "00000000-0000-4000-8000-000000000000");
	add_samples(rng, it, arm, metrics);
}

void sample_runs(unsigned long seed, size_t metrics, size_t samples, struct run *runs[2])
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(rng, seed);
	for (size_t arm = 0; arm < 2; arm++)
		runs[arm] = new_run(arm, seed, samples);
	for (size_t i = 0; i < samples; i++) {
		size_t first = gsl_rng_uniform_int(rng, 2);

		for (size_t k = 0; k < 2; k++)
			add_iteration(rng, runs[first ^ k], first ^ k, i, 2 * i + k, metrics);
	}
	gsl_rng_free(rng);
}
