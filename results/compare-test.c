// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of numbers become words: every row its test, every family its correction. */
#include "results/compare-internal.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/datacheck.h"
#include "results/multiple.h"
#include "results/percent.h"
#include "results/ranktest.h"

#include <math.h>
#include <string.h>

/* A row under test. */
struct trial {
	struct compare_row *row;
	struct compare_pair pair;
	struct ranktest_input input; /* points into pair */
	struct ranktest test;
};

static void trial_start(const struct comparison *c, struct trial *t, struct compare_row *row,
			bool one_session, struct ranktest_memory *memory)
{
	t->row = row;
	t->input.memory = memory;
	compare_pair_make(c, row, one_session, &t->pair);
	t->input.base = (struct ranktest_side){ t->pair.base.value,
						t->pair.blocked ? t->pair.base.block : NULL,
						t->pair.base.n };
	t->input.arm = (struct ranktest_side){ t->pair.arm.value,
					       t->pair.blocked ? t->pair.arm.block : NULL,
					       t->pair.arm.n };
	t->test.p = NAN;
	if (row->effect.why[0] || compare_row_is_missing(row))
		return;
	if (ranktest_run(&t->input, &t->test))
		t->test.p = t->test.p_min = t->test.shift = t->test.pct = NAN;
	row->effect.p = t->test.p;
}

/* An unknown kernel is not the same kernel. */
static bool kernels_differ(const struct comparison *c, size_t arm)
{
	static const char *const keys[] = { "kernel.build_id", "kernel.version",
					    "kernel.release" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!str_eq(kv_get(&c->arms[0].host, keys[i]), kv_get(&c->arms[arm].host, keys[i])))
			return true;
	return false;
}

static void fill_input(const struct comparison *c, const struct trial *t, struct verdict_input *in)
{
	const struct compare_row *row = t->row;
	const struct stats *a = &row->base.stats, *b = &row->side.stats;
	bool noise = isfinite(c->boot_noise_pct);

	*in = (struct verdict_input){
		.n_base = t->test.n_base, .n_arm = t->test.n_arm, .better = row->metric.better,
		.delta_pct = row->delta_pct, .alpha = c->alpha,
		.shift = t->test.shift, .pct = t->test.pct, .p = row->effect.p,
		.p_adj = row->effect.p_adjusted, .p_min = t->test.p_min,
		.all_equal = fmin(a->min, b->min) == fmax(a->max, b->max),
		.loss = data_loss(row->base.lost, row->base.planned, row->side.lost,
				  row->side.planned) == DATA_LOSS_TOO_MUCH,
		/* Sessions that are boots differ as boots do. */
		.sequential = t->pair.sequential && !(noise && t->pair.few_boots),
		.one_boot = t->pair.few_boots && (noise || kernels_differ(c, row->arm)),
		.boots_base = t->pair.boots_base, .boots_arm = t->pair.boots_arm,
		.boot_noise_pct = c->boot_noise_pct,
	};
	/* Without a test, what there was. */
	if (isnan(t->test.p)) {
		in->n_base = row->base.units;
		in->n_arm = row->side.units;
	}
}

static void add_intervals(const struct trial *t, struct verdict_input *in)
{
	enum { AT_95, FOR_SAME, ADJUSTED, SHOWN, N };
	double level = multiple_level(in->p, in->p_adj, in->alpha);
	double conf[N] = { 0.95, NAN, NAN, NAN };
	struct ranktest_interval ci[N];
	struct verdict_interval got[N];

	/* It makes a SAME, which neither what is significant nor what is larger can be. */
	if (!(in->p_adj <= in->alpha) && fabs(in->pct) <= in->delta_pct)
		conf[FOR_SAME] = 1 - 2 * in->alpha;
	if (level < VERDICT_ALPHA && level > 0)
		conf[ADJUSTED] = 1 - level;
	if (in->alpha < VERDICT_ALPHA)
		conf[SHOWN] = 1 - in->alpha;
	if (isnan(t->test.p) || ranktest_intervals(&t->input, conf, N, ci))
		for (size_t i = 0; i < N; i++)
			ci[i].pct_lo = ci[i].pct_hi = NAN;
	for (size_t i = 0; i < N; i++)
		got[i] = (struct verdict_interval){ ci[i].pct_lo, ci[i].pct_hi };
	in->ci95 = got[AT_95];
	in->ci90 = got[FOR_SAME];
	in->ci_adj = got[isnan(conf[ADJUSTED]) ? AT_95 : ADJUSTED];
	in->ci_alpha = got[isnan(conf[SHOWN]) ? AT_95 : SHOWN];
}

