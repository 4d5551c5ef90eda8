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

char *text_change(const struct compare_row *row)
{
	const struct compare_effect *e = &row->effect;

	if (compare_row_is_missing(row))
		return xstrdup("-");
	if (row->base.centre == 0 && row->side.centre == 0)
		return xstrdup("equal");
	if (row->base.centre == 0)
		return xstrdup("from 0");
	return number_percent(isnan(e->pct) ? row->pct : e->pct);
}

const char *text_word(const struct compare_row *row)
{
	if (row->effect.verdict)
		return row->effect.verdict;
	return row->confounded ? COMPARE_CONFOUNDED : TEXT_NO_VERDICT;
}

const char *text_mark(const struct compare_row *row, bool primary)
{
	if (row->confounded || row->conflicting)
		return primary && row->metric.primary ? "*!" : "!";
	return primary && row->metric.primary ? "*" : "";
}

static bool is_noisy(const struct compare_row *row)
{
	return str_eq(row->effect.verdict, "UNSURE") &&
	       str_eq(row->effect.why, verdict_why_str(VERDICT_WHY_NOISE));
}

/* "UNSURE 16%": that much would have been seen. */
static void add_word(struct table *t, const struct compare_row *row)
{
	double mde = row->effect.mde_pct;

	if (is_noisy(row) && mde < 1000)
		table_cellf(t, "%s %.*f%%", text_word(row), mde < 9.95 ? 1 : 0, mde);
	else
		table_cell(t, text_word(row));
}

static void add_row(struct table *t, const struct compare_row *row)
{
	double centres[] = { row->base.centre, row->side.centre };
	struct number_scale scale = number_scale(&row->metric, largest(centres, 2));
	__cleanup_free char *change = text_change(row);
	__cleanup_free char *interval = number_interval(row->effect.lo, row->effect.hi);

	table_cell(t, text_mark(row, true));
	table_cell(t, row->metric.name);
	table_cell(t, scale.unit);
	add_figure(t, row->base.centre, &scale);
	add_figure(t, row->side.centre, &scale);
	table_cell(t, change);
	table_cell(t, interval);
	add_word(t, row);
}

static void print_metrics(struct layout *l, const struct comparison *c,
			  const struct compare_row *const *rows, size_t n)
{
	struct table t = { .shape = "mnnrrrrw" };
	__cleanup_free char *base = text_label(l, c->arms[0].label);
	__cleanup_free char *arm = text_label(l, c->arms[rows[0]->arm].label);
	__cleanup_free char *interval = text_interval_name(c);
	const char *heads[] = { "", "metric", "unit", base, arm, "change", interval, "verdict" };

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		table_head(&t, heads[i]);
	for (size_t i = 0; i < n; i++)
		add_row(&t, rows[i]);
	table_print(&t, l, 2);
	table_release(&t);
}

/* Which rows say @note, as "p50, p99: ", "9 metrics: ", or "" for all of them. */
static char *who_says(const struct compare_row *const *rows, const struct strvec *notes, size_t n,
		      const char *note)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT;
	__cleanup_free char *list = NULL;

	for (size_t i = 0; i < n; i++)
		if (strvec_has(&notes[i], note))
			strvec_push(&names, rows[i]->metric.name);
	if (names.n == n)
		return xstrdup("");
	if (names.n > MAX_NAMES)
		return xasprintf("%zu metrics: ", names.n);
	list = strvec_join(&names, ", ");
	return xasprintf("%s: ", list);
}

