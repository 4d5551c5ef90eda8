// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/json.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "reports/layout.h"
#include "reports/number.h"
#include "reports/select.h"
#include "reports/table.h"
#include "tests/golden/cases.h"
#include "tests/golden/runs.h"

static void check_number(const char *unit, enum metric_kind kind, double v, const char *text,
			 const char *shown_unit)
{
	const struct metric m = { "m", unit, BETTER_NEUTRAL, kind, false, NULL };
	struct number_scale scale = number_scale(&m, fabs(v));
	__cleanup_free char *got = number_text(v, &scale);

	assert_string_equal(got, text);
	assert_string_equal(scale.unit, shown_unit);
}

static void numbers_are_shown_in_a_fitting_unit(void **state)
{
	(void)state;
	check_number("ns", KIND_QUANTILE, 12410, "12.41", "us");
	check_number("ns", KIND_QUANTILE, 999, "999.0", "ns");
	check_number("ns", KIND_MAX, 1.5e9, "1.500", "s");
	check_number("s", KIND_TIME, 0.0123, "12.30", "ms");
	check_number("s", KIND_TIME, 2e-9, "2.000", "ns");
	check_number("s", KIND_TIME, 91.4, "91.40", "s");
	check_number("B", KIND_COUNT, 734003200, "700.0", "MiB");
	check_number("B/s", KIND_RATE_WORK, 2048, "2.000", "KiB/s");
	check_number("MB/s", KIND_RATE_TIME, 1128.35, "1128", "MB/s");
	check_number("1/s", KIND_RATE_TIME, 35677.96, "35678", "1/s");
	check_number("1/s", KIND_RATE_TIME, 12345678, "12346", "10^3/s");
	check_number("1", KIND_COUNT, 12, "12", "count");
	check_number("1", KIND_COUNT, 12.5, "12.5", "count");
	check_number("1", KIND_RATIO, 0.5, "0.500", "ratio");
	check_number("%", KIND_RATIO, 97.25, "97.25", "%");
	check_number("fruit", KIND_COUNT, 1e300, "1e+300", "fruit");
	check_number("ns", KIND_TIME, 0, "0", "ns");
	check_number("ns", KIND_TIME, NAN, "-", "ns");
}

static void no_number_is_wider_than_its_column(void **state)
{
	static const char *const unit[] = { "ns", "s", "B", "1/s", "1", "x" };

	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit); u++) {
		for (int exponent = -320; exponent <= 307; exponent++) {
			const struct metric m = { "m", unit[u], BETTER_NEUTRAL, KIND_COUNT, false,
						  NULL };
			double v = -9.99999 * pow(10, exponent);
			struct number_scale scale = number_scale(&m, fabs(v));
			__cleanup_free char *big = number_text(v, &scale);
			__cleanup_free char *small = number_text(v / 7e12, &scale);

			assert_in_range(strlen(big), 1, NUMBER_WIDTH + 1);
			assert_in_range(strlen(small), 1, NUMBER_WIDTH + 1);
			/* What is not 0 does not look like it. */
			if (v / 7e12 / scale.divisor != 0)
				assert_true(strpbrk(small, "123456789") != NULL);
		}
	}
}

static void check_percent(double pct, const char *text)
{
	__cleanup_free char *got = number_percent(pct);

	assert_string_equal(got, text);
}

static void changes_have_a_sign(void **state)
{
	(void)state;
	check_percent(4.6132, "+4.61%");
	check_percent(-0.04, "-0.04%");
	check_percent(-21.02, "-21.0%");
	check_percent(9.996, "+10.0%");
	check_percent(1000, "+1000.0%");
	check_percent(1140, "x12.4");
	check_percent(-1100, "x-10");
	check_percent(NAN, "-");
	check_percent(INFINITY, "-");
}

static void names_are_cut_in_the_middle(void **state)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	struct layout l = { .out = &out };
	__cleanup_free char *fits = layout_fit(&l, "abcde", 5);
	__cleanup_free char *one = layout_fit(&l, "abcd-one-xyz", 8);
	__cleanup_free char *two = layout_fit(&l, "abcd-two-xyz", 8);
	__cleanup_free char *again = layout_fit(&l, "abcd-one-xyz", 8);
	__cleanup_free char *escape = layout_fit(&l, "\033[0m", 20);

	(void)state;
	assert_string_equal(fits, "abcde");
	assert_string_equal(one, "abc..xyz");
	assert_string_equal(two, "abc.2.yz");
	assert_string_equal(again, one);
	assert_string_equal(escape, "\\x1b[0m");
	layout_legend(&l);
	assert_non_null(strstr(out.buf, "abcd-one-xyz"));
	assert_non_null(strstr(out.buf, "abcd-two-xyz"));
	layout_release(&l);
}

