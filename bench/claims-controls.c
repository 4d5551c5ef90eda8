// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known to be wrong, and must look so here: otherwise the other tables show
 * nothing.
 */
#include "bench/experiment.h"
#include "bench/judge.h"
#include "lib/mem.h"

#define PEEK_FIRST 5

/* One arm after the other. Sums: p <= 0.05 all the same, claims in spite of the order. */
static void sequential_round(const struct experiment *e, gsl_rng *rng, struct tally *t)
{
	struct session s;
	struct judged row;

	session_draw(rng, &e->scene, 1, &s);
	judge(&s, 1, &row);
	t->rows++;
	t->contradictions += row.contradiction;
	t->sum[0] += row.test.p <= VERDICT_ALPHA;
	t->sum[1] += judge_claims(&row);
}

/* Stops as soon as a look after any pair says p <= 0.05. Sums: it does. */
static void peek_round(const struct experiment *e, gsl_rng *rng, struct tally *t)
{
	struct session s;
	struct ranktest r;

	session_draw(rng, &e->scene, 1, &s);
	for (size_t n = PEEK_FIRST; n <= s.units; n++) {
		struct ranktest_input in = session_input(&s, 0, n);

		judge_test(&in, &r);
		if (r.p <= VERDICT_ALPHA) {
			t->sum[0]++;
			break;
		}
	}
}

/* Each metric for itself. Sums: p <= 0.05 in any. */
static void unadjusted_round(const struct experiment *e, gsl_rng *rng, struct tally *t)
{
	bool any = false;
	struct session s;
	struct ranktest r;

	session_draw(rng, &e->scene, e->metrics, &s);
	for (size_t m = 0; m < s.metrics; m++) {
		struct ranktest_input in = session_input(&s, m, s.units);

		judge_test(&in, &r);
		any = any || r.p <= VERDICT_ALPHA;
	}
	t->sum[0] += any;
}

static const char section[] = "Known to be wrong: no difference, and yet";

#define SEQUENTIAL(title, kind, found)						\
	{									\
		.section = section, .name = title,				\
		.scene = { .noise = kind, .order = ORDER_SEQUENTIAL, .units = 10 },	\
		.round = sequential_round,					\
		.figures = {							\
			{ "p <= 0.05", BOUND_LEAST, found, 5000, false },	\
			{ "a difference is claimed", BOUND_MOST, 0, 0, false },	\
		},								\
	}

static const struct experiment experiments[] = {
	SEQUENTIAL("DRIFT, n=10, one arm after the other", NOISE_DRIFT, 83),
	SEQUENTIAL("AR1, n=10, one arm after the other", NOISE_AR1, 36),
	{
		.section = section, .name = "LN3, a look after every pair",
		.scene = { .noise = NOISE_LN3, .order = ORDER_PAIRS, .units = 40 },
		.round = peek_round, .share = 0.5,
		.figures = { { "p <= 0.05", BOUND_LEAST, 20, 0, false } },
	},
	{
		.section = section, .name = "20 metrics, not adjusted, n=20",
		.scene = { .units = 20, .mixed = true },
		.metrics = 20, .round = unadjusted_round, .share = 0.5,
		.figures = { { "p <= 0.05 in any", BOUND_LEAST, 55, 0, false } },
	},
};

const struct experiment_table claims_controls = { experiments, ARRAY_SIZE(experiments) };
