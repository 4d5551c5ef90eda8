// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/strbuf, lib/strvec, lib/kv. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/kv.h"
#include "lib/mem.h"
#include "lib/spawn.h"
#include "lib/strbuf.h"
#include "lib/strvec.h"

#include <errno.h>
#include <limits.h>
#include <math.h>

static void strbuf_grows(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char *s;

	(void)state;
	assert_string_equal(strbuf_str(&sb), "");
	for (int i = 0; i < 1000; i++) {
		strbuf_addf(&sb, "%03d", i);
		assert_int_equal(sb.len, 3 * (i + 1));
		assert_int_equal(sb.buf[sb.len], 0);
	}
	assert_memory_equal(sb.buf + 3 * 517, "517", 3);
	strbuf_reset(&sb);
	assert_string_equal(strbuf_str(&sb), "");
	strbuf_add(&sb, "a\0b", 3);
	strbuf_pad(&sb, '-', 3);
	assert_int_equal(sb.len, 6);
	assert_memory_equal(sb.buf, "a\0b---", 7);
	s = strbuf_detach(&sb);
	assert_int_equal(s[2], 'b');
	free(s);
	assert_null(sb.buf);
	s = strbuf_detach(&sb);
	assert_string_equal(s, "");
	free(s);
}

static void printable(void **state)
{
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_add_printable(&sb, "a ~\033[31m\n\x7f\xc3\xa9");
	assert_string_equal(sb.buf, "a ~\\x1b[31m\\x0a\\x7f\\xc3\\xa9");
}

static const char *const awkward[] = {
	"", " ", "a", "a b", "'", "''", "\"", "\\", "a\\", "\\n", "\n", "a\nb\n", "\t", "$HOME",
	"`id`", "$(id)", "*", "?", "[a-z]", "{a,b}", "~", "~root", "#", "# x", "!", "!!", "&",
	"|", ";", "<", ">", "(", ")", "-n", "--", "a=b", "=", "%s", "%%", "^", "\x01", "\x7f",
	"\xff\xfe", "\xc3\xa9", "it's", "'quoted'", "a'b\"c\\d$e`f", "/dev/a b", "mkfs.xfs",
	"x\r",
};

/* What a shell makes of @text, a command that prints its words with a NUL behind each. */
static void shell_reads(const char *text, struct strbuf *out)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;

	strvec_push(&argv, "sh");
	strvec_push(&argv, "-c");
	strvec_pushf(&argv, "printf '%%s\\0' %s", text);
	assert_int_equal(spawn_capture(&argv, false, 20 * NSEC_PER_SEC, out), 0);
}

static void shell_words_round_trip(void **state)
{
	__cleanup_strvec struct strvec words = STRVEC_INIT;
	__cleanup_strbuf struct strbuf want = STRBUF_INIT, got = STRBUF_INIT;
	__cleanup_free char *text = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(awkward); i++) {
		strvec_push(&words, awkward[i]);
		strbuf_add(&want, awkward[i], strlen(awkward[i]) + 1);
	}
	text = strvec_shell(&words);
	shell_reads(text, &got);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.buf, want.buf, want.len);
}

static void shell_word_is_plain_when_it_can_be(void **state)
{
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_add_shell_word(&sb, "lazy_itable_init=0,x:/dev/disk/by-id/a+b@%^");
	assert_string_equal(sb.buf, "lazy_itable_init=0,x:/dev/disk/by-id/a+b@%^");
	strbuf_reset(&sb);
	strbuf_add_shell_word(&sb, "");
	assert_string_equal(sb.buf, "''");
}

static void own_words_round_trip(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(awkward); i++) {
		__cleanup_strvec struct strvec in = STRVEC_INIT, out = STRVEC_INIT;
		__cleanup_free char *text = NULL;

		strvec_push(&in, "x");
		strvec_push(&in, awkward[i]);
		text = strvec_shell(&in);
		assert_int_equal(strvec_split_words(&out, text), 0);
		assert_int_equal(out.n, 2);
		assert_string_equal(out.v[1], awkward[i]);
	}
}

