// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading results: what is refused, what is read around, what stays readable. */
#include "results/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/hist.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#define MEMBERS                                                                            \
	"\"schema\":\"fsdelta-result/1\",\"id\":\"i\",\"label\":\"l\","                    \
	"\"started\":\"2026-01-31T12:34:56Z\",\"seed\":1,\"planned\":2"
#define METRIC "\"workload\":\"w\",\"name\":\"a\",\"unit\":\"s\",\"better\":\"lower\","     \
	       "\"kind\":\"time\",\"primary\":true"
#define ITER(seq) "\"seq\":" #seq ",\"block\":0,\"workload\":\"w\",\"target\":\"t\","       \
		  "\"number\":0,\"warmup\":false"
#define OK ",\"outcome\":\"OK\""

#define HEADER "{\"type\":\"header\"," MEMBERS "}\n"
#define DECLARE "{\"type\":\"metric\"," METRIC "}\n"
#define LINE(seq, value)                                                                   \
	"{\"type\":\"iteration\"," ITER(seq) OK ",\"samples\":{\"a\":" #value "}}\n"
#define END "{\"type\":\"end\",\"finished\":\"2026-01-31T12:40:00Z\",\"complete\":true}\n"

/* A result with these metrics and iterations. */
#define RESULT(metrics, iterations)                                                        \
	"{" MEMBERS ",\"metrics\":[" metrics "],\"iterations\":[" iterations "],"          \
	"\"complete\":true}"
#define HIST(members)                                                                      \
	RESULT("", "{" ITER(0) OK ",\"histograms\":{\"h\":{" members "}}}")

static struct run *parse_journal(const char *text)
{
	__cleanup_free char *error = NULL;
	struct run *r = store_parse_journal("j", text, strlen(text), &error);

	if (!r)
		fail_msg("%s", error);
	assert_null(error);
	return r;
}

static struct run *parse_result(const char *text)
{
	__cleanup_free char *error = NULL;
	struct run *r = store_parse_result("r", text, strlen(text), &error);

	if (!r)
		fail_msg("%s", error);
	assert_null(error);
	return r;
}

static void refused(struct run *(*parse)(const char *, const char *, size_t, char **),
		    const char *text, const char *want)
{
	__cleanup_free char *error = NULL;

	assert_null(parse("f", text, strlen(text), &error));
	assert_non_null(error);
	assert_string_equal(error, want);
}

static void result_refused(const char *text, const char *want)
{
	refused(store_parse_result, text, want);
}

static void journal_refused(const char *text, const char *want)
{
	refused(store_parse_journal, text, want);
}

/* No JSON; where it stops being JSON is json-c's business. */
static void result_is_no_json(const char *text)
{
	__cleanup_free char *error = NULL;

	assert_null(store_parse_result("f", text, strlen(text), &error));
	if (!str_starts(error, "f: is no result of fsdelta: not a JSON object (byte "))
		fail_msg("%s", error);
}

/* --- refused --- */

static void foreign_files(void **state)
{
	(void)state;
	result_refused("", "f: the file is empty");
	result_refused(" \n\n", "f: the file is empty");
	result_is_no_json("hello");
	result_is_no_json("[1]");
	result_is_no_json("{\"schema\":\"fsdelta-result/1\",\"id\":\"\xff\"}");
	result_is_no_json("{\"schema\":\"fsdelta-result/1\",\"id\":\"x\"} {}");
	result_is_no_json("{\"schema\":\"fsdelta-result/1\",\"id\":\"x");
	result_refused("{}", "f: is no result of fsdelta: it names no schema");
	result_refused("{\"schema\":1}", "f: is no result of fsdelta: it names no schema");
	result_refused("{\"schema\":\"fio\"}",
		       "f: is no result of fsdelta: its schema is 'fio', not fsdelta-result/1");
	journal_refused("", "f: the file is empty");
	journal_refused("\n\n", "f: the file is empty");
	journal_refused("hello\nworld\n",
			"f:1: is no journal of fsdelta: its first line is not JSON");
	journal_refused("{\"a\":1}\n",
			"f:1: is no journal of fsdelta: its first line is no header");
	journal_refused("{\"type\":\"header\",\"schema\":\"fsde",
			"f:1: the file ends within its header");
	journal_refused("[1]\n" HEADER,
			"f:1: is no journal of fsdelta: its first line is not JSON");
}

