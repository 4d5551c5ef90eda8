// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/text.h"

#include "lib/mem.h"
#include "reports/number.h"
#include "reports/select.h"
#include "reports/table.h"
#include "results/cells.h"

#include <math.h>
#include <string.h>

#define HANG 15

static void print_fact(struct layout *l, const char *name, const char *value)
{
	if (value && *value)
		layout_wrap(l, 2, name, HANG, value);
}

static void print_settings(struct layout *l, const struct run *r)
{
	__cleanup_strbuf struct strbuf s = STRBUF_INIT;

	for (size_t i = 0; i < r->settings.n; i++)
		strbuf_addf(&s, "%s%s: %s%s", i ? ", " : "", r->settings.v[i].key,
			    *r->settings.v[i].value ? r->settings.v[i].value : "none",
			    strvec_has(&r->varied, r->settings.v[i].key) ? " (varied)" : "");
	print_fact(l, "settings", strbuf_str(&s));
}

static void print_head(struct layout *l, const struct run *r)
{
	struct cell_counts n = cell_count(r, NULL, NULL);
	__cleanup_free char *command = r->command.n ? strvec_shell(&r->command) : NULL;
	__cleanup_free char *count = NULL, *when = NULL;

	count = xasprintf("%llu of %llu planned: %llu valid, %llu not valid, %llu warm-up",
			  (unsigned long long)(n.valid + n.invalid + n.warmups),
			  (unsigned long long)r->planned, (unsigned long long)n.valid,
			  (unsigned long long)n.invalid, (unsigned long long)n.warmups);
	when = xasprintf("%s to %s", r->started ? r->started : "not known",
			 r->finished ? r->finished : "no end");
	layout_heading(l, r->label && *r->label ? r->label : "(no label)");
	print_fact(l, "result", r->id);
	print_fact(l, "session", r->session);
	print_fact(l, "measured", when);
	print_fact(l, "iterations", count);
	print_fact(l, "complete", r->complete ? "yes" : r->end_reason ? r->end_reason : "no");
	print_settings(l, r);
	print_fact(l, "command", command);
	print_fact(l, "fsdelta", r->version);
}

static void print_plan(struct layout *l, const struct run *r)
{
	if (!r->n_workloads && !r->n_targets)
		return;
	strbuf_addc(l->out, '\n');
	layout_heading(l, "Workloads and targets");
	for (size_t i = 0; i < r->n_workloads; i++) {
		const struct run_workload *w = &r->workloads[i];
		__cleanup_free char *text = xasprintf("job %s", w->digest ? w->digest : "not known");

		layout_wrap(l, 2, w->name, 24, text);
	}
	for (size_t i = 0; i < r->n_targets; i++) {
		const struct run_target *t = &r->targets[i];
		__cleanup_strbuf struct strbuf s = STRBUF_INIT;

		strbuf_adds(&s, t->device && *t->device ? t->device : "disk not known");
		if (t->mkfs && *t->mkfs)
			strbuf_addf(&s, "; %s", t->mkfs);
		if (t->mount && *t->mount)
			strbuf_addf(&s, "; mount -o %s", t->mount);
		layout_wrap(l, 2, t->name, 24, strbuf_str(&s));
	}
}

static void add_metric(struct table *t, const struct metric *m, const struct series *series)
{
	struct stats s;
	struct number_scale scale;

	stats_describe(series->values, series->n, &s);
	scale = number_scale(m, fmax(fabs(s.min), fabs(s.max)));
	table_cell(t, m->primary ? "*" : "");
	table_cell(t, m->name);
	table_cell(t, scale.unit);
	table_cellf(t, "%zu", s.n);
	for (int i = 0; i < 5; i++) {
		double figures[] = { s.median, s.mean, s.sd, s.min, s.max };
		__cleanup_free char *text = number_text(figures[i], &scale);

		table_cell(t, text);
	}
}

static void print_cell_heading(struct layout *l, const struct run *r, const struct cell_key *key)
{
	struct cell_counts n = cell_count(r, key->workload, key->target);
	__cleanup_strbuf struct strbuf s = STRBUF_INIT;

	strbuf_addf(&s, "%s on %s: %llu valid", key->workload, key->target,
		    (unsigned long long)n.valid);
	for (int o = OUTCOME_FAILED; o <= OUTCOME_CRASHED; o++)
		if (n.outcomes[o])
			strbuf_addf(&s, ", %llu %s", (unsigned long long)n.outcomes[o],
				    outcome_str((enum outcome)o));
	if (n.warmups)
		strbuf_addf(&s, ", %llu warm-up", (unsigned long long)n.warmups);
	strbuf_addc(l->out, '\n');
	layout_heading(l, strbuf_str(&s));
}

/* The @n metrics of one cell; returns how many were not shown. */
static size_t print_cell(struct layout *l, const struct run *r, const struct cell_key *keys,
			 size_t n, bool all)
{
	static const char *const heads[] = { "", "metric", "unit", "n", "median", "mean", "sd",
					     "min", "max" };
	struct table t = { .shape = "mnnrrrrrr" };
	size_t hidden = 0;

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		table_head(&t, heads[i]);
	for (size_t i = 0; i < n; i++) {
		struct series series;
		struct metric m;

		series_collect(r, &keys[i], &series);
		m = *series.metric;
		m.primary = keys[i].primary;
		if (all || metric_is_notable(&m))
			add_metric(&t, &m, &series);
		else
			hidden++;
		series_release(&series);
	}
	print_cell_heading(l, r, keys);
	if (t.cells.n)
		table_print(&t, l, 2);
	table_release(&t);
	return hidden;
}

static bool same_cell(const struct cell_key *a, const struct cell_key *b)
{
	return !strcmp(a->workload, b->workload) && !strcmp(a->target, b->target);
}

static size_t print_cells(struct layout *l, const struct run *r, bool all)
{
	struct run *const runs[] = { (struct run *)r };
	struct cell_keys keys;
	size_t hidden = 0, end;

	cell_keys_collect(runs, 1, &keys);
	for (size_t start = 0; start < keys.n; start = end) {
		for (end = start; end < keys.n && same_cell(&keys.v[start], &keys.v[end]); end++)
			;
		hidden += print_cell(l, r, &keys.v[start], end - start, all);
	}
	if (!keys.n) {
		strbuf_addc(l->out, '\n');
		layout_heading(l, "No valid iteration has a value.");
	}
	cell_keys_release(&keys);
	return hidden;
}

void text_run(const struct run *r, const struct report_options *o, struct strbuf *out)
{
	struct layout l = { .out = out, .colour = o->colour };
	struct run *const runs[] = { (struct run *)r };
	/* Alone, for the warnings and for what was in force. */
	__cleanup_comparison struct comparison *c = compare_runs(runs, 1, NULL);
	size_t hidden;

	text_watermark(&l, c->watermark);
	print_head(&l, r);
	text_warnings(&l, &c->warnings);
	print_plan(&l, r);
	hidden = print_cells(&l, r, o->all);
	text_environment(&l, "Environment", &c->common, o->all);
	if (hidden) {
		__cleanup_free char *more = xasprintf("%zu more metrics: --all", hidden);

		strbuf_addc(out, '\n');
		layout_wrap(&l, 2, "not shown", HANG, more);
	}
	layout_legend(&l);
	layout_release(&l);
}
