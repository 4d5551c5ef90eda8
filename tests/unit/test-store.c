// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/store.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/file.h"
#include "lib/mem.h"
#include "results/store-codec.h"
#include "tests/unit/store-fixture.h"

/* --- writing and reading back --- */

static void reads_back_what_was_written(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 3, &w);
	__cleanup_run struct run *going = store_load_ok(dir), *done = NULL;

	store_check_header(going);
	assert_null(going->finished);
	assert_false(going->complete);
	assert_int_equal(going->n_iterations, 3);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	done = store_load_ok(dir);
	store_check_header(done);
	assert_string_equal(done->id, strrchr(dir, '/') + 1);
	assert_string_equal(done->finished, "2026-01-31T12:40:00Z");
	assert_true(done->complete);
	assert_null(done->end_reason);
	assert_int_equal(done->n_iterations, 3);
	for (uint64_t i = 0; i < 3; i++) {
		store_check_iteration(&going->iterations[i], i);
		store_check_iteration(&done->iterations[i], i);
	}
}

/* Journal and result are two forms of one thing. */
static void folding_loses_nothing(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 3, &w);
	__cleanup_free char *journal = store_path(dir, STORE_JOURNAL);
	__cleanup_strbuf struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	__cleanup_run struct run *from_journal = NULL, *from_result = NULL;
	__cleanup_free char *result = NULL;

	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", false, "interrupted"), 0);
	from_journal = store_load_ok(journal);
	from_result = store_load_ok(dir);
	assert_int_equal(store_encode_result(from_journal, &a), 0);
	assert_int_equal(store_encode_result(from_result, &b), 0);
	assert_string_equal(a.buf, b.buf);
	result = store_slurp(dir, STORE_RESULT);
	assert_string_equal(a.buf, result);
	assert_string_equal(from_result->end_reason, "interrupted");
	assert_false(from_result->complete);
}

/* The rule of a plan and its end; in journal and result. */
static void rules_are_kept(void **state)
{
	__cleanup_run struct run *r = store_new_run("rule");
	__cleanup_run struct run *from_journal = NULL, *from_result = NULL;
	__cleanup_free char *dir = NULL, *journal = NULL;
	struct store_writer *w;

	r->aa = true;
	r->stopping = (struct stopping){
		.rule = STOPPING_DECIDED, .n_looks = 2, .max_time_s = 60,
		.looks = { { 8, 0.1 / 3 }, { UINT64_MAX, 0.2 / 3 } },
	};
	assert_int_equal(store_create(*state, r, &w, &dir), 0);
	assert_int_equal(store_stop(w, &(struct stopped){ STOPPED_TIME, 8, 1 }), 0);
	assert_int_equal(store_finish(w, NULL, true, NULL), 0);
	journal = store_path(dir, STORE_JOURNAL);
	from_journal = store_load_ok(journal);
	from_result = store_load_ok(dir);
	for (size_t i = 0; i < 2; i++) {
		const struct run *got = i ? from_result : from_journal;

		assert_true(got->aa && got->complete);
		assert_memory_equal(&got->stopping, &r->stopping, sizeof(r->stopping));
		assert_int_equal(got->stopped.why, STOPPED_TIME);
		assert_int_equal(got->stopped.units, 8);
		assert_int_equal(got->stopped.look, 1);
	}
}

static void widths_are_kept(void **state)
{
	__cleanup_run struct run *r = store_new_run("width"), *got = NULL;
	__cleanup_free char *dir = NULL;
	struct store_writer *w;

	r->stopping = (struct stopping){
		.rule = STOPPING_WIDTH, .width_pct = 0.1, .first = 10, .most = 40,
	};
	assert_int_equal(store_create(*state, r, &w, &dir), 0);
	assert_int_equal(store_finish(w, NULL, false, "interrupted"), 0);
	got = store_load_ok(dir);
	assert_memory_equal(&got->stopping, &r->stopping, sizeof(r->stopping));
	assert_int_equal(got->stopped.why, STOPPED_NOT);
	assert_false(got->aa);
}

static void each_metric_is_declared_once(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 3, &w);
	__cleanup_free char *text = store_slurp(dir, STORE_JOURNAL);
	size_t lines = 0;

	store_abandon(w);
	for (const char *s = text; (s = strstr(s, "{\"type\":\"metric\"")); s++)
		lines++;
	assert_int_equal(lines, 2);
}

