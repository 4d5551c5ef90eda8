// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "tests/golden/runs.h"
#include "tests/unit/said.h"

static const double ones[] = { 12, 10, 14, 11, 15, 13 };
static const double twos[] = { 22, 28, 24, 20, 30, 26 };

/* Two arms of one session, w on btrfs, six interleaved iterations of @metric each. */
struct pair {
	struct run *runs[2];
};

static struct pair pair_new(const char *metric)
{
	struct pair p = { { runs_new("base"), runs_new("patched") } };

	runs_series(p.runs[0], 0, 0, "w", "btrfs", metric, ones, 6);
	runs_series(p.runs[1], 0, 1, "w", "btrfs", metric, twos, 6);
	return p;
}

static void pair_free(struct pair *p)
{
	run_free(p->runs[0]);
	run_free(p->runs[1]);
}

static const struct compare_row *row_of(const struct comparison *c, const char *metric, size_t arm)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (!strcmp(c->rows[i].metric.name, metric) && c->rows[i].arm == arm)
			return &c->rows[i];
	fail_msg("no row of %s", metric);
	return NULL;
}

static bool any_claim(const struct comparison *c, const char *word, const char *part)
{
	for (size_t i = 0; i < c->n_claims; i++)
		if (!strcmp(c->claims[i].word, word) && strstr(c->claims[i].sentence, part))
			return true;
	return false;
}

static const struct compare_difference *difference(const struct comparison *c, const char *key)
{
	for (size_t i = 0; i < c->n_differences; i++)
		if (!strcmp(c->differences[i].key, key))
			return &c->differences[i];
	return NULL;
}

static void a_clean_pair_has_no_warnings(void **state)
{
	struct pair p = pair_new("*rename.p50");
	__cleanup_comparison struct comparison *c = compare_runs(p.runs, 2, NULL);

	(void)state;
	assert_int_equal(c->n_rows, 1);
	assert_int_equal(c->warnings.n, 0);
	assert_int_equal(c->n_differences, 0);
	assert_int_equal(c->rows[0].notes.n, 0);
	assert_true(c->rows[0].metric.primary);
	assert_int_equal(c->arms[1].iterations, 6);
	assert_int_equal(c->arms[1].boots, 1);
	assert_string_equal(kv_get(&c->common, "kernel"), "6.18.0-rc3");
	assert_int_equal(c->n_claims, 0);
	assert_null(c->watermark);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
	assert_float_equal(c->rows[0].effect.p, 2 / 64.0, 1e-12);
	pair_free(&p);
}

static void check_centre(const char *metric, const char *name, double base, double pct)
{
	struct pair p = pair_new(metric);
	__cleanup_comparison struct comparison *c = compare_runs(p.runs, 2, NULL);
	const struct compare_row *row = row_of(c, metric, 1);

	assert_string_equal(row->centre_name, name);
	assert_float_equal(row->base.centre, base, 1e-9);
	assert_float_equal(row->pct, pct, 1e-9);
	pair_free(&p);
}

static void the_centre_follows_the_kind(void **state)
{
	double sum = 0;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		sum += 1 / ones[i];
	check_centre("rename.p50", "median", 12.5, 100);
	check_centre("wall", "median", 12.5, 100);
	check_centre("rename.max", "median", 12.5, 100);
	check_centre("lost", "median", 12.5, 100);
	check_centre("bogo-ops", "mean", 12.5, 100);
	check_centre("ops", "hmean", 6 / sum, 100);
}

/* The denominator is the base: 823/9 against 650/9 is -21.02 %, not 26 %. */
static void the_published_unlink_times(void **state)
{
	static const double base[] = { 91, 93, 92, 93, 90, 91, 93, 89, 91 };
	static const double patched[] = { 80, 63, 65, 67, 75, 75, 75, 74, 76 };
	struct run *runs[] = { runs_new("base"), runs_new("patched") };
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	runs_series(runs[0], 0, 0, "unlink", "btrfs", "*wall", base, 9);
	runs_series(runs[1], 0, 1, "unlink", "btrfs", "*wall", patched, 9);
	c = compare_runs(runs, 2, NULL);
	assert_float_equal(c->rows[0].pct_mean, -21.0206561361, 1e-9);
	assert_float_equal(c->rows[0].pct, -17.5824175824, 1e-9);
	assert_float_equal(c->rows[0].base.stats.sd, 1.42400062421959, 1e-12);
	run_free(runs[0]);
	run_free(runs[1]);
}