static void newer_programs(void **state)
{
	struct run *r;

	(void)state;
	result_refused("{\"schema\":\"fsdelta-result/2\",\"id\":7}",
		       "f: was made by a newer fsdelta: its schema is 'fsdelta-result/2', and this "
		       "program reads fsdelta-result/1");
	result_refused("{\"schema\":\"fsdelta-result/10\"}",
		       "f: was made by a newer fsdelta: its schema is 'fsdelta-result/10', and "
		       "this program reads fsdelta-result/1");
	journal_refused("{\"type\":\"header\",\"schema\":\"fsdelta-result/2\"}\n",
			"f:1: was made by a newer fsdelta: its schema is 'fsdelta-result/2', and "
			"this program reads fsdelta-result/1");
	/* A minor version only adds members. */
	r = parse_result("{\"schema\":\"fsdelta-result/1.3\",\"id\":\"i\",\"label\":\"l\","
			 "\"started\":\"s\",\"seed\":1,\"planned\":2,\"new\":[{}],\"metrics\":[],"
			 "\"iterations\":[],\"complete\":false}");
	assert_string_equal(r->label, "l");
	run_free(r);
}

static void wrong_types(void **state)
{
	(void)state;
	result_refused("{\"schema\":\"fsdelta-result/1\"}", "f: there is no \"id\"");
	result_refused("{\"schema\":\"fsdelta-result/1\",\"id\":7}", "f: \"id\" is no string");
	result_refused("{" MEMBERS ",\"host\":[]}", "f: \"host\" is no object");
	result_refused("{" MEMBERS ",\"host\":{\"a\":1}}", "f: \"host\" is no object of strings");
	result_refused("{" MEMBERS ",\"command\":\"x\"}", "f: \"command\" is no array");
	result_refused("{" MEMBERS ",\"command\":[1]}", "f: \"command\" is no array of strings");
	result_refused("{" MEMBERS ",\"workloads\":[3]}", "f: there is no \"name\"");
	result_refused("{" MEMBERS "}", "f: \"metrics\" is no array");
	result_refused("{" MEMBERS ",\"metrics\":[]}", "f: \"iterations\" is no array");
	result_refused("{" MEMBERS ",\"metrics\":[],\"iterations\":[]}",
		       "f: there is no \"complete\"");
	result_refused(RESULT("", "{}"), "f: there is no \"seq\"");
	result_refused(RESULT("", "null"), "f: there is no \"seq\"");
	result_refused(RESULT("", "{\"seq\":-1}"), "f: \"seq\" is no whole number from 0 on");
	result_refused(RESULT("", "{\"seq\":1.5}"), "f: \"seq\" is no whole number from 0 on");
	result_refused(RESULT("", "{\"seq\":\"1\"}"), "f: \"seq\" is no whole number from 0 on");
	result_refused(RESULT("", "{" ITER(0) OK ",\"samples\":[]}"), "f: \"samples\" is no object");
	result_refused(RESULT("{" METRIC "}", "{" ITER(0) OK ",\"samples\":{\"a\":\"1\"}}"),
		       "f: sample 'a' of w is no number");
	result_refused(RESULT("{" METRIC "}", "{" ITER(0) OK ",\"samples\":{\"a\":1e999}}"),
		       "f: sample 'a' of w is no number");
	result_is_no_json(RESULT("{" METRIC "}", "{" ITER(0) OK ",\"samples\":{\"a\":NaN}}"));
	journal_refused(HEADER DECLARE "{\"type\":\"iteration\"," ITER(x) "}\n" LINE(1, 1) "{}\n"
			"{\"type\":\"end\",\"complete\":1}\n", "f:6: \"complete\" is no boolean");
}

static void unknown_words(void **state)
{
	(void)state;
	result_refused(RESULT("", "{" ITER(0) ",\"outcome\":\"GOOD\"}"),
		       "f: unknown outcome 'GOOD'");
	result_refused(RESULT("{\"workload\":\"w\",\"name\":\"a\",\"unit\":\"s\",\"better\":\"up\","
			      "\"kind\":\"time\",\"primary\":true}", ""),
		       "f: metric 'a' has the unknown direction 'up'");
	result_refused(RESULT("{\"workload\":\"w\",\"name\":\"a\",\"unit\":\"s\","
			      "\"better\":\"lower\",\"kind\":\"speed\",\"primary\":true}", ""),
		       "f: metric 'a' is of the unknown kind 'speed'");
	journal_refused(HEADER LINE(0, 1), "f:2: sample 'a' of w: the metric is not declared");
	result_refused(RESULT("", "{" ITER(0) OK ",\"samples\":{\"a\":1}}"),
		       "f: sample 'a' of w: the metric is not declared");
	journal_refused(HEADER DECLARE "{\"type\":\"metric\",\"workload\":\"w\",\"name\":\"a\","
			"\"unit\":\"ms\",\"better\":\"lower\",\"kind\":\"time\",\"primary\":true}\n",
			"f:3: metric 'a' of w was declared in another way before");
}

