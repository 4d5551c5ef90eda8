// SPDX-License-Identifier: GPL-2.0-or-later
/* Results over a console, and what a program needs elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/vm/collect.h"
#include "harness/vm/frame.h"
#include "harness/vm/programs.h"
#include "lib/mem.h"

#include <errno.h>

/* All bytes there are, in a length that base64 must pad. */
static void fill(struct frame *f, size_t len)
{
	for (size_t i = 0; i < len; i++)
		f->data[i] = (uint8_t)(i * 37);
	f->len = len;
}

static void comes_back(void **state)
{
	(void)state;
	for (size_t len = 1; len <= FRAME_BYTES; len++) {
		struct frame f = { .kind = FRAME_ERR, .offset = 0x123456789aULL }, g;
		char line[FRAME_LINE];

		fill(&f, len);
		frame_encode(&f, line);
		assert_int_equal(frame_decode(line, strlen(line), &g), 0);
		assert_int_equal(g.kind, FRAME_ERR);
		assert_int_equal(g.offset, f.offset);
		assert_int_equal(g.len, len);
		assert_memory_equal(g.data, f.data, len);
	}
}

/* Known bytes, so that the two sides cannot be wrong in the same way. */
static void has_this_form(void **state)
{
	struct frame f = { .kind = FRAME_OUT, .data = "hi\n", .len = 3 };
	char line[FRAME_LINE];

	(void)state;
	frame_encode(&f, line);
	assert_string_equal(line, "FSDFRAME o 0 aGkK 9cdb1cf1");
}

static void damage_is_seen(void **state)
{
	static const char good[] = "FSDFRAME o 0 aGkK 9cdb1cf1";
	struct frame f;

	(void)state;
	for (size_t i = 0; i < sizeof(good) - 1; i++) {
		char line[sizeof(good)];

		memcpy(line, good, sizeof(good));
		line[i] ^= 1;
		assert_int_not_equal(frame_decode(line, sizeof(good) - 1, &f), 0);
		assert_int_not_equal(frame_decode(good, i, &f), 0);
	}
	assert_int_equal(frame_decode("[  1.0] hello", 13, &f), -ENOENT);
}

static void add_line(struct strbuf *console, const struct frame *f)
{
	char line[FRAME_LINE];

	frame_encode(f, line);
	strbuf_addf(console, "%s\r\n", line);
}

static void console_of(struct strbuf *console, uint64_t second_at, uint64_t out_len)
{
	struct frame a = { .kind = FRAME_OUT, .data = "one ", .len = 4 };
	struct frame b = { .kind = FRAME_OUT, .offset = second_at, .data = "two", .len = 3 };
	struct frame c = { .kind = FRAME_ERR, .data = "bad", .len = 3 };
	struct frame end = { .kind = FRAME_END, .out_len = out_len, .err_len = 3, .word = "exit",
			     .number = 7 };

	strbuf_adds(console, "VMINIT start\r\n");
	add_line(console, &a);
	strbuf_adds(console, "[   12.3] the kernel has something to say\r\n");
	add_line(console, &b);
	add_line(console, &c);
	add_line(console, &end);
}

static void collect_is(uint64_t second_at, uint64_t out_len, int want)
{
	__cleanup_strbuf struct strbuf console = STRBUF_INIT, out = STRBUF_INIT, err = STRBUF_INIT,
				       rc = STRBUF_INIT;

	console_of(&console, second_at, out_len);
	assert_int_equal(collect_frames(console.buf, console.len, &out, &err, &rc), want);
	if (want)
		return;
	assert_string_equal(strbuf_str(&out), "one two");
	assert_string_equal(strbuf_str(&err), "bad");
	assert_string_equal(strbuf_str(&rc), "exit 7\n");
}

static void collects(void **state)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT, err = STRBUF_INIT, rc = STRBUF_INIT;

	(void)state;
	collect_is(4, 7, 0);
	collect_is(5, 7, -EBADMSG);
	collect_is(4, 8, -EBADMSG);
	assert_int_equal(collect_frames("VMINIT start\n", 13, &out, &err, &rc), -ENOENT);
	assert_int_equal(rc.len, 0);
}

static void reads_list(void **state)
{
	__cleanup_strvec struct strvec files = STRVEC_INIT;

	(void)state;
	programs_parse_list("\tlinux-vdso.so.1 (0x00007ffc6a5f2000)\n"
			    "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f0000000000)\n"
			    "\tlibgone.so => not found\n"
			    "\t/lib64/ld-linux-x86-64.so.2 (0x00007f0000200000)\n"
			    "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f0000000000)\n",
			    &files);
	assert_int_equal(files.n, 2);
	assert_string_equal(files.v[0], "/lib/x86_64-linux-gnu/libc.so.6");
	assert_string_equal(files.v[1], "/lib64/ld-linux-x86-64.so.2");
}

/* Of a program that is surely there. */
static void finds_libraries(void **state)
{
	__cleanup_strvec struct strvec files = STRVEC_INIT;
	char *why = NULL;

	(void)state;
	assert_int_equal(programs_add("/bin/sh", &files, &why), 0);
	assert_string_equal(files.v[0], "/bin/sh");
	assert_int_equal(programs_add("/nothing/here", &files, &why), -ENOENT);
	assert_non_null(strstr(why, "/nothing/here"));
	free(why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back), cmocka_unit_test(has_this_form),
		cmocka_unit_test(damage_is_seen), cmocka_unit_test(collects),
		cmocka_unit_test(reads_list), cmocka_unit_test(finds_libraries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