/* Cost and content: an append writes its own line and touches nothing else. */
static void an_append_only_adds(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 1, &w);
	size_t growth = 0;

	for (uint64_t seq = 1; seq < 200; seq++) {
		__cleanup_free char *old = seq == 1 || seq == 199 ? store_slurp(dir, STORE_JOURNAL) : NULL;
		__cleanup_free char *new = NULL;

		store_append_seq(w, seq);
		if (!old)
			continue;
		new = store_slurp(dir, STORE_JOURNAL);
		assert_memory_equal(old, new, strlen(old));
		if (!growth)
			growth = strlen(new) - strlen(old);
		/* The numbers have a few digits more. */
		assert_true(strlen(new) - strlen(old) < growth + 16);
	}
	store_abandon(w);
}

static void failures_have_no_samples(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 1, &w);
	struct iteration it;
	__cleanup_run struct run *r = NULL;

	store_fill_iteration(&it, 1);
	it.outcome = OUTCOME_TIMEOUT;
	it.reason = xstrdup("did not end within 5 s");
	assert_int_equal(store_append(w, &it), 0);
	iteration_release(&it);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	r = store_load_ok(dir);
	assert_int_equal(r->n_iterations, 2);
	assert_int_equal(r->iterations[1].outcome, OUTCOME_TIMEOUT);
	assert_string_equal(r->iterations[1].reason, "did not end within 5 s");
	assert_int_equal(r->iterations[1].samples.n, 0);
	assert_int_equal(r->iterations[1].samples.n_hists, 0);
	assert_int_equal(r->load_warnings.n, 0);
}

static void check_number(const char *root, struct value v)
{
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(root, "numbers", 0, &w);
	struct iteration it;
	__cleanup_run struct run *r = NULL;
	const struct sample *s;

	store_fill_iteration(&it, 0);
	samples_add(&it.samples, &store_rate, v);
	assert_int_equal(store_append(w, &it), 0);
	iteration_release(&it);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	r = store_load_ok(dir);
	s = samples_get(&r->iterations[0].samples, "fsync.rate");
	assert_int_equal(s->value.whole, v.whole);
	assert_memory_equal(&s->value.u, &v.u, sizeof(v.u));
}

static void numbers_survive(void **state)
{
	static const uint64_t whole[] = { 0, 1, 9007199254740993ULL, INT64_MAX, UINT64_MAX };
	static const double d[] = {
		0.1, -0.0, 3, -7, 1e300, 5e-324, 1.7976931348623157e308, 1.0 / 3, 1234567890123456789.0,
		1e21,
	};

	for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
		check_number(*state, value_u64(whole[i]));
	for (size_t i = 0; i < ARRAY_SIZE(d); i++)
		check_number(*state, value_double(d[i]));
}

static void not_finite_is_left_out(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 0, &w);
	struct iteration it;
	__cleanup_run struct run *r = NULL;
	__cleanup_free char *text = NULL;

	store_fill_iteration(&it, 0);
	it.samples.v[0].value = value_double(NAN);
	assert_int_equal(store_append(w, &it), 0);
	iteration_release(&it);
	text = store_slurp(dir, STORE_JOURNAL);
	assert_null(strcasestr(text, "nan"));
	store_abandon(w);
	r = store_load_ok(dir);
	assert_null(samples_get(&r->iterations[0].samples, "fsync.rate"));
	assert_non_null(samples_get(&r->iterations[0].samples, "disk.written"));
}

static void bytes_that_are_no_text(void **state)
{
	/* A lone byte, an overlong '/', a surrogate, a cut sequence; then good ones. */
	static const char bad[] = "a\xff" "b\xc0\xaf" "c\xed\xa0\x80" "d\xe2\x82";
	static const char good[] = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7\x01\x7f\n\"\\/";
	__cleanup_run struct run *r = store_new_run("before"), *back = NULL;
	struct store_writer *w;
	__cleanup_free char *dir = NULL;

	kv_set(&r->host, "bad", bad);
	kv_set(&r->host, "good", good);
	kv_set(&r->host, "k\xffy", "v");
	assert_int_equal(store_create(*state, r, &w, &dir), 0);
	assert_int_equal(store_finish(w, NULL, true, "x\xfe"), 0);
	back = store_load_ok(dir);
	assert_string_equal(kv_get(&back->host, "good"), good);
	assert_string_equal(kv_get(&back->host, "bad"),
			    "a\xef\xbf\xbd" "b\xef\xbf\xbd\xef\xbf\xbd"
			    "c\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" "d\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(kv_get(&back->host, "k\xef\xbf\xbdy"), "v");
	assert_string_equal(back->end_reason, "x\xef\xbf\xbd");
	assert_null(back->finished);
}

static void one_metric_has_one_unit(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 1, &w);
	__cleanup_free char *old = store_slurp(dir, STORE_JOURNAL), *new = NULL;
	struct metric other = store_rate;
	struct iteration it;

	other.unit = "1/min";
	store_fill_iteration(&it, 1);
	samples_add(&it.samples, &other, value_u64(1));
	assert_int_equal(store_append(w, &it), -EINVAL);
	iteration_release(&it);
	new = store_slurp(dir, STORE_JOURNAL);
	assert_string_equal(old, new);
	store_append_seq(w, 1);
	store_abandon(w);
}

