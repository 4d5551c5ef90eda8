// SPDX-License-Identifier: GPL-2.0-or-later
/* results/forecast and store_recent(): what earlier runs say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/forecast.h"
#include "results/store.h"
#include "tests/golden/runs.h"
#include "tests/unit/store-fixture.h"

#define SECOND 1000000000ULL

/* An arm of a session, with a window that starts every second iteration of two seconds. */
static struct run *measured(const char *label, size_t arm, const double *v, size_t n)
{
	struct run *r = runs_new(label);

	runs_series(r, 0, arm, "w", "btrfs", "*wall", v, n);
	for (size_t i = 0; i < n; i++) {
		r->iterations[i].seq = 2 * i + arm;
		r->iterations[i].mono_ns = (1 + r->iterations[i].seq) * 2 * SECOND;
	}
	return r;
}

/* Factors of 1.02 around any centre: sd of the logarithms is log(1.02) * sqrt(n / (n - 1)). */
static void scatter_is_within_runs(void **state)
{
	static const double low[] = { 100 * 1.02, 100 / 1.02, 100 * 1.02, 100 / 1.02 };
	static const double high[] = { 900 / 1.02, 900 * 1.02 };
	__cleanup_run struct run *a = measured("a", 0, low, 4), *b = measured("b", 1, high, 2);
	struct run *runs[] = { a, b };
	struct forecast f;
	double step = log(1.02);

	(void)state;
	forecast_cell(runs, 1, "w", "btrfs", false, &f);
	assert_float_equal(f.sd_pct, 100 * step * sqrt(4.0 / 3), 1e-9);
	assert_int_equal(f.values, 4);
	assert_string_equal(f.metric, "wall");
	forecast_cell(runs, 2, "w", "btrfs", false, &f);
	assert_float_equal(f.sd_pct, 100 * step * sqrt(6.0 / 4), 1e-9);
	assert_int_equal(f.runs, 2);
	forecast_cell(runs, 2, "w", "xfs", false, &f);
	assert_true(isnan(f.sd_pct) && isnan(f.seconds) && !f.metric);
	forecast_cell(runs, 2, "w", "btrfs", true, &f);
	assert_true(isnan(f.sd_pct));
}

static void what_does_not_count(void **state)
{
	static const double v[] = { 100, 101, 102, 5000, 9000 };
	__cleanup_run struct run *r = measured("a", 0, v, 5);
	struct run *runs[] = { r };
	struct forecast f;

	(void)state;
	runs_fail(&r->iterations[3], OUTCOME_FAILED, "x");
	r->iterations[4].warmup = true;
	forecast_cell(runs, 1, "w", "btrfs", false, &f);
	assert_int_equal(f.values, 3);
	assert_true(f.sd_pct < 1.1);
	runs_sample(&r->iterations[0], "*wall", 0);
	forecast_cell(runs, 1, "w", "btrfs", false, &f);
	assert_true(isnan(f.sd_pct));
}

/* The arms of a session interleave: what is between two neighbours is one iteration. */
static void time_is_from_one_to_the_next(void **state)
{
	static const double v[] = { 1, 1, 1 };
	__cleanup_run struct run *a = measured("a", 0, v, 3), *b = measured("b", 1, v, 3);
	struct run *runs[] = { a, b };
	struct forecast f;

	(void)state;
	forecast_cell(runs, 2, "w", "btrfs", false, &f);
	assert_float_equal(f.seconds, 2, 1e-9);
	/* One arm alone has no neighbours. */
	forecast_cell(runs, 1, "w", "btrfs", false, &f);
	assert_true(isnan(f.seconds));
	/* Neither have other sessions, nor other boots. */
	str_replace(&b->session, "other");
	forecast_cell(runs, 2, "w", "btrfs", false, &f);
	assert_true(isnan(f.seconds));
	str_replace(&b->session, a->session);
	for (size_t i = 0; i < 3; i++)
		str_replace(&b->iterations[i].boot_id, "other");
	forecast_cell(runs, 2, "w", "btrfs", false, &f);
	assert_true(isnan(f.seconds));
}

static void units_for_a_width(void **state)
{
	(void)state;
	/* 2 * (1.96 * 3 / 1)^2 = 69.1 */
	assert_float_equal(forecast_units_for_width(3, 1), 70, 0);
	assert_float_equal(forecast_units_for_width(1, 1), 8, 0);
	assert_true(isnan(forecast_units_for_width(NAN, 1)));
}

static bool is_called(const struct run *header, void *arg)
{
	assert_int_equal(header->n_iterations, 0);
	assert_int_equal(header->n_workloads, 1);
	return str_eq(header->label, arg);
}

static void the_newest_runs_come_first(void **state)
{
	static const char *const labels[] = { "a", "b", "a", "a" };
	char a[] = "a", c[] = "c";
	struct run *out[4];
	size_t n;

	for (size_t i = 0; i < 4; i++) {
		__cleanup_run struct run *r = store_new_run(labels[i]);
		__cleanup_free char *dir = NULL;
		struct store_writer *w;

		free(r->started);
		r->started = xasprintf("2026-01-0%zuT00:00:00Z", i + 1);
		assert_int_equal(store_create(*state, r, &w, &dir), 0);
		store_append_seq(w, 0);
		/* One has no end. */
		if (i == 3)
			store_abandon(w);
		else
			assert_int_equal(store_finish(w, NULL, true, NULL), 0);
	}
	n = store_recent(*state, is_called, a, out, 2);
	assert_int_equal(n, 2);
	assert_string_equal(out[0]->started, "2026-01-04T00:00:00Z");
	assert_string_equal(out[1]->started, "2026-01-03T00:00:00Z");
	assert_int_equal(out[0]->n_iterations, 1);
	while (n)
		run_free(out[--n]);
	assert_int_equal(store_recent(*state, is_called, c, out, 2), 0);
	assert_int_equal(store_recent("/nowhere", is_called, a, out, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scatter_is_within_runs),
		cmocka_unit_test(what_does_not_count),
		cmocka_unit_test(time_is_from_one_to_the_next),
		cmocka_unit_test(units_for_a_width),
		cmocka_unit_test_setup_teardown(the_newest_runs_come_first, store_make_root,
						store_remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
