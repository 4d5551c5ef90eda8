// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/compare-internal.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/cells.h"
#include "results/percent.h"

#include <math.h>
#include <string.h>

/* One arm's part of a row while the row is made. */
struct part {
	const struct run *run;
	const char *label;
	struct series series;
	struct cell_counts counts;
};

static double centre_of(const struct stats *s, enum metric_kind kind)
{
	switch (kind) {
	case KIND_RATE_WORK:
		return s->hmean;
	case KIND_RATE_TIME:
		return s->mean;
	default:
		return s->median;
	}
}

static const char *centre_name(enum metric_kind kind)
{
	switch (kind) {
	case KIND_RATE_WORK:
		return "hmean";
	case KIND_RATE_TIME:
		return "mean";
	default:
		return "median";
	}
}

static size_t *number_boots(struct strvec *known, const struct series *s)
{
	size_t *boots = xcalloc(s->n, sizeof(*boots));

	for (size_t i = 0; i < s->n; i++) {
		size_t k = 0;

		boots[i] = COMPARE_NO_BOOT;
		if (!s->boots[i] || !*s->boots[i])
			continue;
		while (k < known->n && strcmp(known->v[k], s->boots[i]))
			k++;
		if (k == known->n)
			strvec_push(known, s->boots[i]);
		boots[i] = k;
	}
	return boots;
}

/* Takes the values out of @p. */
static void fill_side(struct compare_side *side, struct part *p, enum metric_kind kind,
		      struct strvec *boots)
{
	struct series *s = &p->series;

	stats_describe(s->values, s->n, &side->stats);
	side->units = s->n;
	side->values = s->values;
	side->seqs = s->seqs;
	side->blocks = s->blocks;
	side->boots = number_boots(boots, s);
	side->planned = p->counts.valid + p->counts.invalid;
	side->lost = side->planned - s->n;
	side->centre = centre_of(&side->stats, kind);
	free(s->boots);
	*s = (struct series){ .metric = s->metric };
}

static void note_missing(struct strvec *notes, const struct part *p)
{
	__cleanup_strbuf struct strbuf how = STRBUF_INIT;

	if (p->counts.valid) {
		strvec_pushf(notes, COMPARE_MISSING "none of %llu valid iteration%s of %s has a value",
			     (unsigned long long)p->counts.valid, p->counts.valid == 1 ? "" : "s",
			     p->label);
		return;
	}
	if (!p->counts.invalid) {
		strvec_pushf(notes, COMPARE_MISSING "%s has no iteration of this workload on "
			     "this target", p->label);
		return;
	}
	for (size_t o = 0; o < ARRAY_SIZE(p->counts.outcomes); o++)
		if (p->counts.outcomes[o])
			strbuf_addf(&how, "%s%llu %s", how.len ? ", " : "",
				    (unsigned long long)p->counts.outcomes[o],
				    outcome_str((enum outcome)o));
	strvec_pushf(notes, COMPARE_MISSING "no iteration of %s is valid (%s)", p->label,
		     strbuf_str(&how));
}

static void note_losses(struct strvec *notes, const struct part *p)
{
	size_t lost = p->counts.valid - p->series.n - p->series.foreign;

	if (p->series.n && lost)
		strvec_pushf(notes, "%zu of %llu valid iterations of %s have no value", lost,
			     (unsigned long long)p->counts.valid, p->label);
}

static void note_series(struct strvec *notes, const struct part *p)
{
	if (p->series.foreign)
		strvec_pushf(notes, "%zu values of %s are in another unit and left out",
			     p->series.foreign, p->label);
	if (p->series.rounded)
		strvec_pushf(notes, "values of %s above 2^53 are rounded", p->label);
}

/* The declarations of both sides as one; says whether percentages make sense. */
static bool merge_metrics(struct compare_row *row, const struct metric *a, const struct metric *b)
{
	metric_copy(&row->metric, a ? a : b);
	if (!a || !b)
		return true;
	row->metric.primary = a->primary || b->primary;
	if (a->better != b->better) {
		row->metric.better = BETTER_NEUTRAL;
		strvec_pushf(&row->notes, "the sides disagree on which way is better (%s, %s)",
			     direction_str(a->better), direction_str(b->better));
	}
	if (a->kind != b->kind)
		strvec_pushf(&row->notes, "the sides disagree on the kind (%s, %s): no percentage",
			     metric_kind_str(a->kind), metric_kind_str(b->kind));
	if (!str_eq(a->unit, b->unit)) {
		__cleanup_free char *both = xasprintf("%s|%s", a->unit, b->unit);

		strvec_pushf(&row->notes, "the sides have different units (%s, %s): no percentage",
			     a->unit, b->unit);
		/* Nobody shall take the one for the other. */
		metric_set_unit(&row->metric, both);
	}
	return a->kind == b->kind && str_eq(a->unit, b->unit);
}

/* A rate of 0 has no harmonic mean; the sides need the same centre. */
static void choose_centre(struct compare_row *row)
{
	row->centre_name = centre_name(row->metric.kind);
	if ((!row->base.stats.n || !isnan(row->base.centre)) &&
	    (!row->side.stats.n || !isnan(row->side.centre)))
		return;
	row->centre_name = "median";
	row->base.centre = row->base.stats.median;
	row->side.centre = row->side.stats.median;
	strvec_push(&row->notes, "a value is not above 0, so there is no harmonic mean: medians");
}

