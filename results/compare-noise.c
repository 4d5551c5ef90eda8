// SPDX-License-Identifier: GPL-2.0-or-later
/* What the plan and the noise of earlier A/A sessions mean for the words. */
#include "results/compare-internal.h"

#include "lib/mem.h"
#include "results/noise.h"

#include <math.h>
#include <string.h>

void compare_set_level(struct comparison *c, struct run *const *runs)
{
	c->alpha = VERDICT_ALPHA;
	for (size_t i = 0; i < c->n_arms; i++) {
		const struct run *r = runs[i];
		double level = stopping_level(&r->stopping, &r->stopped, run_rule_units(r));

		if (level < c->alpha)
			c->alpha = level;
		if (!c->stopping)
			c->stopping = stopping_text(&r->stopping, &r->stopped, run_rule_units(r));
	}
}

/* Were these the same arm under two names? */
static bool is_aa(const struct comparison *c, struct run *const *runs)
{
	for (size_t i = 0; i < c->n_arms; i++)
		if (!runs[i]->aa)
			return false;
	return c->n_arms > 1 && compare_one_session(runs, c->n_arms);
}

/* The floor of @r's side of a row; pct NaN when there is none. */
static struct noise_floor floor_of(const struct noise *noise, const struct run *r,
				   const struct compare_row *row)
{
	struct noise_floor floor = { .pct = NAN };
	struct noise_cell cell;

	if (!noise_cell_of(r, row->workload, row->target, &cell))
		return floor;
	noise_floor(noise, &cell, row->metric.name, &floor);
	noise_cell_release(&cell);
	return floor;
}

static void set_delta(struct compare_row *row, const struct noise_floor *floor, bool given)
{
	__cleanup_free char *what = NULL;

	if (!(floor->pct > row->delta_pct))
		return;
	what = xasprintf("noise floor of an A/A on %.10s, %zu session%s", floor->date,
			 floor->sessions, floor->sessions == 1 ? "" : "s");
	if (given) {
		strvec_pushf(&row->notes, "smallest effect %.3g %%: --delta wins over the %.3g %% of "
			     "the %s", row->delta_pct, floor->pct, what);
		return;
	}
	row->delta_pct = floor->pct;
	strvec_pushf(&row->notes, "smallest effect %.3g %%: %s", floor->pct, what);
}

void compare_set_deltas(struct comparison *c, struct run *const *runs,
			const struct compare_options *o)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		struct compare_row *row = &c->rows[i];
		struct noise_floor base, arm;

		row->delta_pct = o->delta_pct;
		if (!o->noise || !o->noise->n)
			continue;
		base = floor_of(o->noise, runs[0], row);
		arm = floor_of(o->noise, runs[row->arm], row);
		set_delta(row, arm.pct > base.pct || isnan(base.pct) ? &arm : &base,
			  o->delta_given);
		c->delta_varies |= row->delta_pct > c->delta_pct;
	}
	if (is_aa(c, runs))
		strvec_push(&c->warnings, "Both arms are the same (A/A): what is called real here is "
			    "a false alarm.");
}
