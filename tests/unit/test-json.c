// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/json.h"
#include "lib/mem.h"

#include <math.h>

static struct json_object *parse(const char *text)
{
	return json_parse(text, strlen(text), NULL);
}

static const char *plain(struct json_object *o)
{
	return json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN);
}

static void whole_numbers_survive(void **state)
{
	static const uint64_t values[] = { 0, 1, 9007199254740993ULL, INT64_MAX,
					   (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		__cleanup_json struct json_object *o = json_object_new_object(), *back = NULL;
		uint64_t v = 42;

		json_set_u64(o, "v", values[i]);
		back = parse(plain(o));
		assert_true(json_get_u64(back, "v", &v));
		assert_true(v == values[i]);
		assert_string_equal(plain(back), plain(o));
	}
}

/* A value of another kind is "not there", and the variable is left alone. */
static void wrong_kinds_are_absent(void **state)
{
	__cleanup_json struct json_object *o =
		parse("{\"neg\":-1,\"d\":1.0,\"s\":\"7\",\"b\":true,\"n\":null,\"a\":[1],\"i\":5,"
		      "\"big\":1e400,\"min\":-9223372036854775808}");
	static const char *const no_u64[] = {
		"neg", "d", "s", "b", "n", "a", "big", "min", "none",
	};
	static const char *const no_double[] = { "s", "b", "n", "a", "big", "none" };
	static const char *const no_str[] = { "neg", "d", "b", "n", "a", "none" };
	uint64_t u = 42;
	double d = 42;
	bool b = true;

	(void)state;
	assert_non_null(o);
	for (size_t i = 0; i < ARRAY_SIZE(no_u64); i++)
		assert_false(json_get_u64(o, no_u64[i], &u));
	for (size_t i = 0; i < ARRAY_SIZE(no_double); i++)
		assert_false(json_get_double(o, no_double[i], &d));
	for (size_t i = 0; i < ARRAY_SIZE(no_str); i++)
		assert_null(json_get_str(o, no_str[i]));
	assert_false(json_get_bool(o, "i", &b) || json_get_bool(o, "n", &b));
	assert_true(u == 42 && d == 42 && b);
	assert_true(json_get_double(o, "i", &d) && d == 5);
	assert_true(json_get_double(o, "min", &d) && d == -9223372036854775808.0);
	assert_true(json_get_bool(o, "b", &b) && b);
	assert_string_equal(json_get_str(o, "s"), "7");
	assert_null(json_get(NULL, "x"));
	assert_null(json_get(json_get(o, "a"), "x"));
	assert_false(json_get_u64(NULL, "x", &u) || json_as_u64(NULL, &u) ||
		     json_as_double(NULL, &d));
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void check_double(double v)
{
	__cleanup_json struct json_object *o = json_object_new_array(), *back = NULL;
	double got = 42;

	json_object_array_add(o, json_double(v));
	back = parse(plain(o));
	assert_non_null(back);
	if (!isfinite(v)) {
		assert_string_equal(plain(o), "[null]");
		assert_false(json_as_double(json_object_array_get_idx(back, 0), &got));
		return;
	}
	/* It must come back as a double, so that a kind does not depend on the value. */
	assert_true(json_object_is_type(json_object_array_get_idx(back, 0), json_type_double));
	assert_true(json_as_double(json_object_array_get_idx(back, 0), &got));
	if (memcmp(&got, &v, sizeof(v)))
		fail_msg("%a became %a in %s", v, got, plain(o));
}

static void doubles_round_trip(void **state)
{
	static const double special[] = { 0.0, -0.0, 1, -1, 0.1, 1e15, 1e16, 123456789012345678.0,
					  1e17, 1e22, 1e23, 4.9406564584124654e-324,
					  2.2250738585072014e-308, 1.7976931348623157e308, 1.0 / 3,
					  INFINITY, -INFINITY, NAN };
	uint64_t x = 88172645463325252ULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(special); i++)
		check_double(special[i]);
	for (int i = 0; i < 5000; i++) {
		uint64_t bits = next_random(&x);
		double v;

		memcpy(&v, &bits, sizeof(v));
		check_double(v);
		check_double((double)(bits >> 20) / 1000);
	}
}

/* Trying one number of digits after the other, as the definition says. */
static void check_shortest(double v)
{
	__cleanup_json struct json_object *o = json_double(v);
	char want[32];

	for (int digits = 6; digits <= 17; digits++) {
		snprintf(want, sizeof(want), "%.*g", digits, v);
		if (strtod(want, NULL) == v)
			break;
	}
	if (!strpbrk(want, ".e"))
		snprintf(want, sizeof(want), "%.1f", v);
	assert_string_equal(plain(o), want);
}

static void doubles_are_short(void **state)
{
	static const double edges[] = { 0, 1e5, 1e6, 123456, 1234567, 1e15, 1e16, 1e17, 1e22, 1e23,
					0.1, 0.3, 1.0 / 3, 5e-324, 1e-310, 0x1p-1022,
					0x1.fffffffffffffp+1023, 0x1p53, 0x1p60, 0x1p-44 };
	uint64_t bits = 88172645463325252ULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
		check_shortest(edges[i]);
		check_shortest(-edges[i]);
		check_shortest(nextafter(edges[i], 1));
	}
	for (int i = -1074; i < 1024; i++)
		check_shortest(ldexp(1, i));
	for (int i = 0; i < 20000; i++) {
		double any;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&any, &bits, sizeof(any));
		if (isfinite(any))
			check_shortest(any);
		check_shortest(floor(ldexp(bits, -30)) / pow(10, i % 20));
		check_shortest(ldexp(bits, -1090 + i % 60));
	}
}

