// SPDX-License-Identifier: GPL-2.0-or-later
/* What goes wrong while a run is written, and what then remains. */
#include "results/store.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/file.h"
#include "lib/mem.h"
#include "results/store-codec.h"
#include "tests/unit/store-fixture.h"

/* The last line is cut at every byte: nothing before it is lost, and it can be done again. */
static void a_cut_line_costs_one_iteration(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 2, &w);
	__cleanup_free char *journal = store_path(dir, STORE_JOURNAL);
	__cleanup_free char *result = store_path(dir, STORE_RESULT);
	__cleanup_free char *one = store_slurp(dir, STORE_JOURNAL), *two = NULL;

	store_append_seq(w, 2);
	store_abandon(w);
	two = store_slurp(dir, STORE_JOURNAL);
	for (size_t len = strlen(one) + 1; len < strlen(two) - 1; len += 13) {
		__cleanup_run struct run *cut = NULL, *again = NULL;

		assert_int_equal(file_write(journal, two, len), 0);
		cut = store_load_ok(dir);
		assert_int_equal(cut->n_iterations, 2);
		assert_int_equal(cut->load_warnings.n, 1);
		assert_non_null(strstr(cut->load_warnings.v[0], "the last line was cut"));
		assert_int_equal(store_reopen(dir, &w), 0);
		store_append_seq(w, 2);
		assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
		again = store_load_ok(journal);
		assert_int_equal(again->n_iterations, 3);
		store_check_iteration(&again->iterations[2], 2);
		assert_int_equal(again->load_warnings.n, 1);
		assert_true(again->complete);
		free(again->load_warnings.v[0]);
		again->load_warnings.n = 0;
		store_check_header(again);
		/* For the next round: a run without its end. */
		assert_int_equal(unlink(result), 0);
	}
}

/* Cut in the line that declares a metric: it is declared again. */
static void a_cut_declaration_is_made_again(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 0, &w);
	__cleanup_free char *journal = store_path(dir, STORE_JOURNAL);
	__cleanup_free char *none = store_slurp(dir, STORE_JOURNAL), *one = NULL;
	__cleanup_run struct run *r = NULL;

	store_append_seq(w, 0);
	store_abandon(w);
	one = store_slurp(dir, STORE_JOURNAL);
	assert_int_equal(file_write(journal, one, strlen(none) + 40), 0);
	assert_int_equal(store_reopen(dir, &w), 0);
	store_append_seq(w, 0);
	store_abandon(w);
	r = store_load_ok(dir);
	assert_int_equal(r->n_iterations, 1);
	store_check_iteration(&r->iterations[0], 0);
}

static void going_on_needs_no_new_declarations(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 1, &w);
	__cleanup_free char *text = NULL;
	const char *first;
	__cleanup_run struct run *r = NULL;

	store_abandon(w);
	assert_int_equal(store_reopen(dir, &w), 0);
	store_append_seq(w, 1);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	text = store_slurp(dir, STORE_JOURNAL);
	first = strstr(text, "\"name\":\"disk.written\"");
	assert_non_null(first);
	assert_null(strstr(first + 1, "\"name\":\"disk.written\""));
	r = store_load_ok(dir);
	assert_int_equal(r->n_iterations, 2);
	store_check_iteration(&r->iterations[1], 1);
}

static void only_an_unfinished_run_goes_on(void **state)
{
	struct store_writer *w, *second;
	__cleanup_free char *dir = store_begin(*state, "before", 1, &w);
	__cleanup_free char *result = store_path(dir, STORE_RESULT);
	__cleanup_free char *journal = store_path(dir, STORE_JOURNAL);

	assert_int_equal(store_reopen(dir, &second), -EBUSY);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	assert_int_equal(store_reopen(dir, &second), -EALREADY);
	assert_int_equal(unlink(result), 0);
	assert_int_equal(store_reopen(dir, &second), -EALREADY);
	assert_int_equal(file_write(journal, "", 0), 0);
	assert_int_equal(store_reopen(dir, &second), -EBADMSG);
	assert_int_equal(file_write(journal, "{}\n", 3), 0);
	assert_int_equal(store_reopen(dir, &second), -EBADMSG);
	assert_int_equal(unlink(journal), 0);
	assert_int_equal(store_reopen(dir, &second), -ENOENT);
	assert_int_equal(store_reopen("/dev/null", &second), -ENOTDIR);
}

static void limit_files(rlim_t size)
{
	struct rlimit rl;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &rl), 0);
	rl.rlim_cur = size == RLIM_INFINITY ? rl.rlim_max : size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &rl), 0);
}

/* The limit on file sizes stands for a full disk: a part of the line is written, then no more. */
static void a_full_disk_keeps_the_lines(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 1, &w);
	__cleanup_free char *old = store_slurp(dir, STORE_JOURNAL), *new = NULL;
	__cleanup_run struct run *r = NULL;
	struct iteration it;
	int ret;

	assert_int_equal(sigaction(SIGXFSZ, &ignore, NULL), 0);
	store_fill_iteration(&it, 1);
	limit_files(strlen(old) + 100);
	ret = store_append(w, &it);
	limit_files(RLIM_INFINITY);
	assert_int_equal(ret, -EFBIG);
	iteration_release(&it);
	new = store_slurp(dir, STORE_JOURNAL);
	assert_string_equal(old, new);
	store_append_seq(w, 1);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	r = store_load_ok(dir);
	assert_int_equal(r->n_iterations, 2);
	assert_int_equal(r->load_warnings.n, 0);
}

static void a_full_disk_leaves_no_empty_run(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	__cleanup_run struct run *r = store_new_run("before");
	struct store_entry *v;
	struct store_writer *w;
	char *dir;
	size_t n;
	int ret;

	assert_int_equal(sigaction(SIGXFSZ, &ignore, NULL), 0);
	limit_files(100);
	ret = store_create(*state, r, &w, &dir);
	limit_files(RLIM_INFINITY);
	assert_int_equal(ret, -EFBIG);
	assert_int_equal(store_list(*state, &v, &n), 0);
	assert_int_equal(n, 0);
	store_entries_free(v, n);
}

static void a_result_is_replaced_in_one_step(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct store_writer *w;
	__cleanup_free char *dir = store_begin(*state, "before", 1, &w);
	__cleanup_free char *old = NULL, *new = NULL;
	__cleanup_run struct run *r = NULL;
	int ret;

	assert_int_equal(sigaction(SIGXFSZ, &ignore, NULL), 0);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	old = store_slurp(dir, STORE_RESULT);
	r = store_load_ok(dir);
	str_replace(&r->label, "other");
	limit_files(100);
	ret = store_write_result(dir, r);
	limit_files(RLIM_INFINITY);
	assert_int_equal(ret, -EFBIG);
	new = store_slurp(dir, STORE_RESULT);
	assert_string_equal(old, new);
	assert_int_equal(store_write_result(dir, r), 0);
	free(new);
	new = store_slurp(dir, STORE_RESULT);
	assert_non_null(strstr(new, "\"label\":\"other\""));
}

#define store_test(f) cmocka_unit_test_setup_teardown(f, store_make_root, store_remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		store_test(a_cut_line_costs_one_iteration),
		store_test(a_cut_declaration_is_made_again),
		store_test(going_on_needs_no_new_declarations),
		store_test(only_an_unfinished_run_goes_on),
		store_test(a_full_disk_keeps_the_lines),
		store_test(a_full_disk_leaves_no_empty_run),
		store_test(a_result_is_replaced_in_one_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
