// SPDX-License-Identifier: GPL-2.0-or-later
/* harness/plan-stop: rules that end a run, and one arm twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "tests/unit/plan-fixture.h"
#include "tests/unit/scratch.h"

static void no_rule(void **state)
{
	__cleanup_planned struct planned t = { 0 };

	plan_test_ok(state, &t, "-w a --arm x --arm y -n 12");
	assert_int_equal(t.p.stopping.rule, STOPPING_FIXED);
}

/* Pairs, as many as may be needed, whatever the jobs say. */
static void until_width(void **state)
{
	__cleanup_planned struct planned usual = { 0 }, most = { 0 };

	plan_test_ok(state, &usual, "-w a,b --arm x --arm y --until-width 1%");
	assert_int_equal(usual.p.stopping.rule, STOPPING_WIDTH);
	assert_int_equal(usual.p.stopping.first, 10);
	assert_int_equal(usual.p.n_steps, 2 * 2 * 40);
	plan_test_ok(state, &most, "-w c --arm x --arm y --until-width 2 -n 12 --max-time 5m");
	assert_true(most.p.stopping.width_pct == 2);
	assert_int_equal(most.p.stopping.max_time_s, 300);
	assert_int_equal(most.p.n_steps, 2 * 2 + 2 * 12);
	/* Units are done with the last step of a block only, and warm-ups are none. */
	for (size_t i = 0; i < most.p.n_steps; i++)
		assert_int_equal(plan_units_after(&most.p, i), i < 4 || i % 2 == 0 ? 0 :
				 (i - 4) / 2 + 1);
}

static void until_decided(void **state)
{
	static const double alpha[] = { 0.005, 0.010, 0.015, 0.020 };
	__cleanup_planned struct planned t = { 0 }, two = { 0 };

	plan_test_ok(state, &t, "-w a,b --arm x --arm y --until-decided");
	assert_int_equal(t.p.n_steps, 2 * 2 * 40);
	assert_int_equal(t.p.steps[t.p.n_steps - 1].block, 19);
	assert_int_equal(t.p.stopping.n_looks, 4);
	for (size_t i = 0; i < 4; i++)
		assert_float_equal(t.p.stopping.looks[i].alpha, alpha[i], 1e-15);
	for (size_t i = 0; i < t.p.n_steps; i++)
		assert_int_equal(plan_units_after(&t.p, i), i % 8 == 7 ? (i + 1) / 4 : 0);
	plan_test_ok(state, &two, "-w a --arm x --arm y --until-decided --looks 10,30");
	assert_int_equal(two.p.stopping.n_looks, 2);
	assert_float_equal(two.p.stopping.looks[0].alpha, 0.05 / 3, 1e-15);
	assert_int_equal(two.p.n_steps, 2 * 30);
}

/* 2 / C(4, 2)^(n / 2) in blocks of 2 + 2, 2 / 2^n in pairs. */
static void smallest_p(void **state)
{
	__cleanup_planned struct planned fours = { 0 }, pairs = { 0 }, odd = { 0 }, one = { 0 };

	plan_test_ok(state, &fours, "-w a --arm x --arm y -n 8");
	assert_float_equal(plan_p_min(&fours.p, fours.p.jobs[0], 8), 2.0 / 1296, 1e-12);
	plan_test_ok(state, &pairs, "-w a --arm x --arm y -n 10");
	assert_float_equal(plan_p_min(&pairs.p, pairs.p.jobs[0], 8), 2.0 / 256, 1e-12);
	plan_test_ok(state, &odd, "-w a --arm x --arm y -n 7");
	assert_float_equal(plan_p_min(&odd.p, odd.p.jobs[0], 7), 2.0 / 432, 1e-12);
	plan_test_ok(state, &one, "-w a");
	assert_true(plan_p_min(&one.p, one.p.jobs[0], 10) == 1);
}