static void bad_histograms(void **state)
{
	(void)state;
	result_refused(HIST(""), "f: there is no \"unit\"");
	result_refused(HIST("\"unit\":\"ns\",\"sub_bits\":7,\"buckets\":[]"),
		       "f: histogram 'h' has other buckets than this program");
	result_refused(HIST("\"unit\":\"ns\",\"sub_bits\":6"),
		       "f: histogram 'h': \"buckets\" is no array");
	result_refused(HIST("\"unit\":\"ns\",\"sub_bits\":6,\"buckets\":[[1,1],[2]]"),
		       "f: histogram 'h': bucket 1 is no pair of an index and a count");
	result_refused(HIST("\"unit\":\"ns\",\"sub_bits\":6,\"buckets\":[[3776,1]]"),
		       "f: histogram 'h': bucket 0 is no pair of an index and a count");
	result_refused(HIST("\"unit\":\"ns\",\"sub_bits\":6,\"buckets\":[[1,-1]]"),
		       "f: histogram 'h': bucket 0 is no pair of an index and a count");
	result_refused(HIST("\"unit\":\"ns\",\"sub_bits\":6,\"buckets\":[[1,1]]"),
		       "f: there is no \"min\"");
	result_refused(HIST("\"unit\":\"ns\",\"sub_bits\":6,\"min\":1,\"max\":2,\"sum\":1,"
			    "\"buckets\":[[1,1]]"),
		       "f: histogram 'h': min, max or sum contradict the buckets");
}

static void too_deep(void **state)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	__cleanup_free char *error = NULL;

	(void)state;
	strbuf_adds(&text, "{\"a\":");
	strbuf_pad(&text, '[', 100000);
	assert_null(store_parse_result("f", text.buf, text.len, &error));
	assert_non_null(strstr(error, "not a JSON object"));
}

/* --- read around --- */

static void check_warning(const struct run *r, const char *want)
{
	assert_int_equal(r->load_warnings.n, 1);
	assert_string_equal(r->load_warnings.v[0], want);
}

static void a_cut_last_line(void **state)
{
	struct run *r = parse_journal(HEADER DECLARE LINE(0, 1) "{\"type\":\"itera");

	(void)state;
	assert_int_equal(r->n_iterations, 1);
	assert_null(r->finished);
	assert_false(r->complete);
	check_warning(r, "j: the last line was cut and is left out");
	run_free(r);
}

/* What a power cut may leave at the end. */
static void zeros_at_the_end(void **state)
{
	static const char zeros[] = HEADER DECLARE LINE(0, 1) "\0\0\0\0";
	__cleanup_free char *error = NULL;
	struct run *r = store_parse_journal("j", zeros, sizeof(zeros) - 1, &error);

	(void)state;
	assert_non_null(r);
	assert_int_equal(r->n_iterations, 1);
	check_warning(r, "j: the last line was cut and is left out");
	run_free(r);
}

/* Only the end of the line is missing: nothing is lost. */
static void a_whole_last_line_without_its_end(void **state)
{
	static const char text[] = HEADER DECLARE LINE(0, 1) LINE(1, 2);
	__cleanup_free char *error = NULL;
	struct run *r = store_parse_journal("j", text, sizeof(text) - 2, &error);

	(void)state;
	assert_non_null(r);
	assert_int_equal(r->n_iterations, 2);
	assert_int_equal(r->load_warnings.n, 0);
	run_free(r);
}

static void broken_lines_are_counted(void **state)
{
	struct run *r = parse_journal(HEADER DECLARE LINE(0, 1) "stray print\n" "{\"type\":\n"
				      "\n[]\n" END);

	(void)state;
	assert_int_equal(r->n_iterations, 1);
	assert_string_equal(r->finished, "2026-01-31T12:40:00Z");
	/* One of the two planned iterations is missing, whatever the end says. */
	assert_false(r->complete);
	check_warning(r, "j: 3 lines cannot be read and are left out, the first is line 4");
	run_free(r);
}

static void what_was_done_again_is_complete(void **state)
{
	struct run *r = parse_journal(HEADER DECLARE LINE(0, 1) "{\"type\":\"it\n" LINE(1, 2) END);

	(void)state;
	assert_int_equal(r->n_iterations, 2);
	assert_true(r->complete);
	assert_int_equal(r->load_warnings.n, 1);
	run_free(r);
}

