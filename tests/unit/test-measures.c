// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/measures.h"
#include "lib/mem.h"

static void value_is(const struct samples *s, const char *name, bool whole, double want)
{
	const struct sample *sample = samples_get(s, name);

	if (!sample)
		fail_msg("no sample '%s'", name);
	else if (sample->value.whole != whole || value_as_double(sample->value) != want)
		fail_msg("%s is %s %g", name, sample->value.whole ? "whole" : "double",
			 value_as_double(sample->value));
}

static void facts_become_samples(void **state)
{
	__cleanup_kv struct kv facts = KV_INIT;
	__cleanup_samples struct samples s = SAMPLES_INIT;

	(void)state;
	kv_set(&facts, "wall", "1.250000");
	kv_set(&facts, "umount", "0");
	kv_set(&facts, "disk.written", "18446744073709551615");
	kv_set(&facts, "cpu.busy", "33.33");
	kv_set(&facts, "started", "2026-01-31T12:34:56Z");
	kv_set(&facts, "device.size", "4096");
	measures_add(&facts, false, &s);
	/* Only what is a measure, and nothing that was not there. */
	assert_int_equal(s.n, 4);
	value_is(&s, "wall", false, 1.25);
	value_is(&s, "umount", true, 0);
	value_is(&s, "cpu.busy", false, 33.33);
	assert_true(samples_get(&s, "disk.written")->value.u == UINT64_MAX);
	assert_null(samples_get(&s, "sync"));
}

static void what_is_no_number_is_absent(void **state)
{
	static const char *const texts[] = { "", "nan", "inf", "-", "12x", "1e999", "0x10", " 5",
					     "5 s", "unknown" };
	__cleanup_samples struct samples s = SAMPLES_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		__cleanup_kv struct kv facts = KV_INIT;

		kv_set(&facts, "wall", texts[i]);
		kv_set(&facts, "disk.writes", texts[i]);
		measures_add(&facts, false, &s);
		assert_int_equal(s.n, 0);
	}
}

/* All of them, with what the reports rely on. */
static void declarations(void **state)
{
	static const struct {
		const char *name, *unit;
		enum direction better;
		enum metric_kind kind;
	} rows[] = {
		{ "btrfs.commit-time", "s", BETTER_NEUTRAL, KIND_TIME },
		{ "btrfs.commits", "1", BETTER_NEUTRAL, KIND_COUNT },
		{ "cpu.busy", "%", BETTER_NEUTRAL, KIND_RATIO },
		{ "cpu.sys", "s", BETTER_LOWER, KIND_TIME },
		{ "cpu.user", "s", BETTER_LOWER, KIND_TIME },
		{ "csw.involuntary", "1", BETTER_NEUTRAL, KIND_COUNT },
		{ "csw.voluntary", "1", BETTER_NEUTRAL, KIND_COUNT },
		{ "disk.discards", "1", BETTER_NEUTRAL, KIND_COUNT },
		{ "disk.flushes", "1", BETTER_NEUTRAL, KIND_COUNT },
		{ "disk.read", "B", BETTER_NEUTRAL, KIND_COUNT },
		{ "disk.reads", "1", BETTER_NEUTRAL, KIND_COUNT },
		{ "disk.writes", "1", BETTER_NEUTRAL, KIND_COUNT },
		{ "disk.written", "B", BETTER_NEUTRAL, KIND_COUNT },
		{ "fill.bytes", "%", BETTER_NEUTRAL, KIND_RATIO },
		{ "fill.inodes", "%", BETTER_NEUTRAL, KIND_RATIO },
		{ "sync", "s", BETTER_LOWER, KIND_TIME },
		{ "umount", "s", BETTER_LOWER, KIND_TIME },
		{ "wall", "s", BETTER_LOWER, KIND_TIME },
	};
	__cleanup_samples struct samples s = SAMPLES_INIT;
	__cleanup_kv struct kv facts = KV_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		kv_set(&facts, rows[i].name, "1");
	measures_add(&facts, false, &s);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct sample *sample = samples_get(&s, rows[i].name);

		if (!sample)
			fail_msg("no sample '%s'", rows[i].name);
		assert_string_equal(sample->metric.unit, rows[i].unit);
		assert_int_equal(sample->metric.better, rows[i].better);
		assert_int_equal(sample->metric.kind, rows[i].kind);
		assert_false(sample->metric.primary);
		assert_non_null(sample->metric.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_become_samples),
		cmocka_unit_test(what_is_no_number_is_absent),
		cmocka_unit_test(declarations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
