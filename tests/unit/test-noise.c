// SPDX-License-Identifier: GPL-2.0-or-later
/* results/noise and store-noise: what A/A sessions say, and what comparisons make of it. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/compare.h"
#include "results/store-noise.h"
#include "tests/golden/runs.h"
#include "tests/unit/said.h"
#include "tests/unit/scratch.h"

static struct noise_cell cell(const char *host, const char *device)
{
	return (struct noise_cell){
		.host = xstrdup(host), .workload = xstrdup("w"), .digest = xstrdup("d"),
		.fs = xstrdup("btrfs"), .mkfs = xstrdup("mkfs.btrfs"), .mount = xstrdup(""),
		.device = xstrdup(device),
	};
}

static void add_row(struct noise_session *s, const char *metric, bool primary, double pct)
{
	*noise_add_row(s) = (struct noise_row){ xstrdup(metric), primary, pct };
}

/* Sessions with wall changing by +-1, +-2 ... +-@n per cent, and a count that goes wild. */
static void fill(struct noise *n, const char *host, size_t sessions)
{
	for (size_t i = 0; i < sessions; i++) {
		struct noise_session *s = noise_add_session(n);

		s->cell = cell(host, "memory");
		s->id = xasprintf("s%zu", i);
		s->date = xasprintf("2026-02-%02zuT10:00:00Z", i + 1);
		s->kernel = xstrdup("6.1.0");
		s->target = xstrdup("btrfs");
		s->units = 10;
		add_row(s, "wall", true, (i % 2 ? -1.0 : 1.0) * (double)(i + 1));
		add_row(s, "csw", false, 1000);
	}
}

/* Type 7: of 1 ... n, 1 + 0.95 (n - 1); with few, the largest. */
static void many_sessions_make_a_percentile(void **state)
{
	struct noise_cell c = cell("h", "memory");

	(void)state;
	for (size_t sessions = 0; sessions <= 25; sessions++) {
		__cleanup_noise struct noise n = NOISE_INIT;
		struct noise_floor f;

		fill(&n, "h", sessions);
		fill(&n, "other", 30);
		noise_floor(&n, &c, "wall", &f);
		assert_int_equal(f.sessions, sessions);
		if (!sessions)
			assert_true(isnan(f.pct));
		else if (sessions < 20)
			assert_float_equal(f.pct, sessions, 0);
		else
			assert_float_equal(f.pct, 1 + 0.95 * (double)(sessions - 1), 1e-9);
		noise_floor(&n, &c, "csw", &f);
		assert_true(sessions ? f.pct == 1000 : isnan(f.pct));
		noise_floor(&n, &c, "never-seen", &f);
		assert_true(isnan(f.pct));
		assert_int_equal(f.sessions, 0);
	}
	noise_cell_release(&c);
}

static void what_is_another_cell(void **state)
{
	__cleanup_run struct run *r = runs_new("x");
	struct noise_cell a, b;

	(void)state;
	runs_add_workload(r, "w", "d");
	runs_add_target(r, "btrfs", "noatime");
	str_replace(&r->targets[0].device, "memory 4 GiB");
	assert_true(noise_cell_of(r, "w", "btrfs", &a));
	assert_string_equal(a.device, "memory");
	assert_string_equal(a.mount, "noatime");
	str_replace(&r->targets[0].device, "memory 8 GiB");
	assert_true(noise_cell_of(r, "w", "btrfs", &b));
	assert_true(noise_cell_equal(&a, &b));
	noise_cell_release(&b);
	str_replace(&r->targets[0].device, "/dev/disk/by-id/x");
	assert_true(noise_cell_of(r, "w", "btrfs", &b));
	assert_false(noise_cell_equal(&a, &b));
	noise_cell_release(&a);
	noise_cell_release(&b);
	assert_false(noise_cell_of(r, "w", "xfs", &a));
	assert_false(noise_cell_of(r, "v", "btrfs", &a));
	kv_release(&r->host);
	r->host = (struct kv)KV_INIT;
	assert_false(noise_cell_of(r, "w", "btrfs", &a));
}