static void absent_is_null(void **state)
{
	__cleanup_json struct json_object *o = json_object_new_object();

	(void)state;
	json_set_str(o, "s", NULL);
	json_set_double(o, "d", NAN);
	json_set_double(o, "i", -INFINITY);
	json_set_str(o, "t", "a\"\\\n");
	json_set_bool(o, "b", false);
	assert_string_equal(plain(o), "{\"s\":null,\"d\":null,\"i\":null,\"t\":\"a\\\"\\\\\\n\","
				      "\"b\":false}");
}

static void bare_values(void **state)
{
	static const char *const texts[] = {
		"0", "7", "12", " 12\n", "-1", "1.5", "1e5", "true", "false", "\"abc\"", "\"\"",
		"[]", "{}", "18446744073709551615",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		size_t where = 42, len = strlen(texts[i]);
		__cleanup_json struct json_object *o = json_parse(texts[i], len, &where);

		if (!o)
			fail_msg("<%s> was refused at %zu", texts[i], where);
		assert_int_equal(where, len);
	}
}

static void junk_is_refused(void **state)
{
	static const char *const texts[] = {
		"", " ", "tru", "nul", "nan", "NaN", "Infinity", "-Infinity", "[NaN]",
		"[1,-Infinity]", "TRUE", "1 2", "12x", "1.5 x", "[1] [2]", "[1]]", "]",
		"{\"a\":1}x", "{\"a\":1", "[1,2", "\"abc", "[1,]", "{\"a\":1,}", "{'a':1}",
		"['a']", "{a:1}", "{\"a\" 1}", "{1:2}", "[1 2]", "01", "[01]", "+1", ".5", "-",
		"[1e]", "[/*c*/1]", "// c\n1", "[\"\\x\"]", "\v1", "\xef\xbb\xbf[1]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		size_t where = 4242;
		struct json_object *o = json_parse(texts[i], strlen(texts[i]), &where);

		if (o)
			fail_msg("<%s> was taken", texts[i]);
		assert_in_range(where, 0, strlen(texts[i]));
	}
}

static void trouble_has_an_offset(void **state)
{
	size_t where = 0;

	(void)state;
	assert_null(json_parse("{\"a\":1} x", 9, &where));
	assert_int_equal(where, 8);
	assert_null(json_parse("[1, \"a\xff\"]", 9, &where));
	assert_int_equal(where, 4);
	assert_null(json_parse("[1", (size_t)INT32_MAX + 1, &where));
	assert_int_equal(where, 0);
}

