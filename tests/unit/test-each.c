// SPDX-License-Identifier: GPL-2.0-or-later
/* Single operations: the file of --each, and its place in the store. */
#include "results/each.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/file.h"
#include "lib/mem.h"
#include "results/store.h"
#include "tests/unit/scratch.h"

/* One class, two rounds; values that need all lengths and both signs. */
static void sample(struct strbuf *out)
{
	uint64_t a[] = { 8705, 8704, 8705, 0, UINT64_MAX, 1, 1ULL << 63 }, b[] = { 316 };
	struct each_seq seqs[] = {
		{ (char *)"utime", 0, 0, 0, a, ARRAY_SIZE(a) },
		{ (char *)"utime", 0, 1, 0, b, ARRAY_SIZE(b) },
		{ (char *)"utime", 1, 0, 0, b, ARRAY_SIZE(b) },
		{ (char *)"unlink", 0, 0, 3, NULL, 0 },
	};
	struct each e = { .program = (char *)"utime", .seqs = seqs, .n = ARRAY_SIZE(seqs) };

	strvec_push(&e.clocks, "elapsed");
	strvec_push(&e.clocks, "cpu");
	each_encode(&e, out);
	strvec_release(&e.clocks);
}

static void what_is_written_is_read(void **state)
{
	__cleanup_strbuf struct strbuf data = STRBUF_INIT;
	__cleanup_free char *error = NULL;
	__cleanup_each struct each *e = NULL;
	const struct each_seq *s;

	(void)state;
	sample(&data);
	e = each_parse(data.buf, data.len, &error);
	assert_non_null(e);
	assert_string_equal(e->program, "utime");
	s = each_find(e, "utime", "elapsed", 0, 0);
	assert_non_null(s);
	assert_int_equal(s->n, 7);
	assert_true(s->v[1] == 8704 && s->v[4] == UINT64_MAX && s->v[6] == 1ULL << 63);
	assert_int_equal(each_find(e, "utime", "cpu", 0, 0)->v[0], 316);
	assert_int_equal(each_find(e, "unlink", "elapsed", 0, 3)->n, 0);
	assert_null(each_find(e, "unlink", "elapsed", 0, 0));
	assert_null(each_find(e, "unlink", "cpu", 0, 3));
}

static void every_damage_is_noticed(void **state)
{
	__cleanup_strbuf struct strbuf data = STRBUF_INIT, packed = STRBUF_INIT;

	(void)state;
	sample(&data);
	for (size_t i = 0; i < data.len; i++) {
		__cleanup_free char *error = NULL, *cut = NULL;

		data.buf[i] ^= 0x10;
		assert_null(each_parse(data.buf, data.len, &error));
		assert_non_null(error);
		data.buf[i] ^= 0x10;
		assert_null(each_parse(data.buf, i, &cut));
		assert_non_null(cut);
	}
	each_pack(data.buf, data.len, &packed);
	for (size_t i = 0; i < packed.len; i++) {
		__cleanup_free char *error = NULL;

		assert_null(each_unpack(packed.buf, i, &error));
		assert_non_null(error);
	}
}

static void other_versions_are_refused(void **state)
{
	__cleanup_strbuf struct strbuf data = STRBUF_INIT;
	__cleanup_free char *error = NULL;

	(void)state;
	sample(&data);
	data.buf[7] = 2;
	assert_null(each_parse(data.buf, data.len, &error));
	assert_string_equal(error, "it is of version 2, and this program reads 1");
}

/* A run of one iteration with its operations; the folder. */
static char *stored(const char *root)
{
	__cleanup_strbuf struct strbuf data = STRBUF_INIT;
	__cleanup_run struct run *r = run_new();
	struct iteration *it = run_add_iteration(r);
	struct store_writer *w;
	char *dir;

	r->label = xstrdup("exact");
	it->seq = 3;
	it->workload = xstrdup("utime");
	it->target = xstrdup("xfs");
	it->exact.perturbed = true;
	it->exact.pad = 7;
	it->exact.seed = UINT64_MAX;
	sample(&data);
	assert_int_equal(store_create(root, r, &w, &dir), 0);
	assert_int_equal(each_store(dir, it, "nonsense", 8), -EINVAL);
	assert_null(it->exact.file);
	assert_int_equal(each_store(dir, it, data.buf, data.len), 0);
	assert_string_equal(it->exact.file, "each/000003.z");
	assert_int_equal(store_append(w, it), 0);
	assert_int_equal(store_finish(w, "2026-01-31T12:35:41Z", true, NULL), 0);
	return dir;
}

static struct run *load(const char *dir)
{
	__cleanup_free char *error = NULL;
	struct run *r = store_load(dir, &error);

	assert_non_null(r);
	assert_int_equal(r->n_iterations, 1);
	return r;
}

static void the_store_keeps_them(void **state)
{
	__cleanup_free char *dir = stored(*state);
	__cleanup_free char *file = xasprintf("%s/result.json", dir);
	__cleanup_run struct run *r = load(dir), *again = load(file);
	const struct iteration_exact *x = &r->iterations[0].exact;

	assert_true(x->perturbed && x->pad == 7 && x->seed == UINT64_MAX);
	assert_non_null(x->each);
	assert_int_equal(r->load_warnings.n, 0);
	assert_int_equal(each_find(x->each, "utime", "elapsed", 1, 0)->v[0], 316);
	assert_non_null(again->iterations[0].exact.each);
}

/* Replaces the file of the operations; the run is read all the same, and says so. */
static void check_replaced(const char *root, const char *with, const char *warning)
{
	__cleanup_free char *dir = stored(root);
	__cleanup_free char *path = xasprintf("%s/each/000003.z", dir);
	__cleanup_run struct run *r = NULL;

	if (with)
		assert_int_equal(file_write(path, with, strlen(with)), 0);
	else
		assert_int_equal(unlink(path), 0);
	r = load(dir);
	assert_null(r->iterations[0].exact.each);
	assert_int_equal(r->load_warnings.n, 1);
	assert_non_null(strstr(r->load_warnings.v[0], warning));
}

static void another_file_is_noticed(void **state)
{
	check_replaced(*state, "fsdeazl\1of another run", "not the file that the result was");
	check_replaced(*state, NULL, "No such file");
}

static void no_file_outside_is_read(void **state)
{
	static const char *const names[] = { "/etc/passwd", "each/../../x", "each/.x", "x", "each/" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		__cleanup_run struct run *r = run_new();
		struct iteration *it = run_add_iteration(r);

		it->exact.file = xstrdup(names[i]);
		it->exact.hash = xstrdup("0");
		each_load(*state, r);
		assert_int_equal(r->load_warnings.n, 1);
		assert_non_null(strstr(r->load_warnings.v[0], "no name of a file"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(every_damage_is_noticed),
		cmocka_unit_test(other_versions_are_refused),
		scratch_test(the_store_keeps_them),
		scratch_test(another_file_is_noticed),
		scratch_test(no_file_outside_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