/* What stands behind the word, and what more iterations could show. */
static void explain_word(const struct compare_row *row, struct strvec *out)
{
	const struct compare_effect *e = &row->effect;

	/* Rows without a verdict have a note that says why. */
	if (!e->verdict)
		return;
	if (is_noisy(row)) {
		if (row->metric.primary && isfinite(e->mde_pct) && isfinite(e->n_needed))
			strvec_pushf(out, "UNSURE: could have seen %.2g %%; %.3g %% needs n = %.0f",
				     e->mde_pct, row->delta_pct, e->n_needed);
		else if (row->metric.primary && isfinite(e->mde_pct))
			strvec_pushf(out, "UNSURE: could have seen %.2g %%", e->mde_pct);
	} else if (str_eq(e->why, verdict_why_str(VERDICT_WHY_FEW_UNITS)) ||
		   str_eq(e->why, verdict_why_str(VERDICT_WHY_ONE_UNIT))) {
		return; /* there is a note with the numbers */
	} else if (*e->why && str_eq(e->verdict, "UNTESTABLE") && isfinite(e->n_needed)) {
		strvec_pushf(out, "UNTESTABLE: %s; needs n = %.0f", e->why, e->n_needed);
	} else if (str_eq(e->why, verdict_why_str(VERDICT_WHY_ONE_BOOT))) {
		strvec_pushf(out, "%s: %s; needs %.0f boots a side, or --boot-noise", text_word(row),
			     e->why, e->n_needed);
	} else if (*e->why) {
		strvec_pushf(out, "%s: %s", text_word(row), e->why);
	}
}

static void collect_notes(const struct compare_row *row, struct strvec *out)
{
	const struct stats_welch *w = &row->welch;

	explain_word(row, out);
	strvec_push_all(out, &row->notes);
	if (!isnan(w->p))
		strvec_pushf(out, "Welch, which decides nothing: t = %.3g, df = %.3g, p = %.2g", w->t,
			     w->df, w->p);
}

static void print_notes(struct layout *l, const struct compare_row *const *rows, size_t n)
{
	__cleanup_free struct strvec *notes = xcalloc(n, sizeof(*notes));
	__cleanup_strvec struct strvec said = STRVEC_INIT;

	for (size_t i = 0; i < n; i++)
		collect_notes(rows[i], &notes[i]);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < notes[i].n; k++) {
			const char *note = notes[i].v[k];
			__cleanup_free char *names = NULL, *text = NULL;

			if (strvec_has(&said, note))
				continue;
			strvec_push(&said, note);
			names = who_says(rows, notes, n, note);
			text = xasprintf("%s%s", names, note);
			layout_wrap(l, 2, "-", 4, text);
		}
	}
	for (size_t i = 0; i < n; i++)
		strvec_release(&notes[i]);
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
	__cleanup_free char *spread = number_spread(side->stats.cv);
	__cleanup_free char *head = xasprintf("%s (cv %s):", label, spread);

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

static const struct compare_row *primary_of(const struct compare_row *const *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i]->metric.primary)
			return rows[i];
	return NULL;
}

static void print_heading(struct layout *l, const struct comparison *c,
			  const struct compare_row *const *rows, size_t n)
{
	const struct compare_row *row = primary_of(rows, n);
	__cleanup_free char *versus = NULL, *text = NULL;
	const char *word = row ? text_word(row) : "no primary metric";

	row = row ? row : rows[0];
	if (c->n_arms > 2)
		versus = xasprintf(", %s against %s", c->arms[row->arm].label, c->arms[0].label);
	text = xasprintf("%s on %s%s: %s (n = %zu and %zu)", row->workload, row->target,
			 versus ? versus : "", word, row->base.units, row->side.units);
	layout_heading(l, text);
}

void text_block(struct layout *l, const struct comparison *c, const struct compare_row *const *rows,
		size_t n, bool all, size_t *hidden)
{
	__cleanup_free const struct compare_row **shown = xcalloc(n, sizeof(*shown));
	size_t n_shown = 0;

	for (size_t i = 0; i < n; i++)
		if (row_is_shown(rows[i], all))
			shown[n_shown++] = rows[i];
	*hidden += n - n_shown;
	strbuf_addc(l->out, '\n');
	print_heading(l, c, rows, n);
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
