// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/pool-fixture.h"

#include "lib/mem.h"
#include "tests/golden/runs.h"

#define MOST 40

static void draw(double *v, size_t n, double centre, double spread, unsigned int seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		v[i] = centre + spread * ((double)(seed >> 8 & 0xffff) / 32768 - 1);
	}
}

struct run *pool_fixture_run(const char *label, unsigned int s, const char *boot, double centre,
			     size_t n)
{
	struct run *r = runs_new(label);
	double v[MOST];

	free(r->id);
	free(r->session);
	free(r->started);
	r->id = xasprintf("id-%s-%u", label, s);
	r->session = xasprintf("s%u", s);
	r->started = xasprintf("2026-02-%02uT08:00:00Z", s + 1);
	runs_add_workload(r, "w", "1111");
	runs_add_target(r, "btrfs", "relatime");
	draw(v, n, centre, 1, 7 + s + (unsigned int)*label);
	runs_series(r, 0, *label == 'p', "w", "btrfs", "*wall", v, n);
	for (size_t i = 0; boot && i < n; i++)
		str_replace(&r->iterations[i].boot_id, boot);
	return r;
}

void pool_fixture_give(struct pool_arm *arm, struct run *r)
{
	arm->runs = xreallocarray(arm->runs, arm->n + 1, sizeof(*arm->runs));
	arm->runs[arm->n++] = r;
}

void pool_fixture_pool(struct pool *p, struct pool_arm *arms, size_t n)
{
	pool_make(p, arms, n);
	for (size_t a = 0; a < n; a++)
		free(arms[a].runs);
}

struct comparison *pool_fixture_compare(const struct pool *p, double boot_noise)
{
	struct compare_options o = COMPARE_OPTIONS_INIT;

	o.pool = p;
	o.boot_noise_pct = boot_noise;
	return compare_runs(p->runs, p->n, &o);
}
