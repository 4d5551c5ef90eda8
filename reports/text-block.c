// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/text.h"

#include "lib/mem.h"
#include "reports/number.h"
#include "reports/select.h"
#include "reports/table.h"

#include <math.h>
#include <string.h>

#define MAX_LISTED 24 /* raw values that are printed */
#define MAX_NAMES 4   /* metrics that a note names */

/* The largest magnitude among @n figures; 0 when there is none. */
static double largest(const double *v, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]) && fabs(v[i]) > most)
			most = fabs(v[i]);
	return most;
}

static void add_figure(struct table *t, double v, const struct number_scale *scale)
{
	__cleanup_free char *text = number_text(v, scale);

	table_cell(t, text);
}

static void add_percent(struct table *t, double pct)
{
	__cleanup_free char *text = number_percent(pct);

	table_cell(t, text);
}

static void add_spread(struct table *t, const struct compare_row *row)
{
	__cleanup_free char *base = number_spread(row->base.stats.cv);
	__cleanup_free char *arm = number_spread(row->side.stats.cv);

	table_cellf(t, "%4s %5s", base, arm);
}

static void add_change(struct table *t, const struct compare_row *row)
{
	if (compare_row_is_missing(row))
		table_cell(t, "MISSING");
	else if (row->base.centre == 0 && row->side.centre == 0)
		table_cell(t, "equal");
	else if (row->base.centre == 0)
		table_cell(t, "from 0");
	else
		add_percent(t, row->pct);
}

static void add_row(struct table *t, const struct compare_row *row)
{
	double centres[] = { row->base.centre, row->side.centre };
	struct number_scale scale = number_scale(&row->metric, largest(centres, 2));

	table_cell(t, row->metric.primary ? "*" : "");
	table_cell(t, row->metric.name);
	table_cell(t, scale.unit);
	table_cell(t, direction_str(row->metric.better));
	add_figure(t, row->base.centre, &scale);
	add_figure(t, row->side.centre, &scale);
	add_change(t, row);
	add_spread(t, row);
}

static void print_metrics(struct layout *l, const struct comparison *c,
			  const struct compare_row *const *rows, size_t n)
{
	struct table t = { .shape = "mnnwrrrr" };
	__cleanup_free char *base = text_label(l, c->arms[0].label);
	__cleanup_free char *arm = text_label(l, c->arms[rows[0]->arm].label);
	const char *heads[] = { "", "metric", "unit", "better", base, arm, "change", "spread" };

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		table_head(&t, heads[i]);
	for (size_t i = 0; i < n; i++)
		add_row(&t, rows[i]);
	table_print(&t, l, 2);
	table_release(&t);
}

/* Which rows say @note, as "p50, p99: ", "9 metrics: ", or "" for all of them. */
static char *who_says(const struct compare_row *const *rows, size_t n, const char *note)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT;
	__cleanup_free char *list = NULL;

	for (size_t i = 0; i < n; i++)
		if (strvec_has(&rows[i]->notes, note))
			strvec_push(&names, rows[i]->metric.name);
	if (names.n == n)
		return xstrdup("");
	if (names.n > MAX_NAMES)
		return xasprintf("%zu metrics: ", names.n);
	list = strvec_join(&names, ", ");
	return xasprintf("%s: ", list);
}

static void print_notes(struct layout *l, const struct compare_row *const *rows, size_t n)
{
	__cleanup_strvec struct strvec said = STRVEC_INIT;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < rows[i]->notes.n; k++) {
			const char *note = rows[i]->notes.v[k];
			__cleanup_free char *names = NULL, *text = NULL;

			if (strvec_has(&said, note))
				continue;
			strvec_push(&said, note);
			names = who_says(rows, n, note);
			text = xasprintf("%s%s", names, note);
			layout_wrap(l, 2, "-", 4, text);
		}
	}
}

