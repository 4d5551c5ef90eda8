/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which metrics a report shows when not asked for all of them. */
#ifndef FSDELTA_REPORTS_SELECT_H
#define FSDELTA_REPORTS_SELECT_H

#include "results/compare.h"

/*
 * Primary metrics, rates, medians and p99 of latencies, and what every workload has: wall, sync
 * and CPU time.
 */
bool metric_is_notable(const struct metric *m);

/* The same, and whatever must not be overlooked: MISSING, or something where nothing was. */
/* Is a row shown? All of them when @all. */
bool row_is_shown(const struct compare_row *row, bool all);
bool row_is_notable(const struct compare_row *row);

#endif