static void a_lost_declaration_costs_its_samples(void **state)
{
	struct run *r = parse_journal(HEADER "{\"type\":\"metr\n" LINE(0, 1) LINE(1, 2) END);

	(void)state;
	assert_int_equal(r->n_iterations, 2);
	assert_int_equal(r->iterations[0].samples.n, 0);
	assert_false(r->complete);
	assert_int_equal(r->load_warnings.n, 2);
	assert_string_equal(r->load_warnings.v[1], "j: 2 samples are left out, since the "
			    "declarations of their metrics could not be read");
	run_free(r);
}

static void unknown_kinds_of_lines(void **state)
{
	struct run *r = parse_journal(HEADER DECLARE "{\"type\":\"weather\"}\n{}\n" LINE(0, 1) END);

	(void)state;
	assert_int_equal(r->n_iterations, 1);
	assert_true(r->complete);
	check_warning(r, "j: 2 lines are of an unknown kind and are left out, the first is line 3, "
			 "'weather'");
	run_free(r);
}

static void the_last_of_equal_numbers_counts(void **state)
{
	struct run *r = parse_journal(HEADER DECLARE LINE(7, 1) LINE(2, 2) LINE(7, 3) LINE(0, 4)
				      LINE(7, 5));

	(void)state;
	assert_int_equal(r->n_iterations, 3);
	assert_int_equal(r->iterations[0].seq, 0);
	assert_int_equal(r->iterations[1].seq, 2);
	assert_int_equal(r->iterations[2].seq, 7);
	assert_int_equal(r->iterations[2].samples.v[0].value.u, 5);
	check_warning(r, "j: 2 records have the number of a later one and are left out");
	/* The list still takes more. */
	for (uint64_t i = 0; i < 10; i++)
		run_add_iteration(r)->seq = 8 + i;
	assert_int_equal(r->n_iterations, 13);
	run_free(r);
}

static void samples_of_failures(void **state)
{
	struct run *r = parse_result(RESULT("{" METRIC "}", "{" ITER(0) ",\"outcome\":\"FAILED\","
						"\"samples\":{\"a\":1}}"));

	(void)state;
	assert_int_equal(r->iterations[0].samples.n, 0);
	assert_string_equal(r->iterations[0].reason, "no reason was recorded");
	check_warning(r, "r: 1 iterations were not OK and have samples, which are left out");
	run_free(r);
}

static void absent_is_absent(void **state)
{
	struct run *r = parse_result(RESULT("{" METRIC "}",
					    "{" ITER(0) OK ",\"samples\":{\"a\":null}}"));

	(void)state;
	assert_int_equal(r->iterations[0].samples.n, 0);
	assert_string_equal(r->session, "");
	assert_string_equal(r->iterations[0].boot_id, "");
	assert_null(r->finished);
	assert_int_equal(r->load_warnings.n, 0);
	run_free(r);
}

static void numbers_of_any_form(void **state)
{
	struct run *r = parse_journal(HEADER DECLARE LINE(0, 18446744073709551615) LINE(1, 3.0)
				      LINE(2, -3) LINE(3, 1e3));
	const struct value want[] = {
		value_u64(UINT64_MAX), value_double(3), value_double(-3), value_double(1000),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct value *got = &r->iterations[i].samples.v[0].value;

		assert_int_equal(got->whole, want[i].whole);
		assert_true(got->u == want[i].u);
	}
	run_free(r);
	result_is_no_json(RESULT("{" METRIC "}", "{" ITER(0) OK
				 ",\"samples\":{\"a\":18446744073709551616}}"));
}

static void histograms_without_values_or_sum(void **state)
{
	struct run *r = parse_result(HIST("\"unit\":\"ns\",\"sub_bits\":6,\"buckets\":[]"));
	const struct hist *h = samples_get_hist(&r->iterations[0].samples, "h");

	(void)state;
	assert_non_null(h);
	assert_int_equal(h->count, 0);
	run_free(r);
	r = parse_result(HIST("\"unit\":\"ns\",\"sub_bits\":6,\"min\":18446744073709551615,"
			      "\"max\":18446744073709551615,\"sum\":null,\"buckets\":[[3775,2]]"));
	h = samples_get_hist(&r->iterations[0].samples, "h");
	assert_int_equal(h->count, 2);
	assert_true(h->sum == UINT64_MAX);
	run_free(r);
}

/* --- old files stay readable --- */

static struct run *example(const char *name)
{
	const char *top = getenv("top_srcdir");
	__cleanup_free char *path = xasprintf("%s/results/examples/%s", top ? top : ".", name);
	__cleanup_free char *error = NULL;
	struct run *r = store_load(path, &error);

