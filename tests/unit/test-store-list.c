// SPDX-License-Identifier: GPL-2.0-or-later
/* Finding runs in the store. */
#include "results/store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/file.h"
#include "lib/mem.h"
#include "results/store-codec.h"

static const struct metric wall = {
	.name = "wall", .unit = "s", .better = BETTER_LOWER, .kind = KIND_TIME,
};

struct place {
	char *tmp, *root; /* the store is a folder below, so that ".." is ours, too */
};

static int make_place(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));
	const char *tmp = getenv("TMPDIR");

	p->tmp = xasprintf("%s/fsdelta-list.XXXXXX", tmp ? tmp : "/tmp");
	*state = p;
	if (!mkdtemp(p->tmp))
		return -1;
	p->root = xasprintf("%s/store", p->tmp);
	return mkdir(p->root, 0755);
}

static int remove_place(void **state)
{
	struct place *p = *state;
	int ret = file_remove_tree(p->tmp);

	free(p->tmp);
	free(p->root);
	free(p);
	return ret;
}

static void append(struct store_writer *w, uint64_t seq, enum outcome outcome)
{
	struct iteration it = { .seq = seq, .workload = xstrdup("w"), .target = xstrdup("t"),
				.outcome = outcome };

	if (outcome != OUTCOME_OK)
		it.reason = xstrdup("for a test");
	samples_add(&it.samples, &wall, value_u64(seq));
	assert_int_equal(store_append(w, &it), 0);
	iteration_release(&it);
}

/* A run with @n iterations that are OK; @end: it has ended. Its folder is returned. */
static char *make_run(const char *root, const char *label, const char *started, uint64_t n,
		      bool end)
{
	__cleanup_run struct run *r = run_new();
	struct store_writer *w;
	char *dir;

	r->label = xstrdup(label);
	r->session = xstrdup("s1");
	r->started = xstrdup(started);
	r->planned = 5;
	assert_int_equal(store_create(root, r, &w, &dir), 0);
	for (uint64_t i = 0; i < n; i++)
		append(w, i, OUTCOME_OK);
	if (end)
		assert_int_equal(store_finish(w, started, true, NULL), 0);
	else
		store_abandon(w);
	return dir;
}

