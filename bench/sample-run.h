/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FSDELTA_BENCH_SAMPLE_RUN_H
#define FSDELTA_BENCH_SAMPLE_RUN_H

#include "results/run.h"

/*
 * Two runs as the two arms of one session would leave them: pairs in random order, @metrics
 * metrics with @samples samples each (at most SESSION_UNITS), 3 % of noise; in the second
 * run every tenth metric is 5 % lower. The same @seed makes the same runs. The caller frees
 * both.
 */
void sample_runs(unsigned long seed, size_t metrics, size_t samples, struct run *runs[2]);

#endif