/* Without anything to expand, a shell sees the same words. */
static void split_words_as_a_shell_does(void **state)
{
	static const char *const texts[] = {
		"a b", "  a\tb  ", "'a b' c", "\"a b\"c'd e'", "''", "\"\" x", "a''b", "a\\ b",
		"\\'a", "'a\\b'", "\"a\\\"b\"", "\"a\\\\b\"", "\"a\\nb\"", "\"a\\b\"",
		"\"\\$x \\`y\"", "\"it's\"", "'say \"x\"'", "a\\", "-E stride=2,x='1 2'",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		__cleanup_strbuf struct strbuf want = STRBUF_INIT, got = STRBUF_INIT;
		__cleanup_strvec struct strvec words = STRVEC_INIT;

		assert_int_equal(strvec_split_words(&words, texts[i]), 0);
		for (size_t w = 0; w < words.n; w++)
			strbuf_add(&got, words.v[w], strlen(words.v[w]) + 1);
		shell_reads(texts[i], &want);
		if (got.len != want.len || memcmp(got.buf, want.buf, want.len))
			fail_msg("<%s> gives %zu words, first <%s>; a shell's first is <%s>",
				 texts[i], words.n, words.v[0], want.buf);
	}
}

static void open_quotes(void **state)
{
	static const char *const texts[] = { "'", "a 'b", "\"a\\\"", "x \"y' z" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		__cleanup_strvec struct strvec words = STRVEC_INIT;

		assert_int_equal(strvec_split_words(&words, texts[i]), -EINVAL);
	}
}

static void strvec_splits(void **state)
{
	__cleanup_strvec struct strvec sv = STRVEC_INIT;
	__cleanup_free char *joined = NULL;

	(void)state;
	assert_null(sv.v);
	strvec_split(&sv, " b , ,,a c,", ',');
	assert_int_equal(sv.n, 2);
	assert_null(sv.v[2]);
	strvec_sort(&sv);
	joined = strvec_join(&sv, "|");
	assert_string_equal(joined, "a c|b");
	assert_true(strvec_has(&sv, "b"));
	assert_false(strvec_has(&sv, "a"));
	strvec_split_words(&sv, "");
	strvec_split(&sv, "", ',');
	assert_int_equal(sv.n, 2);
	strvec_release(&sv);
	strvec_sort(&sv);
	free(joined);
	joined = strvec_join(&sv, "|");
	assert_string_equal(joined, "");
}

static void trims(void **state)
{
	char both[] = " \t a b\r\n", blank[] = " \n", none[] = "";

	(void)state;
	assert_string_equal(str_trim(both), "a b");
	assert_string_equal(str_trim(blank), "");
	assert_string_equal(str_trim(none), "");
	assert_true(str_starts("abc", "ab") && str_starts("a", "") && !str_starts("a", "ab"));
	assert_true(str_ends("abc", "bc") && str_ends("a", "") && !str_ends("c", "bc"));
	assert_true(str_eq(NULL, NULL) && str_eq("a", "a"));
	assert_false(str_eq(NULL, "") || str_eq("", NULL) || str_eq("a", "b"));
}

static void u64(void **state)
{
	static const struct {
		const char *text;
		int ret;
		unsigned long long value;
	} rows[] = {
		{ "0", 0, 0 },
		{ "007", 0, 7 },
		{ "18446744073709551615", 0, ULLONG_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "1.0", -EINVAL, 0 },
		{ "nan", -EINVAL, 0 },
		{ "1\n", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned long long v = 42;

		assert_int_equal(str_to_u64(rows[i].text, &v), rows[i].ret);
		assert_true(v == (rows[i].ret ? 42 : rows[i].value));
	}
}

static void doubles(void **state)
{
	static const char *const bad[] = {
		"", " ", "nan", "NAN", "inf", "-inf", "0x10", "1,5", "1 ", " 1", "e5", "1e",
		"--1", ".", "1.2.3", "1x",
	};
	double v = 42;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(str_to_double(bad[i], &v), -EINVAL);
	assert_int_equal(str_to_double("1e400", &v), -ERANGE);
	assert_int_equal(str_to_double("-1e400", &v), -ERANGE);
	assert_true(v == 42);
	assert_int_equal(str_to_double("-1.5e-3", &v), 0);
	assert_true(v == -1.5e-3);
	assert_int_equal(str_to_double("4.9406564584124654e-324", &v), 0);
	assert_true(v == 4.9406564584124654e-324);
	assert_int_equal(str_to_double("1.7976931348623157e308", &v), 0);
	assert_true(v == 1.7976931348623157e308);
	assert_int_equal(str_to_double("-0", &v), 0);
	assert_true(v == 0 && signbit(v));
}

static void sizes(void **state)
{
	static const char *const bad[] = {
		"", "G", "-1G", "8X", "8GG", "8GiBx", "8 G", "8iB", "16E", "1.5G", "0x1K", "8BB",
		"8Bi",
	};
	static const struct {
		const char *text;
		unsigned long long value;
	} good[] = {
		{ "0", 0 },
		{ "4096", 4096 },
		{ "4096B", 4096 },
		{ "1k", 1024 },
		{ "512M", 512ULL << 20 },
		{ "8G", 8ULL << 30 },
		{ "8g", 8ULL << 30 },
		{ "8GB", 8ULL << 30 },
		{ "8GiB", 8ULL << 30 },
		{ "1T", 1ULL << 40 },
		{ "16777215T", 16777215ULL << 40 },
	};
	unsigned long long v = 42;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(str_to_size(bad[i], &v), -EINVAL);
	assert_int_equal(str_to_size("16777216T", &v), -ERANGE);
	assert_int_equal(str_to_size("18446744073709551616", &v), -ERANGE);
	assert_int_equal(str_to_size("18446744073709551615K", &v), -ERANGE);
	assert_true(v == 42);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(str_to_size(good[i].text, &v), 0);
		assert_true(v == good[i].value);
	}
}

