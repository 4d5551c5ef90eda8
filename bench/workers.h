/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FSDELTA_BENCH_WORKERS_H
#define FSDELTA_BENCH_WORKERS_H

#include <stdint.h>

#include "bench/experiment.h"

/* How many rounds an experiment gets when the others get @rounds; at least 1. */
uint64_t workers_rounds(const struct experiment *e, uint64_t rounds);

/*
 * Runs @n experiments in @jobs processes and leaves their sums in @tallies, which must be
 * shared memory. Each experiment has random numbers of its own, made of @seed and its
 * place: the sums do not depend on @jobs. 0, or -errno: a process could not be started, or
 * (-ECHILD) did not come to its end.
 */
int workers_run(const struct experiment *const *v, size_t n, uint64_t seed, uint64_t rounds,
		unsigned int jobs, struct tally *tallies);

#endif
