/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of compare_runs(), each in its own file; for results/compare*.c only. */
#ifndef FSDELTA_RESULTS_COMPARE_INTERNAL_H
#define FSDELTA_RESULTS_COMPARE_INTERNAL_H

#include "results/compare.h"

/* compare-rows.c: fills c->rows. Needs c->arms. */
void compare_add_rows(struct comparison *c, struct run *const *runs);

/*
 * compare-test.c: tests the rows, family by family, and fills row->effect. Needs c->claims, which
 * decide what can be compared at all.
 */
void compare_test_rows(struct comparison *c, struct run *const *runs,
		       const struct compare_options *o);

/* The session (index in c->sessions) that iteration @seq belongs to; 0 when nothing was pooled. */
size_t compare_session_of(const struct comparison *c, uint64_t seq);

/* compare-units.c: what is tested. */
struct compare_units {
	double *value;
	uint64_t *block;
	size_t n;
};

struct compare_pair {
	struct compare_units base, arm;
	bool blocked;	   /* the blocks are those of one plan */
	bool sequential;   /* one side after the other */
	bool few_boots;	   /* of different boots, too few a side to be the units */
	bool by_boot;	   /* the units are boots */
	size_t boots_base, boots_arm;
};

/* Takes no ownership of anything; sets row->base.units and row->side.units. */
void compare_pair_make(const struct comparison *c, struct compare_row *row, bool one_session,
		       struct compare_pair *out);
void compare_pair_release(struct compare_pair *pair);

/* compare-noise.c: the level at which everything is judged, from the plans of the runs. */
void compare_set_level(struct comparison *c, struct run *const *runs);
/* The smallest effect of interest of every row. */
void compare_set_deltas(struct comparison *c, struct run *const *runs,
			const struct compare_options *o);

/* compare-data.c: notes of what the values themselves warn about. Needs row->effect. */
void compare_note_data(const struct comparison *c, struct compare_row *row, bool one_session);

/*
 * compare-shape.c: notes about the shape of the values, which compare_note_data() calls for; and
 * about boots where these are the units. @cost: of a boot, in iterations; NaN: not known.
 */
void compare_note_shape(const struct comparison *c, struct compare_row *row);
void compare_note_boots(const struct comparison *c, struct compare_row *row, double cost);
/* From the durations that are stored. */
double compare_boot_cost(struct run *const *runs, size_t n);

/* compare-claims.c: before the tests, what the arms do not have in common. */
void compare_claim_differences(struct comparison *c, struct run *const *runs,
			       const struct compare_options *o);
/* After them: metrics that contradict each other. */
void compare_claim_conflicts(struct comparison *c);
void compare_claims_release(struct comparison *c);
/* Are base and @arm known to be of different machines, which nobody accepted? */
bool compare_other_machine(const struct comparison *c, size_t arm);

/* Is every iteration of @a's cell before those of @b? Both must have at least two. */
bool compare_ran_before(const struct compare_side *a, const struct compare_side *b);

/* compare-warnings.c: fills c->warnings. Needs everything else. */
void compare_add_warnings(struct comparison *c, struct run *const *runs,
			  const struct compare_options *o, const struct strvec *odd);

/*
 * Has every run a session in common with the first, that is, come from one invocation, which
 * interleaved them by plan?
 */
bool compare_one_session(struct run *const *runs, size_t n);

/* Is the job file of @workload known of both runs, and not the same? */
bool compare_text_differs(const struct run *a, const struct run *b, const char *workload);

#endif