static void add_details(struct table *t, const char *label, const struct stats *s,
			const struct number_scale *scale)
{
	double figures[] = { s->mean, s->median, s->sd, s->hmean, s->min, s->max };

	table_cell(t, label);
	table_cellf(t, "%zu", s->n);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		add_figure(t, figures[i], scale);
}

static void print_values(struct layout *l, const char *label, const struct compare_side *side,
			 const struct number_scale *scale)
{
	__cleanup_strbuf struct strbuf list = STRBUF_INIT;
	__cleanup_free char *head = xasprintf("%s:", label);

	for (size_t i = 0; i < side->stats.n && i < MAX_LISTED; i++) {
		__cleanup_free char *text = number_text(side->values[i], scale);

		strbuf_addf(&list, "%s%s", i ? " " : "", text);
	}
	if (side->stats.n > MAX_LISTED)
		strbuf_addf(&list, " and %zu more", side->stats.n - MAX_LISTED);
	if (side->stats.n)
		layout_wrap(l, 4, head, 4 + strlen(head) + 1, strbuf_str(&list));
}

/* The figures that the lists use, and the values themselves. */
static void print_details(struct layout *l, const struct comparison *c,
			  const struct compare_row *row)
{
	static const char *const heads[] = { "n", "mean", "median", "sd", "hmean", "min", "max" };
	__cleanup_free char *base = text_label(l, c->arms[0].label);
	__cleanup_free char *arm = text_label(l, c->arms[row->arm].label);
	double ends[] = { row->base.stats.min, row->base.stats.max, row->side.stats.min,
			  row->side.stats.max };
	struct number_scale scale = number_scale(&row->metric, largest(ends, ARRAY_SIZE(ends)));
	__cleanup_free char *title = xasprintf("%s (%s)", row->metric.name, scale.unit);
	struct number_scale finer = scale;
	struct table t = { .shape = "nrrrrrrr" };

	if (scale.decimals >= 0 && scale.decimals < 3)
		finer.decimals++;
	table_head(&t, title);
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		table_head(&t, heads[i]);
	add_details(&t, base, &row->base.stats, &finer);
	add_details(&t, arm, &row->side.stats, &finer);
	table_cell(&t, "change");
	table_cell(&t, "");
	add_percent(&t, row->pct_mean);
	add_percent(&t, row->pct_median);
	table_cell(&t, "");
	add_percent(&t, row->pct_hmean);
	table_cell(&t, "");
	table_cell(&t, "");
	strbuf_addc(l->out, '\n');
	table_print(&t, l, 4);
	table_release(&t);
	print_values(l, base, &row->base, &scale);
	print_values(l, arm, &row->side, &scale);
}

static void print_heading(struct layout *l, const struct comparison *c,
			  const struct compare_row *row)
{
	__cleanup_free char *versus = NULL, *text = NULL;

	if (c->n_arms > 2)
		versus = xasprintf(", %s against %s", c->arms[row->arm].label, c->arms[0].label);
	text = xasprintf("%s on %s%s: no verdict (n = %zu and %zu)", row->workload, row->target,
			 versus ? versus : "", row->base.stats.n, row->side.stats.n);
	layout_heading(l, text);
}

void text_block(struct layout *l, const struct comparison *c, const struct compare_row *const *rows,
		size_t n, bool all, size_t *hidden)
{
	__cleanup_free const struct compare_row **shown = xcalloc(n, sizeof(*shown));
	size_t n_shown = 0;

	for (size_t i = 0; i < n; i++)
		if (all || row_is_notable(rows[i]))
			shown[n_shown++] = rows[i];
	*hidden += n - n_shown;
	strbuf_addc(l->out, '\n');
	print_heading(l, c, rows[0]);
	if (!n_shown) {
		layout_wrap(l, 2, "", 2, "no notable metric");
		return;
	}
	print_metrics(l, c, shown, n_shown);
	print_notes(l, shown, n_shown);
	for (size_t i = 0; i < n_shown; i++)
		if (shown[i]->metric.primary)
			print_details(l, c, shown[i]);
}
