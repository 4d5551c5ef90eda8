// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/metric.h"
#include "results/outcome.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/hist.h"
#include "lib/mem.h"

static const struct metric rate = {
	.name = "fsync.rate", .unit = "1/s", .better = BETTER_HIGHER, .kind = KIND_RATE_WORK,
	.text = "calls of fsync per second",
};
static const struct metric p99 = {
	.name = "fsync.p99", .unit = "ns", .better = BETTER_LOWER, .kind = KIND_QUANTILE,
};

static void every_enum_reads_back(void **state)
{
	(void)state;
	for (enum direction d = BETTER_NEUTRAL; d <= BETTER_HIGHER; d++) {
		enum direction got = BETTER_HIGHER - d;

		assert_int_equal(direction_parse(direction_str(d), &got), 0);
		assert_int_equal(got, d);
	}
	for (enum metric_kind k = KIND_TIME; k <= KIND_RATIO; k++) {
		enum metric_kind got = KIND_RATIO - k;

		assert_int_equal(metric_kind_parse(metric_kind_str(k), &got), 0);
		assert_int_equal(got, k);
	}
	for (enum outcome o = OUTCOME_OK; o <= OUTCOME_CRASHED; o++) {
		enum outcome got = OUTCOME_CRASHED - o;

		assert_int_equal(outcome_parse(outcome_str(o), &got), 0);
		assert_int_equal(got, o);
	}
}

static void spellings(void **state)
{
	(void)state;
	assert_string_equal(direction_str(BETTER_LOWER), "lower");
	assert_string_equal(metric_kind_str(KIND_RATE_TIME), "rate-time");
	assert_string_equal(metric_kind_str(KIND_QUANTILE), "quantile");
	assert_string_equal(outcome_str(OUTCOME_TIMEOUT), "TIMEOUT");
}

static void unknown_spellings_are_refused(void **state)
{
	static const char *const bad[] = { "", "Lower", "low", "lower ", "ok", "OK2", "rate" };
	enum direction d = BETTER_HIGHER;
	enum metric_kind k = KIND_MAX;
	enum outcome o = OUTCOME_CRASHED;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(direction_parse(bad[i], &d), -EINVAL);
		assert_int_equal(metric_kind_parse(bad[i], &k), -EINVAL);
		assert_int_equal(outcome_parse(bad[i], &o), -EINVAL);
	}
	assert_int_equal(d, BETTER_HIGHER);
	assert_int_equal(k, KIND_MAX);
	assert_int_equal(o, OUTCOME_CRASHED);
}

static void samples_own_their_strings(void **state)
{
	__cleanup_samples struct samples s = SAMPLES_INIT;
	char name[] = "fsync.max", unit[] = "ns";
	struct metric m = { .name = name, .unit = unit, .better = BETTER_LOWER };

	(void)state;
	assert_true(samples_add(&s, &m, value_u64(UINT64_MAX)));
	assert_true(samples_add(&s, &rate, value_double(1.5)));
	memset(name, 'x', sizeof(name) - 1);
	memset(unit, 'x', sizeof(unit) - 1);
	assert_int_equal(s.n, 2);
	assert_string_equal(samples_get(&s, "fsync.max")->metric.unit, "ns");
	assert_null(samples_get(&s, "fsync.max")->metric.text);
	assert_true(samples_get(&s, "fsync.max")->value.whole);
	assert_true(samples_get(&s, "fsync.max")->value.u == UINT64_MAX);
	assert_string_equal(samples_get(&s, "fsync.rate")->metric.text, rate.text);
	assert_null(samples_get(&s, "fsync"));
}

static void not_finite_is_not_added(void **state)
{
	__cleanup_samples struct samples s = SAMPLES_INIT;

	(void)state;
	assert_false(samples_add(&s, &rate, value_double(NAN)));
	assert_false(samples_add(&s, &rate, value_double(INFINITY)));
	assert_false(samples_add(&s, &rate, value_double(-INFINITY)));
	assert_int_equal(s.n, 0);
	assert_true(samples_add(&s, &rate, value_double(0)));
	assert_int_equal(s.n, 1);
}

