// SPDX-License-Identifier: GPL-2.0-or-later
/* results/pool: sessions of the same arms and plan as one analysis. */
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

/* Six pairs and six more: what one session could not show. */
static void two_sessions_are_one_analysis(void **state)
{
	struct pool_arm arms[2] = { { NULL, 0 } };
	__cleanup_comparison struct comparison *c = NULL;
	struct pool p = POOL_INIT;
	const struct compare_row *row;

	(void)state;
	for (unsigned int s = 0; s < 2; s++) {
		/* The second session is slower as a whole: no effect, and no drift. */
		pool_fixture_give(&arms[0], pool_fixture_run("base", s, s ? "b1" : "b0", s ? 150 : 100, 6));
		pool_fixture_give(&arms[1], pool_fixture_run("patched", s, s ? "b1" : "b0", s ? 165 : 110, 6));
	}
	pool_fixture_pool(&p, arms, 2);
	assert_int_equal(p.n_sessions, 2);
	assert_int_equal(p.sessions[1].first_seq, 12);
	assert_int_equal(p.sessions[1].first_block, 6);
	assert_int_equal(p.notes.n, 0);
	c = pool_fixture_compare(&p, NAN);
	row = &c->rows[0];
	assert_int_equal(row->base.units, 12);
	/* Blocks of equal number are different ones: 12 pairs. */
	assert_float_equal(row->effect.p, 2 / 4096.0, 1e-12);
	assert_string_equal(row->effect.verdict, "REGRESSED");
	assert_true(row->effect.pct > 8 && row->effect.pct < 12);
	for (size_t i = 0; i < row->notes.n; i++)
		assert_null(strstr(row->notes.v[i], "drift"));
	assert_int_equal(c->n_claims, 0);
	assert_int_equal(c->arms[0].ids.n, 2);
	assert_string_equal(c->arms[0].ids.v[1], "id-base-1");
	assert_int_equal(c->arms[0].boots, 2);
	assert_int_equal(c->arms[0].planned, 12);
	assert_true(c->arms[1].complete);
	assert_true(any_has(&c->warnings, "2 sessions (2 of base, 2 of patched; started 2026-02-01"));
	pool_release(&p);
}

/* A second session does not bring back what the first one's looks have spent. */
static void the_strictest_look_stands(void **state)
{
	struct stopping looks = { .rule = STOPPING_DECIDED, .n_looks = 2,
				  .looks = { { 8, 0.005 }, { 20, 0.045 } } };

	(void)state;
	for (unsigned int strict = 0; strict < 2; strict++) {
		struct pool_arm arms[2] = { { NULL, 0 }, { NULL, 0 } };
		struct pool p = POOL_INIT;
		__cleanup_comparison struct comparison *c = NULL;

		for (unsigned int s = 0; s < 2; s++) {
			struct run *runs[] = { pool_fixture_run("base", s, NULL, 100, 8),
					       pool_fixture_run("patch", s, NULL, 100, 8) };

			for (size_t a = 0; a < 2; a++) {
				if (s == strict) {
					runs[a]->stopping = looks;
					runs[a]->stopped =
						(struct stopped){ STOPPED_REACHED, 8, 1 };
				}
				pool_fixture_give(&arms[a], runs[a]);
			}
		}
		pool_fixture_pool(&p, arms, 2);
		assert_int_equal(p.n_sessions, 2);
		c = pool_fixture_compare(&p, NAN);
		assert_float_equal(c->alpha, 0.005, 0);
		pool_release(&p);
	}
}

/* Out of time before its second look, then a longer one that took them all. */
static void a_longer_session_does_not_loosen(void **state)
{
	struct stopping looks = { .rule = STOPPING_DECIDED, .n_looks = 3,
				  .looks = { { 8, 0.005 }, { 12, 0.010 }, { 20, 0.035 } } };
	struct pool_arm arms[2] = { { NULL, 0 }, { NULL, 0 } };
	__cleanup_comparison struct comparison *c = NULL;
	struct pool p = POOL_INIT;

	(void)state;
	for (unsigned int s = 0; s < 2; s++) {
		struct run *runs[] = { pool_fixture_run("base", s, NULL, 100, s ? 20 : 10),
				       pool_fixture_run("patch", s, NULL, 100, s ? 20 : 10) };

		for (size_t a = 0; a < 2; a++) {
			runs[a]->stopping = looks;
			runs[a]->stopped = s ? (struct stopped){ STOPPED_BUDGET, 20, 3 } :
					       (struct stopped){ STOPPED_TIME, 10, 1 };
			pool_fixture_give(&arms[a], runs[a]);
		}
	}
	pool_fixture_pool(&p, arms, 2);
	c = pool_fixture_compare(&p, NAN);
	assert_float_equal(c->alpha, 0.010, 0);
	assert_true(any_has(&c->warnings, "spend 6.5 % together, not 5 %"));
	pool_release(&p);
}

