// SPDX-License-Identifier: GPL-2.0-or-later
/* results/pool: sessions of the same arms and plan as one analysis; boots as units. */
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

#define MOST 40

static void draw(double *v, size_t n, double centre, double spread, unsigned int seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		v[i] = centre + spread * ((double)(seed >> 8 & 0xffff) / 32768 - 1);
	}
}

/* An arm of session @s, in a boot of its own unless @boot is NULL. */
static struct run *make(const char *label, unsigned int s, const char *boot, double centre,
			size_t n)
{
	struct run *r = runs_new(label);
	double v[MOST];

	free(r->id);
	free(r->session);
	free(r->started);
	r->id = xasprintf("id-%s-%u", label, s);
	r->session = xasprintf("s%u", s);
	r->started = xasprintf("2026-02-%02uT08:00:00Z", s + 1);
	runs_add_workload(r, "w", "1111");
	runs_add_target(r, "btrfs", "relatime");
	draw(v, n, centre, 1, 7 + s + (unsigned int)*label);
	runs_series(r, 0, *label == 'p', "w", "btrfs", "*wall", v, n);
	for (size_t i = 0; boot && i < n; i++)
		str_replace(&r->iterations[i].boot_id, boot);
	return r;
}

static void give(struct pool_arm *arm, struct run *r)
{
	arm->runs = xreallocarray(arm->runs, arm->n + 1, sizeof(*arm->runs));
	arm->runs[arm->n++] = r;
}

static void pool_up(struct pool *p, struct pool_arm *arms, size_t n)
{
	pool_make(p, arms, n);
	for (size_t a = 0; a < n; a++)
		free(arms[a].runs);
}

static struct comparison *compare(const struct pool *p, double boot_noise)
{
	struct compare_options o = COMPARE_OPTIONS_INIT;

	o.pool = p;
	o.boot_noise_pct = boot_noise;
	return compare_runs(p->runs, p->n, &o);
}

static bool any_has(const struct strvec *sv, const char *part)
{
	for (size_t i = 0; i < sv->n; i++)
		if (strstr(sv->v[i], part))
			return true;
	return false;
}

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
		give(&arms[0], make("base", s, s ? "b1" : "b0", s ? 150 : 100, 6));
		give(&arms[1], make("patched", s, s ? "b1" : "b0", s ? 165 : 110, 6));
	}
	pool_up(&p, arms, 2);
	assert_int_equal(p.n_sessions, 2);
	assert_int_equal(p.sessions[1].first_seq, 12);
	assert_int_equal(p.sessions[1].first_block, 6);
	assert_int_equal(p.notes.n, 0);
	c = compare(&p, NAN);
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
			struct run *runs[] = { make("base", s, NULL, 100, 8),
					       make("patch", s, NULL, 100, 8) };

			for (size_t a = 0; a < 2; a++) {
				if (s == strict) {
					runs[a]->stopping = looks;
					runs[a]->stopped =
						(struct stopped){ STOPPED_REACHED, 8, 1 };
				}
				give(&arms[a], runs[a]);
			}
		}
		pool_up(&p, arms, 2);
		assert_int_equal(p.n_sessions, 2);
		c = compare(&p, NAN);
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
		struct run *runs[] = { make("base", s, NULL, 100, s ? 20 : 10),
				       make("patch", s, NULL, 100, s ? 20 : 10) };

		for (size_t a = 0; a < 2; a++) {
			runs[a]->stopping = looks;
			runs[a]->stopped = s ? (struct stopped){ STOPPED_BUDGET, 20, 3 } :
					       (struct stopped){ STOPPED_TIME, 10, 1 };
			give(&arms[a], runs[a]);
		}
	}
	pool_up(&p, arms, 2);
	c = compare(&p, NAN);
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
	give(&arms[0], make("base", 3, NULL, 100, 6));
	give(&arms[1], make("patched", 3, NULL, 110, 6));
	pool_up(&p, arms, 2);
	assert_int_equal(p.n_sessions, 0);
	c = compare(&p, NAN);
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
	give(&arms[0], make("base", 0, NULL, 100, 6));
	give(&arms[0], make("base", 1, NULL, 300, 7));
	give(&arms[1], make("patched", 0, NULL, 110, 6));
	pool_up(&p, arms, 2);
	assert_int_equal(p.n_sessions, 0);
	assert_int_equal(p.runs[0]->n_iterations, 6);
	assert_string_equal(p.runs[0]->id, "id-base-0");
	assert_true(any_has(&p.notes, "The session of 2026-02-02T08:00:00Z has base only, so that its "
			    "blocks carry no information: 7 iterations left out."));
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
		give(&arms[0], make("base", s, NULL, 100, 8));
		give(&arms[1], make("patched", s, NULL, 110, 8));
	}
	give(&arms[2], make("pother", 1, NULL, 110, 8));
	pool_up(&p, arms, 3);
	c = compare(&p, NAN);
	assert_int_equal(c->n_rows, 2);
	assert_float_equal(c->rows[0].effect.p, 2 / 65536.0, 1e-12);
	assert_float_equal(c->rows[1].effect.p, 2 / 256.0, 1e-12);
	assert_true(any_has(&c->rows[1].notes, "8 values without a partner in their block"));
	pool_release(&p);
}