static void what_is_not_valid_is_left_out_and_counted(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	p.runs[1]->iterations[0].warmup = true;
	p.runs[1]->iterations[1].outcome = OUTCOME_FAILED;
	p.runs[1]->iterations[1].reason = xstrdup("no space left");
	c = compare_runs(p.runs, 2, NULL);
	assert_int_equal(c->rows[0].side.stats.n, 4);
	assert_float_equal(c->rows[0].side.values[0], 24, 0);
	assert_int_equal(c->arms[1].warmups, 1);
	assert_int_equal(c->arms[1].invalid, 1);
	assert_int_equal(c->arms[1].iterations, 5);
	assert_true(any_has(&c->warnings, "1 of 5 iterations of patched"));
	assert_true(any_has(&c->warnings, "1 FAILED (no space left)"));
	assert_true(any_has(&c->rows[0].notes, "n = 4 and 4: p = 0.12 is the best"));
	assert_true(any_has(&c->rows[0].notes, "2 values without a partner"));
	pair_free(&p);
}

static void a_metric_of_one_side_is_missing(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;
	const struct compare_row *row;

	(void)state;
	runs_sample(&p.runs[0]->iterations[0], "ops", 5);
	runs_sample(&p.runs[1]->iterations[0], "lost", 5);
	c = compare_runs(p.runs, 2, NULL);
	assert_int_equal(c->n_rows, 3);
	row = row_of(c, "ops", 1);
	assert_true(compare_row_is_missing(row));
	assert_int_equal(row->side.stats.n, 0);
	assert_true(isnan(row->side.centre));
	assert_true(isnan(row->pct));
	assert_true(any_has(&row->notes, COMPARE_MISSING "none of 6 valid iterations of patched"));
	assert_true(any_has(&row_of(c, "lost", 1)->notes, COMPARE_MISSING "none of 6 valid "
			    "iterations of base"));
	/* It hides nothing of the others. */
	assert_float_equal(row_of(c, "wall", 1)->pct, 100, 1e-9);
	assert_true(any_has(&c->warnings, "2 of 3 rows"));
	pair_free(&p);
}

static void a_cell_of_one_side_is_missing(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	runs_series(p.runs[0], 20, 0, "w2", "btrfs", "ops", ones, 6);
	runs_series(p.runs[1], 40, 0, "w3", "btrfs", "lost", ones, 6);
	for (size_t i = 0; i < 6; i++)
		runs_fail(&p.runs[0]->iterations[i], OUTCOME_CRASHED, "panic");
	c = compare_runs(p.runs, 2, NULL);
	assert_int_equal(c->n_rows, 3);
	assert_true(any_has(&row_of(c, "wall", 1)->notes,
			    COMPARE_MISSING "no iteration of base is valid (6 CRASHED)"));
	assert_true(any_has(&row_of(c, "ops", 1)->notes,
			    COMPARE_MISSING "patched has no iteration"));
	assert_true(any_has(&row_of(c, "lost", 1)->notes, COMPARE_MISSING "base has no iteration"));
	pair_free(&p);
}

static void a_cell_that_never_worked_is_said(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	runs_fail(runs_iterate(p.runs[1], 90, "dead", "xfs", "rw"), OUTCOME_BROKEN, "no mkfs.xfs");
	c = compare_runs(p.runs, 2, NULL);
	assert_true(any_has(&c->warnings, "dead on xfs has no valid iteration in any arm"));
	pair_free(&p);
}

static void nothing_has_no_percentage(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		runs_sample(&p.runs[0]->iterations[i], "lost", 0);
		runs_sample(&p.runs[1]->iterations[i], "lost", 12);
		runs_sample(&p.runs[0]->iterations[i], "retries", 0);
		runs_sample(&p.runs[1]->iterations[i], "retries", 0);
		runs_sample(&p.runs[0]->iterations[i], "ops", 0);
		runs_sample(&p.runs[1]->iterations[i], "ops", 4);
	}
	c = compare_runs(p.runs, 2, NULL);
	assert_true(isnan(row_of(c, "lost", 1)->pct));
	assert_true(any_has(&row_of(c, "lost", 1)->notes, "0 -> 12: "));
	assert_true(isnan(row_of(c, "retries", 1)->pct));
	assert_true(any_has(&row_of(c, "retries", 1)->notes, "0 on both sides"));
	/* A rate of 0 has no harmonic mean: both sides use the median. */
	assert_string_equal(row_of(c, "ops", 1)->centre_name, "median");
	assert_float_equal(row_of(c, "ops", 1)->side.centre, 4, 0);
	assert_true(any_has(&row_of(c, "ops", 1)->notes, "0 -> 4 1/s"));
	pair_free(&p);
}

