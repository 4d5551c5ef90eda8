// SPDX-License-Identifier: GPL-2.0-or-later
/* Boots as units, in one session or in several. */
#include "results/pool.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/compare.h"
#include "tests/golden/runs.h"
#include "tests/unit/pool-fixture.h"
#include "tests/unit/said.h"

/* @n boots a side in sessions of their own; @turns: they took turns. */
static struct comparison *bare_metal(struct pool *p, unsigned int n, bool turns, double noise)
{
	struct pool_arm arms[2] = { { NULL, 0 } };

	for (unsigned int s = 0; s < 2 * n; s++) {
		unsigned int arm = turns ? s & 1 : s >= n;
		__cleanup_free char *boot = xasprintf("boot-%u", s);
		struct run *r = pool_fixture_run(arm ? "patched" : "base", s, boot, arm ? 110 : 100, 6);

		if (arm)
			kv_set(&r->host, "kernel.build_id", "other");
		pool_fixture_give(&arms[arm], r);
	}
	pool_fixture_pool(p, arms, 2);
	return pool_fixture_compare(p, noise);
}

static void boots_that_take_turns_are_units(void **state)
{
	__cleanup_comparison struct comparison *c = NULL;
	struct pool p = POOL_INIT;

	(void)state;
	c = bare_metal(&p, 7, true, NAN);
	assert_int_equal(c->rows[0].base.units, 7);
	assert_int_equal(c->rows[0].side.units, 7);
	assert_float_equal(c->rows[0].effect.p, 2 / 3432.0, 1e-12);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
	assert_int_equal(c->arms[0].boots, 7);
	pool_release(&p);
	comparison_free(c);
	c = bare_metal(&p, 7, false, NAN);
	assert_string_equal(c->rows[0].effect.verdict, "UNSURE");
	assert_string_equal(c->rows[0].effect.why, verdict_why_str(VERDICT_WHY_SESSIONS));
	pool_release(&p);
	comparison_free(c);
	c = bare_metal(&p, 3, true, NAN);
	assert_string_equal(c->rows[0].effect.verdict, "UNTESTABLE");
	assert_true(c->rows[0].effect.n_needed == 6);
	pool_release(&p);
}

static void boot_noise_widens(void **state)
{
	__cleanup_comparison struct comparison *c = NULL;
	struct pool p = POOL_INIT;

	(void)state;
	c = bare_metal(&p, 1, true, NAN);
	assert_string_equal(c->rows[0].effect.verdict, "UNSURE");
	assert_string_equal(c->rows[0].effect.why, verdict_why_str(VERDICT_WHY_ONE_BOOT));
	assert_true(c->rows[0].effect.n_needed == 6);
	pool_release(&p);
	comparison_free(c);
	/* 10 % against 1.96 * 1 % * sqrt(2), and against twenty times that. */
	c = bare_metal(&p, 1, true, 1);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
	assert_true(c->rows[0].effect.lo < c->rows[0].effect.pct - 2.77);
	assert_true(c->rows[0].effect.hi > c->rows[0].effect.pct + 2.77);
	assert_true(c->boot_noise_pct == 1);
	pool_release(&p);
	comparison_free(c);
	c = bare_metal(&p, 1, true, 20);
	assert_string_equal(c->rows[0].effect.verdict, "UNSURE");
	assert_string_equal(c->rows[0].effect.why, verdict_why_str(VERDICT_WHY_NOISE));
	pool_release(&p);
	comparison_free(c);
	/* More boots lower it; with enough of them they are the units, and nothing is widened. */
	c = bare_metal(&p, 3, true, 3);
	assert_int_equal(c->rows[0].base.units, 18);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
	pool_release(&p);
	comparison_free(c);
	c = bare_metal(&p, 7, true, 20);
	assert_int_equal(c->rows[0].base.units, 7);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
	pool_release(&p);
}

/* Slow spells that several boots share make a difference look surer than it is. */
static void neighbours_that_are_alike_forbid_a_verdict(void **state)
{
	struct pool_arm arms[2] = { { NULL, 0 } };
	__cleanup_comparison struct comparison *c = NULL;
	struct pool p = POOL_INIT;

	(void)state;
	for (unsigned int s = 0; s < 32; s++) {
		__cleanup_free char *boot = xasprintf("boot-%u", s);
		struct run *r = pool_fixture_run(s & 1 ? "patched" : "base", s, boot,
				     (s & 1 ? 130 : 100) + 10 * sin(s / 4.0), 3);

		if (s & 1)
			kv_set(&r->host, "kernel.build_id", "other");
		pool_fixture_give(&arms[s & 1], r);
	}
	pool_fixture_pool(&p, arms, 2);
	c = pool_fixture_compare(&p, NAN);
	assert_int_equal(c->rows[0].base.units, 16);
	assert_true(c->rows[0].effect.p < 0.01);
	assert_string_equal(c->rows[0].effect.verdict, "UNSURE");
	pool_release(&p);
}

/* Sessions with a boot an arm each: the session is the block. */
static void sessions_are_the_blocks_of_boots(void **state)
{
	struct pool_arm arms[2] = { { NULL, 0 } };
	__cleanup_comparison struct comparison *c = NULL;
	struct pool p = POOL_INIT;

	(void)state;
	for (unsigned int s = 0; s < 8; s++) {
		__cleanup_free char *a = xasprintf("a%u", s), *b = xasprintf("b%u", s);

		pool_fixture_give(&arms[0], pool_fixture_run("base", s, a, 100 + 20 * s, 3));
		pool_fixture_give(&arms[1], pool_fixture_run("patched", s, b, 1.1 * (100 + 20 * s), 3));
		kv_set(&arms[1].runs[s]->host, "kernel.build_id", "other");
		for (size_t i = 0; i < 2; i++)
			strvec_push(&arms[i].runs[s]->varied, "kernel");
	}
	pool_fixture_pool(&p, arms, 2);
	c = pool_fixture_compare(&p, NAN);
	assert_int_equal(c->rows[0].base.units, 8);
	assert_float_equal(c->rows[0].effect.p, 2 / 256.0, 1e-12);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
	pool_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boots_that_take_turns_are_units),
		cmocka_unit_test(boot_noise_widens),
		cmocka_unit_test(neighbours_that_are_alike_forbid_a_verdict),
		cmocka_unit_test(sessions_are_the_blocks_of_boots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
