// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/until.h"

#include "lib/clock.h"
#include "lib/mem.h"
#include "results/compare.h"

#include <math.h>

/* A narrow interval of few values does not count, when others were lost. */
static struct stopping_row row_so_far(const struct stopping *rule, const struct compare_row *row)
{
	size_t units = row->base.units < row->side.units ? row->base.units : row->side.units;

	if (rule->rule == STOPPING_WIDTH && units < rule->first)
		return (struct stopping_row){ row->effect.p, NAN, NAN };
	return (struct stopping_row){ row->effect.p, row->effect.lo, row->effect.hi };
}

/* The primary rows; a cell without any value has none, and then it must not be forgotten. */
static struct stopping_row *primary_rows(const struct session *s, const struct comparison *c,
					 size_t *n)
{
	size_t most = c->n_rows + plan_tests(s->plan);
	struct stopping_row *rows = xcalloc(most, sizeof(*rows));

	*n = 0;
	for (size_t i = 0; i < c->n_rows; i++)
		if (c->rows[i].metric.primary)
			rows[(*n)++] = row_so_far(&s->plan->stopping, &c->rows[i]);
	while (*n < plan_tests(s->plan))
		rows[(*n)++] = (struct stopping_row){ NAN, NAN, NAN };
	return rows;
}

static void look(struct session *s, uint64_t units)
{
	size_t n_arms = s->plan->n_arms, n;
	__cleanup_free struct run **runs = xcalloc(n_arms, sizeof(struct run *));
	__cleanup_free struct stopping_row *rows = NULL;
	__cleanup_comparison struct comparison *c = NULL;

	for (size_t a = 0; a < n_arms; a++)
		runs[a] = s->arms[a].run;
	c = compare_runs(runs, n_arms, NULL);
	rows = primary_rows(s, c, &n);
	stopping_judge(&s->plan->stopping, units, rows, n, &s->stopped);
}

bool until_ends(struct session *s, size_t i)
{
	const struct stopping *rule = &s->plan->stopping;
	uint64_t units = rule->rule == STOPPING_FIXED ? 0 : plan_units_after(s->plan, i);
	uint64_t limit = rule->max_time_s * NSEC_PER_SEC;

	if (!units)
		return false;
	s->stopped.units = units;
	if (stopping_is_look(rule, units))
		look(s, units);
	if (s->stopped.why == STOPPED_NOT && limit && clock_mono_ns() - s->start_ns >= limit)
		s->stopped.why = STOPPED_TIME;
	return s->stopped.why != STOPPED_NOT;
}

char *until_text(const struct session *s)
{
	const struct stopping *rule = &s->plan->stopping;
	unsigned long long units = s->stopped.units;
	bool width = rule->rule == STOPPING_WIDTH;

	switch (s->stopped.why) {
	case STOPPED_REACHED:
		if (width)
			return xasprintf("ended after %llu iterations of each arm: the 95 %% interval "
					 "of every primary metric is within +-%g %%", units,
					 rule->width_pct);
		return xasprintf("ended at look %zu, after %llu iterations of each arm: every primary "
				 "metric is decided at its share of the level, %.3g %%",
				 s->stopped.look, units,
				 100 * rule->looks[s->stopped.look - 1].alpha);
	case STOPPED_BUDGET:
		return xasprintf("ended after all %llu iterations of each arm: %s", units, width ?
				 "an interval is still wider than asked for" :
				 "not every primary metric is decided");
	case STOPPED_TIME:
		return xasprintf("ended after %llu iterations of each arm, since --max-time was over",
				 units);
	case STOPPED_NOT:
		break;
	}
	return NULL;
}