static void units_that_differ_are_not_compared(void **state)
{
	struct pair p = pair_new("wall");
	const struct metric us = { "sync", "us", BETTER_HIGHER, KIND_TIME, false, NULL };
	__cleanup_comparison struct comparison *c = NULL;
	const struct compare_row *row;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		runs_sample(&p.runs[0]->iterations[i], "sync", 1);
		samples_add(&p.runs[1]->iterations[i].samples, &us, value_double(900));
	}
	c = compare_runs(p.runs, 2, NULL);
	row = row_of(c, "sync", 1);
	assert_true(isnan(row->pct) && isnan(row->pct_mean));
	assert_string_equal(row->metric.unit, "s|us");
	assert_true(any_has(&row->notes, "different units (s, us)"));
	assert_int_equal(row->metric.better, BETTER_NEUTRAL);
	pair_free(&p);
}

static void other_work_is_not_compared(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	runs_add_workload(p.runs[0], "w", "1");
	runs_add_workload(p.runs[1], "w", "2");
	c = compare_runs(p.runs, 2, NULL);
	assert_true(isnan(c->rows[0].pct));
	assert_true(any_has(&c->rows[0].notes, "job files differ"));
	assert_true(any_claim(c, COMPARE_CONFOUNDED, "job file is not the same in base and patched"));
	assert_null(c->rows[0].effect.verdict);
	assert_true(isnan(c->rows[0].effect.p));
	assert_string_equal(c->rows[0].effect.why, "other work: the job files differ");
	assert_int_equal(compare_outcome(c), COMPARE_INCONCLUSIVE);
	pair_free(&p);
}

static void few_values_are_noted(void **state)
{
	struct run *runs[] = { runs_new("a"), runs_new("b") };
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	runs_series(runs[0], 0, 0, "w", "xfs", "wall", ones, 1);
	runs_series(runs[1], 0, 1, "w", "xfs", "wall", twos, 1);
	c = compare_runs(runs, 2, NULL);
	assert_float_equal(c->rows[0].pct, 100 * (22 - 12) / 12., 1e-9);
	assert_true(isnan(c->rows[0].base.stats.sd));
	assert_true(any_has(&c->rows[0].notes, "n = 1 and 1: one value says nothing about noise"));
	run_free(runs[0]);
	run_free(runs[1]);
}

static void rows_are_sorted(void **state)
{
	struct run *runs[] = { runs_new("a"), runs_new("b"), runs_new("c") };
	static const char *const want[] = { "w btrfs ops 1", "w btrfs ops 2", "w btrfs lost 1",
					    "w btrfs lost 2", "w xfs wall 2", "z btrfs wall 1",
					    "z btrfs wall 2" };
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	runs_series(runs[0], 0, 0, "z", "btrfs", "wall", ones, 6);
	runs_series(runs[2], 1, 0, "w", "xfs", "*wall", ones, 6);
	for (size_t a = 0; a < 3; a++) {
		size_t first = runs_series(runs[a], 50 + a, 0, "w", "btrfs", "lost", ones, 6);

		runs_sample(&runs[a]->iterations[first], "*ops", 1);
	}
	c = compare_runs(runs, 3, NULL);
	assert_int_equal(c->n_rows, ARRAY_SIZE(want));
	for (size_t i = 0; i < c->n_rows; i++) {
		__cleanup_free char *got = xasprintf("%s %s %s %zu", c->rows[i].workload,
						     c->rows[i].target, c->rows[i].metric.name,
						     c->rows[i].arm);

		assert_string_equal(got, want[i]);
	}
	for (size_t a = 0; a < 3; a++)
		run_free(runs[a]);
}