static char *in(const char *dir, const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static void put(const char *dir, const char *name, const char *text)
{
	__cleanup_free char *path = in(dir, name);

	assert_int_equal(file_write(path, text, strlen(text)), 0);
}

static void add_text(const char *dir, const char *name, const char *text)
{
	__cleanup_free char *path = in(dir, name);
	__cleanup_fclose FILE *f = fopen(path, "a");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
}

/* --- listing --- */

static void lists_the_oldest_first(void **state)
{
	struct place *p = *state;
	__cleanup_free char *b = make_run(p->root, "b", "2026-02-01T00:00:00Z", 3, true);
	__cleanup_free char *a = make_run(p->root, "a", "2026-01-01T00:00:00Z", 2, false);
	struct store_entry *v;
	size_t n;

	assert_int_equal(store_list(p->root, &v, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(v[0].label, "a");
	assert_string_equal(v[0].dir, a);
	assert_string_equal(v[0].started, "2026-01-01T00:00:00Z");
	assert_string_equal(v[0].session, "s1");
	assert_int_equal(v[0].done, 2);
	assert_int_equal(v[0].planned, 5);
	assert_false(v[0].finished);
	assert_false(v[0].complete);
	assert_null(v[0].error);
	assert_string_equal(v[1].dir, b);
	assert_int_equal(v[1].done, 3);
	assert_true(v[1].finished);
	assert_true(v[1].complete);
	store_entries_free(v, n);
}

static void counts_each_iteration_once(void **state)
{
	struct place *p = *state;
	__cleanup_free char *dir = make_run(p->root, "a", "2026-01-01T00:00:00Z", 2, false);
	struct store_entry *v;
	size_t n;

	/* Done again, written by another program, broken, and cut. */
	add_text(dir, STORE_JOURNAL, "{\"type\":\"iteration\",\"seq\":1,\"x\":0}\n"
				     "{ \"seq\": 4, \"type\": \"iteration\" }\n"
				     "{\"type\":\"iteration\",\"seq\":7,\"blo\n"
				     "{\"type\":\"iteration\",\"seq\":8");
	assert_int_equal(store_list(p->root, &v, &n), 0);
	assert_int_equal(n, 1);
	assert_null(v[0].error);
	assert_int_equal(v[0].done, 3);
	store_entries_free(v, n);
}

/* The only run of the store at @root has these numbers of iterations. */
static void check_counts(const char *root, uint64_t ok, uint64_t done)
{
	struct store_entry *v;
	size_t n;

	assert_int_equal(store_list(root, &v, &n), 0);
	assert_int_equal(n, 1);
	assert_null(v[0].error);
	assert_int_equal(v[0].ok, ok);
	assert_int_equal(v[0].done, done);
	store_entries_free(v, n);
}

static void the_later_line_says_whether_it_is_ok(void **state)
{
	struct place *p = *state;
	__cleanup_free char *dir = make_run(p->root, "a", "2026-01-01T00:00:00Z", 3, false);
	__cleanup_free char *journal = in(dir, STORE_JOURNAL);
	struct store_writer *w;

	check_counts(p->root, 3, 3);
	assert_int_equal(store_reopen(dir, &w), 0);
	append(w, 1, OUTCOME_FAILED);
	append(w, 4, OUTCOME_TIMEOUT);
	check_counts(p->root, 2, 4);
	append(w, 4, OUTCOME_OK);
	append(w, 0, OUTCOME_BROKEN);
	check_counts(p->root, 2, 4);
	append(w, 1, OUTCOME_OK);
	check_counts(p->root, 3, 4);
	assert_int_equal(store_finish(w, "2026-01-01T01:00:00Z", false, "for a test"), 0);
	check_counts(p->root, 3, 4);
	/* The result, where each is once, says the same. */
	assert_int_equal(unlink(journal), 0);
	check_counts(p->root, 3, 4);
}

static void lines_of_another_program_are_ok_too(void **state)
{
	struct place *p = *state;
	__cleanup_free char *dir = make_run(p->root, "a", "2026-01-01T00:00:00Z", 0, false);

	add_text(dir, STORE_JOURNAL,
		 "{ \"outcome\": \"OK\", \"type\": \"iteration\", \"seq\": 0 }\n"
		 "{ \"outcome\": \"FAILED\", \"type\": \"iteration\", \"seq\": 1 }\n");
	check_counts(p->root, 1, 2);
}

/* Did the only run of the store at @root end, and did it do all? */
static void check_end(const char *root, bool finished, bool complete)
{
	struct store_entry *v;
	size_t n;

	assert_int_equal(store_list(root, &v, &n), 0);
	assert_int_equal(n, 1);
	assert_null(v[0].error);
	assert_int_equal(v[0].finished, finished);
	assert_int_equal(v[0].complete, complete);
	store_entries_free(v, n);
}

/* From the journal, and without it. */
static void check_end_twice(struct place *p, const char *finished, bool complete)
{
	__cleanup_free char *dir = make_run(p->root, "a", "2026-01-01T00:00:00Z", 2, false);
	__cleanup_free char *journal = in(dir, STORE_JOURNAL);
	struct store_writer *w;

	check_end(p->root, false, false);
	assert_int_equal(store_reopen(dir, &w), 0);
	assert_int_equal(store_finish(w, finished, complete, NULL), 0);
	check_end(p->root, true, complete);
	assert_int_equal(unlink(journal), 0);
	check_end(p->root, finished != NULL, complete);
	assert_int_equal(file_remove_tree(dir), 0);
}

static void an_end_is_not_completeness(void **state)
{
	check_end_twice(*state, "2026-01-01T01:00:00Z", true);
	check_end_twice(*state, "2026-01-01T01:00:00Z", false);
}

static void a_result_has_ended_when_it_says_so(void **state)
{
	check_end_twice(*state, NULL, false);
}

static void a_result_alone_is_enough(void **state)
{
	struct place *p = *state;
	__cleanup_free char *dir = make_run(p->root, "a", "2026-01-01T00:00:00Z", 2, true);
	__cleanup_free char *journal = in(dir, STORE_JOURNAL);
	struct store_entry *v;
	size_t n;

	assert_int_equal(unlink(journal), 0);
	assert_int_equal(store_list(p->root, &v, &n), 0);
	assert_int_equal(n, 1);
	assert_null(v[0].error);
	assert_string_equal(v[0].label, "a");
	assert_int_equal(v[0].done, 2);
	assert_true(v[0].finished);
	store_entries_free(v, n);
}

static void check_error(const struct store_entry *v, const char *dir, const char *file,
			const char *what)
{
	__cleanup_free char *want = xasprintf("%s%s%s", dir, file, what);

	assert_string_equal(v->dir, dir);
	assert_string_equal(v->id, strrchr(dir, '/') + 1);
	assert_non_null(v->error);
	assert_string_equal(v->error, want);
}

static void what_cannot_be_read_is_listed(void **state)
{
	struct place *p = *state;
	__cleanup_free char *good = make_run(p->root, "good", "2026-01-01T00:00:00Z", 1, true);
	__cleanup_free char *cut = make_run(p->root, "cut", "2026-01-02T00:00:00Z", 1, true);
	__cleanup_free char *a = in(p->root, "a"), *b = in(p->root, "b"), *c = in(p->root, "c");
	struct store_entry *v;
	size_t n;

	assert_int_equal(mkdir(a, 0755), 0);
	assert_int_equal(mkdir(b, 0755), 0);
	assert_int_equal(mkdir(c, 0755), 0);
	put(b, STORE_JOURNAL, "");
	put(c, STORE_RESULT, "{\"schema\":\"fsdelta-result/2\"}");
	put(cut, STORE_RESULT, "{\"schema\":\"fsdelta-result/1\",");
	/* Neither of these is a run. */
	put(p->root, "notes.txt", "x");
	put(p->root, ".hidden", "x");
	assert_int_equal(store_list(p->root, &v, &n), 0);
	assert_int_equal(n, 5);
	check_error(&v[0], a, "", ": there is neither result.json nor journal.jsonl in it");
	check_error(&v[1], b, "/journal.jsonl", ": the file is empty");
	check_error(&v[2], c, "/result.json", ": was made by a newer fsdelta: its schema is "
					      "'fsdelta-result/2', and this program reads "
					      "fsdelta-result/1");
	assert_string_equal(v[3].dir, good);
	assert_null(v[3].error);
	check_error(&v[4], cut, "/result.json", ": cannot be read, or is cut; `fsdelta reparse` "
					     "rebuilds it");
	store_entries_free(v, n);
}

static void no_store_is_an_error(void **state)
{
	struct place *p = *state;
	__cleanup_free char *missing = in(p->root, "missing");
	struct store_entry *v;
	size_t n;

	assert_int_equal(store_list(missing, &v, &n), -ENOENT);
	assert_int_equal(n, 0);
	assert_int_equal(store_list(p->root, &v, &n), 0);
	assert_int_equal(n, 0);
	store_entries_free(v, n);
}

/* --- names --- */

static void found(const char *root, const char *name, const char *want)
{
	__cleanup_free char *error = NULL;
	__cleanup_free char *got = store_resolve(root, name, &error);

	if (!got)
		fail_msg("%s", error);
	assert_string_equal(got, want);
	assert_null(error);
}

static void not_found(const char *root, const char *name, const char *want)
{
	__cleanup_free char *error = NULL;

	assert_null(store_resolve(root, name, &error));
	assert_non_null(error);
	assert_string_equal(error, want);
}

static void the_newest_of_a_label(void **state)
{
	struct place *p = *state;
	__cleanup_free char *new = make_run(p->root, "a", "2026-03-01T00:00:00Z", 1, false);
	__cleanup_free char *old = make_run(p->root, "a", "2026-02-01T00:00:00Z", 1, true);
	__cleanup_free char *other = make_run(p->root, "ab", "2026-04-01T00:00:00Z", 1, true);

	found(p->root, "a", new);
	found(p->root, "ab", other);
	found(p->root, strrchr(old, '/') + 1, old);
}

static void a_folder_that_was_renamed(void **state)
{
	struct place *p = *state;
	__cleanup_free char *dir = make_run(p->root, "a", "2026-02-01T00:00:00Z", 1, true);
	__cleanup_free char *renamed = in(p->root, "keep-this");

	assert_int_equal(rename(dir, renamed), 0);
	found(p->root, "a", renamed);
	found(p->root, "keep-this", renamed);
	found(p->root, strrchr(dir, '/') + 1, renamed);
}

static void paths(void **state)
{
	struct place *p = *state;
	__cleanup_free char *dir = make_run(p->tmp, "a", "2026-02-01T00:00:00Z", 1, true);
	__cleanup_free char *file = in(dir, STORE_RESULT);
	__cleanup_free char *missing = in(p->tmp, "missing");
	__cleanup_free char *want = xasprintf("%s: is neither a file nor a folder with a result",
					      missing);
	__cleanup_free char *empty = xasprintf("%s: is neither a file nor a folder with a result",
					       p->root);

	found(p->root, dir, dir);
	found(p->root, file, file);
	not_found(p->root, missing, want);
	not_found(p->root, p->root, empty);
}

static void paths_from_here(void **state)
{
	struct place *p = *state;
	__cleanup_free char *dir = make_run(p->tmp, "a", "2026-02-01T00:00:00Z", 1, true);
	__cleanup_free char *labelled = make_run(p->root, "b", "2026-02-01T00:00:00Z", 1, true);
	char here[4096];

	assert_non_null(getcwd(here, sizeof(here)));
	put(p->tmp, "b", "a file called like a label");
	put(p->tmp, "saved.json", "x");
	assert_int_equal(chdir(p->tmp), 0);
	found(p->root, strrchr(dir, '/') + 1, strrchr(dir, '/') + 1);
	found(p->root, "saved.json", "saved.json");
	found(p->root, "b", labelled);
	assert_int_equal(chdir(here), 0);
}

static void labels_are_no_paths(void **state)
{
	struct place *p = *state;
	__cleanup_free char *secret = make_run(p->tmp, "x", "2026-02-01T00:00:00Z", 1, true);
	__cleanup_free char *where = xasprintf("no run 'x' in %s", p->root);

	(void)secret;
	not_found(p->root, "../x", "../x: is neither a file nor a folder with a result");
	not_found(p->root, "-x", "'-x' is no run: a label or id is not empty and does not begin "
				 "with '.' or '-'");
	not_found(p->root, "..", "'..' is no run: a label or id is not empty and does not begin "
				 "with '.' or '-'");
	not_found(p->root, "", "'' is no run: a label or id is not empty and does not begin with "
			       "'.' or '-'");
	not_found(p->root, "x", where);
}

static void what_is_unreadable_is_counted(void **state)
{
	struct place *p = *state;
	__cleanup_free char *bad = in(p->root, "bad");
	__cleanup_free char *want = xasprintf("no run 'x' in %s (but 1 that cannot be read)",
					      p->root);
	__cleanup_free char *missing = in(p->root, "missing");
	__cleanup_free char *none = xasprintf("no run 'x': %s: No such file or directory",
					      missing);

	assert_int_equal(mkdir(bad, 0755), 0);
	not_found(p->root, "x", want);
	/* By its name it is found, so that loading it says what is wrong. */
	found(p->root, "bad", bad);
	not_found(missing, "x", none);
}

/* A label means all with it, an id or a path the one. */
static void all_of_a_label(void **state)
{
	struct place *p = *state;
	__cleanup_free char *late = make_run(p->root, "x", "2026-03-03T00:00:00Z", 1, true);
	__cleanup_free char *early = make_run(p->root, "x", "2026-01-01T00:00:00Z", 1, false);
	__cleanup_free char *other = make_run(p->root, "y", "2026-02-02T00:00:00Z", 1, true);
	const char *const names[] = { "y", strrchr(early, '/') + 1, early };
	const char *const want[] = { other, early, early };
	__cleanup_free char *error = NULL;
	__cleanup_strvec struct strvec all = STRVEC_INIT;

	assert_int_equal(store_resolve_all(p->root, "x", &all, &error), 0);
	assert_int_equal(all.n, 2);
	assert_string_equal(all.v[0], early);
	assert_string_equal(all.v[1], late);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		__cleanup_strvec struct strvec one = STRVEC_INIT;

		assert_int_equal(store_resolve_all(p->root, names[i], &one, &error), 0);
		assert_int_equal(one.n, 1);
		assert_string_equal(one.v[0], want[i]);
	}
	assert_int_equal(store_resolve_all(p->root, "z", &all, &error), -ENOENT);
	assert_non_null(error);
	assert_int_equal(all.n, 2);
}

static void a_header_without_iterations(void **state)
{
	struct place *p = *state;
	__cleanup_free char *dir = make_run(p->root, "x", "2026-01-01T00:00:00Z", 3, true);
	__cleanup_free char *journal = in(dir, STORE_JOURNAL), *error = NULL, *none = NULL;
	__cleanup_run struct run *head = store_load_header(dir, &error), *whole = NULL;

	assert_non_null(head);
	assert_string_equal(head->label, "x");
	assert_string_equal(head->session, "s1");
	assert_int_equal(head->n_iterations, 0);
	/* Without a journal there is no header by itself. */
	assert_int_equal(unlink(journal), 0);
	whole = store_load_header(dir, &error);
	assert_non_null(whole);
	assert_int_equal(whole->n_iterations, 3);
	put(dir, STORE_JOURNAL, "no journal\n");
	assert_null(store_load_header(dir, &none));
	assert_non_null(none);
}

#define list_test(f) cmocka_unit_test_setup_teardown(f, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		list_test(lists_the_oldest_first),
		list_test(counts_each_iteration_once),
		list_test(the_later_line_says_whether_it_is_ok),
		list_test(lines_of_another_program_are_ok_too),
		list_test(an_end_is_not_completeness),
		list_test(a_result_has_ended_when_it_says_so),
		list_test(a_result_alone_is_enough),
		list_test(what_cannot_be_read_is_listed),
		list_test(no_store_is_an_error),
		list_test(the_newest_of_a_label),
		list_test(a_folder_that_was_renamed),
		list_test(paths),
		list_test(paths_from_here),
		list_test(labels_are_no_paths),
		list_test(what_is_unreadable_is_counted),
		list_test(all_of_a_label),
		list_test(a_header_without_iterations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