static void add_percents(struct compare_row *row)
{
	const struct stats *a = &row->base.stats, *b = &row->side.stats;
	const char *unit = row->metric.unit;

	row->pct = percent_change(row->base.centre, row->side.centre);
	row->pct_mean = percent_change(a->mean, b->mean);
	row->pct_median = percent_change(a->median, b->median);
	row->pct_hmean = percent_change(a->hmean, b->hmean);
	if (row->base.centre != 0) {
		if (isnan(row->pct))
			strvec_push(&row->notes, "the change is beyond any number");
		return;
	}
	if (row->side.centre == 0) {
		strvec_push(&row->notes, "0 on both sides");
		return;
	}
	strvec_pushf(&row->notes, "0 -> %.6g%s%s: there is no percentage of 0", row->side.centre,
		     strcmp(unit, "1") && *unit ? " " : "", strcmp(unit, "1") ? unit : "");
}

bool compare_text_differs(const struct run *a, const struct run *b, const char *workload)
{
	const struct run_workload *x = run_find_workload(a, workload);
	const struct run_workload *y = run_find_workload(b, workload);

	return x && y && x->digest && y->digest && strcmp(x->digest, y->digest);
}

static void fill_row(struct compare_row *row, struct part *base, struct part *side,
		     struct strvec *boots)
{
	bool comparable = merge_metrics(row, base->series.metric, side->series.metric);

	row->pct = row->pct_mean = row->pct_median = row->pct_hmean = NAN;
	row->recovered_pct = NAN;
	row->effect = (struct compare_effect){ NAN, NAN, NAN, NAN, NAN, NAN, NAN, NULL, "" };
	row->welch = (struct stats_welch){ NAN, NAN, NAN, NAN, NAN, NAN };
	note_series(&row->notes, base);
	note_series(&row->notes, side);
	fill_side(&row->base, base, row->metric.kind, boots);
	fill_side(&row->side, side, row->metric.kind, boots);
	if (!row->base.stats.n)
		note_missing(&row->notes, base);
	if (!row->side.stats.n)
		note_missing(&row->notes, side);
	if (compare_text_differs(base->run, side->run, row->workload)) {
		strvec_push(&row->notes, "the job files differ: other work, so no percentage");
		comparable = false;
	}
	choose_centre(row);
	if (comparable && !compare_row_is_missing(row))
		add_percents(row);
}

static void take_part(struct part *p, const struct run *r, const char *label,
		      const struct cell_key *key)
{
	p->run = r;
	p->label = label;
	p->counts = cell_count(r, key->workload, key->target);
	series_collect(r, key, &p->series);
}

static void add_row(struct comparison *c, struct run *const *runs, const struct cell_key *key,
		    size_t arm)
{
	struct part base, side;
	struct compare_row *row;

	take_part(&base, runs[0], c->arms[0].label, key);
	take_part(&side, runs[arm], c->arms[arm].label, key);
	if (base.series.metric || side.series.metric) {
		GROW(c->rows, c->n_rows);
		row = &c->rows[c->n_rows++];
		memset(row, 0, sizeof(*row));
		row->workload = xstrdup(key->workload);
		row->target = xstrdup(key->target);
		row->arm = arm;
		note_losses(&row->notes, &base);
		note_losses(&row->notes, &side);
		fill_row(row, &base, &side, &c->boots);
		row->metric.primary |= key->primary;
	}
	series_release(&base.series);
	series_release(&side.series);
}

static void list_cells(const struct run *r, struct strvec *cells)
{
	for (size_t i = 0; i < r->n_iterations; i++) {
		const struct iteration *it = &r->iterations[i];
		__cleanup_free char *cell = xasprintf("%s on %s", it->workload ? it->workload : "?",
						      it->target ? it->target : "?");

		if (!strvec_has(cells, cell))
			strvec_push(cells, cell);
	}
}

/* One sentence instead of a page of MISSING. */
static bool is_disjoint(struct comparison *c, struct run *const *runs, size_t arm)
{
	__cleanup_strvec struct strvec a = STRVEC_INIT, b = STRVEC_INIT;
	__cleanup_free char *in_base = NULL, *in_arm = NULL;

	list_cells(runs[0], &a);
	list_cells(runs[arm], &b);
	for (size_t i = 0; i < a.n; i++)
		if (strvec_has(&b, a.v[i]))
			return false;
	if (!a.n || !b.n)
		return false;
	in_base = strvec_join(&a, ", ");
	in_arm = strvec_join(&b, ", ");
	c->disjoint = true;
	strvec_pushf(&c->warnings, "Nothing to compare: %s and %s have no workload on the same target "
		     "(%s has %s; %s has %s).", c->arms[0].label, c->arms[arm].label,
		     c->arms[0].label, in_base, c->arms[arm].label, in_arm);
	return true;
}

void compare_add_rows(struct comparison *c, struct run *const *runs)
{
	__cleanup_free bool *disjoint = xcalloc(c->n_arms, sizeof(*disjoint));
	struct cell_keys keys;

	for (size_t arm = 1; arm < c->n_arms; arm++)
		disjoint[arm] = is_disjoint(c, runs, arm);

	cell_keys_collect(runs, c->n_arms, &keys);
	for (size_t k = 0; k < keys.n; k++)
		for (size_t arm = 1; arm < c->n_arms; arm++)
			if (!disjoint[arm])
				add_row(c, runs, &keys.v[k], arm);
	cell_keys_release(&keys);
}