static void check_obstacle(struct run *b, const char *want)
{
	__cleanup_run struct run *a = make("base", 0, NULL, 100, 6);
	const char *why = pool_obstacle(a, b);

	if (!str_eq(why, want))
		fail_msg("'%s', not '%s'", why ? why : "(none)", want ? want : "(none)");
	run_free(b);
}

static struct run *other_host(const char *key, const char *value)
{
	struct run *r = make("base", 1, NULL, 100, 6);

	kv_set(&r->host, key, value);
	return r;
}

static struct run *changed(void (*change)(struct run *r))
{
	struct run *r = make("base", 1, NULL, 100, 6);

	change(r);
	return r;
}

static void set_mkfs(struct run *r)
{
	str_replace(&r->targets[0].mkfs, "mkfs.btrfs -f -n 4k /dev/loop0");
}

static void set_loop(struct run *r)
{
	str_replace(&r->targets[0].mkfs, "mkfs.btrfs -f /dev/loop9");
}

static void set_device(struct run *r)
{
	str_replace(&r->targets[0].device, "image x 8 GiB");
}

static void set_digest(struct run *r)
{
	str_replace(&r->workloads[0].digest, "2222");
}

static void set_name(struct run *r)
{
	str_replace(&r->workloads[0].name, "v");
}

static void set_more(struct run *r)
{
	runs_add_workload(r, "v", "3333");
}

static void set_mount(struct run *r)
{
	kv_set(&r->settings, "mount", "noatime");
}

static void set_varied(struct run *r)
{
	strvec_push(&r->varied, "mount");
}

static void set_session(struct run *r)
{
	str_replace(&r->session, "s0");
}

static void set_unknown(struct run *r)
{
	kv_release(&r->host);
}

static void only_the_same_is_pooled(void **state)
{
	__cleanup_run struct run *a = make("base", 0, NULL, 100, 6);
	__cleanup_run struct run *b = make("base", 1, NULL, 100, 6);

	(void)state;
	check_obstacle(make("base", 1, NULL, 100, 12), NULL);
	check_obstacle(changed(set_loop), NULL);
	check_obstacle(other_host("cpu.governor", "schedutil"), NULL);
	check_obstacle(other_host("machine.id", "x"), "another machine");
	check_obstacle(changed(set_unknown), "which machine it was is not known");
	check_obstacle(other_host("kernel.build_id", "x"), "another kernel");
	check_obstacle(other_host("kernel.config_hash", "x"), "another kernel");
	check_obstacle(changed(set_mkfs), "another plan: other targets, mkfs or mount options");
	check_obstacle(changed(set_device), "another plan: other targets, mkfs or mount options");
	check_obstacle(changed(set_digest), "another job file");
	check_obstacle(changed(set_name), "other workloads");
	check_obstacle(changed(set_more), "other workloads");
	check_obstacle(changed(set_mount), "another plan: other settings of the arm");
	check_obstacle(changed(set_varied), "another plan: other settings of the arm");
	check_obstacle(changed(set_session), "the same session again");
	/* Two kernels of which nothing but a name is known are not one. */
	for (size_t i = 0; i < 2; i++) {
		struct run *r = i ? b : a;

		kv_release(&r->host);
		kv_set(&r->host, "machine.id", "m");
		kv_set(&r->host, "kernel.release", "6.18");
	}
	assert_string_equal(pool_obstacle(a, b), "which kernel it was is not known");
}

