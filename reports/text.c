// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/text.h"

#include "lib/mem.h"
#include "reports/select.h"

#include <math.h>
#include <string.h>

#define HANG 15
#define LABEL_WIDTH 12

char *text_label(struct layout *l, const char *label)
{
	return layout_fit(l, label, LABEL_WIDTH);
}

void text_warnings(struct layout *l, const struct strvec *warnings)
{
	if (!warnings->n)
		return;
	strbuf_addc(l->out, '\n');
	layout_paint(l, LAYOUT_ALERT, "Warnings");
	strbuf_addc(l->out, '\n');
	for (size_t i = 0; i < warnings->n; i++) {
		__cleanup_free char *number = xasprintf("%2zu.", i + 1);

		layout_wrap(l, 1, number, 5, warnings->v[i]);
	}
}

/* What a mail to a list spells out. */
static bool is_spelled_out(const char *name)
{
	static const char *const starts[] = {
		"CPU", "disk on", "file system on", "memory", "mkfs on", "mount options",
		"number of CPUs", "virtualisation",
	};

	if (!strcmp(name, "kernel") || !strcmp(name, "kernel build"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (str_starts(name, starts[i]))
			return true;
	return false;
}

void text_environment(struct layout *l, const char *heading, const struct kv *facts, bool all)
{
	bool first = true;

	for (size_t i = 0; i < facts->n; i++) {
		__cleanup_free char *head = NULL;

		if (!all && !is_spelled_out(facts->v[i].key))
			continue;
		if (first) {
			strbuf_addc(l->out, '\n');
			layout_heading(l, heading);
		}
		first = false;
		head = xasprintf("%s:", facts->v[i].key);
		layout_wrap(l, 2, head, 25, *facts->v[i].value ? facts->v[i].value : "none");
	}
}

static void print_planned(struct layout *l, const struct comparison *c)
{
	bool any = false;

	for (size_t i = 0; i < c->n_differences; i++) {
		if (!c->differences[i].planned)
			continue;
		layout_wrap(l, 2, any ? "" : "varied", HANG, c->differences[i].sentence);
		any = true;
	}
	if (!any)
		layout_wrap(l, 2, "varied", HANG, c->varied.n ? "nothing that is known to differ" :
			    "nothing by plan");
}

static void print_arm(struct layout *l, const struct comparison *c, const struct compare_arm *arm)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	__cleanup_free char *label = text_label(l, arm->label);
	const char *kernel = kv_get(&arm->host, "kernel.release");

	strbuf_addf(&text, "%llu iteration%s", (unsigned long long)arm->iterations,
		    arm->iterations == 1 ? "" : "s");
	if (arm->invalid)
		strbuf_addf(&text, " (%llu not valid)", (unsigned long long)arm->invalid);
	if (arm->warmups)
		strbuf_addf(&text, " and %llu warm-up%s left out", (unsigned long long)arm->warmups,
			    arm->warmups == 1 ? "" : "s");
	if (arm->boots)
		strbuf_addf(&text, ", %llu boot%s", (unsigned long long)arm->boots,
			    arm->boots == 1 ? "" : "s");
	if (c->n_sessions)
		strbuf_addf(&text, ", %zu session%s", arm->ids.n, arm->ids.n == 1 ? "" : "s");
	/* Below, when it is the same in all arms. */
	if (!kv_get(&c->common, "kernel"))
		strbuf_addf(&text, ", kernel %s", kernel ? kernel : "not known");
	if (arm->started)
		strbuf_addf(&text, ", %s", arm->started);
	layout_wrap(l, 2, label, HANG, strbuf_str(&text));
}

static void print_head(struct layout *l, const struct comparison *c)
{
	__cleanup_strbuf struct strbuf title = STRBUF_INIT;

	for (size_t a = 1; a < c->n_arms; a++)
		strbuf_addf(&title, "%s%s", a > 1 ? ", " : "", c->arms[a].label);
	if (c->n_arms)
		strbuf_addf(&title, " against %s", c->arms[0].label);
	layout_heading(l, strbuf_str(&title));
	print_planned(l, c);
	if (c->stopping)
		layout_wrap(l, 2, "stopping", HANG, c->stopping);
	for (size_t a = 0; a < c->n_arms; a++)
		print_arm(l, c, &c->arms[a]);
}

static bool same_cell(const struct compare_row *a, const struct compare_row *b)
{
	return !strcmp(a->workload, b->workload) && !strcmp(a->target, b->target);
}

/* Rows are sorted by cell; each arm of a cell becomes one block. */
static size_t print_blocks(struct layout *l, const struct comparison *c, bool all)
{
	__cleanup_free const struct compare_row **rows = xcalloc(c->n_rows, sizeof(*rows));
	size_t hidden = 0, end;

	for (size_t start = 0; start < c->n_rows; start = end) {
		for (end = start; end < c->n_rows && same_cell(&c->rows[start], &c->rows[end]); end++)
			;
		for (size_t arm = 1; arm < c->n_arms; arm++) {
			size_t n = 0;

			for (size_t i = start; i < end; i++)
				if (c->rows[i].arm == arm)
					rows[n++] = &c->rows[i];
			if (n)
				text_block(l, c, rows, n, all, &hidden);
		}
	}
	if (!c->n_rows) {
		strbuf_addc(l->out, '\n');
		layout_heading(l, c->disjoint ? "No rows: there is nothing to compare." :
			       "No rows: no arm has a valid value.");
	}
	return hidden;
}

static void print_marks(struct layout *l, const struct comparison *c, bool all)
{
	__cleanup_free char *star = xasprintf("primary metric, chosen before the run; corrected for "
					      "their number (Holm), %.3g %% for all together",
					      100 * c->alpha);
	__cleanup_free char *others = xasprintf("exploratory: of what these rows call real, %.3g %% "
						"are false (Benjamini, Hochberg)", 100 * c->alpha);
	__cleanup_strvec struct strvec used = STRVEC_INIT;
	bool marked = false, primary = false, exploratory = false, open = false;

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];

		if (!row_is_shown(row, all))
			continue;
		strvec_push(&used, text_word(row));
		marked |= row->confounded || row->conflicting;
		primary |= row->metric.primary;
		exploratory |= !row->metric.primary;
		open |= !isinf(row->effect.lo) != !isinf(row->effect.hi);
	}
	if (primary)
		layout_wrap(l, 2, "*", HANG, star);
	if (exploratory)
		layout_wrap(l, 2, primary ? "not *" : "rows", HANG, others);
	if (marked)
		layout_wrap(l, 2, "!", HANG, "the word stands, but what is said above in capitals "
			    "may be the reason");
	if (open)
		layout_wrap(l, 2, "..", HANG, "no bound on this side: too few values");
	text_vocabulary(l, c, &used);
}