/* --- many writers --- */

#define WRITERS 4
#define RUNS 12

static void create_runs(const char *root)
{
	for (int i = 0; i < RUNS; i++) {
		struct run *r = store_new_run("same");
		struct store_writer *w;
		char *dir;

		if (store_create(root, r, &w, &dir) || store_finish(w, NULL, true, NULL))
			_exit(1);
		run_free(r);
		free(dir);
	}
	_exit(0);
}

/* All in the same second: the random parts must differ, and each folder has one owner. */
static void writers_do_not_meet(void **state)
{
	__cleanup_free char *root = store_path(*state, "deep/store");
	pid_t pids[WRITERS];
	struct store_entry *v;
	size_t n;
	int status;

	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			create_runs(root);
	}
	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(store_list(root, &v, &n), 0);
	assert_int_equal(n, WRITERS * RUNS);
	for (size_t i = 0; i < n; i++) {
		assert_null(v[i].error);
		assert_true(v[i].finished);
		assert_string_equal(v[i].id, strrchr(v[i].dir, '/') + 1);
	}
	store_entries_free(v, n);
}

static void check_id(const char *root, const char *label, const char *started, const char *start)
{
	__cleanup_run struct run *r = store_new_run(label);
	__cleanup_free char *dir = NULL;
	struct store_writer *w;
	const char *end;

	str_replace(&r->started, started);
	assert_int_equal(store_create(root, r, &w, &dir), 0);
	store_abandon(w);
	assert_true(file_is_plain_name(r->id));
	if (!str_starts(r->id, start))
		fail_msg("%s does not begin with %s", r->id, start);
	end = r->id + strlen(start);
	assert_int_equal(strlen(end), 4);
	assert_int_equal(strspn(end, "0123456789abcdef"), 4);
}

static void ids(void **state)
{
	static const char when[] = "2026-01-31T12:34:56Z";

	check_id(*state, "before", when, "20260131T123456Z-before-");
	check_id(*state, "../../etc/x y\n\xc3\xa9", when, "20260131T123456Z-.._.._etc_x_y___-");
	check_id(*state, "", when, "20260131T123456Z-run-");
	check_id(*state, "0123456789012345678901234567890123456789tail", when,
		 "20260131T123456Z-0123456789012345678901234567890123456789-");
}

static void a_bad_start_is_not_used_for_the_id(void **state)
{
	static const char *const bad[] = { "../../../x-2026-01-3", "2026-01-31 12:34:56Z", "" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		__cleanup_run struct run *r = store_new_run("a");
		__cleanup_free char *dir = NULL;
		struct store_writer *w;

		str_replace(&r->started, bad[i]);
		assert_int_equal(store_create(*state, r, &w, &dir), 0);
		store_abandon(w);
		assert_int_equal(strspn(r->id, "0123456789TZ"), strlen("20260131T123456Z"));
	}
}

#define store_test(f) cmocka_unit_test_setup_teardown(f, store_make_root, store_remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		store_test(reads_back_what_was_written),
		store_test(folding_loses_nothing),
		store_test(rules_are_kept),
		store_test(widths_are_kept),
		store_test(each_metric_is_declared_once),
		store_test(an_append_only_adds),
		store_test(failures_have_no_samples),
		store_test(numbers_survive),
		store_test(not_finite_is_left_out),
		store_test(bytes_that_are_no_text),
		store_test(one_metric_has_one_unit),
		store_test(writers_do_not_meet),
		store_test(ids),
		store_test(a_bad_start_is_not_used_for_the_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
