// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/numbers.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "lib/strbuf.h"

/* What a text is read as: "name: 1 2 | 3", or its mistakes, one behind the other. */
static char *shown(int ret, struct numbers *n, struct strvec *mistakes)
{
	struct strbuf sb = STRBUF_INIT;

	if (ret) {
		assert_int_equal(ret, -EINVAL);
		assert_int_equal(n->n, 0);
		return strvec_join(mistakes, "\n");
	}
	assert_int_equal(mistakes->n, 0);
	for (size_t i = 0; i < n->n; i++) {
		strbuf_adds(&sb, i ? " | " : "");
		if (n->series[i].name)
			strbuf_addf(&sb, "%s: ", n->series[i].name);
		for (size_t j = 0; j < n->series[i].n; j++)
			strbuf_addf(&sb, "%s%.17g", j ? " " : "", n->series[i].v[j]);
	}
	return strbuf_detach(&sb);
}

static void expect_column(const char *text, const char *column, bool no_negative,
			  const char *want)
{
	__cleanup_strvec struct strvec mistakes = STRVEC_INIT;
	__cleanup_free char *got = NULL;
	struct numbers n = NUMBERS_INIT;
	int ret;

	if (column)
		ret = numbers_parse_column(text, strlen(text), column, no_negative, &n, &mistakes);
	else
		ret = numbers_parse(text, strlen(text), no_negative, &n, &mistakes);
	got = shown(ret, &n, &mistakes);
	numbers_release(&n);
	assert_string_equal(got, want);
}

static void expect(const char *text, const char *want)
{
	expect_column(text, NULL, false, want);
}

static void lists(void **state)
{
	(void)state;
	expect("1\n2.5\n-3e2\n", "1 2.5 -300");
	expect("1\n2", "1 2");
	expect("\xef\xbb\xbf# a comment\r\n\r\n 1 # one\r\n2\r\n", "1 2");
	expect("+1\n.5\n6.\n1E3\n", "1 0.5 6 1000");
	expect("1 2 3\n", "1 2 3");
	expect("1, 2, 3,\n", "1 2 3");
	expect("fsync in ms\n1\n2\n", "fsync in ms: 1 2");
	expect("time\n7\n", "time: 7");
}

static void tables(void **state)
{
	(void)state;
	expect("1 2\n3\t4\n", "1 3 | 2 4");
	expect("real sys\n80 78\n63,62\n", "real: 80 63 | sys: 78 62");
	expect("real time, \"sys\"\n80, 78\n", "real time: 80 | sys: 78");
	expect("x x\n1 2\n", "x: 1 | x (2): 2");
	expect("1 2\n3\n", "2:1: '3' starts a row of 1, and the lines above have 2");
	expect("a b c\n1 2\n", "2:1: '1' starts a row of 2, and the heading has 3 names");
	expect("1 2\nx 4\n", "2:1: 'x' is not a number");
	/* A table of one row is no list when it has a heading. */
	expect("a b\n1 2\n", "a: 1 | b: 2");
}

static void rows(void **state)
{
	(void)state;
	expect("- before 1 2\n- after 3 4\n", "before: 1 2 | after: 3 4");
	expect("* before: 1 2\n  3\nafter 4", "before: 1 2 3 | after: 4");
	expect("with the patch real 8 6, sys 7;\n without: real 9.\n",
	       "with the patch real: 8 6 | sys: 7 | without real: 9");
	expect("a 1, b 2, a 3, a (2) 4", "a: 1 | b: 2 | a (2): 3 | a (2) (2): 4");
	expect("x 1 2, y\n3 4\n", "x: 1 2 | y: 3 4");
	expect("- before 1 -2\n", "before: 1 -2");
	/* In the middle a word is a misspelt number, not a name. */
	expect("before 1 O2 3\n", "1:10: 'O2' is not a number");
	expect("x 1, y\n", "2: no numbers behind 'y'");
}