	if (!r)
		fail_msg("%s", error);
	return r;
}

static void a_run_with_looks(void **state)
{
	__cleanup_run struct run *r = example("fsync-new-looks.json");
	__cleanup_run struct run *old = example("fsync-new.json");

	(void)state;
	assert_true(r->aa && !old->aa);
	assert_int_equal(old->stopping.rule, STOPPING_FIXED);
	assert_int_equal(r->stopping.rule, STOPPING_DECIDED);
	assert_int_equal(r->stopping.n_looks, 2);
	assert_true(r->stopping.looks[1].units == 8 && r->stopping.looks[1].alpha == 0.03);
	assert_int_equal(r->stopping.max_time_s, 600);
	assert_int_equal(r->stopped.why, STOPPED_TIME);
	assert_int_equal(r->stopped.look, 1);
	assert_true(stopping_level(&r->stopping, &r->stopped, run_units(r)) == 0.03);
}

static void a_complete_run(void **state)
{
	struct run *r = example("fsync-new.json");
	const struct iteration *it = &r->iterations[2];
	uint64_t p50;

	(void)state;
	assert_string_equal(r->label, "before");
	assert_string_equal(r->id, "20260131T123456Z-before-1a2b");
	assert_string_equal(kv_get(&r->host, "kernel.release"), "6.1.0-18-amd64");
	assert_string_equal(r->targets[0].mkfs, "mkfs.btrfs -q -f");
	assert_true(r->complete);
	assert_int_equal(r->n_iterations, 4);
	assert_true(r->iterations[0].warmup);
	assert_false(it->warmup);
	assert_string_equal(it->warnings.v[0], "the CPU frequency governor is 'schedutil'");
	assert_true(samples_get(&it->samples, "fsync.rate")->value.d == 485.33915341879884);
	assert_int_equal(samples_get(&it->samples, "fsync.p50")->value.u, 1925119);
	assert_true(samples_get(&it->samples, "fsync.p50")->metric.primary);
	assert_true(hist_quantile(samples_get_hist(&it->samples, "fsync"), 0.5, &p50));
	assert_int_equal(p50, 1925119);
	assert_int_equal(r->load_warnings.n, 0);
	run_free(r);
}

static void an_interrupted_run(void **state)
{
	struct run *r = example("rename-fsync-interrupted.json");

	(void)state;
	assert_false(r->complete);
	assert_string_equal(r->end_reason, "interrupted by signal 2 (Interrupt)");
	assert_int_equal(r->planned, 6);
	assert_int_equal(r->n_iterations, 4);
	assert_int_equal(r->iterations[1].outcome, OUTCOME_TIMEOUT);
	assert_string_equal(r->iterations[1].reason, "did not end within 120 s");
	assert_int_equal(r->iterations[2].outcome, OUTCOME_SKIPPED);
	assert_int_equal(r->iterations[3].samples.n, 6);
	assert_string_equal(r->varied.v[0], "mount");
	run_free(r);
}

static void a_killed_run(void **state)
{
	struct run *r = example("fsync-new-cut.jsonl");

	(void)state;
	assert_null(r->finished);
	assert_int_equal(r->planned, 4);
	assert_int_equal(r->n_iterations, 2);
	assert_int_equal(r->load_warnings.n, 1);
	assert_non_null(strstr(r->load_warnings.v[0], "the last line was cut"));
	run_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_files),
		cmocka_unit_test(newer_programs),
		cmocka_unit_test(wrong_types),
		cmocka_unit_test(unknown_words),
		cmocka_unit_test(bad_histograms),
		cmocka_unit_test(too_deep),
		cmocka_unit_test(a_cut_last_line),
		cmocka_unit_test(zeros_at_the_end),
		cmocka_unit_test(a_whole_last_line_without_its_end),
		cmocka_unit_test(broken_lines_are_counted),
		cmocka_unit_test(what_was_done_again_is_complete),
		cmocka_unit_test(a_lost_declaration_costs_its_samples),
		cmocka_unit_test(unknown_kinds_of_lines),
		cmocka_unit_test(the_last_of_equal_numbers_counts),
		cmocka_unit_test(samples_of_failures),
		cmocka_unit_test(absent_is_absent),
		cmocka_unit_test(numbers_of_any_form),
		cmocka_unit_test(histograms_without_values_or_sum),
		cmocka_unit_test(a_run_with_looks),
		cmocka_unit_test(a_complete_run),
		cmocka_unit_test(an_interrupted_run),
		cmocka_unit_test(a_killed_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