static void check_host(const char *key, const char *value, const char *warning)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;
	const struct compare_difference *d;

	kv_set(&p.runs[1]->host, key, value);
	c = compare_runs(p.runs, 2, NULL);
	d = difference(c, key);
	if (!d || d->planned || !(any_claim(c, COMPARE_CONFOUNDED, warning) ||
				  any_has(&c->warnings, warning)))
		fail_msg("%s=%s: nothing says: %s", key, value, warning);
	assert_int_equal(c->rows[0].confounded, d->major);
	pair_free(&p);
}

static void each_unlike_fact_is_warned_about(void **state)
{
	(void)state;
	check_host("kernel.release", "6.19.0", "kernel: 6.18.0-rc3 (base), 6.19.0 (patched)");
	/* Two builds often share the name. */
	check_host("kernel.build_id", "abc", "kernel build: ");
	check_host("kernel.debug", "KASAN,PROVE_LOCKING", "patched adds KASAN, PROVE_LOCKING");
	check_host("cpu.governor", "schedutil", "performance (base), schedutil (patched)");
	check_host("cpu.model", "other", "CPU: AMD EPYC 7B13 (base), other (patched)");
	check_host("memory.total", "16000000", "memory (KiB): ");
	check_host("tool.fio", "3.36", "version of fio: not known (base), 3.36 (patched)");
	check_host("machine.id", "x", "machine: ");
	check_host("kernel.config_hash", "x", "Also different or not known everywhere: kernel "
		   "configuration");
}

static void what_hardly_differs_is_no_difference(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	kv_set(&p.runs[1]->host, "memory.total", "32874000");
	kv_set(&p.runs[1]->host, "kernel.cmdline", "ro quiet root=/dev/vda1 BOOT_IMAGE=/other");
	kv_set(&p.runs[1]->iterations[0].environment, "mount.options",
	       "space_cache=v2,relatime,rw");
	c = compare_runs(p.runs, 2, NULL);
	assert_int_equal(c->n_differences, 0);
	assert_int_equal(c->warnings.n, 0);
	pair_free(&p);
}

static void set_in_force(struct run *r, const char *key, const char *value)
{
	for (size_t i = 0; i < r->n_iterations; i++)
		kv_set(&r->iterations[i].environment, key, value);
}

static void what_was_in_force_is_compared(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	set_in_force(p.runs[1], "mount.options", "rw,relatime,discard=async");
	set_in_force(p.runs[1], "device.scheduler", "none");
	set_in_force(p.runs[1], "mkfs.command", "mkfs.btrfs -f -m dup /dev/loop7");
	c = compare_runs(p.runs, 2, NULL);
	assert_non_null(difference(c, "mount.options (btrfs)"));
	assert_true(any_claim(c, COMPARE_CONFOUNDED, "mount options in force on btrfs: patched adds "
			    "discard=async and lacks space_cache=v2"));
	assert_true(any_claim(c, COMPARE_CONFOUNDED, "I/O scheduler on btrfs: not known (base), none"));
	assert_true(any_claim(c, COMPARE_CONFOUNDED, "mkfs on btrfs: "));
	pair_free(&p);
}

static void what_the_plan_varies_is_planned(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	strvec_push(&p.runs[0]->varied, "mount");
	strvec_push(&p.runs[1]->varied, "mount");
	kv_set(&p.runs[1]->settings, "mount", "noatime");
	set_in_force(p.runs[1], "mount.options", "rw,noatime,space_cache=v2");
	c = compare_runs(p.runs, 2, NULL);
	assert_int_equal(c->n_differences, 2);
	assert_true(difference(c, "settings.mount")->planned);
	assert_true(difference(c, "mount.options (btrfs)")->planned);
	assert_int_equal(c->warnings.n, 0);
	comparison_free(c);

	/* More than was asked for. */
	set_in_force(p.runs[1], "mount.options", "rw,noatime,discard=async,space_cache=v2");
	c = compare_runs(p.runs, 2, NULL);
	assert_true(any_has(&c->warnings, "differ in what no arm asks for: patched adds "
			    "discard=async."));
	comparison_free(c);

	/* Nothing of it. */
	set_in_force(p.runs[1], "mount.options", "rw,relatime,space_cache=v2");
	c = compare_runs(p.runs, 2, NULL);
	assert_true(any_has(&c->warnings, "the plan varies mount, but"));
	pair_free(&p);
}

