/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of an iteration, inside its supervisor. See cell.h. */
#ifndef FSDELTA_HARNESS_CELL_WORK_H
#define FSDELTA_HARNESS_CELL_WORK_H

#include "harness/cell.h"
#include "results/outcome.h"

/*
 * Does all steps and undoes them. @life_fd: readable means stop. @dry: print the
 * commands there instead of running them; NULL otherwise. Always sets the facts
 * "outcome" and, unless OK, "reason".
 */
void cell_work(const struct cell *cell, int life_fd, FILE *dry, struct kv *facts);

/* The deadline of the timed window. */
uint64_t cell_timeout_ns(const struct cell *cell);

#endif