static void same_name_is_replaced(void **state)
{
	__cleanup_samples struct samples s = SAMPLES_INIT;

	(void)state;
	samples_add(&s, &rate, value_double(1));
	samples_add(&s, &p99, value_u64(2));
	samples_add(&s, &rate, value_double(3));
	/* The declaration may be the one that is in the list. */
	samples_add(&s, &samples_get(&s, "fsync.p99")->metric, value_u64(4));
	assert_int_equal(s.n, 2);
	assert_string_equal(s.v[0].metric.name, "fsync.rate");
	assert_true(s.v[0].value.d == 3);
	assert_true(s.v[1].value.u == 4);
	assert_string_equal(s.v[1].metric.unit, "ns");
}

static void one_primary_at_most(void **state)
{
	__cleanup_samples struct samples s = SAMPLES_INIT;

	(void)state;
	samples_add(&s, &rate, value_double(1));
	samples_add(&s, &p99, value_u64(2));
	assert_true(samples_set_primary(&s, "fsync.rate"));
	assert_true(samples_set_primary(&s, "fsync.p99"));
	assert_false(s.v[0].metric.primary);
	assert_true(s.v[1].metric.primary);
	assert_false(samples_set_primary(&s, "fsync.p50"));
	assert_true(s.v[1].metric.primary);
}

static void move_takes_everything(void **state)
{
	__cleanup_samples struct samples to = SAMPLES_INIT, from = SAMPLES_INIT;

	(void)state;
	samples_add(&to, &rate, value_double(1));
	samples_add(&from, &rate, value_double(2));
	samples_add(&from, &p99, value_u64(3));
	samples_move(&to, &from);
	assert_int_equal(from.n, 0);
	assert_null(from.v);
	assert_int_equal(to.n, 2);
	assert_true(samples_get(&to, "fsync.rate")->value.d == 2);
	assert_true(samples_get(&to, "fsync.p99")->value.u == 3);
	samples_move(&to, &from);
	assert_int_equal(to.n, 2);
}

static void histograms_are_kept_by_name(void **state)
{
	__cleanup_samples struct samples to = SAMPLES_INIT, from = SAMPLES_INIT;
	struct hist *a = hist_new(), *b = hist_new(), *c = hist_new();

	(void)state;
	samples_add_hist(&to, "fsync", "ns", a);
	assert_ptr_equal(samples_get_hist(&to, "fsync"), a);
	assert_null(samples_get_hist(&to, "rename"));
	samples_add_hist(&to, "fsync", "ns", b);
	assert_int_equal(to.n_hists, 1);
	assert_ptr_equal(samples_get_hist(&to, "fsync"), b);
	samples_add_hist(&from, "rename", "ns", c);
	samples_move(&to, &from);
	assert_int_equal(from.n_hists, 0);
	assert_int_equal(to.n_hists, 2);
	assert_ptr_equal(samples_get_hist(&to, "rename"), c);
}

static void values(void **state)
{
	(void)state;
	assert_true(value_as_double(value_u64(7)) == 7);
	assert_true(value_as_double(value_double(0.5)) == 0.5);
	assert_true(value_u64(9007199254740993ULL).u == 9007199254740993ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_enum_reads_back),
		cmocka_unit_test(spellings),
		cmocka_unit_test(unknown_spellings_are_refused),
		cmocka_unit_test(samples_own_their_strings),
		cmocka_unit_test(not_finite_is_not_added),
		cmocka_unit_test(same_name_is_replaced),
		cmocka_unit_test(one_primary_at_most),
		cmocka_unit_test(move_takes_everything),
		cmocka_unit_test(histograms_are_kept_by_name),
		cmocka_unit_test(values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
