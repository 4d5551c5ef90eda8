/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress of a run on standard error: one line that is rewritten on a terminal, one
 * line an iteration elsewhere.
 */
#ifndef FSDELTA_HARNESS_PROGRESS_H
#define FSDELTA_HARNESS_PROGRESS_H

#include "harness/plan.h"
#include "results/run.h"

struct progress {
	const struct plan *plan;
	bool quiet, tty;
	uint64_t start_ns, step_ns;
	size_t done;
	struct progress_cell {
		uint64_t ns;
		size_t n;
	} *cells; /* time spent, by job and target */
};

void progress_start(struct progress *p, const struct plan *plan, bool quiet);
void progress_step(struct progress *p, const struct plan_step *s);
void progress_done(struct progress *p, const struct plan_step *s, const struct iteration *it);
void progress_end(struct progress *p);

/* "45s", "3m 20s", "2h 05m"; the caller frees. */
char *progress_duration(uint64_t ns);

#endif