/* --- the file --- */

static void sessions_accumulate(void **state)
{
	for (size_t i = 1; i <= 3; i++) {
		__cleanup_noise struct noise more = NOISE_INIT, all = NOISE_INIT;
		__cleanup_free char *error = NULL;

		fill(&more, "h", 2);
		assert_int_equal(store_noise_add(*state, &more, &error), 0);
		assert_int_equal(store_noise_load(*state, &all, &error), 0);
		assert_int_equal(all.n, 2 * i);
		assert_string_equal(all.v[1].date, "2026-02-02T10:00:00Z");
		assert_true(noise_cell_equal(&all.v[0].cell, &all.v[2 * i - 1].cell));
		assert_int_equal(all.v[0].units, 10);
		assert_int_equal(all.v[1].n_rows, 2);
		assert_float_equal(all.v[1].rows[0].pct, -2, 0);
		assert_true(all.v[1].rows[0].primary && !all.v[1].rows[1].primary);
	}
}

static void no_file_is_no_noise(void **state)
{
	__cleanup_noise struct noise n = NOISE_INIT;
	__cleanup_free char *error = NULL;

	assert_int_equal(store_noise_load(*state, &n, &error), 0);
	assert_int_equal(n.n, 0);
}

static void a_broken_file_is_left_alone(void **state)
{
	static const char *const broken[] = {
		"", "[]", "{\"schema\":\"fsdelta-noise/2\",\"sessions\":[]}",
		"{\"schema\":\"fsdelta-noise/1\"}", "{\"schema\":\"fsdelta-noise/1\",\"sessions\":[{}]}",
		"{\"schema\":\"fsdelta-noise/1\",\"sessions\":[{\"session\":\"a\",\"date\":\"b\","
		"\"host\":\"h\",\"workload\":\"w\",\"digest\":\"d\",\"device\":\"memory\","
		"\"units\":1,\"rows\":[{\"metric\":\"wall\",\"primary\":true,\"pct\":null}]}]}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		__cleanup_noise struct noise more = NOISE_INIT, all = NOISE_INIT;
		__cleanup_free char *path = scratch_path(state, STORE_NOISE), *error = NULL;
		__cleanup_free char *error2 = NULL;
		__cleanup_strbuf struct strbuf text = STRBUF_INIT;

		scratch_write(state, STORE_NOISE, broken[i]);
		fill(&more, "h", 1);
		assert_true(store_noise_add(*state, &more, &error) < 0);
		assert_non_null(strstr(error, STORE_NOISE));
		assert_true(store_noise_load(*state, &all, &error2) < 0);
		assert_int_equal(all.n, 0);
		assert_int_equal(file_read(path, &text, 0), 0);
		assert_string_equal(strbuf_str(&text), broken[i]);
	}
}

/* What earlier programs wrote. */
static void the_example_is_readable(void **state)
{
	const char *src = getenv("top_srcdir");
	__cleanup_free char *path = xasprintf("%s/results/examples/noise.json", src ? src : ".");
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	__cleanup_noise struct noise n = NOISE_INIT;
	__cleanup_free char *error = NULL;
	struct noise_floor f;

	(void)state;
	assert_int_equal(file_read(path, &text, 0), 0);
	assert_int_equal(store_noise_parse("x", text.buf, text.len, &n, &error), 0);
	assert_int_equal(n.n, 5);
	noise_floor(&n, &n.v[0].cell, "fsync.rate", &f);
	assert_int_equal(f.sessions, 5);
	assert_float_equal(f.pct, 0.7047, 1e-9);
}

/* --- comparisons --- */

static struct run *measured(const char *label, size_t arm, double centre)
{
	struct run *r = runs_new(label);
	double v[12];

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		v[i] = centre + 0.01 * (double)(i * 7 % 12);
	runs_add_workload(r, "w", "d");
	runs_add_target(r, "btrfs", "");
	runs_series(r, 0, arm, "w", "btrfs", "*wall", v, ARRAY_SIZE(v));
	return r;
}

