/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plans for tests, made of a command line in a folder of their own (scratch.h). There are the
 * jobs a, b (3 iterations) and c (5 iterations, 2 warm-ups).
 */
#ifndef FSDELTA_TESTS_UNIT_PLAN_FIXTURE_H
#define FSDELTA_TESTS_UNIT_PLAN_FIXTURE_H

#include "harness/plan.h"

struct planned {
	struct run_options o;
	struct plan p;
	struct strvec problems;
};

void planned_release(struct planned *t);
#define __cleanup_planned __attribute__((cleanup(planned_release)))

void plan_test_add_job(void **state, const char *name, const char *keys);
/* The plan of `fsdelta run LINE` in the fixture's folder, on a machine made of it. */
void plan_test_build(void **state, struct planned *t, const char *line);
/* The same, without problems. */
void plan_test_ok(void **state, struct planned *t, const char *line);
/* @line gives exactly the problem @want, and no steps. */
void plan_test_refused(void **state, const char *line, const char *want);

#endif
