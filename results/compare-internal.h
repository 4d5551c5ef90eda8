/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of compare_runs(), each in its own file; for results/compare*.c only. */
#ifndef FSDELTA_RESULTS_COMPARE_INTERNAL_H
#define FSDELTA_RESULTS_COMPARE_INTERNAL_H

#include "results/compare.h"

/* compare-rows.c: fills c->rows. Needs c->arms. */
void compare_add_rows(struct comparison *c, struct run *const *runs);

/* compare-warnings.c: fills c->warnings. Needs everything else. */
void compare_add_warnings(struct comparison *c, struct run *const *runs);

/* Do all runs come from one invocation, which interleaved them by plan? */
bool compare_one_session(struct run *const *runs, size_t n);

/* Is the job file of @workload known of both runs, and not the same? */
bool compare_text_differs(const struct run *a, const struct run *b, const char *workload);

#endif