static void plans_of_other_sessions_do_not_count(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	strvec_push(&p.runs[0]->varied, "mount");
	strvec_push(&p.runs[1]->varied, "mount");
	kv_set(&p.runs[1]->settings, "mount", "noatime");
	str_replace(&p.runs[1]->session, "other");
	c = compare_runs(p.runs, 2, NULL);
	assert_int_equal(c->varied.n, 0);
	assert_false(difference(c, "settings.mount")->planned);
	assert_true(any_has(&c->warnings, "one after the other, not interleaved"));
	pair_free(&p);
}

static void order_is_looked_at(void **state)
{
	struct run *runs[] = { runs_new("A"), runs_new("B") };
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	runs_series(runs[0], 0, 0, "w", "xfs", "wall", ones, 6);
	runs_series(runs[1], 100, 0, "w", "xfs", "wall", twos, 6);
	c = compare_runs(runs, 2, NULL);
	assert_true(any_has(&c->warnings, "all iterations of A came before those of B"));
	run_free(runs[0]);
	run_free(runs[1]);
}

static void boots_are_looked_at(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		str_replace(&p.runs[1]->iterations[i].boot_id, i < 3 ? "boot-2" : "boot-3");
	c = compare_runs(p.runs, 2, NULL);
	assert_int_equal(c->arms[1].boots, 2);
	assert_true(any_has(&c->warnings, "different boots (1 and 2)"));
	pair_free(&p);
}

static void runs_that_ended_early_are_said(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	p.runs[0]->complete = false;
	p.runs[0]->planned = 10;
	p.runs[0]->end_reason = xstrdup("interrupted");
	strvec_push(&p.runs[1]->load_warnings, "cut");
	c = compare_runs(p.runs, 2, NULL);
	assert_true(any_has(&c->warnings, "base is not complete: 6 of 10 planned iterations; it "
			    "ended early: interrupted"));
	assert_true(any_has(&c->warnings, "patched: cut"));
	pair_free(&p);
}

static void unknown_debug_options_are_said(void **state)
{
	struct run *bare = run_new();
	struct run *runs[] = { runs_new("a"), bare };
	__cleanup_comparison struct comparison *c = compare_runs(runs, 2, NULL);

	(void)state;
	assert_true(any_has(&c->warnings, "Not known of unnamed: whether kernel debug"));
	assert_true(any_has(&c->warnings, "Nothing is recorded about the machine of unnamed"));
	assert_int_equal(c->n_rows, 0);
	run_free(runs[0]);
	run_free(bare);
}

static void the_same_twice_is_refused(void **state)
{
	struct pair p = pair_new("wall");
	__cleanup_comparison struct comparison *c = compare_runs(p.runs, 2, NULL);
	struct run *twice[] = { p.runs[0], p.runs[0] };

	(void)state;
	assert_false(c->same_twice);
	comparison_free(c);
	c = compare_runs(twice, 2, NULL);
	assert_true(c->same_twice);
	assert_true(str_starts(c->warnings.v[0], "The same result twice"));
	assert_string_equal(c->arms[0].label, "base");
	assert_string_equal(c->arms[1].label, "base (2)");
	pair_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_pair_has_no_warnings),
		cmocka_unit_test(the_centre_follows_the_kind),
		cmocka_unit_test(the_published_unlink_times),
		cmocka_unit_test(what_is_not_valid_is_left_out_and_counted),
		cmocka_unit_test(a_metric_of_one_side_is_missing),
		cmocka_unit_test(a_cell_of_one_side_is_missing),
		cmocka_unit_test(a_cell_that_never_worked_is_said),
		cmocka_unit_test(nothing_has_no_percentage),
		cmocka_unit_test(units_that_differ_are_not_compared),
		cmocka_unit_test(other_work_is_not_compared),
		cmocka_unit_test(few_values_are_noted),
		cmocka_unit_test(rows_are_sorted),
		cmocka_unit_test(each_unlike_fact_is_warned_about),
		cmocka_unit_test(what_hardly_differs_is_no_difference),
		cmocka_unit_test(what_was_in_force_is_compared),
		cmocka_unit_test(what_the_plan_varies_is_planned),
		cmocka_unit_test(plans_of_other_sessions_do_not_count),
		cmocka_unit_test(order_is_looked_at),
		cmocka_unit_test(boots_are_looked_at),
		cmocka_unit_test(runs_that_ended_early_are_said),
		cmocka_unit_test(unknown_debug_options_are_said),
		cmocka_unit_test(the_same_twice_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
