// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patches of tests/vectors/patches against the small tree beside them (tree.txt): with the tree
 * as it was, with the patch in it already, and without it. NAME.expected and NAME.guess hold
 * what was looked at by a person.
 */
#include "probes/touched.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "probes/touched-internal.h"
#include "tests/unit/scratch.h"

static const char *const names[] = {
	"attributes", "binary", "comments", "crlf", "if-branches", "inline", "knr", "macro", "misfit",
	"moved", "new-file", "other-tree", "plain-diff", "removed-file", "removed-function",
	"rename-file", "rename-function", "series", "struct-field", "wrong-header",
};

static char *vector(const char *name, const char *suffix)
{
	const char *top = getenv("top_srcdir");
	__cleanup_free char *path = xasprintf("%s/tests/vectors/patches/%s%s", top ? top : ".", name,
					      suffix);
	struct strbuf text = STRBUF_INIT;

	assert_int_equal(file_read(path, &text, 0), 0);
	return strbuf_detach(&text);
}

/* "==> PATH" begins a file. */
static int make_tree(void **state)
{
	__cleanup_free char *all = NULL;
	char *at, *next;

	if (scratch_make(state))
		return -1;
	all = vector("tree", ".txt");
	for (at = all; at; at = next) {
		char *path = at + strlen("==> "), *end = strchr(path, '\n');

		next = strstr(end, "\n==> ");
		if (next)
			*next++ = '\0';
		*end = '\0';
		/* The line end of the last line was cut with the next header. */
		at = xasprintf("%s%s", end + 1, next ? "\n" : "");
		scratch_write(state, path, at);
		free(at);
	}
	return 0;
}

static void print(const struct touched_list *l, struct strbuf *out)
{
	for (size_t i = 0; i < l->warnings.n; i++)
		strbuf_addf(out, "W %s\n", l->warnings.v[i]);
	for (size_t i = 0; i < l->n; i++) {
		const struct touched *t = &l->v[i];
		__cleanup_free char *users = strvec_join(&t->users, " ");
		__cleanup_free char *members = strvec_join(&t->members, ",");

		strbuf_addf(out, "%s %s %s%s %s [%s] <-%s%s\n", touched_change_str(t->change),
			    cscan_kind_str(t->kind), t->name, t->how == TOUCHED_GUESS ? "(guess)" : "",
			    t->file, members, *users ? " " : "", users);
	}
}

static void check(const char *name, const char *suffix, const char *tree)
{
	__cleanup_free char *text = vector(name, ".patch");
	__cleanup_free char *expected = vector(name, suffix);
	__cleanup_touched struct touched_list l = TOUCHED_LIST_INIT;
	__cleanup_patch struct patch p = PATCH_INIT;
	__cleanup_strbuf struct strbuf got = STRBUF_INIT;

	patch_parse(&p, text, strlen(text));
	touched_find(&l, &p, tree);
	print(&l, &got);
	if (strcmp(strbuf_str(&got), expected))
		print_error("%s%s\n", name, suffix);
	assert_string_equal(strbuf_str(&got), expected);
}

static void with_tree(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check(names[i], ".expected", *state);
}

static void without_tree(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check(names[i], ".guess", NULL);
}

/* Puts the patch into the tree, file by file. */
static void apply(void **state, const char *name)
{
	__cleanup_free char *text = vector(name, ".patch");
	__cleanup_patch struct patch p = PATCH_INIT;

	patch_parse(&p, text, strlen(text));
	for (size_t i = 0; i < p.n_files; i++) {
		const struct patch_file *f = &p.files[i];
		struct touched_image im = { .tree = *state };
		struct touched_file *file = f->old_path ? touched_image_get(&im, f->old_path) : NULL;
		struct hunk_place at[16];
		__cleanup_strvec struct strvec out = STRVEC_INIT;
		__cleanup_free char *old = f->old_path ? scratch_path(state, f->old_path) : NULL;
		__cleanup_free char *joined = NULL, *all = NULL;

		assert_true(file || !f->old_path);
		assert_int_equal(touched_image_apply(file ? &file->lines : &(struct strvec)STRVEC_INIT, f,
					     false, &out, at), 0);
		if (old)
			assert_int_equal(unlink(old), 0);
		joined = strvec_join(&out, "\n");
		all = xasprintf("%s\n", joined);
		if (f->new_path)
			scratch_write(state, f->new_path, all);
		touched_image_release(&im);
	}
}

/* Nobody need say whether the patch is in the tree already. */
static void patch_is_in_the_tree(void **state)
{
	static const char *const applied[] = {
		"attributes", "comments", "if-branches", "knr", "macro", "moved", "new-file",
		"removed-file", "removed-function", "rename-file", "rename-function", "series",
		"wrong-header",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(applied); i++) {
		void *tree = NULL;

		assert_int_equal(make_tree(&tree), 0);
		apply(&tree, applied[i]);
		check(applied[i], ".expected", tree);
		scratch_remove(&tree);
	}
}