static void decide(const struct comparison *c, const struct trial *t)
{
	struct compare_effect *e = &t->row->effect;
	struct verdict_result result;
	struct verdict_input in;

	if (e->why[0])
		return;
	fill_input(c, t, &in);
	add_intervals(t, &in);
	verdict_decide(&in, &result);
	e->pct = t->test.pct;
	e->lo = result.ci_alpha.lo;
	e->hi = result.ci_alpha.hi;
	e->mde_pct = result.mde_pct;
	e->n_needed = result.n_needed;
	e->verdict = verdict_str(result.word);
	e->why = verdict_why_str(result.why);
	if (isnan(t->test.p))
		e->pct = e->lo = e->hi = NAN;
}

static void note_few(const struct trial *t)
{
	bool tested = !isnan(t->test.p);
	size_t a = tested ? t->test.n_base : t->row->base.units;
	size_t b = tested ? t->test.n_arm : t->row->side.units;
	size_t least = a < b ? a : b;
	__cleanup_strbuf struct strbuf s = STRBUF_INIT;

	if (!least || least >= VERDICT_MIN_UNITS)
		return;
	strbuf_addf(&s, "n = %zu and %zu: ", a, b);
	if (least == 1)
		strbuf_adds(&s, "one value says nothing about noise");
	else if (tested)
		strbuf_addf(&s, "p = %.2g is the best that these could reach", t->test.p_min);
	else
		strbuf_adds(&s, "too few to judge noise");
	strvec_pushf(&t->row->notes, "%s, and a verdict needs %d a side", strbuf_str(&s),
		     VERDICT_MIN_UNITS);
}

static void note_units(const struct comparison *c, const struct trial *t, double boot_cost)
{
	struct strvec *notes = &t->row->notes;

	note_few(t);
	if (t->pair.few_boots && isfinite(c->boot_noise_pct))
		strvec_pushf(notes, "the interval allows for boots that differ by %.3g %%, as stated "
			     "(%zu and %zu boot%s)", c->boot_noise_pct, t->pair.boots_base,
			     t->pair.boots_arm, t->pair.boots_arm == 1 ? "" : "s");
	if (t->pair.by_boot)
		compare_note_boots(c, t->row, boot_cost);
	if (t->pair.by_boot && t->row->base.units < t->row->base.stats.n)
		strvec_pushf(notes, "the units are boots (%zu and %zu), not iterations",
			     t->row->base.units, t->row->side.units);
	if (!isnan(t->test.p) && t->test.units_dropped)
		strvec_pushf(notes, "%zu values without a partner in their block are not in the "
			     "test", t->test.units_dropped);
}

/* What cannot be compared at all has a reason instead of a test. */
static void refuse(const struct comparison *c, struct run *const *runs, struct compare_row *row)
{
	struct compare_effect *e = &row->effect;

	if (compare_row_is_missing(row))
		return;
	if (compare_text_differs(runs[0], runs[row->arm], row->workload))
		e->why = "other work: the job files differ";
	else if (compare_other_machine(c, row->arm))
		strvec_push(&row->notes, e->why = "other machine: nothing to test");
	else if (strchr(row->metric.unit, '|'))
		e->why = "other unit";
}

