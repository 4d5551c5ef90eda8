// SPDX-License-Identifier: GPL-2.0-or-later
/* What a reader wants to know first: what got slower, and what did not. */
#include "reports/text.h"

#include "lib/mem.h"
#include "reports/number.h"
#include "reports/table.h"

#include <math.h>
#include <string.h>

static bool same_cell(const struct compare_row *a, const struct compare_row *b)
{
	return !strcmp(a->workload, b->workload) && !strcmp(a->target, b->target);
}

/* One primary metric a cell is the rule; where there are more, names tell them apart. */
static bool has_sibling(const struct comparison *c, const struct compare_row *row)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_rows; i++)
		n += c->rows[i].metric.primary && c->rows[i].arm == row->arm &&
		     same_cell(&c->rows[i], row);
	return n > 1;
}

static void add_value(struct table *t, double v, const struct number_scale *scale)
{
	__cleanup_free char *text = number_text(v, scale);

	if (isnan(v))
		table_cell(t, "-");
	else
		table_cellf(t, "%s %s", text, !strcmp(scale->unit, "count") ? "" : scale->unit);
}

static void add_line(struct table *t, const struct comparison *c, const struct compare_row *row)
{
	double most = fmax(fabs(row->base.centre), fabs(row->side.centre));
	struct number_scale scale = number_scale(&row->metric, most);
	__cleanup_free char *interval = number_interval(row->effect.lo, row->effect.hi);
	__cleanup_free char *change = text_change(row);

	table_cell(t, text_mark(row, false));
	table_cellf(t, "%s/%s%s%s", row->workload, row->target, has_sibling(c, row) ? " " : "",
		    has_sibling(c, row) ? row->metric.name : "");
	add_value(t, row->base.centre, &scale);
	add_value(t, row->side.centre, &scale);
	table_cell(t, change);
	table_cell(t, interval);
	table_cell(t, text_word(row));
}

char *text_interval_name(const struct comparison *c)
{
	return xasprintf("%.3g%% interval", 100 * (1 - c->alpha));
}

static void print_arm(struct layout *l, const struct comparison *c, size_t arm)
{
	struct table t = { .shape = "mnrrrrw" };
	__cleanup_free char *base = text_label(l, c->arms[0].label);
	__cleanup_free char *label = text_label(l, c->arms[arm].label);
	__cleanup_free char *interval = text_interval_name(c);
	const char *heads[] = { "", "primary metric of", base, label, "change", interval,
				"verdict" };

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		table_head(&t, heads[i]);
	for (size_t i = 0; i < c->n_rows; i++)
		if (c->rows[i].arm == arm && c->rows[i].metric.primary)
			add_line(&t, c, &c->rows[i]);
	if (arm > 1)
		strbuf_addc(l->out, '\n');
	table_print(&t, l, 1);
	table_release(&t);
}

void text_summary(struct layout *l, const struct comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_rows; i++)
		n += c->rows[i].metric.primary;
	strbuf_addc(l->out, '\n');
	layout_heading(l, "Summary");
	if (!n)
		layout_wrap(l, 2, "", 2, "no primary metric has a value: nothing can be said");
	for (size_t arm = 1; n && arm < c->n_arms; arm++)
		print_arm(l, c, arm);
}

void text_claims(struct layout *l, const struct comparison *c)
{
	if (c->n_claims)
		strbuf_addc(l->out, '\n');
	for (size_t i = 0; i < c->n_claims; i++) {
		const struct compare_claim *claim = &c->claims[i];
		__cleanup_free char *head = xasprintf("%s:", claim->word);
		__cleanup_strbuf struct strbuf s = STRBUF_INIT;

		if (claim->allowed)
			strbuf_addf(&s, "accepted by --allow %s: ", claim->key);
		if (claim->workload)
			strbuf_addf(&s, "%s%s%s: ", claim->workload, claim->target ? " on " : "",
				    claim->target ? claim->target : "");
		if (claim->workload && claim->arm && c->n_arms > 2)
			strbuf_addf(&s, "%s: ", c->arms[claim->arm].label);
		strbuf_addf(&s, "%s.", claim->sentence);
		layout_wrap(l, 0, head, 2, strbuf_str(&s));
	}
}

void text_watermark(struct layout *l, const char *watermark)
{
	if (!watermark)
		return;
	layout_wrap(l, 0, "", 0, watermark);
	strbuf_addc(l->out, '\n');
}

/* The words of a report, and what they mean there. */
static const struct {
	const char *word, *before, *behind; /* the smallest effect of interest */
} meanings[] = {
	{ "IMPROVED", "the difference is real, and at least ", "" },
	{ "REGRESSED", "the difference is real, and at least ", "" },
	{ "HIGHER", "a real difference of ", " or more; neither way is good" },
	{ "LOWER", "a real difference of ", " or more; neither way is good" },
	{ "SMALL", "the difference is real, but smaller than ", "" },
	{ "SAME", "any difference is smaller than ", "" },
	{ "UNSURE", "neither a difference nor that there is none of ", " is shown; the figure "
	  "behind it is what four of five such runs would have seen" },
	{ "UNTESTABLE", "too few values for any verdict", NULL },
	{ "MISSING", "there are values on one side only", NULL },
};

void text_vocabulary(struct layout *l, const struct comparison *c, const struct strvec *used)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		__cleanup_strbuf struct strbuf s = STRBUF_INIT;

		if (!strvec_has(used, meanings[i].word))
			continue;
		strbuf_adds(&s, meanings[i].before);
		if (meanings[i].behind)
			strbuf_addf(&s, "%g %%%s%s", c->delta_pct, c->delta_varies ?
				    " (or the smallest effect that its note names)" : "",
				    meanings[i].behind);
		layout_wrap(l, 2, meanings[i].word, 15, strbuf_str(&s));
	}
	if (strvec_has(used, TEXT_NO_VERDICT))
		layout_wrap(l, 2, TEXT_NO_VERDICT, 15, "the sides cannot be compared; the notes say "
			    "why");
	if (strvec_has(used, COMPARE_CONFOUNDED))
		layout_wrap(l, 2, COMPARE_CONFOUNDED, 15, "other work or another machine: there is "
			    "nothing to test");
}