/* The test of the header would be none if the header were right. */
static void header_is_wrong(void **state)
{
	__cleanup_free char *text = vector("wrong-header", ".patch");
	__cleanup_patch struct patch p = PATCH_INIT;

	(void)state;
	patch_parse(&p, text, strlen(text));
	assert_int_equal(p.n_files, 1);
	assert_int_equal(p.files[0].n_hunks, 1);
	assert_string_equal(p.files[0].hunks[0].section, "static int demo_short(void)");
}

static void series_has_its_subjects(void **state)
{
	__cleanup_free char *text = vector("series", ".patch");
	__cleanup_patch struct patch p = PATCH_INIT;

	(void)state;
	patch_parse(&p, text, strlen(text));
	assert_int_equal(p.subjects.n, 40);
	assert_string_equal(p.subjects.v[39], "demo: step 40 of a series whose subject is so long "
					      "that it goes on in the next line");
	assert_int_equal(p.n_files, 40);
	assert_int_equal(p.warnings.n, 0);
}

static void parse(struct patch *p, const char *text)
{
	patch_parse(p, text, strlen(text));
}

static void names_of_files(void **state)
{
	__cleanup_patch struct patch p = PATCH_INIT;

	(void)state;
	parse(&p, "diff --git \"a/fs/b\\303\\244r.c\" \"b/fs/b\\303\\244r.c\"\n"
		  "--- \"a/fs/b\\303\\244r.c\"\n+++ \"b/fs/b\\303\\244r.c\"\n@@ -1 +1 @@\n-a\n+b\n"
		  "diff --git a/x y.c b/x y.c\nold mode 100644\nnew mode 100755\n"
		  "diff --git a/old.c b/new.c\nsimilarity index 100%\nrename from old.c\nrename to new.c\n"
		  "diff --git a/gone.c b/gone.c\ndeleted file mode 100644\nindex 1..0\n");
	assert_int_equal(p.n_files, 4);
	assert_string_equal(p.files[0].new_path, "fs/b\303\244r.c");
	assert_string_equal(p.files[1].new_path, "x y.c");
	assert_string_equal(p.files[2].old_path, "old.c");
	assert_string_equal(p.files[2].new_path, "new.c");
	assert_string_equal(p.files[3].old_path, "gone.c");
	assert_null(p.files[3].new_path);
}

static void damage_is_named(void **state)
{
	static const struct {
		const char *text, *warning;
	} cases[] = {
		{ "--- a/x.c\n+++ b/x.c\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n2.39\n",
		  "line 6 of the patch: the hunk is shorter than its header says" },
		{ "--- a/x.c\n+++ b/x.c\n@@ -1,3 +1,3 @@\n a\n-b\n", "line 5 of the patch: the hunk is "
		  "shorter than its header says" },
		{ "@@ -1 +1 @@\n-a\n+b\n", "line 1 of the patch: a hunk without a file, or without "
		  "line numbers" },
		{ "diff --cc x.c\n--- a/x.c\n+++ b/x.c\n@@@ -1,2 -1,2 +1,2 @@@\n",
		  "line 4 of the patch: a merge: diff it against one parent" },
		{ "From 0 Mon Sep 17 00:00:00 2001\nSubject: x\n"
		  "Content-Transfer-Encoding: base64\n\nZGlmZg==\n",
		  "line 3 of the patch: the mail is encoded; save it decoded (git am or b4 can do that)" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		__cleanup_patch struct patch p = PATCH_INIT;

		parse(&p, cases[i].text);
		assert_int_equal(p.warnings.n, 1);
		assert_string_equal(p.warnings.v[0], cases[i].warning);
	}
}

static void names_do_not_lead_out(void **state)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	assert_int_equal(touched_image_read(*state, "../x.c", &text), -EINVAL);
	assert_int_equal(touched_image_read(*state, "fs/../../x.c", &text), -EINVAL);
	assert_int_equal(touched_image_read(*state, "/etc/passwd", &text), -EINVAL);
	assert_int_equal(touched_image_read(*state, "fs", &text), -EBADF);
	assert_int_equal(touched_image_read(*state, "fs/demo/inode.c", &text), 0);
}

#define tree_test(fn) cmocka_unit_test_setup_teardown(fn, make_tree, scratch_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(with_tree),
		cmocka_unit_test(without_tree),
		cmocka_unit_test(patch_is_in_the_tree),
		cmocka_unit_test(header_is_wrong),
		cmocka_unit_test(series_has_its_subjects),
		cmocka_unit_test(names_of_files),
		cmocka_unit_test(damage_is_named),
		tree_test(names_do_not_lead_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
