// SPDX-License-Identifier: GPL-2.0-or-later
/* The stream of bpftrace: captured ones (tests/fixtures/bpftrace-*), and each way in which it lies. */
#include "probes/bpftrace.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

static void parse(struct bt_result *r, const char *text)
{
	bt_parse(r, text, strlen(text), 0);
}

static void parse_fixture(struct bt_result *r, const char *name, uint64_t keys_max)
{
	const char *top = getenv("top_srcdir");
	__cleanup_free char *path = xasprintf("%s/tests/fixtures/%s", top ? top : ".", name);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	assert_int_equal(file_read(path, &text, 0), 0);
	bt_parse(r, strbuf_str(&text), text.len, keys_max);
}

static uint64_t number(const struct bt_result *r, const char *map, const char *key)
{
	const struct bt_value *v = bt_get(bt_map(r, map), key);

	assert_non_null(v);
	assert_int_equal(v->kind, BT_NUMBER);
	return v->u;
}

static void a_stream(void **state)
{
	__cleanup_bt_result struct bt_result r;

	(void)state;
	parse(&r, "{\"type\": \"attached_probes\", \"data\": {\"probes\": 3}}\n"
		  "{\"type\": \"map\", \"data\": {\"@c\": 41}}\n"
		  "CHILD wrote this on stdout\n\n\n"
		  "{\"type\": \"map\", \"data\": {\"@c\": 49}}\n"
		  "{\"type\": \"stats\", \"data\": {\"@avg\": 3479029}}\n"
		  "{\"type\": \"stats\", \"data\": {\"@st\": {\"count\": 49, \"average\": 3479029, "
		  "\"total\": 170472433}}}\n"
		  "{\"type\": \"map\", \"data\": {\"@big\": 18446744073709551615}}\n"
		  "{\"type\": \"map\", \"data\": {\"@odd\": 9007199254740993}}\n"
		  "{\"type\": \"map\", \"data\": {\"@neg\": -5}}\n"
		  "{\"type\": \"value\", \"data\": {\"err\":Operation not permitted}}\n");
	assert_true(r.attached);
	assert_int_equal(r.probes, 3);
	assert_int_equal(number(&r, "@c", ""), 49);
	assert_int_equal(number(&r, "@avg", ""), 3479029);
	assert_int_equal(bt_get(bt_map(&r, "@st"), "")->kind, BT_STATS);
	assert_int_equal(bt_get(bt_map(&r, "@st"), "")->count, 49);
	assert_int_equal(bt_get(bt_map(&r, "@st"), "")->u, 170472433);
	assert_true(number(&r, "@big", "") == UINT64_MAX);
	assert_true(number(&r, "@odd", "") == 9007199254740993ULL);
	assert_true(bt_get(bt_map(&r, "@neg"), "")->negative);
	assert_true((int64_t)number(&r, "@neg", "") == -5);
	assert_int_equal(r.foreign_lines, 1);
	assert_int_equal(r.broken_lines, 1);
	assert_int_equal(bt_map(&r, "@c")->status, BT_EXACT);
}

static void every_kind_of_map(void **state)
{
	__cleanup_bt_result struct bt_result r;
	const struct bt_value *v;
	uint64_t total;

	(void)state;
	parse_fixture(&r, "bpftrace-all.json", 0);
	assert_int_equal(r.probes, 5);
	assert_int_equal(r.broken_lines + r.foreign_lines, 0);
	assert_int_equal(r.printed.n, 3);
	v = bt_get(bt_map(&r, "@lh"), "");
	assert_int_equal(v->kind, BT_HIST);
	assert_int_equal(v->count, 49);
	assert_int_equal(v->n_buckets, 11);
	/* The last bucket is open. */
	assert_true(v->buckets[10].has_min && !v->buckets[10].has_max);
	assert_int_equal(v->buckets[10].min, 10000);
	assert_int_equal(bt_get(bt_map(&r, "@hk"), "fio")->buckets[2].count, 20);
	assert_int_equal(number(&r, "@two", "fio,25552"), 49);
	assert_int_equal(number(&r, "@neverhit", ""), 0);
	assert_string_equal(bt_get(bt_map(&r, "@str"), "")->text, "fio");
	assert_string_equal(bt_get(bt_map(&r, "@tup"), "")->text, "[ 1, \"a\" ]");
	assert_true(bt_map(&r, "@k")->keyed);
	assert_int_equal(bt_map(&r, "@k")->n, 1);
	assert_true(strstr(bt_map(&r, "@k")->v[0].key, "do_syscall_64+579") != NULL);
	assert_true(bt_total(bt_map(&r, "@hk"), &total));
	assert_int_equal(total, 49);
	assert_false(bt_total(bt_map(&r, "@str"), &total));
	assert_false(bt_total(bt_map(&r, "@nosuch"), &total));
}