static void adjust(const struct comparison *c, const struct trial *trials, bool primary)
{
	__cleanup_free double *p = xcalloc(c->n_rows, sizeof(*p));
	size_t n = 0;

	for (size_t i = 0; i < c->n_rows; i++)
		if (c->rows[i].metric.primary == primary)
			p[n++] = trials[i].row->effect.p;
	if (primary)
		multiple_holm(p, n, p);
	else
		multiple_bh(p, n, p);
	n = 0;
	for (size_t i = 0; i < c->n_rows; i++)
		if (c->rows[i].metric.primary == primary)
			trials[i].row->effect.p_adjusted = p[n++];
}

/* Could any first step of Holm's succeed, with so many primary rows? */
static void warn_reach(struct comparison *c, const struct trial *trials)
{
	double most = 0;
	size_t m = 0;

	for (size_t i = 0; i < c->n_rows; i++) {
		if (!c->rows[i].metric.primary || isnan(c->rows[i].effect.p))
			continue;
		m++;
		if (trials[i].test.p_min <= c->alpha)
			most = fmax(most, trials[i].test.p_min);
	}
	if (m > 1 && most * (double)m > c->alpha)
		strvec_pushf(&c->warnings, "%zu primary rows share the level of %g %%: p <= %.2g is "
			     "needed, and p = %.2g is the best that the iterations of a row can "
			     "reach. More iterations would.", m, 100 * c->alpha, c->alpha / (double)m,
			     most);
}

static const struct compare_row *same_row(const struct comparison *c, const struct compare_row *row,
					  size_t arm)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (c->rows[i].arm == arm && !strcmp(c->rows[i].metric.name, row->metric.name) &&
		    !strcmp(c->rows[i].workload, row->workload) &&
		    !strcmp(c->rows[i].target, row->target))
			return &c->rows[i];
	return NULL;
}

/* How much of what the patch changed does the fix bring back? */
static void add_recovered(struct comparison *c)
{
	size_t patch = 0;

	for (size_t a = 1; a < c->n_arms; a++)
		if (!strcmp(c->arms[a].role, "patch"))
			patch = a;
	for (size_t i = 0; patch && i < c->n_rows; i++) {
		struct compare_row *row = &c->rows[i];
		const struct compare_row *before;
		double changed;

		if (strcmp(c->arms[row->arm].role, "fix") || compare_row_is_missing(row))
			continue;
		before = same_row(c, row, patch);
		if (!before || !before->effect.verdict || !compare_row_is_significant(before))
			continue;
		changed = row->base.centre - before->side.centre;
		if (changed == 0 || !str_eq(row->centre_name, before->centre_name))
			continue;
		row->recovered_pct = 100 * ((row->side.centre - before->side.centre) / changed);
		strvec_pushf(&row->notes, "recovered %.0f %% of what %s changed", row->recovered_pct,
			     c->arms[patch].label);
	}
}

void compare_test_rows(struct comparison *c, struct run *const *runs,
		       const struct compare_options *o)
{
	__cleanup_free struct trial *trials = xcalloc(c->n_rows, sizeof(*trials));
	struct ranktest_memory memory = RANKTEST_MEMORY_INIT;
	double boot_cost = compare_boot_cost(runs, c->n_arms);

	for (size_t i = 0; i < c->n_rows; i++) {
		struct compare_row *row = &c->rows[i];
		struct run *const pair[] = { runs[0], runs[row->arm] };

		refuse(c, runs, row);
		trial_start(c, &trials[i], row, compare_one_session(pair, 2), &memory);
		if (o->welch && !row->effect.why[0])
			stats_welch(&row->base.stats, &row->side.stats, 0.95, &row->welch);
	}
	adjust(c, trials, true);
	adjust(c, trials, false);
	for (size_t i = 0; i < c->n_rows; i++) {
		decide(c, &trials[i]);
		note_units(c, &trials[i], boot_cost);
	}
	warn_reach(c, trials);
	add_recovered(c);
	for (size_t i = 0; i < c->n_rows; i++)
		compare_pair_release(&trials[i].pair);
	ranktest_memory_release(&memory);
}
