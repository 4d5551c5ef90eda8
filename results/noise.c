// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/noise.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/compare.h"

#include <math.h>
#include <string.h>

#define FLOOR_QUANTILE 0.95

struct noise_session *noise_add_session(struct noise *n)
{
	GROW(n->v, n->n);
	n->v[n->n] = (struct noise_session){ .n_rows = 0 };
	return &n->v[n->n++];
}

struct noise_row *noise_add_row(struct noise_session *s)
{
	GROW(s->rows, s->n_rows);
	s->rows[s->n_rows] = (struct noise_row){ .metric = NULL };
	return &s->rows[s->n_rows++];
}

void noise_cell_release(struct noise_cell *c)
{
	free(c->host);
	free(c->workload);
	free(c->digest);
	free(c->fs);
	free(c->mkfs);
	free(c->mount);
	free(c->device);
	*c = (struct noise_cell){ .host = NULL };
}

static void release_session(struct noise_session *s)
{
	for (size_t k = 0; k < s->n_rows; k++)
		free(s->rows[k].metric);
	free(s->rows);
	free(s->id);
	free(s->date);
	free(s->kernel);
	free(s->target);
	noise_cell_release(&s->cell);
}

void noise_release(struct noise *n)
{
	for (size_t i = 0; i < n->n; i++)
		release_session(&n->v[i]);
	free(n->v);
	*n = (struct noise)NOISE_INIT;
}

/* --- cells --- */

static char *host_of(const struct run *r)
{
	const char *id = kv_get(&r->host, "machine.id"), *cpu = kv_get(&r->host, "cpu.model");
	const char *count = kv_get(&r->host, "cpu.count");
	const char *memory = kv_get(&r->host, "memory.total");

	if (id)
		return xstrdup(id);
	return cpu && count && memory ? xasprintf("%s, %s CPUs, %s KiB", cpu, count, memory) : NULL;
}

static char *device_kind(const char *device)
{
	static const char *const kinds[] = { "memory", "image" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_starts(device, kinds[i]) && device[strlen(kinds[i])] == ' ')
			return xstrdup(kinds[i]);
	return xstrdup(device);
}

static const struct run_target *find_target(const struct run *r, const char *name)
{
	for (size_t i = 0; i < r->n_targets; i++)
		if (str_eq(r->targets[i].name, name))
			return &r->targets[i];
	return NULL;
}

bool noise_cell_of(const struct run *r, const char *workload, const char *target,
		   struct noise_cell *out)
{
	const struct run_workload *w = run_find_workload(r, workload);
	const struct run_target *t = find_target(r, target);
	char *host;

	*out = (struct noise_cell){ .host = NULL };
	if (!w || !w->digest || !*w->digest || !t || !t->device || !*t->device)
		return false;
	host = host_of(r);
	if (!host)
		return false;
	*out = (struct noise_cell){
		.host = host, .workload = xstrdup(w->name), .digest = xstrdup(w->digest),
		.fs = xstrdup(t->fs ?: ""), .mkfs = xstrdup(t->mkfs ?: ""),
		.mount = xstrdup(t->mount ?: ""), .device = device_kind(t->device),
	};
	return true;
}

bool noise_cell_equal(const struct noise_cell *a, const struct noise_cell *b)
{
	return str_eq(a->host, b->host) && str_eq(a->workload, b->workload) &&
	       str_eq(a->digest, b->digest) && str_eq(a->fs, b->fs) && str_eq(a->mkfs, b->mkfs) &&
	       str_eq(a->mount, b->mount) && str_eq(a->device, b->device);
}

/* --- floors --- */

static const struct noise_row *find_row(const struct noise_session *s, const char *metric)
{
	for (size_t i = 0; i < s->n_rows; i++)
		if (!strcmp(s->rows[i].metric, metric))
			return &s->rows[i];
	return NULL;
}

void noise_floor(const struct noise *n, const struct noise_cell *cell, const char *metric,
		 struct noise_floor *out)
{
	__cleanup_free double *v = NULL;
	size_t values = 0;

	*out = (struct noise_floor){ .pct = NAN };
	for (size_t i = 0; i < n->n; i++) {
		const struct noise_session *s = &n->v[i];
		const struct noise_row *row = find_row(s, metric);

		if (!row || !noise_cell_equal(&s->cell, cell))
			continue;
		GROW(v, values);
		v[values++] = fabs(row->pct);
		if (!out->date || strcmp(s->date, out->date) > 0)
			out->date = s->date;
	}
	out->sessions = values;
	if (!values)
		return;
	stats_sort(v, values);
	out->pct = values < NOISE_MIN_VALUES ? v[values - 1] :
		   stats_quantile(v, values, FLOOR_QUANTILE);
}

/* --- from a comparison --- */

static void take_rows(struct noise_session *s, const struct comparison *c,
		      const struct compare_row *of)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];
		struct noise_row *to;

		if (row->arm != of->arm || strcmp(row->workload, of->workload) ||
		    strcmp(row->target, of->target) || !isfinite(row->effect.pct))
			continue;
		if (row->base.units < VERDICT_MIN_UNITS || row->side.units < VERDICT_MIN_UNITS)
			continue;
		to = noise_add_row(s);
		to->metric = xstrdup(row->metric.name);
		to->primary = row->metric.primary;
		to->pct = row->effect.pct;
		if (row->base.units > s->units)
			s->units = row->base.units;
	}
}

static bool starts_cell(const struct comparison *c, size_t i)
{
	const struct compare_row *row = &c->rows[i], *before = row - 1;

	return !i || strcmp(row->workload, before->workload) || strcmp(row->target, before->target);
}

size_t noise_take(struct noise *n, const struct comparison *c, const struct run *base)
{
	const char *kernel = kv_get(&base->host, "kernel.release");
	size_t added = 0;

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];
		struct noise_session *s;
		struct noise_cell cell;

		if (!starts_cell(c, i) || !noise_cell_of(base, row->workload, row->target, &cell))
			continue;
		s = noise_add_session(n);
		*s = (struct noise_session){
			.id = xstrdup(base->session ?: ""), .date = xstrdup(base->started ?: ""),
			.kernel = xstrdup(kernel ?: ""), .target = xstrdup(row->target),
			.cell = cell,
		};
		take_rows(s, c, row);
		if (s->n_rows)
			added++;
		else
			release_session(&n->v[--n->n]);
	}
	return added;
}