static void keyed_stats(void **state)
{
	__cleanup_bt_result struct bt_result r;
	uint64_t total;

	(void)state;
	parse_fixture(&r, "bpftrace-fsops.json", 0);
	assert_int_equal(bt_get(bt_map(&r, "@st"), "dbench")->count, 293);
	assert_true(bt_total(bt_map(&r, "@unl"), &total));
	assert_int_equal(total, 875);
	assert_int_equal(number(&r, "@ren", "tracepoint:syscalls:sys_enter_rename"), 160);
}

static void full_maps(void **state)
{
	__cleanup_bt_result struct bt_result full, errors;

	(void)state;
	parse_fixture(&full, "bpftrace-mapfull.json", 16);
	assert_int_equal(bt_map(&full, "@k")->status, BT_LOWER_BOUND);
	assert_string_equal(bt_map(&full, "@k")->reason,
			    "map full (16 = BPFTRACE_MAP_KEYS_MAX), keys missing");
	assert_int_equal(bt_map(&full, "@n")->status, BT_EXACT);
	parse_fixture(&errors, "bpftrace-mapfull-k.json", 0);
	assert_int_equal(errors.helper_errors, 11);
	assert_int_equal(bt_map(&errors, "@k")->status, BT_LOWER_BOUND);
}

static void a_full_map_of_the_default_size(void **state)
{
	__cleanup_bt_result struct bt_result r;
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	(void)state;
	strbuf_adds(&text, "{\"type\": \"map\", \"data\": {\"@k\": {");
	for (int i = 0; i < BT_KEYS_MAX; i++)
		strbuf_addf(&text, "%s\"%d\": 1", i ? ", " : "", i);
	strbuf_adds(&text, "}}}\n{\"type\": \"map\", \"data\": {\"@n\": 29879}}\n");
	parse(&r, strbuf_str(&text));
	assert_int_equal(bt_map(&r, "@k")->status, BT_LOWER_BOUND);
	assert_int_equal(number(&r, "@n", ""), 29879);
}

static void lost_events(void **state)
{
	__cleanup_bt_result struct bt_result r;

	(void)state;
	parse_fixture(&r, "bpftrace-lost.json", 0);
	assert_int_equal(r.lost_events, 2753 + 5613 + 9353);
	assert_int_equal(r.printed.n, 2);
	assert_int_equal(number(&r, "@n", ""), 120000);
	assert_int_equal(bt_map(&r, "@n")->status, BT_EXACT);
}

static void broken_maps(void **state)
{
	static const char *const lines[] = {
		"{\"type\": \"map\", \"data\": {\"@c\": 5", /* cut: killed while it wrote */
		"{\"type\": \"map\", \"data\": {\"@c\": 5}}", /* whole to look at, but not ended */
		"{\"type\": \"map\", \"data\": {\"@c\": bad}}\n",
		"{\"type\": \"map\", \"data\": {\"@c\": 18446744073709551616}}\n",
		"{\"type\": \"hist\", \"data\": {\"@c\": [{\"min\": 1, \"max\": 0, \"count\": 1}]}}\n",
		"{\"type\": \"hist\", \"data\": {\"@c\": [{\"count\": 1}]}}\n",
		"{\"type\": \"hist\", \"data\": {\"@c\": 7}}\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		__cleanup_free char *text =
			xasprintf("{\"type\": \"map\", \"data\": {\"@c\": 4}}\n%s", lines[i]);
		__cleanup_bt_result struct bt_result r;
		uint64_t total;

		parse(&r, text);
		assert_int_equal(bt_map(&r, "@c")->status, BT_INVALID);
		assert_non_null(bt_map(&r, "@c")->reason);
		assert_false(bt_total(bt_map(&r, "@c"), &total));
	}
}

