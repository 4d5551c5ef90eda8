// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/run.h"

#include "lib/mem.h"
#include "results/each.h"

#include <string.h>

struct run *run_new(void)
{
	return xcalloc(1, sizeof(struct run));
}

void iteration_release(struct iteration *it)
{
	free(it->workload);
	free(it->target);
	free(it->reason);
	free(it->started);
	free(it->boot_id);
	strvec_release(&it->warnings);
	kv_release(&it->environment);
	samples_release(&it->samples);
	free(it->exact.file);
	free(it->exact.hash);
	each_free(it->exact.each);
	memset(it, 0, sizeof(*it));
}

static void release_plan(struct run *r)
{
	for (size_t i = 0; i < r->n_workloads; i++) {
		free(r->workloads[i].name);
		free(r->workloads[i].digest);
		free(r->workloads[i].text);
	}
	for (size_t i = 0; i < r->n_targets; i++) {
		free(r->targets[i].name);
		free(r->targets[i].fs);
		free(r->targets[i].mkfs);
		free(r->targets[i].mount);
		free(r->targets[i].device);
	}
	free(r->workloads);
	free(r->targets);
}

void run_free(struct run *r)
{
	if (!r)
		return;
	free(r->id);
	free(r->label);
	free(r->session);
	free(r->role);
	free(r->started);
	free(r->finished);
	free(r->end_reason);
	free(r->version);
	strvec_release(&r->command);
	strvec_release(&r->varied);
	kv_release(&r->settings);
	kv_release(&r->host);
	release_plan(r);
	for (size_t i = 0; i < r->n_iterations; i++)
		iteration_release(&r->iterations[i]);
	free(r->iterations);
	strvec_release(&r->load_warnings);
	free(r);
}

struct iteration *run_add_iteration(struct run *r)
{
	GROW(r->iterations, r->n_iterations);
	memset(&r->iterations[r->n_iterations], 0, sizeof(*r->iterations));
	return &r->iterations[r->n_iterations++];
}

struct run_workload *run_add_workload(struct run *r)
{
	GROW(r->workloads, r->n_workloads);
	memset(&r->workloads[r->n_workloads], 0, sizeof(*r->workloads));
	return &r->workloads[r->n_workloads++];
}

struct run_target *run_add_target(struct run *r)
{
	GROW(r->targets, r->n_targets);
	memset(&r->targets[r->n_targets], 0, sizeof(*r->targets));
	return &r->targets[r->n_targets++];
}

const struct run_workload *run_find_workload(const struct run *r, const char *name)
{
	for (size_t i = 0; i < r->n_workloads; i++)
		if (!strcmp(r->workloads[i].name, name))
			return &r->workloads[i];
	return NULL;
}

uint64_t run_units(const struct run *r)
{
	uint64_t most = 0;

	/* They are numbered from 0 in each cell. */
	for (size_t i = 0; i < r->n_iterations; i++)
		if (!r->iterations[i].warmup && r->iterations[i].number >= most)
			most = r->iterations[i].number + 1;
	return most;
}

uint64_t run_rule_units(const struct run *r)
{
	return r->rule_units ? r->rule_units : run_units(r);
}
