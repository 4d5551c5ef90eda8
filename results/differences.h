/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the arms do not have in common: settings, host, and what was in force on each target.
 * Pure. To know of one more fact, add a line to the table in differences.c.
 *
 * Unknown is not equal: a fact that is recorded in some arms only is a difference.
 */
#ifndef FSDELTA_RESULTS_DIFFERENCES_H
#define FSDELTA_RESULTS_DIFFERENCES_H

#include "results/compare.h"

/*
 * Fills c->differences and c->common from the @c->n_arms runs, and adds sentences about what
 * changed within an arm, or did not change although the plan varies it, to @odd. Needs c->arms
 * and c->varied.
 */
void differences_find(struct comparison *c, struct run *const *runs, struct strvec *odd);
void differences_release(struct comparison *c);

#endif
