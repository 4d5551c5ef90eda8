// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes: their headers, the metrics of what they print, and those made for a patch. */
#include "probes/probe.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/strbuf.h"
#include "probes/generate.h"
#include "tests/unit/scratch.h"

#define HEADER                                                                                    \
	"// SPDX-License-Identifier: GPL-2.0-or-later\n/*\n * summary: a probe\n"                   \
	" * arg: cgroup which one\n * fs: btrfs xfs\n"                                              \
	" * needs: kprobe:f tracepoint:a:b\n * needs: kretprobe:f\n"                                \
	" * metric: @calls f.calls 1 neutral count calls\n"                                         \
	" * metric: @time f.time ns lower time per call\n"                                          \
	" * metric: @hist f ns lower quantile bound\n"                                              \
	" * metric: @by f.by.* 1 neutral count by task\n"                                           \
	" * metric: @calls/@ops f.per-op 1 lower ratio calls per operation\n"                       \
	" * balance: @calls @time\n * stacks: @stack\n * cost: cheap: one event\n"                  \
	" * bpftrace: 0.17\n *\n * Read it\n * so.\n */\n"                                          \
	"kprobe:f { @calls = count(); @time = @hist = @by = @ops = 0; }\n"

static struct probe *parse(const char *text)
{
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	struct probe *p = probe_parse("p", NULL, text, &errors);

	for (size_t i = 0; i < errors.n; i++)
		print_error("%s\n", errors.v[i]);
	assert_non_null(p);
	return p;
}

static void a_header(void **state)
{
	struct probe *p = parse(HEADER);

	(void)state;
	assert_string_equal(p->summary, "a probe");
	assert_string_equal(p->args.v[0], "cgroup which one");
	assert_int_equal(p->fs.n, 2);
	assert_int_equal(p->needs.n, 3);
	assert_int_equal(p->n_metrics, 5);
	assert_string_equal(p->metrics[4].map, "@calls");
	assert_string_equal(p->metrics[4].divisor, "@ops");
	assert_int_equal(p->metrics[1].metric.better, BETTER_LOWER);
	assert_int_equal(p->metrics[2].metric.kind, KIND_QUANTILE);
	assert_string_equal(p->doc, "Read it\nso.\n");
	assert_int_equal(p->oldest.minor, 17);
	probe_free(p);
}