static void first_look_must_be_able_to_end(void **state)
{
	__cleanup_planned struct planned t = { 0 };

	plan_test_add_job(state, "d", "");
	plan_test_refused(state, "-w a,b,c,d --arm x --arm y --until-decided",
		"--until-decided: the first look, after 8 iterations of each arm, cannot end the "
		"run: 4 primary tests need p <= 0.0013 there, and p = 0.0015 is the best that 8 can "
		"reach; --looks 12,20,40 leaves it out");
	plan_test_ok(state, &t, "-w a,b,c,d --arm x --arm y --until-decided --looks 12,20,40");
	plan_test_refused(state, "-w a --arm x --arm y --until-decided --looks 4",
		"--until-decided: the first look, after 4 iterations of each arm, cannot end the "
		"run: 1 primary test needs p <= 0.05 there, and p = 0.056 is the best that 4 can "
		"reach; fewer workloads, targets or arms, or later looks, would do");
}

static void bad_rules(void **state)
{
	static const char looks[] = "even numbers of iterations, each larger than the one before "
				    "(blocks have every arm twice)";
	static const char *const bad[] = { "9", "8,8", "12,8", "x", "0", "-2" };

	plan_test_refused(state, "-w a --until-width 1", "--until-width, --until-decided: need a "
			  "second --arm to compare with");
	plan_test_refused(state, "-w a --arm x --arm y --until-width 1 --until-decided",
			  "--until-width and --until-decided: only one of them");
	plan_test_refused(state, "-w a --arm x --arm y --until-width 1 -n 9",
			  "--until-width: needs at least 10 blocks, since with fewer the width "
			  "itself is too uncertain");
	plan_test_refused(state, "-w a --arm x --arm y --until-decided -n 40",
			  "--until-decided: the last look is the end; so --looks instead of -n or "
			  "--blocks");
	plan_test_refused(state, "-w a --max-time 5m", "--max-time: only together with "
			  "--until-width or --until-decided");
	plan_test_refused(state, "-w a --arm x --arm y --until-width 1 --keep", "--keep: not with "
			  "--until-width and --until-decided, where no iteration is known to be the "
			  "last");
	plan_test_refused(state, "-w a --looks 8", "--looks: only together with --until-decided");
	plan_test_refused(state, "-w a --arm x --arm y --until-width 1 --looks 8",
			  "--looks: only together with --until-decided");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *last = strrchr(bad[i], ',') ? strrchr(bad[i], ',') + 1 : bad[i];
		__cleanup_free char *line = xasprintf("-w a --arm x --arm y --until-decided "
						      "--looks %s", bad[i]);
		__cleanup_free char *want = xasprintf("--looks: '%s': %s", last, looks);
		__cleanup_planned struct planned t = { 0 };

		plan_test_build(state, &t, line);
		assert_string_equal(t.problems.v[0], want);
	}
}

static void label_is(const struct plan *p, size_t arm, const char *want)
{
	__cleanup_free char *label = plan_label(p, arm);

	assert_string_equal(label, want);
}

static void one_arm_twice(void **state)
{
	__cleanup_planned struct planned named = { 0 }, arm = { 0 };

	plan_test_ok(state, &named, "-w a --aa -l lab -n 10 --seed 1");
	assert_int_equal(named.p.n_arms, 2);
	assert_int_equal(named.p.n_steps, 2 * 10);
	label_is(&named.p, 0, "lab");
	label_is(&named.p, 1, "lab-again");
	assert_int_equal(named.p.varied.n, 0);
	plan_test_ok(state, &arm, "-w a --aa -l lab --arm x:mount=ssd");
	label_is(&arm.p, 0, "lab.x");
	label_is(&arm.p, 1, "lab.x-again");
	for (size_t i = 0; i < 2; i++) {
		__cleanup_free char *mount = plan_mount_options(&arm.p, i);

		assert_string_equal(mount, "ssd");
	}
	plan_test_refused(state, "-w a --aa --arm x --arm y",
			  "--aa: measures one arm against itself, but there are 2");
	plan_test_refused(state, "-w a --aa --until-width 1", "--aa: without --until-width and "
			  "--until-decided, so that its sessions are alike");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(no_rule),
		scratch_test(until_width),
		scratch_test(until_decided),
		scratch_test(smallest_p),
		scratch_test(first_look_must_be_able_to_end),
		scratch_test(bad_rules),
		scratch_test(one_arm_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
