// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules that end a run by what was measured so far, laid over the engine. */
#include <math.h>

#include "bench/experiment.h"
#include "bench/judge.h"
#include "lib/mem.h"
#include "results/multiple.h"
#include "results/stopping.h"

static const struct stopping decided_plan = {
	.rule = STOPPING_DECIDED,
	.looks = { { 8, 0.005 }, { 12, 0.010 }, { 20, 0.015 }, { 40, 0.020 } },
	.n_looks = 4,
};

static bool holds(const struct ranktest_interval *ci, double truth)
{
	return ci->lo <= truth && truth <= ci->hi;
}

/*
 * Until the half width of the 95 % interval is small enough: looks at the width only, never
 * before 10 blocks. Sums: p <= 0.05, true difference in the interval, units a side.
 */
static void width_round(const struct experiment *e, gsl_rng *rng, struct tally *t)
{
	struct stopping plan = { .rule = STOPPING_WIDTH, .width_pct = e->width_pct,
				 .first = STOPPING_FIRST };
	struct stopped end = { .why = STOPPED_NOT };
	struct ranktest_interval ci;
	struct ranktest_input in;
	struct session s;
	struct ranktest r;

	session_draw(rng, &e->scene, 1, &s);
	plan.most = s.units;
	for (size_t n = plan.first; end.why == STOPPED_NOT; n++) {
		struct stopping_row row;

		in = session_input(&s, 0, n);
		judge_interval(&in, 0.95, &ci);
		row = (struct stopping_row){ NAN, ci.pct_lo, ci.pct_hi };
		stopping_judge(&plan, n, &row, 1, &end);
	}
	judge_test(&in, &r);
	t->sum[0] += r.p <= VERDICT_ALPHA;
	t->sum[1] += holds(&ci, scene_shift(&e->scene));
	t->sum[2] += end.units;
}

/* Does the run end after @units? Notes whether any metric is decided then, under Holm. */
static bool ends(const struct session *s, size_t units, struct stopped *end, bool *claim)
{
	struct stopping_row rows[SESSION_METRICS];
	double p[SESSION_METRICS], level;
	struct ranktest r;

	for (size_t m = 0; m < s->metrics; m++) {
		struct ranktest_input in = session_input(s, m, units);

		judge_test(&in, &r);
		rows[m] = (struct stopping_row){ r.p, NAN, NAN };
		p[m] = r.p;
	}
	if (!stopping_judge(&decided_plan, units, rows, s->metrics, end))
		return false;
	level = stopping_level(&decided_plan, end, units);
	multiple_holm(p, s->metrics, p);
	for (size_t m = 0; m < s->metrics; m++)
		*claim |= p[m] <= level;
	return true;
}

/*
 * Until decided, at looks fixed before. Sums: a claim, true difference (of the first metric)
 * in its interval at the level of the last look, units a side.
 */
static void decided_round(const struct experiment *e, gsl_rng *rng, struct tally *t)
{
	struct stopped end = { .why = STOPPED_NOT };
	struct ranktest_interval ci;
	struct ranktest_input in;
	struct session s;
	bool claim = false;

	session_draw(rng, &e->scene, e->metrics, &s);
	for (size_t i = 0; i < decided_plan.n_looks; i++)
		if (ends(&s, decided_plan.looks[i].units, &end, &claim))
			break;
	in = session_input(&s, 0, end.units);
	judge_interval(&in, 1 - stopping_level(&decided_plan, &end, end.units), &ci);
	t->sum[0] += claim;
	t->sum[1] += holds(&ci, scene_shift(&e->scene));
	t->sum[2] += end.units;
}

#define UNITS { "units a side", BOUND_NONE, 0, 0, true }
#define FOUND { "found", BOUND_NONE, 0, 0, false }

static const char width_section[] = "--until-width: from 10 pairs to 40";
static const char decided_section[] = "--until-decided: after 8, 12, 20, 40 units a side";

/* Looking at the width is not free: 6.1 % and 93.9 % are the limits. */
#define WIDTH(title, kind, size, width, part, first)				\
	{									\
		.section = width_section, .name = title,			\
		.scene = {							\
			.noise = kind, .order = ORDER_PAIRS, .units = 40, .effect = size,	\
		},								\
		.width_pct = width, .share = part, .round = width_round,	\
		.figures = {							\
			first,							\
			{ "interval holds it", BOUND_LEAST, 93.9, 0, false },	\
			UNITS,							\
		},								\
	}

#define CLAIM(limit) { "a difference is claimed", BOUND_MOST, limit, 0, false }

#define DECIDED(title, kind, plan, n, size, first)			\
	{									\
		.section = decided_section, .name = title,			\
		.scene = {							\
			.noise = kind, .order = plan, .units = 40,		\
			.effect = size, .changed = size < 0 ? n : 0,		\
		},								\
		.metrics = n, .share = 0.5, .round = decided_round,		\
		.figures = {							\
			first,							\
			{ "interval holds it", BOUND_LEAST, 95, 0, false },	\
			UNITS,							\
		},								\
	}

static const struct experiment experiments[] = {
	WIDTH("LN1, to 1 %", NOISE_LN1, 0, 1, 1, CLAIM(6.1)),
	WIDTH("LN3, to 2 %", NOISE_LN3, 0, 2, 0.5, CLAIM(6.1)),
	WIDTH("LN3, to 1 %", NOISE_LN3, 0, 1, 0.2, CLAIM(6.1)),
	WIDTH("OUTLIER, to 1 %", NOISE_OUTLIER, 0, 1, 1, CLAIM(6.1)),
	WIDTH("BIMODAL, to 2 %", NOISE_BIMODAL, 0, 2, 0.3, CLAIM(6.1)),
	WIDTH("AR1, to 2 %", NOISE_AR1, 0, 2, 0.5, CLAIM(6.1)),
	WIDTH("LN1, to 1 %, -2 %", NOISE_LN1, -0.02, 1, 1, FOUND),
	WIDTH("LN3, to 2 %, -2 %", NOISE_LN3, -0.02, 2, 0.5, FOUND),

	DECIDED("LN1, pairs", NOISE_LN1, ORDER_PAIRS, 1, 0, CLAIM(5)),
	DECIDED("LN3, pairs", NOISE_LN3, ORDER_PAIRS, 1, 0, CLAIM(5)),
	DECIDED("LN3, fours", NOISE_LN3, ORDER_FOURS, 1, 0, CLAIM(5)),
	DECIDED("OUTLIER, pairs", NOISE_OUTLIER, ORDER_PAIRS, 1, 0, CLAIM(5)),
	DECIDED("DRIFT, fours", NOISE_DRIFT, ORDER_FOURS, 1, 0, CLAIM(5)),
	DECIDED("AR1, pairs", NOISE_AR1, ORDER_PAIRS, 1, 0, CLAIM(5)),
	DECIDED("LN3, pairs, 20 metrics", NOISE_LN3, ORDER_PAIRS, 20, 0, CLAIM(5)),
	DECIDED("LN3, pairs, -2 %", NOISE_LN3, ORDER_PAIRS, 1, -0.02, FOUND),
	DECIDED("LN1, fours, -2 %", NOISE_LN1, ORDER_FOURS, 1, -0.02, FOUND),
};

const struct experiment_table claims_stopping = { experiments, ARRAY_SIZE(experiments) };