static size_t longest_line(const char *text)
{
	size_t most = 0;

	for (const char *s = text; *s; s += strcspn(s, "\n") + (s[strcspn(s, "\n")] != '\0'))
		most = strcspn(s, "\n") > most ? strcspn(s, "\n") : most;
	return most;
}

static void paragraphs_stay_inside(void **state)
{
	char word[200];

	(void)state;
	for (size_t head = 0; head < 180; head += 3) {
		for (size_t len = 0; len < 180; len += 7) {
			__cleanup_strbuf struct strbuf out = STRBUF_INIT;
			struct layout l = { .out = &out };
			__cleanup_free char *text = NULL;

			memset(word, 'w', sizeof(word));
			word[len] = '\0';
			text = xasprintf("a %s b", word);
			memset(word, 'h', sizeof(word));
			word[head] = '\0';
			layout_wrap(&l, 2, word, 13, text);
			assert_in_range(longest_line(out.buf), 1, LAYOUT_WIDTH);
			assert_null(strstr(out.buf, " \n"));
			assert_int_equal(out.buf[out.len - 1], '\n');
		}
	}
}

static void long_options_break_at_commas(void **state)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	struct layout l = { .out = &out };

	(void)state;
	layout_wrap(&l, 2, "options", 25, "rw,relatime,ssd,discard=async,space_cache=v2,"
		    "subvolid=5,subvol=/,compress=zstd");
	assert_string_equal(out.buf, "  options                rw,relatime,ssd,discard=async,"
				     "space_cache=v2,\n"
				     "                         subvolid=5,subvol=/,compress=zstd\n");
}

static void tables_fit(void **state)
{
	char name[120];

	(void)state;
	for (size_t len = 0; len < sizeof(name); len++) {
		__cleanup_strbuf struct strbuf out = STRBUF_INIT;
		struct layout l = { .out = &out };
		struct table t = { .shape = "mnnr" };

		memset(name, 'x', len);
		name[len] = '\0';
		table_head(&t, "");
		table_head(&t, name);
		table_head(&t, "unit");
		table_head(&t, name);
		table_cell(&t, "*");
		table_cell(&t, name);
		table_cell(&t, name);
		table_cell(&t, "123456.78");
		table_print(&t, &l, 2);
		assert_in_range(longest_line(out.buf), 1, LAYOUT_WIDTH);
		assert_non_null(strstr(out.buf, "123456.78\n"));
		table_release(&t);
		layout_release(&l);
	}
}

static void render(const struct golden_case *gc, const char *format, bool colour, bool all,
		   struct strbuf *out)
{
	const struct report_options options = { .colour = colour, .all = all };
	struct run *runs[CASE_MAX_RUNS];
	size_t n = gc->make(runs);
	__cleanup_comparison struct comparison *c = compare_runs(runs, n, NULL);

	report_find(format)->comparison(c, &options, out);
	for (size_t i = 0; i < n; i++) {
		report_find(format)->run(runs[i], &options, out);
		run_free(runs[i]);
	}
}

static void colour_is_only_paint(void **state)
{
	(void)state;
	for (const struct golden_case *gc = golden_cases; gc->name; gc++) {
		__cleanup_strbuf struct strbuf plain = STRBUF_INIT, painted = STRBUF_INIT;
		size_t n = 0;

		render(gc, "text", false, true, &plain);
		render(gc, "text", true, true, &painted);
		assert_null(strchr(plain.buf, '\033'));
		assert_non_null(strchr(painted.buf, '\033'));
		for (size_t i = 0; i < painted.len; i++) {
			if (painted.buf[i] == '\033')
				i += strcspn(painted.buf + i, "m");
			else
				painted.buf[n++] = painted.buf[i];
		}
		painted.buf[n] = '\0';
		assert_string_equal(painted.buf, plain.buf);
	}
}

/* Every row has its word in the report, and every word its meaning. */
static void every_word_is_explained(void **state)
{
	(void)state;
	for (const struct golden_case *gc = golden_cases; gc->name; gc++) {
		const struct report_options options = { .all = true };
		__cleanup_strbuf struct strbuf out = STRBUF_INIT;
		struct run *runs[CASE_MAX_RUNS];
		size_t n = gc->make(runs);
		__cleanup_comparison struct comparison *c = compare_runs(runs, n, NULL);
		const char *foot;

		report_find("text")->comparison(c, &options, &out);
		foot = strstr(out.buf, "How to read this");
		assert_non_null(foot);
		for (int v = VERDICT_MISSING; v <= VERDICT_IMPROVED; v++) {
			const char *word = verdict_str((enum verdict)v);
			__cleanup_free char *entry = xasprintf("\n  %s ", word);
			bool used = false;

			for (size_t i = 0; i < c->n_rows; i++)
				used |= str_eq(c->rows[i].effect.verdict, word);
			assert_int_equal(strstr(foot, entry) != NULL, used);
		}
		while (n)
			run_free(runs[--n]);
	}
}

