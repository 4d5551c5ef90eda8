// SPDX-License-Identifier: GPL-2.0-or-later
/* The small ones of lib/: proc, clock, undo, hash, mem, log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/hash.h"
#include "lib/log.h"
#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/undo.h"
#include "tests/unit/scratch.h"

#include <errno.h>
#include <fcntl.h>

static void field_is(const char *text, const char *key, const char *want)
{
	__cleanup_free char *v = proc_field(text, key);

	if (!want)
		assert_null(v);
	else if (!v)
		fail_msg("no '%s'", key);
	else
		assert_string_equal(v, want);
}

static void fields(void **state)
{
	static const char text[] = "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz  \n"
				   "cpu family\t: 6\nempty\t:\nbare\nMemTotal:       16384 kB\n"
				   "cpu  1 2 3\ncpu0 4 5 6\ntwice: 1\ntwice: 2\nlast: end";

	(void)state;
	field_is(text, "processor", "0");
	field_is(text, "model name", "Some CPU @ 2.0GHz");
	field_is(text, "MemTotal", "16384 kB");
	field_is(text, "cpu0", "4 5 6");
	field_is(text, "empty", "");
	field_is(text, "twice", "1");
	field_is(text, "last", "end");
	field_is(text, "bare", NULL);
	field_is(text, "Mem", NULL);
	field_is(text, "Total", NULL);
	field_is(text, "MemTotal:       16384 kB", NULL);
	field_is("bare", "bare", NULL);
	field_is("bar", "bare", NULL);
	field_is("", "x", NULL);
	field_is("cpu  1 2 3\ncpu0 4", "cpu", "1 2 3");
}

static void proc_reads_below_a_prefix(void **state)
{
	const char *root = *state;
	uint64_t v = 42;

	scratch_write(state, "proc/text", " one \ntwo\n");
	scratch_write(state, "proc/empty", "");
	scratch_write(state, "sys/7/number", "18446744073709551615\n");
	scratch_write(state, "sys/7/bad", "12 34\n");
	scratch_write(state, "sys/7/negative", "-1\n");
	__cleanup_free char *text = proc_read(root, "/proc/%s", "text");
	__cleanup_free char *line = proc_read_line(root, "/proc/text");
	__cleanup_free char *empty = proc_read_line(root, "/proc/empty");

	assert_string_equal(text, " one \ntwo\n");
	assert_string_equal(line, "one");
	assert_string_equal(empty, "");
	errno = 0;
	assert_null(proc_read(root, "/proc/none"));
	assert_int_equal(errno, ENOENT);
	assert_null(proc_read_line(root, "/proc"));
	assert_int_equal(errno, EISDIR);
	assert_int_equal(proc_read_u64(root, &v, "/proc/none"), -ENOENT);
	assert_int_equal(proc_read_u64(root, &v, "/proc/empty"), -EINVAL);
	assert_int_equal(proc_read_u64(root, &v, "/sys/%d/bad", 7), -EINVAL);
	assert_int_equal(proc_read_u64(root, &v, "/sys/7/negative"), -EINVAL);
	assert_int_equal(v, 42);
	assert_int_equal(proc_read_u64(root, &v, "/sys/7/number"), 0);
	assert_true(v == UINT64_MAX);
}

static void utc(void **state)
{
	__cleanup_free char *text = clock_utc(), *compact = clock_utc_compact();
	int n = 0;

	(void)state;
	sscanf(text, "2%*3d-%*2d-%*2dT%*2d:%*2d:%*2dZ%n", &n);
	assert_int_equal(n, 20);
	assert_int_equal(strlen(text), 20);
	n = 0;
	sscanf(compact, "2%*7dT%*6dZ%n", &n);
	assert_int_equal(n, 16);
	assert_int_equal(strlen(compact), 16);
}

static int at_third_call(void *arg)
{
	return ++*(int *)arg == 3 ? 77 : 0;
}

static int never(void *arg)
{
	++*(int *)arg;
	return 0;
}

static void waits(void **state)
{
	uint64_t start = clock_mono_ns(), waited;
	int calls = 0;

	(void)state;
	/* The longest of all deadlines must not wrap around into the past. */
	assert_int_equal(clock_wait_until(at_third_call, &calls, UINT64_MAX), 77);
	assert_int_equal(calls, 3);
	calls = 0;
	assert_int_equal(clock_wait_until(never, &calls, 0), 0);
	assert_int_equal(calls, 1);
	calls = 0;
	start = clock_mono_ns();
	assert_int_equal(clock_wait_until(never, &calls, 20 * NSEC_PER_MSEC), 0);
	waited = clock_mono_ns() - start;
	assert_true(calls >= 2);
	assert_true(waited >= 20 * NSEC_PER_MSEC);
}