/* A floor of 19.05 % makes a change of 10 % too small to matter. */
static void a_floor_is_the_smallest_effect(void **state)
{
	__cleanup_run struct run *a = measured("a", 0, 100), *b = measured("b", 1, 110);
	struct run *runs[] = { a, b };
	__cleanup_noise struct noise n = NOISE_INIT;
	struct compare_options o = COMPARE_OPTIONS_INIT;
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	fill(&n, "h", 20);
	o.noise = &n;
	c = compare_runs(runs, 2, &o);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED"); /* of another cell */
	assert_float_equal(c->rows[0].delta_pct, 1, 0);
	assert_false(c->delta_varies);
	comparison_free(c);
	for (size_t i = 0; i < n.n; i++) {
		noise_cell_release(&n.v[i].cell);
		assert_true(noise_cell_of(i % 2 ? a : b, "w", "btrfs", &n.v[i].cell));
	}
	c = compare_runs(runs, 2, &o);
	assert_string_equal(c->rows[0].effect.verdict, "SMALL");
	assert_float_equal(c->rows[0].delta_pct, 19.05, 1e-9);
	assert_true(c->delta_varies);
	assert_true(any_has(&c->rows[0].notes, "smallest effect 19.1 %: noise floor of an A/A on "
			    "2026-02-20, 20 sessions"));
	comparison_free(c);
	o.delta_given = true;
	c = compare_runs(runs, 2, &o);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
	assert_true(any_has(&c->rows[0].notes, "smallest effect 1 %: --delta wins over the 19.1 % "));
}

static void changes_are_taken_from_a_comparison(void **state)
{
	__cleanup_run struct run *a = measured("a", 0, 100), *b = measured("b", 1, 102);
	struct run *runs[] = { a, b };
	__cleanup_noise struct noise n = NOISE_INIT;
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	a->aa = b->aa = true;
	c = compare_runs(runs, 2, NULL);
	assert_true(any_has(&c->warnings, "false alarm"));
	assert_int_equal(noise_take(&n, c, a), 1);
	assert_int_equal(n.n, 1);
	assert_int_equal(n.v[0].units, 12);
	assert_int_equal(n.v[0].n_rows, 1);
	assert_true(n.v[0].rows[0].primary);
	assert_float_equal(n.v[0].rows[0].pct, c->rows[0].effect.pct, 0);
	assert_float_equal(n.v[0].rows[0].pct, 2, 0.1);
}

/* p = 2 / 2^12 of twelve pairs, at looks that have less than that, or more. */
static void looks_set_the_level(void **state)
{
	__cleanup_run struct run *a = measured("a", 0, 100), *b = measured("b", 1, 110);
	struct run *runs[] = { a, b };
	struct stopping s = { .rule = STOPPING_DECIDED, .n_looks = 2,
			      .looks = { { 12, 0.0001 }, { 24, 0.03 } } };

	(void)state;
	for (size_t look = 1; look <= 2; look++) {
		__cleanup_comparison struct comparison *c = NULL;

		a->stopping = b->stopping = s;
		a->stopped = b->stopped = (struct stopped){ STOPPED_REACHED, 12, look };
		c = compare_runs(runs, 2, NULL);
		assert_float_equal(c->alpha, s.looks[look - 1].alpha, 0);
		assert_non_null(strstr(c->stopping, "judged at the share of that look"));
		assert_string_equal(c->rows[0].effect.verdict, look == 1 ? "UNTESTABLE" :
				    "REGRESSED");
		/* No interval of these excludes 0 at the first look's level. */
		assert_true(look == 1 ? isinf(c->rows[0].effect.lo) : c->rows[0].effect.lo > 9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_sessions_make_a_percentile),
		cmocka_unit_test(what_is_another_cell),
		scratch_test(sessions_accumulate),
		scratch_test(no_file_is_no_noise),
		scratch_test(a_broken_file_is_left_alone),
		cmocka_unit_test(the_example_is_readable),
		cmocka_unit_test(a_floor_is_the_smallest_effect),
		cmocka_unit_test(changes_are_taken_from_a_comparison),
		cmocka_unit_test(looks_set_the_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
