// SPDX-License-Identifier: GPL-2.0-or-later
/* One metric: false positives, power, coverage. */
#include <math.h>

#include "bench/experiment.h"
#include "bench/judge.h"
#include "lib/mem.h"

static void count(const struct judged *row, struct tally *t)
{
	t->rows++;
	t->contradictions += row->contradiction;
}

/* Sums: claims of a difference that is not there. */
static void false_round(const struct experiment *e, gsl_rng *rng, struct tally *t)
{
	struct session s;
	struct judged row;

	session_draw(rng, &e->scene, 1, &s);
	judge(&s, 1, &row);
	count(&row, t);
	t->sum[0] += judge_claims(&row);
}

/* Sums: found, true difference in the interval, found with the wrong sign. */
static void power_round(const struct experiment *e, gsl_rng *rng, struct tally *t)
{
	double truth = scene_shift(&e->scene);
	struct ranktest_interval ci;
	struct ranktest_input in;
	struct session s;
	struct judged row;
	bool found;

	session_draw(rng, &e->scene, 1, &s);
	judge(&s, 1, &row);
	count(&row, t);
	in = session_input(&s, 0, s.units);
	judge_interval(&in, 1 - VERDICT_ALPHA, &ci);
	found = row.test.p <= VERDICT_ALPHA;
	t->sum[0] += found;
	t->sum[1] += ci.lo <= truth && truth <= ci.hi;
	t->sum[2] += found && row.test.shift * truth <= 0;
}

/* Sums: SAME. */
static void same_round(const struct experiment *e, gsl_rng *rng, struct tally *t)
{
	struct session s;
	struct judged row;

	session_draw(rng, &e->scene, 1, &s);
	judge(&s, 1, &row);
	count(&row, t);
	t->sum[0] += row.verdict.word == VERDICT_SAME;
}

#define FALSE_IN(kind, plan, n)							\
	{									\
		.section = "No difference: claims",				\
		.scene = { .noise = kind, .order = plan, .units = n },		\
		.round = false_round,						\
		.figures = {							\
			{ "a difference is claimed", BOUND_MOST, 5, 0, false },	\
		},								\
	}

#define FALSE(kind)								\
	FALSE_IN(kind, ORDER_DEFAULT, 6), FALSE_IN(kind, ORDER_DEFAULT, 8),	\
	FALSE_IN(kind, ORDER_DEFAULT, 10), FALSE_IN(kind, ORDER_DEFAULT, 20)

/*
 * @found: power in per cent of the same test in an independent implementation, from so many
 * simulated sessions; bench/power-reference.py is one.
 */
#define POWER_OF(title, kind, plan, n, size, found, sessions)			\
	{									\
		.section = title,						\
		.scene = {							\
			.noise = kind, .order = plan, .units = n, .effect = size,	\
		},								\
		.round = power_round,						\
		.figures = {							\
			{ "found", BOUND_LEAST, found, sessions, false },	\
			{ "interval holds it", BOUND_LEAST, 95, 0, false },	\
		},								\
	}

#define POWER2(kind, plan, n, found) \
	POWER_OF("A difference of -2 %", kind, plan, n, -0.02, found, 3000)
#define POWER5(kind, plan, n, found) \
	POWER_OF("A difference of -5 %", kind, plan, n, -0.05, found, 20000)

static const struct experiment experiments[] = {
	FALSE(NOISE_LN1),
	FALSE(NOISE_LN3),
	FALSE(NOISE_LN10),
	FALSE(NOISE_BIMODAL),
	FALSE(NOISE_OUTLIER),
	FALSE(NOISE_DRIFT),
	FALSE(NOISE_AR1),
	FALSE(NOISE_COARSE),
	/* What else a plan can be: pairs of few units, a last block that is smaller. */
	FALSE_IN(NOISE_LN3, ORDER_PAIRS, 6),
	FALSE_IN(NOISE_AR1, ORDER_PAIRS, 8),
	FALSE_IN(NOISE_AR1, ORDER_DEFAULT, 7),
	FALSE_IN(NOISE_DRIFT, ORDER_DEFAULT, 9),

	POWER2(NOISE_LN1, ORDER_PAIRS, 6, 61),
	POWER2(NOISE_LN1, ORDER_FOURS, 6, 79),
	POWER2(NOISE_LN3, ORDER_PAIRS, 10, 24),
	POWER2(NOISE_LN3, ORDER_FOURS, 10, 27),
	POWER2(NOISE_LN3, ORDER_FOURS, 20, 50),
	POWER2(NOISE_BIMODAL, ORDER_PAIRS, 10, 43),
	POWER2(NOISE_BIMODAL, ORDER_FOURS, 10, 48),
	POWER2(NOISE_BIMODAL, ORDER_FOURS, 20, 78),
	POWER2(NOISE_OUTLIER, ORDER_PAIRS, 10, 88),
	POWER2(NOISE_OUTLIER, ORDER_FOURS, 10, 90),
	POWER2(NOISE_DRIFT, ORDER_PAIRS, 6, 61),
	POWER2(NOISE_DRIFT, ORDER_FOURS, 6, 71),
	POWER2(NOISE_DRIFT, ORDER_FOURS, 10, 97),
	POWER2(NOISE_AR1, ORDER_PAIRS, 10, 60),
	POWER2(NOISE_AR1, ORDER_FOURS, 10, 53),
	POWER2(NOISE_AR1, ORDER_PAIRS, 20, 93),

	POWER5(NOISE_LN3, ORDER_DEFAULT, 6, 65),
	POWER5(NOISE_LN3, ORDER_DEFAULT, 8, 83),
	POWER5(NOISE_LN3, ORDER_DEFAULT, 10, 90),
	POWER5(NOISE_LN10, ORDER_DEFAULT, 10, 16),
	POWER5(NOISE_LN10, ORDER_DEFAULT, 20, 32),
	POWER5(NOISE_BIMODAL, ORDER_DEFAULT, 6, 38),
	POWER5(NOISE_BIMODAL, ORDER_DEFAULT, 10, 61),
	POWER5(NOISE_OUTLIER, ORDER_DEFAULT, 6, 81),
	POWER5(NOISE_OUTLIER, ORDER_DEFAULT, 10, 98),
	POWER5(NOISE_AR1, ORDER_DEFAULT, 6, 93),
	POWER5(NOISE_AR1, ORDER_DEFAULT, 10, 100),

	{
		.section = "A difference too small for its noise",
		.scene = { .noise = NOISE_LN10, .units = 10, .effect = -0.005 },
		.round = power_round,
		.figures = {
			{ "found", BOUND_NONE, 0, 0, false },
			{ "interval holds it", BOUND_LEAST, 95, 0, false },
			{ "found with the wrong sign", BOUND_MOST, 2.5, 0, false },
		},
	},
	{
		.section = "A difference of the smallest size of interest",
		.scene = { .noise = NOISE_LN1, .units = 20, .effect = 0.01 },
		.round = same_round,
		.figures = { { "called SAME", BOUND_MOST, 5, 0, false } },
	},
	{
		.section = "A difference of the smallest size of interest",
		.scene = { .noise = NOISE_LN1, .units = 30, .effect = -0.01 },
		.round = same_round,
		.figures = { { "called SAME", BOUND_MOST, 5, 0, false } },
	},
};

const struct experiment_table claims_single = { experiments, ARRAY_SIZE(experiments) };