static void check_interval(double lo, double hi, const char *text)
{
	__cleanup_free char *got = number_interval(lo, hi);

	assert_string_equal(got, text);
}

static void intervals_have_signs(void **state)
{
	(void)state;
	check_interval(-6.12, -5.28, "[-6.1, -5.3]");
	check_interval(-0.0412, 0.5, "[-0.04, +0.50]");
	check_interval(-51.04, 180, "[-51, +180]");
	check_interval(-INFINITY, 3.14, "[.., +3.1]");
	check_interval(-INFINITY, INFINITY, "-");
	check_interval(NAN, NAN, "-");
	check_interval(1e3, 1e9, "[+1000, +1e+09]");
}

/* No line of a document may hold what JSON does not know. */
static void json_is_json(void **state)
{
	(void)state;
	for (const struct golden_case *gc = golden_cases; gc->name; gc++) {
		const struct report_options options = { 0 };
		__cleanup_strbuf struct strbuf out = STRBUF_INIT;
		__cleanup_json struct json_object *doc = NULL;
		struct json_object *rows, *row;
		struct run *runs[CASE_MAX_RUNS];
		size_t n = gc->make(runs);
		__cleanup_comparison struct comparison *c = compare_runs(runs, n, NULL);

		report_find("json")->comparison(c, &options, &out);
		doc = json_parse(out.buf, out.len, NULL);
		assert_non_null(doc);
		rows = json_get(doc, "rows");
		assert_int_equal(json_object_array_length(rows), c->n_rows);
		for (size_t i = 0; i < c->n_rows; i++) {
			double pct = NAN;

			row = json_object_array_get_idx(rows, i);
			assert_true(str_eq(json_object_get_string(json_get(row, "verdict")),
					   c->rows[i].effect.verdict));
			json_get_double(row, "pct", &pct);
			assert_true(pct == c->rows[i].pct || (isnan(pct) && isnan(c->rows[i].pct)));
			assert_int_equal(json_object_array_length(json_get(json_get(row, "base"),
									   "values")),
					 c->rows[i].base.stats.n);
		}
		while (n)
			run_free(runs[--n]);
	}
}

static void json_escapes_what_is_no_utf8(void **state)
{
	const struct report_options options = { 0 };
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	__cleanup_run struct run *r = runs_new("a\xff\xc0\x80\xed\xa0\x80\xe4\xb8\xad");

	(void)state;
	report_find("json")->run(r, &options, &out);
	assert_non_null(strstr(out.buf, "\"a\\\\xff\\\\xc0\\\\x80\\\\xed\\\\xa0\\\\x80\xe4\xb8\xad\""));
}

static void the_notable_metrics(void **state)
{
	const struct metric p50 = { "fsync.p50", "ns", BETTER_LOWER, KIND_QUANTILE, false, NULL };
	const struct metric p999 = { "fsync.p999", "ns", BETTER_LOWER, KIND_QUANTILE, false, NULL };
	const struct metric max = { "fsync.max", "ns", BETTER_LOWER, KIND_MAX, false, NULL };
	const struct metric main_max = { "fsync.max", "ns", BETTER_LOWER, KIND_MAX, true, NULL };
	const struct metric rate = { "x", "1/s", BETTER_HIGHER, KIND_RATE_WORK, false, NULL };
	const struct metric wall = { "wall", "s", BETTER_LOWER, KIND_TIME, false, NULL };

	(void)state;
	assert_true(metric_is_notable(&p50));
	assert_false(metric_is_notable(&p999));
	assert_false(metric_is_notable(&max));
	assert_true(metric_is_notable(&main_max));
	assert_true(metric_is_notable(&rate));
	assert_true(metric_is_notable(&wall));
}

static void formats_are_sorted_and_found(void **state)
{
	(void)state;
	for (const struct report_format *f = report_formats; f->name; f++) {
		assert_ptr_equal(report_find(f->name), f);
		assert_non_null(f->summary);
		if (f[1].name)
			assert_true(strcmp(f->name, f[1].name) < 0);
	}
	assert_null(report_find("pdf"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_shown_in_a_fitting_unit),
		cmocka_unit_test(no_number_is_wider_than_its_column),
		cmocka_unit_test(changes_have_a_sign),
		cmocka_unit_test(names_are_cut_in_the_middle),
		cmocka_unit_test(paragraphs_stay_inside),
		cmocka_unit_test(long_options_break_at_commas),
		cmocka_unit_test(tables_fit),
		cmocka_unit_test(colour_is_only_paint),
		cmocka_unit_test(every_word_is_explained),
		cmocka_unit_test(intervals_have_signs),
		cmocka_unit_test(json_is_json),
		cmocka_unit_test(json_escapes_what_is_no_utf8),
		cmocka_unit_test(the_notable_metrics),
		cmocka_unit_test(formats_are_sorted_and_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