static void seconds(void **state)
{
	static const char *const bad[] = { "", "s", "-1", "1d", "1ms", "1.5m", "5 m", "1ss", "m5" };
	unsigned int v = 42;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(str_to_seconds(bad[i], &v), -EINVAL);
	assert_int_equal(str_to_seconds("4294967296", &v), -ERANGE);
	assert_int_equal(str_to_seconds("1193047h", &v), -ERANGE);
	assert_int_equal(str_to_seconds("18446744073709551615m", &v), -ERANGE);
	assert_int_equal(v, 42);
	assert_true(!str_to_seconds("90", &v) && v == 90);
	assert_true(!str_to_seconds("90s", &v) && v == 90);
	assert_true(!str_to_seconds("5m", &v) && v == 300);
	assert_true(!str_to_seconds("1193046h", &v) && v == 1193046U * 3600);
	assert_true(!str_to_seconds("4294967295", &v) && v == UINT_MAX);
}

static void kv_keeps_order(void **state)
{
	__cleanup_kv struct kv kv = KV_INIT, copy = KV_INIT;

	(void)state;
	assert_null(kv_get(&kv, "a"));
	for (int i = 0; i < 20; i++) {
		__cleanup_free char *key = xasprintf("k%d", i);

		kv_setf(&kv, key, "%d", i);
	}
	kv_set(&kv, "k3", "three");
	assert_int_equal(kv.n, 20);
	assert_string_equal(kv.v[3].key, "k3");
	assert_string_equal(kv_get(&kv, "k3"), "three");
	/* From itself: the value must survive until it is copied. */
	kv_set(&kv, "k3", kv_get(&kv, "k3") + 1);
	assert_string_equal(kv_get(&kv, "k3"), "hree");
	kv_set(&copy, "k19", "old");
	kv_copy(&copy, &kv);
	assert_int_equal(copy.n, 20);
	assert_string_equal(copy.v[0].key, "k19");
	assert_string_equal(copy.v[0].value, "19");
}

static void kv_text_round_trips(void **state)
{
	__cleanup_kv struct kv in = KV_INIT, out = KV_INIT;
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(awkward); i++) {
		__cleanup_free char *key = xasprintf("key.%zu", i);

		kv_set(&in, key, awkward[i]);
	}
	kv_set(&in, "last", "\\\n\\n\\\\n\n\\");
	kv_format(&in, &text);
	assert_int_equal(kv_parse(&out, text.buf), 0);
	assert_int_equal(out.n, in.n);
	for (size_t i = 0; i < in.n; i++) {
		assert_string_equal(out.v[i].key, in.v[i].key);
		assert_string_equal(out.v[i].value, in.v[i].value);
	}
}

static void kv_parse_counts_junk(void **state)
{
	__cleanup_kv struct kv kv = KV_INIT;

	(void)state;
	assert_int_equal(kv_parse(&kv, ""), 0);
	assert_int_equal(kv_parse(&kv, "junk\n\na=1\nb=x=y\na=2\nmore junk"), 2);
	assert_int_equal(kv.n, 2);
	assert_string_equal(kv_get(&kv, "a"), "2");
	assert_string_equal(kv_get(&kv, "b"), "x=y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strbuf_grows),
		cmocka_unit_test(printable),
		cmocka_unit_test(shell_words_round_trip),
		cmocka_unit_test(shell_word_is_plain_when_it_can_be),
		cmocka_unit_test(own_words_round_trip),
		cmocka_unit_test(split_words_as_a_shell_does),
		cmocka_unit_test(open_quotes),
		cmocka_unit_test(strvec_splits),
		cmocka_unit_test(trims),
		cmocka_unit_test(u64),
		cmocka_unit_test(doubles),
		cmocka_unit_test(sizes),
		cmocka_unit_test(seconds),
		cmocka_unit_test(kv_keeps_order),
		cmocka_unit_test(kv_text_round_trips),
		cmocka_unit_test(kv_parse_counts_junk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