static void mistakes(void **state)
{
	static const struct {
		const char *line, *sentence;
	} cases[] = {
		{ "color: red", "p:3: 'color' is no key of a probe" },
		{ "no colon here", "p:3: 'no colon here' is not \"key: value\"" },
		{ "cost: little", "p:3: cost: 'little' does not begin with cheap, some or heavy" },
		{ "needs: uprobe:x", "p:3: needs: 'uprobe:x' is no kprobe, kretprobe or tracepoint" },
		{ "metric: calls x 1 neutral count", "p:3: metric: 'calls' is no map" },
		{ "metric: @calls X! 1 neutral count", "p:3: metric: 'X!' is no name of a metric" },
		{ "metric: @calls x 1 up count", "p:3: metric: x: a unit, a direction and a kind must "
						 "follow" },
		{ "metric: @nosuch x 1 neutral count", "p:1: the map @nosuch is not in the script" },
		{ "balance: @calls", "p:3: balance: '@calls' is not two maps" },
		{ "bpftrace: new", "p:3: bpftrace: 'new' is no version such as 0.17" },
		{ "summary:", "p:3: summary: nothing behind it" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		__cleanup_strvec struct strvec errors = STRVEC_INIT;
		__cleanup_free char *text =
			xasprintf("//\n/*\n * %s\n%s", cases[i].line, strstr(HEADER, " * summary"));

		assert_null(probe_parse("p", NULL, text, &errors));
		assert_int_equal(errors.n, 1);
		assert_string_equal(errors.v[0], cases[i].sentence);
	}
}

static void what_a_header_must_have(void **state)
{
	__cleanup_strvec struct strvec errors = STRVEC_INIT;

	(void)state;
	assert_null(probe_parse("p", NULL, "kprobe:f { }\n", &errors));
	assert_int_equal(errors.n, 4);
}

static void stock_probes(void **state)
{
	__cleanup_strvec struct strvec dirs = STRVEC_INIT, names = STRVEC_INIT, errors = STRVEC_INIT;
	const char *top = getenv("top_srcdir");

	(void)state;
	strvec_pushf(&dirs, "%s/probes", top ? top : ".");
	probe_list(&dirs, &names);
	assert_true(names.n >= 13);
	for (size_t i = 0; i < names.n; i++) {
		struct probe *p = probe_load(&dirs, names.v[i], &errors);

		for (size_t e = 0; e < errors.n; e++)
			print_error("%s\n", errors.v[e]);
		assert_non_null(p);
		assert_true(p->n_metrics > 0);
		assert_true(*p->doc);
		probe_free(p);
	}
}

static void search_path(void **state)
{
	__cleanup_strvec struct strvec dirs = STRVEC_INIT, names = STRVEC_INIT, errors = STRVEC_INIT;
	__cleanup_free char *path = scratch_path(state, "b/mine.bt");
	struct probe *p;

	scratch_write(state, "a/mine.bt", HEADER);
	scratch_write(state, "b/mine.bt", "");
	scratch_write(state, "b/other.bt", HEADER);
	scratch_write(state, "b/x.job", HEADER);
	strvec_pushf(&dirs, "%s/a", (char *)*state);
	strvec_pushf(&dirs, "%s/b", (char *)*state);
	probe_list(&dirs, &names);
	assert_int_equal(names.n, 2);
	p = probe_load(&dirs, "mine", &errors);
	assert_non_null(p);
	probe_free(p);
	assert_null(probe_load(&dirs, path, &errors));
	strvec_release(&errors);
	assert_null(probe_load(&dirs, "../a/mine", &errors));
	assert_null(probe_load(&dirs, "nosuch", &errors));
	assert_int_equal(errors.n, 2);
	assert_string_equal(probe_entry("xfs", "rename"), "xfs_vn_rename");
	assert_null(probe_entry("xfs", "nosuch"));
}

static void take(const char *out, struct samples *s, struct strvec *notes)
{
	struct probe *p = parse(HEADER);
	__cleanup_bt_result struct bt_result r;

	bt_parse(&r, out, strlen(out), 0);
	probe_samples(p, &r, s, notes);
	probe_free(p);
}

static double sample(const struct samples *s, const char *name)
{
	const struct sample *v = samples_get(s, name);

	return v ? value_as_double(v->value) : NAN;
}

#define MAP(type, content) "{\"type\": \"" type "\", \"data\": {" content "}}\n"

static void metrics(void **state)
{
	__cleanup_samples struct samples s = SAMPLES_INIT;
	__cleanup_strvec struct strvec notes = STRVEC_INIT;

	(void)state;
	take(MAP("map", "\"@calls\": 200") MAP("map", "\"@ops\": 50")
	     MAP("stats", "\"@time\": {\"count\": 200, \"average\": 7, \"total\": 1500}")
	     MAP("hist", "\"@hist\": [{\"min\": 4, \"max\": 7, \"count\": 150}, "
			 "{\"min\": 8, \"max\": 15, \"count\": 40}, {\"min\": 16, \"count\": 10}]")
	     MAP("map", "\"@by\": {\"Btrfs Cleaner\": 3, \"fio\": 4}"), &s, &notes);
	assert_int_equal(notes.n, 0);
	assert_true(sample(&s, "f.calls") == 200);
	assert_true(sample(&s, "f.per-op") == 4);
	assert_true(sample(&s, "f.time.mean") == 7.5);
	assert_true(sample(&s, "f.time.total") == 1500);
	assert_true(sample(&s, "f.time.n") == 200);
	assert_true(sample(&s, "f.p50") == 7);
	assert_true(sample(&s, "f.p90") == 15);
	/* 200 are too few for it, and it would lie in the open bucket. */
	assert_null(samples_get(&s, "f.p99"));
	assert_true(sample(&s, "f.by.btrfs-cleaner") == 3);
	assert_true(sample(&s, "f.by.fio") == 4);
}

static void missed_returns(void **state)
{
	__cleanup_samples struct samples s = SAMPLES_INIT;
	__cleanup_strvec struct strvec notes = STRVEC_INIT;

	(void)state;
	take(MAP("map", "\"@calls\": 200") MAP("map", "\"@ops\": 0")
	     MAP("stats", "\"@time\": {\"count\": 199, \"average\": 7, \"total\": 1500}")
	     MAP("hist", "\"@hist\": [{\"min\": 4, \"max\": 7, \"count\": 199}]"), &s, &notes);
	assert_true(sample(&s, "f.calls") == 200);
	assert_null(samples_get(&s, "f.time.mean"));
	assert_null(samples_get(&s, "f.p50"));
	assert_null(samples_get(&s, "f.per-op"));
	assert_int_equal(notes.n, 3);
	assert_string_equal(notes.v[0], "f.time: not taken, lower bound: @time: 200 began (@calls), "
					"199 ended");
	assert_string_equal(notes.v[2], "f.by.*: not measured: @by was not printed");
}

/* --- generated --- */

static struct strvec symbols_a, symbols_b;

static int make_symbols(void **state)
{
	(void)state;
	strvec_push(&symbols_a, "a");
	strvec_push(&symbols_a, "a.constprop.0");
	strvec_push(&symbols_b, "b.isra.0");
	return 0;
}

static int free_symbols(void **state)
{
	(void)state;
	strvec_release(&symbols_a);
	strvec_release(&symbols_b);
	return 0;
}

static void a_script(void **state)
{
	const struct generate_function v[] = { { "a", &symbols_a }, { "b", &symbols_b } };
	struct generate g = { .v = v, .n = 2, .cgroup = 77 };
	__cleanup_strbuf struct strbuf out = STRBUF_INIT, dear = STRBUF_INIT;
	struct probe *p;

	(void)state;
	assert_int_equal(generate_script(&g, &out), 0);
	assert_non_null(strstr(strbuf_str(&out), "\nkprobe:a,\nkprobe:a.constprop.0\n{\n"
		"\t@all[0] = count();\n\tif (cgroup == 77) {\n\t\t@mine[0] = count();\n\t}\n}\n"
		"\nkprobe:b.isra.0\n{\n\t@all[1] = count();\n"));
	assert_non_null(strstr(strbuf_str(&out), "kprobe:vfs_getattr\n{\n\t@canary = count();\n}\n"));
	assert_null(strstr(strbuf_str(&out), "kstack"));
	p = parse(strbuf_str(&out));
	assert_int_equal(p->needs.n, 4);
	probe_free(p);
	g.stacks = true;
	g.cgroup = 0;
	assert_int_equal(generate_script(&g, &dear), 0);
	assert_non_null(strstr(strbuf_str(&dear), "\t@stack[1, kstack(12)] = count();\n}\n"));
	assert_null(strstr(strbuf_str(&dear), "cgroup"));
}

static void names_are_symbols(void **state)
{
	__cleanup_strvec struct strvec bad = STRVEC_INIT, none = STRVEC_INIT, many = STRVEC_INIT;
	struct generate_function v = { "x", &bad };
	struct generate g = { .v = &v, .n = 1 };
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;

	(void)state;
	strvec_push(&bad, "x { system(\"reboot\"); } kprobe:y");
	assert_int_equal(generate_script(&g, &out), -EINVAL);
	v.symbols = &none;
	assert_int_equal(generate_script(&g, &out), -EINVAL);
	for (int i = 0; i <= GENERATE_MAX_PROBES; i++)
		strvec_pushf(&many, "f%d", i);
	v.symbols = &many;
	assert_int_equal(generate_script(&g, &out), -E2BIG);
	assert_int_equal(out.len, 0);
}

static void hits_of(const char *text, bool attached, uint64_t cgroup, size_t i,
		    struct generate_hits *h)
{
	const struct generate_function v[] = { { "a", &symbols_a }, { "b", &symbols_b } };
	const struct generate g = { .v = v, .n = 2, .cgroup = cgroup, .stacks = true };
	__cleanup_bt_result struct bt_result r;
	__cleanup_free char *all =
		xasprintf("%s%s", attached ? MAP("attached_probes", "\"probes\": 4") : "", text);

	bt_parse(&r, all, strlen(all), 4);
	generate_read(&g, &r, i, h);
}

static void hits(void **state)
{
	struct generate_hits h;

	(void)state;
	hits_of(MAP("map", "\"@canary\": 1") MAP("map", "\"@all\": {\"0\": 12}")
		MAP("map", "\"@mine\": {\"0\": 10}")
		MAP("map", "\"@stack\": {\"0,\\n    a+0\\n    caller+12\\n\": 4, "
			   "\"0,\\n    a+0\\n    caller+99\\n\": 5, \"0,\\n    a+0\\n    x+1\\n\": 1}"),
		true, 7, 0, &h);
	assert_true(h.known && h.hits == 10 && h.all == 12 && !h.lower_bound);
	assert_int_equal(h.n_stacks, 2);
	assert_string_equal(h.stacks[0].text, "a\ncaller\n");
	assert_int_equal(h.stacks[0].hits, 9);
	generate_hits_release(&h);
	/* No key: never hit, since the canary shows that probes fire. */
	hits_of(MAP("map", "\"@canary\": 1") MAP("map", "\"@all\": {\"0\": 12}"), true, 7, 1, &h);
	assert_true(h.known && h.hits == 0);
	generate_hits_release(&h);
	hits_of(MAP("map", "\"@canary\": 0"), true, 0, 1, &h);
	assert_false(h.known);
	assert_non_null(strstr(h.reason, "never fired"));
	generate_hits_release(&h);
	hits_of("", false, 0, 1, &h);
	assert_false(h.known);
	generate_hits_release(&h);
	hits_of(MAP("map", "\"@canary\": 1") "{\"type\": \"map\", \"data\": {\"@all\": {\"0\": 1", true, 0,
		0, &h);
	assert_false(h.known);
	generate_hits_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(what_a_header_must_have),
		cmocka_unit_test(stock_probes),
		scratch_test(search_path),
		cmocka_unit_test(metrics),
		cmocka_unit_test(missed_returns),
		cmocka_unit_test_setup_teardown(a_script, make_symbols, free_symbols),
		cmocka_unit_test(names_are_symbols),
		cmocka_unit_test_setup_teardown(hits, make_symbols, free_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