static void mistakes_are_named(void **state)
{
	(void)state;
	expect("", "there are no numbers");
	expect("# 1\n", "there are no numbers");
	expect("1\n nan\n", "2:2: 'nan' is not finite");
	expect("-Inf\n", "1:1: '-Inf' is not finite");
	expect("0x10\n", "1:1: '0x10' is hexadecimal; numbers are decimal here");
	expect("1e400\n-1e400\n", "1:1: '1e400' is too large for a double\n"
	       "2:1: '-1e400' is too large for a double");
	expect("1e-400\n0e-400\n", "1:1: '1e-400' is too small for a double");
	expect("1\n,\n", "2:1: ',' there is no value between the separators");
	expect("1,,2\n", "1:3: ',' there is no value between the separators");
	expect("12s\n1_0\n1e\n1.2.3\n--1\n-\n", "1:1: '12s' is not a number\n"
	       "2:1: '1_0' is not a number\n3:1: '1e' is not a number\n"
	       "4:1: '1.2.3' is not a number\n5:1: '--1' is not a number\n"
	       "6:1: '-' is not a number");
	expect("1\n\x01\xff\n", "2:1: '\\x01\\xff' is not a number");
	expect_column("1\n-2\n-0\n", NULL, true, "2:1: '-2' is negative, and a rate cannot be");
}

static void mistakes_are_limited(void **state)
{
	__cleanup_strvec struct strvec mistakes = STRVEC_INIT;
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	struct numbers n = NUMBERS_INIT;

	(void)state;
	strbuf_adds(&text, "1\n");
	for (int i = 0; i < 100; i++)
		strbuf_adds(&text, "nan\n");
	assert_int_equal(numbers_parse(text.buf, text.len, false, &n, &mistakes), -EINVAL);
	assert_int_equal(mistakes.n, NUMBERS_MISTAKES_MAX);
}

static void columns(void **state)
{
	static const char table[] = "command,mean,\"std dev\"\n\"rm a, b\",0.5,3\nunlink,0.25,-\n";

	(void)state;
	expect_column(table, "mean", false, "mean: 0.5 0.25");
	expect_column(table, "2", false, "2: 0.5 0.25");
	expect_column(table, "std dev", false, "3:13: '-' is not a number");
	expect_column(table, "nothing", false, "1: no column 'nothing'");
	expect_column(table, "4", false, "1: no column '4'");
	expect_column("a 1\nb\n", "2", false, "2:1: 'b' starts a line without this column");
	expect_column("a 1\nb 2 # c\n", "2", false, "2: 1 2");
	expect_column("", "1", false, "there are no numbers");
}

static void columns_are_found(void **state)
{
	__cleanup_strvec struct strvec mistakes = STRVEC_INIT;
	struct numbers n = NUMBERS_INIT;

	(void)state;
	assert_int_equal(numbers_parse("x 2\n1 5\n", 8, false, &n, &mistakes), 0);
	numbers_release(&n);
	assert_int_equal(numbers_parse("x y\n1 5\n", 8, false, &n, &mistakes), 0);
	assert_ptr_equal(numbers_find(&n, "y"), &n.series[1]);
	assert_ptr_equal(numbers_find(&n, "1"), &n.series[0]);
	assert_null(numbers_find(&n, "0"));
	assert_null(numbers_find(&n, "3"));
	assert_null(numbers_find(&n, "z"));
	numbers_release(&n);
}

/* https://en.wikipedia.org/wiki/Xorshift, for a sequence that is the same everywhere */
static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void same_as_strtod(const char *text)
{
	const char *why;
	double v;

	why = number_parse(text, strlen(text), &v);
	if (why)
		fail_msg("%s %s", text, why);
	if (v != strtod(text, NULL))
		fail_msg("%s: %.17g, not %.17g", text, v, strtod(text, NULL));
}

static void numbers_are_exact(void **state)
{
	static const char *const hard[] = {
		"9007199254740993", "9007199254740992.5", "0.1", "1e22", "1e23", "8.5e22",
		"123456789012345678901234567890", "0.000000000000000000000000000001",
		"2.2250738585072011e-308", "4.9e-324", "1.7976931348623157e308", "-0",
		"00000000000000000000000000000.5", "1.00000000000000011102230246251565404",
		"0.30000000000000000000000000000000000000", "9007199254740991e22",
	};
	uint64_t seed = 88172645463325252ULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hard); i++)
		same_as_strtod(hard[i]);
	for (int i = 0; i < 200000; i++) {
		char text[64];
		unsigned long long whole = next(&seed) >> next(&seed) % 64;
		unsigned long long part = next(&seed) >> next(&seed) % 64;
		int exponent = (int)(next(&seed) % 61) - 30;

		snprintf(text, sizeof(text), i % 3 ? "%llu.%llu" : "%llu.%llue%d", whole, part,
			 exponent);
		same_as_strtod(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(tables),
		cmocka_unit_test(rows),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(mistakes_are_limited),
		cmocka_unit_test(columns),
		cmocka_unit_test(columns_are_found),
		cmocka_unit_test(numbers_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