static void judged(const char *out, const char *errors, int status, bool tracefs,
		   const char *failure, const char *missing)
{
	__cleanup_bt_result struct bt_result r;
	struct bt_verdict v;

	parse(&r, out);
	bt_judge(&v, &r, errors, status, tracefs);
	if (failure)
		assert_string_equal(v.failure, failure);
	else
		assert_null(v.failure);
	assert_int_equal(v.not_attached.n, missing != NULL);
	if (missing)
		assert_string_equal(v.not_attached.v[0], missing);
	bt_verdict_release(&v);
}

#define ATTACHED "{\"type\": \"attached_probes\", \"data\": {\"probes\": 1}}\n"
#define MEMLOCK "ERROR: Unknown error -1: couldn't set RLIMIT_MEMLOCK for bpftrace. If ...\n"

static void standard_error(void **state)
{
	(void)state;
	judged(ATTACHED "{\"type\": \"map\", \"data\": {\"@c\": 1}}\n", MEMLOCK, 0, true, NULL, NULL);
	judged("", MEMLOCK "ERROR: tracepoint not found: btrfs:x\n", 1, false,
	       "tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing",
	       "tracepoint:btrfs:x");
	judged("", MEMLOCK "ERROR: tracepoint not found: btrfs:x\n", 1, true,
	       "bpftrace ended with status 1: tracepoint not found: btrfs:x", "tracepoint:btrfs:x");
	judged(ATTACHED "{\"type\": \"map\", \"data\": {\"@c\": 1}}\n",
	       "WARNING: tracepoint not found: btrfs:nosuch\n"
	       "open(/sys/kernel/tracing/events/btrfs/nosuch/id): No such file or directory\n",
	       0, true, NULL, "tracepoint:btrfs:nosuch");
	judged(ATTACHED, "ERROR: Error attaching probe: 'kprobe:vfs_read'\n", 255, true,
	       "bpftrace ended with status 255: Error attaching probe: 'kprobe:vfs_read'", NULL);
	judged("", "", 0, true, "bpftrace attached no probe", NULL);
	judged(ATTACHED, "", 0, true, NULL, NULL);
}

static void versions(void **state)
{
	static const struct bt_version oldest = BT_OLDEST;
	struct bt_version v;

	(void)state;
	assert_int_equal(bt_version_parse("bpftrace v0.17.0\n", &v), 0);
	assert_int_equal(bt_version_cmp(&v, &oldest), 0);
	assert_int_equal(bt_version_parse("WARNING: x\nbpftrace v0.21.2-dirty\n", &v), 0);
	assert_int_equal(v.minor, 21);
	assert_int_equal(v.patch, 2);
	assert_true(bt_version_cmp(&v, &oldest) > 0);
	assert_int_equal(bt_version_parse("bpftrace v0.9.4", &v), 0);
	assert_true(bt_version_cmp(&v, &oldest) < 0);
	assert_int_equal(bt_version_parse("bpftrace v", &v), -EINVAL);
	assert_int_equal(bt_version_parse("", &v), -EINVAL);
	assert_int_equal(bt_version_read("0.17", &v), 0);
	assert_int_equal(v.patch, 0);
	assert_int_equal(bt_version_read("0.17x", &v), -EINVAL);
}

static void arguments(void **state)
{
	static const struct bt_version old = { 0, 17, 0 }, new = { 0, 23, 5 };
	__cleanup_strvec struct strvec argv = STRVEC_INIT, env = STRVEC_INIT, args = STRVEC_INIT;
	__cleanup_strvec struct strvec argv_new = STRVEC_INIT;
	__cleanup_free char *text = NULL, *text_new = NULL;

	(void)state;
	strvec_push(&args, "42");
	bt_argv(&argv, &env, &old, "x.bt", "out.json", &args, 65536);
	text = strvec_join(&argv, " ");
	assert_string_equal(text, "bpftrace -f json -B none -k -o out.json x.bt 42");
	assert_true(strvec_has(&env, "BPFTRACE_MAP_KEYS_MAX=65536"));
	bt_argv(&argv_new, &env, &new, "x.bt", "out.json", NULL, 0);
	text_new = strvec_join(&argv_new, " ");
	assert_string_equal(text_new, "bpftrace -f json -B none -o out.json x.bt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream),
		cmocka_unit_test(every_kind_of_map),
		cmocka_unit_test(keyed_stats),
		cmocka_unit_test(full_maps),
		cmocka_unit_test(a_full_map_of_the_default_size),
		cmocka_unit_test(lost_events),
		cmocka_unit_test(broken_maps),
		cmocka_unit_test(standard_error),
		cmocka_unit_test(versions),
		cmocka_unit_test(arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
