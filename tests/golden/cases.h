/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the golden tests render. A new case is a function and a line of the table in cases.c,
 * and `tests/golden.sh --update`.
 */
#ifndef FSDELTA_TESTS_GOLDEN_CASES_H
#define FSDELTA_TESTS_GOLDEN_CASES_H

#include "results/run.h"

#define CASE_MAX_RUNS 4

struct golden_case {
	const char *name;
	/* Makes the runs, the base first, and returns how many. */
	size_t (*make)(struct run **runs);
	bool pool; /* runs of one label, one behind the other, are sessions of an arm */
};

extern const struct golden_case golden_cases[]; /* ends with name NULL */

#endif
