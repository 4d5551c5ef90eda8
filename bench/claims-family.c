// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole comparisons of many metrics: what the words claim together. */
#include "bench/experiment.h"
#include "bench/judge.h"
#include "lib/mem.h"

/* Claims among some rows, and those of them that are not true. */
struct claims {
	size_t all, wrong;
};

static struct claims count_claims(const struct experiment *e, const struct judged *rows,
				  size_t from, size_t to)
{
	struct claims c = { 0, 0 };

	for (size_t m = from; m < to; m++) {
		bool changed = m < e->scene.changed;

		if (!judge_claims(&rows[m]))
			continue;
		c.all++;
		c.wrong += !changed || rows[m].test.shift * scene_shift(&e->scene) <= 0;
	}
	return c;
}

/*
 * Sums: a false claim among the primary metrics, the share of false claims among those of
 * the others, and of the changed ones the shares claimed in either family.
 */
static void family_round(const struct experiment *e, gsl_rng *rng, struct tally *t)
{
	struct judged rows[SESSION_METRICS];
	struct claims primary, others;
	size_t both = e->primary < e->scene.changed ? e->primary : e->scene.changed;
	struct session s;

	session_draw(rng, &e->scene, e->metrics, &s);
	judge(&s, e->primary, rows);
	for (size_t m = 0; m < e->metrics; m++) {
		t->rows++;
		t->contradictions += rows[m].contradiction;
	}
	primary = count_claims(e, rows, 0, e->primary);
	others = count_claims(e, rows, e->primary, e->metrics);
	t->sum[0] += primary.wrong > 0;
	if (others.all)
		t->sum[1] += (double)others.wrong / others.all;
	if (both)
		t->sum[2] += (double)(primary.all - primary.wrong) / both;
	if (e->scene.changed > both)
		t->sum[3] += (double)(others.all - others.wrong) / (e->scene.changed - both);
}

#define NO_FIGURE { .what = NULL }
#define ANY { "a false claim, primary", BOUND_MOST, 5, 0, false }
#define SHARE { "false share, exploratory", BOUND_MOST, 5, 0, false }
#define FOUND { "changes found, primary", BOUND_NONE, 0, 0, false }
#define OTHERS_FOUND { "changes found, exploratory", BOUND_NONE, 0, 0, false }

static const char section[] = "Comparisons of 20 metrics with all kinds of noise";

/* One primary metric, as when a job declares one. */
#define ONE_PRIMARY(title, n, together, first, ...)				\
	{									\
		.section = section, .name = title,				\
		.scene = {							\
			.units = n, .mixed = true, .correlation = together,	\
			.changed = first, .effect = first ? -0.05 : 0,		\
		},								\
		.metrics = 20, .primary = 1, .share = n > 10 ? 0.2 : 0.4,	\
		.round = family_round, .figures = { ANY, SHARE, __VA_ARGS__ },	\
	}

#define ALL_PRIMARY(title, n, together, first, ...)				\
	{									\
		.section = section, .name = title,				\
		.scene = {							\
			.units = n, .mixed = true, .correlation = together,	\
			.changed = first, .effect = first ? -0.05 : 0,		\
		},								\
		.metrics = 20, .primary = 20, .share = n > 10 ? 0.2 : 0.4,	\
		.round = family_round, .figures = { ANY, NO_FIGURE, __VA_ARGS__ },	\
	}

static const struct experiment experiments[] = {
	ONE_PRIMARY("1 primary, n=10", 10, 0, 0, NO_FIGURE),
	ONE_PRIMARY("1 primary, rho 0.5, n=10", 10, 0.5, 0, NO_FIGURE),
	ONE_PRIMARY("1 primary, 4 changed, n=10", 10, 0, 4, FOUND, OTHERS_FOUND),
	ONE_PRIMARY("1 primary, rho 0.5, 4 changed, n=20", 20, 0.5, 4, FOUND,
		    OTHERS_FOUND),
	ALL_PRIMARY("all primary, n=10", 10, 0, 0, NO_FIGURE),
	ALL_PRIMARY("all primary, rho 0.9, n=10", 10, 0.9, 0, NO_FIGURE),
	ALL_PRIMARY("all primary, 4 changed, n=10", 10, 0, 4, FOUND),
	ALL_PRIMARY("all primary, n=20", 20, 0, 0, NO_FIGURE),
	ALL_PRIMARY("all primary, rho 0.5, 4 changed, n=20", 20, 0.5, 4, FOUND),
};

const struct experiment_table claims_family = { experiments, ARRAY_SIZE(experiments) };