/* json-c would make them 18446744073709551615 and -9223372036854775808. */
static void too_large_is_refused(void **state)
{
	static const char *const texts[] = {
		"18446744073709551616", "-9223372036854775809",
		"[99999999999999999999999999999999]", "{\"a\":-99999999999999999999}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_null(parse(texts[i]));
}

static void utf8(void **state)
{
	static const char *const bad[] = {
		"\xff", "\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
		"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82",
		"\xf0\x9f\x98", "\xc3",
	};
	static const char *const good[] = {
		"\xc2\x80", "\xc3\xa9", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
		"\xe2\x82\xac", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(bad); i++) {
		__cleanup_free char *text =
			xasprintf(i % 2 ? "{\"%s\":1}" : "[\"%s\"]", bad[i / 2]);

		assert_null(parse(text));
		/* And where the text ends in the middle of it. */
		assert_null(json_parse(text, strlen(text) - 2, NULL));
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		__cleanup_free char *text = xasprintf("{\"s\":\"%s\"}", good[i]);
		__cleanup_json struct json_object *o = parse(text);

		assert_string_equal(json_get_str(o, "s"), good[i]);
	}
}

static void nul_is_refused(void **state)
{
	(void)state;
	assert_null(json_parse("[1]\0", 4, NULL));
	assert_null(json_parse("[1]\0[2]", 7, NULL));
	assert_null(json_parse("1\0", 2, NULL));
	assert_null(json_parse("\0", 1, NULL));
	assert_null(json_parse("\"a\0b\"", 5, NULL));
	assert_null(parse("\"a\\u0000b\""));
	assert_null(parse("{\"a\\u0000b\":1}"));
}

static void escapes(void **state)
{
	__cleanup_json struct json_object *o = parse("{\"s\":\"\\\\u0000 \\\" \\u20ac \\\\\"}");

	(void)state;
	assert_string_equal(json_get_str(o, "s"), "\\u0000 \" \xe2\x82\xac \\");
}

/* The text need not end with a NUL. */
static void length_counts(void **state)
{
	char *text = xmalloc(3);
	struct json_object *o;
	uint64_t v;

	(void)state;
	memcpy(text, "123", 3);
	o = json_parse(text, 3, NULL);
	assert_true(json_as_u64(o, &v) && v == 123);
	json_object_put(o);
	o = json_parse(text, 2, NULL);
	assert_true(json_as_u64(o, &v) && v == 12);
	json_object_put(o);
	memcpy(text, "\"a\\", 3);
	assert_null(json_parse(text, 3, NULL));
	memcpy(text, "\"\xe2\x82", 3);
	assert_null(json_parse(text, 3, NULL));
	free(text);
}

static void depth_is_limited(void **state)
{
	__cleanup_strbuf struct strbuf ok = STRBUF_INIT, bomb = STRBUF_INIT;
	struct json_object *o;

	(void)state;
	strbuf_pad(&ok, '[', 60);
	strbuf_pad(&ok, ']', 60);
	o = parse(ok.buf);
	assert_non_null(o);
	json_object_put(o);
	strbuf_pad(&bomb, '[', 65);
	strbuf_pad(&bomb, ']', 65);
	assert_null(parse(bomb.buf));
	strbuf_reset(&bomb);
	strbuf_pad(&bomb, '[', 1000000);
	assert_null(parse(bomb.buf));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_survive),
		cmocka_unit_test(wrong_kinds_are_absent),
		cmocka_unit_test(doubles_round_trip),
		cmocka_unit_test(doubles_are_short),
		cmocka_unit_test(absent_is_null),
		cmocka_unit_test(bare_values),
		cmocka_unit_test(junk_is_refused),
		cmocka_unit_test(trouble_has_an_offset),
		cmocka_unit_test(too_large_is_refused),
		cmocka_unit_test(utf8),
		cmocka_unit_test(nul_is_refused),
		cmocka_unit_test(escapes),
		cmocka_unit_test(length_counts),
		cmocka_unit_test(depth_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