static void print_foot(struct layout *l, const struct comparison *c, size_t hidden, bool all)
{
	__cleanup_free char *more = NULL;

	strbuf_addc(l->out, '\n');
	layout_heading(l, "How to read this");
	if (c->n_rows) {
		layout_wrap(l, 2, "change", HANG, "100 * (B - A) / A, A the base and B the arm: the "
			    "median over all pairs of values (Hodges, Lehmann), with the interval "
			    "of the exact rank test; beyond 1000 % the ratio B / A");
		layout_wrap(l, 2, "columns", HANG, "times, counts, quantiles: median; rates at fixed "
			    "work: harmonic mean; rates at fixed time: arithmetic mean");
		print_marks(l, c, all);
	}
	if (hidden) {
		more = xasprintf("%zu more rows: --all", hidden);
		layout_wrap(l, 2, "not shown", HANG, more);
	}
	layout_wrap(l, 2, "raw values", HANG, "--format json");
	for (size_t a = 0; a < c->n_arms; a++)
		for (size_t i = 0; i < c->arms[a].ids.n; i++)
			layout_wrap(l, 2, a || i ? "" : "results", HANG, c->arms[a].ids.v[i]);
}

void text_comparison(const struct comparison *c, const struct report_options *o,
		     struct strbuf *out)
{
	struct layout l = { .out = out, .colour = o->colour };
	size_t hidden;

	text_watermark(&l, c->watermark);
	print_head(&l, c);
	text_claims(&l, c);
	text_warnings(&l, &c->warnings);
	text_exact(&l, c, o->all);
	text_summary(&l, c);
	hidden = print_blocks(&l, c, o->all);
	text_environment(&l, c->n_arms > 1 ? "The same in all arms" : "Environment", &c->common,
			 o->all);
	print_foot(&l, c, hidden, o->all);
	layout_legend(&l);
	layout_release(&l);
}
