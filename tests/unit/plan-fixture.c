// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/plan-fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "tests/unit/scratch.h"

void planned_release(struct planned *t)
{
	plan_release(&t->p);
	options_release(&t->o);
	strvec_release(&t->problems);
}

void plan_test_add_job(void **state, const char *name, const char *keys)
{
	__cleanup_free char *file = xasprintf("jobs/%s.job", name);
	__cleanup_free char *text = xasprintf("[job]\nsummary = s\ntool = command\n%s"
					    "[params]\nargv = true\n", keys);

	scratch_write(state, file, text);
}

/* The plan of `fsdelta run LINE` in the fixture's folder, on a machine made of it. */
void plan_test_build(void **state, struct planned *t, const char *line)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT, dirs = STRVEC_INIT;
	__cleanup_free char *here = realpath(".", NULL);

	plan_test_add_job(state, "a", "");
	plan_test_add_job(state, "b", "iterations = 3\n");
	plan_test_add_job(state, "c", "iterations = 5\nwarmup = 2\n");
	strvec_push(&argv, "run");
	assert_int_equal(strvec_split_words(&argv, line), 0);
	strvec_pushf(&dirs, "%s/jobs", (char *)*state);
	assert_int_equal(chdir(*state), 0);
	if (options_parse(&t->o, (int)argv.n, argv.v, &t->problems))
		fail_msg("%s", t->problems.v[0]);
	plan_build(&t->p, &t->o, &dirs, *state, &t->problems);
	assert_int_equal(chdir(here), 0);
}

void plan_test_ok(void **state, struct planned *t, const char *line)
{
	plan_test_build(state, t, line);
	if (t->problems.n)
		fail_msg("%s", t->problems.v[0]);
	assert_true(t->p.n_steps > 0);
}

/* @line gives exactly the problem @want, and no steps. */
void plan_test_refused(void **state, const char *line, const char *want)
{
	__cleanup_planned struct planned t = { 0 };

	plan_test_build(state, &t, line);
	if (t.problems.n)
		assert_string_equal(t.problems.v[0], want);
	assert_int_equal(t.problems.n, 1);
	assert_int_equal(t.p.n_steps, 0);
}