static void one_session_stays_as_it_is(void **state)
{
	struct pool_arm arms[2] = { { NULL, 0 } };
	__cleanup_comparison struct comparison *c = NULL;
	struct pool p = POOL_INIT;

	(void)state;
	pool_fixture_give(&arms[0], pool_fixture_run("base", 3, NULL, 100, 6));
	pool_fixture_give(&arms[1], pool_fixture_run("patched", 3, NULL, 110, 6));
	pool_fixture_pool(&p, arms, 2);
	assert_int_equal(p.n_sessions, 0);
	c = pool_fixture_compare(&p, NAN);
	assert_int_equal(c->rows[0].base.seqs[0], 0);
	assert_int_equal(c->arms[0].ids.n, 1);
	assert_false(any_has(&c->warnings, "session"));
	pool_release(&p);
}

/* What base has alone says nothing about patched. */
static void a_session_of_one_arm_is_left_out(void **state)
{
	struct pool_arm arms[2] = { { NULL, 0 } };
	struct pool p = POOL_INIT;

	(void)state;
	pool_fixture_give(&arms[0], pool_fixture_run("base", 0, NULL, 100, 6));
	pool_fixture_give(&arms[0], pool_fixture_run("base", 1, NULL, 300, 7));
	pool_fixture_give(&arms[1], pool_fixture_run("patched", 0, NULL, 110, 6));
	pool_fixture_pool(&p, arms, 2);
	assert_int_equal(p.n_sessions, 0);
	assert_int_equal(p.runs[0]->n_iterations, 6);
	assert_string_equal(p.runs[0]->id, "id-base-0");
	assert_true(any_has(&p.notes, "The session of 2026-02-02T08:00:00Z has base only, so that its "
			    "blocks carry no information: 7 iterations left out."));
	pool_release(&p);
}

/* A label such as "default" is in many sessions: they are one sentence. */
static void many_such_sessions_are_one_note(void **state)
{
	struct pool_arm arms[2] = { { NULL, 0 } };
	struct pool p = POOL_INIT;

	(void)state;
	pool_fixture_give(&arms[0], pool_fixture_run("base", 0, NULL, 100, 6));
	pool_fixture_give(&arms[0], pool_fixture_run("base", 1, NULL, 300, 7));
	pool_fixture_give(&arms[0], pool_fixture_run("base", 2, NULL, 300, 5));
	pool_fixture_give(&arms[1], pool_fixture_run("patched", 2, NULL, 110, 6));
	pool_fixture_pool(&p, arms, 2);
	assert_int_equal(p.notes.n, 1);
	assert_string_equal(p.notes.v[0],
			    "The sessions of 2026-02-01T08:00:00Z, 2026-02-02T08:00:00Z have base "
			    "only, so that their blocks carry no information: 13 iterations left "
			    "out.");
	pool_release(&p);
}

/* Three arms, of which one was not there the first time: its blocks are dropped in its rows. */
static void blocks_without_an_arm_are_counted(void **state)
{
	struct pool_arm arms[3] = { { NULL, 0 } };
	__cleanup_comparison struct comparison *c = NULL;
	struct pool p = POOL_INIT;

	(void)state;
	for (unsigned int s = 0; s < 2; s++) {
		pool_fixture_give(&arms[0], pool_fixture_run("base", s, NULL, 100, 8));
		pool_fixture_give(&arms[1], pool_fixture_run("patched", s, NULL, 110, 8));
	}
	pool_fixture_give(&arms[2], pool_fixture_run("pother", 1, NULL, 110, 8));
	pool_fixture_pool(&p, arms, 3);
	c = pool_fixture_compare(&p, NAN);
	assert_int_equal(c->n_rows, 2);
	assert_float_equal(c->rows[0].effect.p, 2 / 65536.0, 1e-12);
	assert_float_equal(c->rows[1].effect.p, 2 / 256.0, 1e-12);
	assert_true(any_has(&c->rows[1].notes, "8 values without a partner in their block"));
	pool_release(&p);
}

static void a_mixed_environment_is_said(void **state)
{
	struct pool_arm arms[2] = { { NULL, 0 } };
	__cleanup_comparison struct comparison *c = NULL;
	struct pool p = POOL_INIT;

	(void)state;
	for (unsigned int s = 0; s < 2; s++) {
		pool_fixture_give(&arms[0], pool_fixture_run("base", s, NULL, 100, 6));
		pool_fixture_give(&arms[1], pool_fixture_run("patched", s, NULL, 110, 6));
		for (size_t a = 0; s && a < 2; a++)
			kv_set(&arms[a].runs[1]->host, "cpu.governor", "schedutil");
	}
	/* A byte more or less of memory is none. */
	kv_set(&arms[0].runs[1]->host, "memory.total", "32874000");
	pool_fixture_pool(&p, arms, 2);
	assert_int_equal(p.notes.n, 2);
	assert_true(any_has(&p.notes, "Mixed environment: CPU governor of base changed between its "
			    "sessions: performance | schedutil."));
	c = pool_fixture_compare(&p, NAN);
	assert_int_equal(c->n_claims, 0);
	assert_true(any_has(&c->warnings, "Mixed environment: CPU governor of patched"));
	pool_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_sessions_are_one_analysis),
		cmocka_unit_test(the_strictest_look_stands),
		cmocka_unit_test(a_longer_session_does_not_loosen),
		cmocka_unit_test(one_session_stays_as_it_is),
		cmocka_unit_test(a_session_of_one_arm_is_left_out),
		cmocka_unit_test(many_such_sessions_are_one_note),
		cmocka_unit_test(blocks_without_an_arm_are_counted),
		cmocka_unit_test(a_mixed_environment_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