static void rejects_are_named(void **state)
{
	struct pool_arm arms[2] = { { NULL, 0 } };
	struct pool p = POOL_INIT;

	(void)state;
	for (unsigned int s = 0; s < 3; s++) {
		give(&arms[0], make("base", s, NULL, 100, 6));
		if (s < 2)
			set_digest(arms[0].runs[s]);
	}
	give(&arms[1], make("patched", 2, NULL, 100, 6));
	pool_up(&p, arms, 2);
	assert_int_equal(p.runs[0]->n_iterations, 6);
	assert_true(any_has(&p.notes, "Not pooled: 2 earlier results called base: another job file"));
	pool_release(&p);
}

static void a_mixed_environment_is_said(void **state)
{
	struct pool_arm arms[2] = { { NULL, 0 } };
	__cleanup_comparison struct comparison *c = NULL;
	struct pool p = POOL_INIT;

	(void)state;
	for (unsigned int s = 0; s < 2; s++) {
		give(&arms[0], make("base", s, NULL, 100, 6));
		give(&arms[1], make("patched", s, NULL, 110, 6));
		for (size_t a = 0; s && a < 2; a++)
			kv_set(&arms[a].runs[1]->host, "cpu.governor", "schedutil");
	}
	/* A byte more or less of memory is none. */
	kv_set(&arms[0].runs[1]->host, "memory.total", "32874000");
	pool_up(&p, arms, 2);
	assert_int_equal(p.notes.n, 2);
	assert_true(any_has(&p.notes, "Mixed environment: CPU governor of base changed between its "
			    "sessions: performance | schedutil."));
	c = compare(&p, NAN);
	assert_int_equal(c->n_claims, 0);
	assert_true(any_has(&c->warnings, "Mixed environment: CPU governor of patched"));
	pool_release(&p);
}

/* @n boots a side in sessions of their own; @turns: they took turns. */
static struct comparison *bare_metal(struct pool *p, unsigned int n, bool turns, double noise)
{
	struct pool_arm arms[2] = { { NULL, 0 } };

	for (unsigned int s = 0; s < 2 * n; s++) {
		unsigned int arm = turns ? s & 1 : s >= n;
		__cleanup_free char *boot = xasprintf("boot-%u", s);
		struct run *r = make(arm ? "patched" : "base", s, boot, arm ? 110 : 100, 6);

		if (arm)
			kv_set(&r->host, "kernel.build_id", "other");
		give(&arms[arm], r);
	}
	pool_up(p, arms, 2);
	return compare(p, noise);
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
		struct run *r = make(s & 1 ? "patched" : "base", s, boot,
				     (s & 1 ? 130 : 100) + 10 * sin(s / 4.0), 3);

		if (s & 1)
			kv_set(&r->host, "kernel.build_id", "other");
		give(&arms[s & 1], r);
	}
	pool_up(&p, arms, 2);
	c = compare(&p, NAN);
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

		give(&arms[0], make("base", s, a, 100 + 20 * s, 3));
		give(&arms[1], make("patched", s, b, 1.1 * (100 + 20 * s), 3));
		kv_set(&arms[1].runs[s]->host, "kernel.build_id", "other");
		for (size_t i = 0; i < 2; i++)
			strvec_push(&arms[i].runs[s]->varied, "kernel");
	}
	pool_up(&p, arms, 2);
	c = compare(&p, NAN);
	assert_int_equal(c->rows[0].base.units, 8);
	assert_float_equal(c->rows[0].effect.p, 2 / 256.0, 1e-12);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
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
		cmocka_unit_test(blocks_without_an_arm_are_counted),
		cmocka_unit_test(only_the_same_is_pooled),
		cmocka_unit_test(rejects_are_named),
		cmocka_unit_test(a_mixed_environment_is_said),
		cmocka_unit_test(boots_that_take_turns_are_units),
		cmocka_unit_test(boot_noise_widens),
		cmocka_unit_test(neighbours_that_are_alike_forbid_a_verdict),
		cmocka_unit_test(sessions_are_the_blocks_of_boots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