static char undone[16];

static int undo_letter(void *arg)
{
	const char *s = arg;

	undone[strlen(undone)] = *s;
	return *s == 'b' ? -EBUSY : *s == 'c' ? -EIO : 0;
}

static void undoes_backwards(void **state)
{
	static char letters[] = "abcd";
	struct undo u = UNDO_INIT;

	(void)state;
	memset(undone, 0, sizeof(undone));
	assert_int_equal(undo_pop(&u), 0);
	for (int i = 0; i < 4; i++)
		undo_push(&u, "x", undo_letter, &letters[i]);
	assert_int_equal(undo_pop(&u), 0);
	assert_string_equal(undone, "d");
	/* Goes on after a failure; the first one is told. */
	assert_int_equal(undo_all(&u), -EIO);
	assert_string_equal(undone, "dcba");
	assert_int_equal(u.n, 0);
	assert_int_equal(undo_all(&u), 0);
	undo_push(&u, "x", undo_letter, &letters[0]);
	assert_int_equal(undo_all(&u), 0);
	assert_string_equal(undone, "dcbaa");
}

static void hash_is_fnv1a(void **state)
{
	struct hash64 h = HASH64_INIT;

	(void)state;
	/* Test vectors of the page named in lib/hash.h. */
	assert_true(h.value == 0xcbf29ce484222325ULL);
	hash64_add(&h, "a", 1);
	assert_true(h.value == 0xaf63dc4c8601ec8cULL);
	h = (struct hash64)HASH64_INIT;
	hash64_add(&h, "foo", 3);
	hash64_add(&h, "bar", 3);
	assert_true(h.value == 0x85944171f73967e8ULL);
}

static void memory(void **state)
{
	char *slot = NULL;
	struct { int *v; size_t n; } list = { NULL, 0 };

	(void)state;
	str_replace(&slot, "abc");
	str_replace(&slot, slot + 1);
	assert_string_equal(slot, "bc");
	str_replace(&slot, NULL);
	assert_null(slot);
	for (int i = 0; i < 1000; i++) {
		GROW(list.v, list.n);
		list.v[list.n++] = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(list.v[i], i);
	free(list.v);
	free(xmalloc(0));
	free(xcalloc(0, 8));
}

/* What @say writes to standard error. */
static void caught(void **state, void (*say)(void), struct strbuf *out)
{
	__cleanup_free char *path = scratch_path(state, "stderr");
	__cleanup_close int saved = dup(STDERR_FILENO);
	__cleanup_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	say();
	dup2(saved, STDERR_FILENO);
	assert_int_equal(file_read(path, out, 0), 0);
}

static void say_all(void)
{
	log_error("%s: %d", "a\033[31m\nb", 5);
	log_warn("w");
	log_info("100%%");
}

static void messages(void **state)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;

	caught(state, say_all, &out);
	assert_string_equal(strbuf_str(&out), "fsdelta: error: a\\x1b[31m\\x0ab: 5\n"
					      "fsdelta: warning: w\nfsdelta: 100%\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		scratch_test(proc_reads_below_a_prefix),
		cmocka_unit_test(utc),
		cmocka_unit_test(waits),
		cmocka_unit_test(undoes_backwards),
		cmocka_unit_test(hash_is_fnv1a),
		cmocka_unit_test(memory),
		scratch_test(messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
