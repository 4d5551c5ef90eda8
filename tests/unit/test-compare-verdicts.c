// SPDX-License-Identifier: GPL-2.0-or-later
/* From raw samples to the words of a comparison, its claims and its outcome. */
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

#define MANY 40

/* Noise without a trend: +-@spread around @centre, in an order that repeats nothing. */
static void draw(double *v, size_t n, double centre, double spread, unsigned int seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		v[i] = centre + spread * ((double)(seed >> 8 & 0xffff) / 32768 - 1);
	}
}

/* Arms of one session, each with @n iterations of w on btrfs. */
struct arms {
	struct run *runs[3];
	size_t n;
};

static void add_arm(struct arms *a, const char *label, const char *metric, double centre,
		    double spread, size_t n)
{
	double v[MANY];

	a->runs[a->n] = runs_new(label);
	draw(v, n, centre, spread, 7 + (unsigned int)a->n);
	runs_series(a->runs[a->n], 0, a->n & 1, "w", "btrfs", metric, v, n);
	a->n++;
}

static struct arms two(const char *metric, double base, double arm, double spread, size_t n)
{
	struct arms a = { { NULL }, 0 };

	add_arm(&a, "base", metric, base, spread, n);
	add_arm(&a, "patched", metric, arm, spread, n);
	return a;
}

static void arms_free(struct arms *a)
{
	while (a->n)
		run_free(a->runs[--a->n]);
}

static struct comparison *compare(const struct arms *a)
{
	return compare_runs(a->runs, a->n, NULL);
}

static const struct compare_row *row_of(const struct comparison *c, const char *metric, size_t arm)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (!strcmp(c->rows[i].metric.name, metric) && c->rows[i].arm == arm)
			return &c->rows[i];
	fail_msg("no row of %s", metric);
	return NULL;
}

static void check_word(const char *metric, double base, double arm, double spread, size_t n,
		       const char *word, enum compare_outcome outcome)
{
	struct arms a = two(metric, base, arm, spread, n);
	__cleanup_comparison struct comparison *c = compare(&a);
	const struct compare_row *row = &c->rows[0];

	if (!str_eq(row->effect.verdict, word))
		fail_msg("%s %g -> %g: %s, not %s", metric, base, arm, row->effect.verdict, word);
	assert_int_equal(compare_outcome(c), outcome);
	if (compare_row_is_significant(row))
		assert_true(row->effect.p_adjusted <= VERDICT_ALPHA &&
			    (row->effect.lo >= 0 || row->effect.hi <= 0));
	arms_free(&a);
}

static void every_word_can_be_reached(void **state)
{
	(void)state;
	check_word("*wall", 100, 110, 1, 10, "REGRESSED", COMPARE_REGRESSION);
	check_word("*wall", 100, 90, 1, 10, "IMPROVED", COMPARE_NO_REGRESSION);
	check_word("*ops", 100, 110, 1, 10, "IMPROVED", COMPARE_NO_REGRESSION);
	check_word("*ops", 100, 90, 1, 10, "REGRESSED", COMPARE_REGRESSION);
	check_word("*disk.flushes", 1000, 1100, 10, 10, "HIGHER", COMPARE_NO_REGRESSION);
	check_word("*disk.flushes", 1000, 900, 10, 10, "LOWER", COMPARE_NO_REGRESSION);
	check_word("*wall", 100, 100.5, 0.05, 10, "SMALL", COMPARE_NO_REGRESSION);
	check_word("*wall", 100, 100, 0.3, 20, "SAME", COMPARE_NO_REGRESSION);
	check_word("*wall", 100, 100, 0, 6, "SAME", COMPARE_NO_REGRESSION);
	check_word("*wall", 100, 100, 30, 10, "UNSURE", COMPARE_INCONCLUSIVE);
	check_word("*wall", 100, 200, 1, 5, "UNTESTABLE", COMPARE_INCONCLUSIVE);
	check_word("wall", 100, 200, 1, 10, "REGRESSED", COMPARE_INCONCLUSIVE);
}

static void what_is_missing_is_inconclusive(void **state)
{
	struct arms a = two("*wall", 100, 100, 0, 6);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	runs_sample(&a.runs[0]->iterations[0], "sync", 1);
	c = compare(&a);
	assert_string_equal(row_of(c, "sync", 1)->effect.verdict, "MISSING");
	assert_int_equal(compare_outcome(c), COMPARE_NO_REGRESSION);
	comparison_free(c);
	runs_sample(&a.runs[0]->iterations[1], "*sync", 1);
	c = compare(&a);
	assert_int_equal(compare_outcome(c), COMPARE_INCONCLUSIVE);
	arms_free(&a);
}

static void unsure_says_what_would_do(void **state)
{
	struct arms a = two("*wall", 100, 100, 30, 10);
	__cleanup_comparison struct comparison *c = compare(&a);
	const struct compare_effect *e = &c->rows[0].effect;

	(void)state;
	assert_true(e->mde_pct > 5 && e->n_needed > 100);
	assert_string_equal(e->why, verdict_why_str(VERDICT_WHY_NOISE));
	arms_free(&a);
}

static void the_effect_of_interest_can_be_set(void **state)
{
	struct compare_options o = COMPARE_OPTIONS_INIT;
	struct arms a = two("*wall", 100, 110, 1, 10);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	o.delta_pct = 25;
	c = compare_runs(a.runs, 2, &o);
	assert_string_equal(c->rows[0].effect.verdict, "SMALL");
	assert_int_equal(compare_outcome(c), COMPARE_NO_REGRESSION);
	assert_true(isnan(c->rows[0].welch.p));
	comparison_free(c);
	o.welch = true;
	c = compare_runs(a.runs, 2, &o);
	assert_true(c->rows[0].welch.p < 1e-6);
	arms_free(&a);
}

/* Six pairs reach p = 2/64: enough for one primary row, not for two. */
static void primary_rows_share_their_level(void **state)
{
	struct arms a = two("*wall", 100, 110, 1, 6);
	__cleanup_comparison struct comparison *c = compare(&a);

	(void)state;
	assert_float_equal(c->rows[0].effect.p, 2 / 64.0, 1e-12);
	assert_float_equal(c->rows[0].effect.p_adjusted, 2 / 64.0, 1e-12);
	comparison_free(c);
	/* In the second arm as well; a row that is not primary does not count. */
	add_arm(&a, "other", "*wall", 110, 1, 6);
	for (size_t i = 0; i < 6; i++)
		for (size_t r = 0; r < 3; r++)
			runs_sample(&a.runs[r]->iterations[i], "sync", 1 + (double)(i * r % 5));
	for (size_t i = 0; i < 6; i++)
		a.runs[2]->iterations[i].seq = 2 * i + 1 - a.runs[0]->iterations[i].seq % 2;
	c = compare(&a);
	assert_float_equal(row_of(c, "wall", 1)->effect.p, 2 / 64.0, 1e-12);
	assert_float_equal(row_of(c, "wall", 1)->effect.p_adjusted, 4 / 64.0, 1e-12);
	assert_float_equal(row_of(c, "wall", 2)->effect.p_adjusted, 4 / 64.0, 1e-12);
	assert_string_equal(row_of(c, "wall", 1)->effect.verdict, "UNSURE");
	assert_true(any_has(&c->warnings, "2 primary rows share the level"));
	arms_free(&a);
}

static void sessions_apart_are_unsure(void **state)
{
	struct arms a = two("*wall", 100, 110, 1, 10);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	str_replace(&a.runs[1]->session, "other");
	c = compare(&a);
	assert_string_equal(c->rows[0].effect.verdict, "UNSURE");
	assert_string_equal(c->rows[0].effect.why, "between these two sessions");
	assert_false(c->rows[0].confounded);
	assert_int_equal(compare_outcome(c), COMPARE_INCONCLUSIVE);
	/* The figures are those of the whole samples, without blocks. */
	assert_true(c->rows[0].effect.p < 1e-4);
	arms_free(&a);
}

static void set_boots(struct run *r, const char *name, size_t per_boot)
{
	for (size_t i = 0; i < r->n_iterations; i++) {
		__cleanup_free char *id = xasprintf("%s-%zu", name, i / per_boot);

		str_replace(&r->iterations[i].boot_id, id);
	}
}

static void vary_kernel(struct arms *a)
{
	for (size_t i = 0; i < a->n; i++)
		strvec_push(&a->runs[i]->varied, "kernel");
	kv_set(&a->runs[1]->host, "kernel.build_id", "other");
}

static void one_boot_cannot_be_told_from_the_kernel(void **state)
{
	struct arms a = two("*wall", 100, 110, 1, 10);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	vary_kernel(&a);
	set_boots(a.runs[1], "b", 10);
	c = compare(&a);
	assert_string_equal(c->rows[0].effect.verdict, "UNSURE");
	assert_string_equal(c->rows[0].effect.why, "between these two boots");
	assert_false(c->rows[0].confounded);
	comparison_free(c);
	/* In one boot, or of one kernel, nothing is wrong with it. */
	set_boots(a.runs[0], "b", 10);
	c = compare(&a);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
	arms_free(&a);
}

static void boots_are_units(void **state)
{
	struct arms a = two("*wall", 100, 110, 1, 24);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	vary_kernel(&a);
	set_boots(a.runs[0], "a", 3);
	set_boots(a.runs[1], "b", 3);
	c = compare(&a);
	assert_int_equal(c->rows[0].base.units, 8);
	assert_int_equal(c->rows[0].side.units, 8);
	assert_int_equal(c->rows[0].base.stats.n, 24);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
	/* 8 against 8 without blocks, as a boot had several: 2 / C(16, 8). */
	assert_float_equal(c->rows[0].effect.p, 2 / 12870.0, 1e-12);
	comparison_free(c);
	/* A boot an iteration: the blocks of the plan. */
	set_boots(a.runs[0], "a", 1);
	set_boots(a.runs[1], "b", 1);
	c = compare(&a);
	assert_int_equal(c->rows[0].base.units, 24);
	assert_float_equal(c->rows[0].effect.p, 2 / 16777216.0, 1e-12);
	arms_free(&a);
}

static void losses_forbid_a_verdict(void **state)
{
	struct arms a = two("*wall", 100, 110, 1, 20);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		runs_fail(&a.runs[1]->iterations[i], OUTCOME_FAILED, "no space");
	c = compare(&a);
	assert_string_equal(c->rows[0].effect.verdict, "UNSURE");
	assert_string_equal(c->rows[0].effect.why, verdict_why_str(VERDICT_WHY_LOSS));
	assert_true(any_has(&c->rows[0].notes, "unequal loss: 0 of 20 in base, 8 of 20"));
	arms_free(&a);
}

static void other_environments_confound(void **state)
{
	struct compare_options o = COMPARE_OPTIONS_INIT;
	struct arms a = two("*wall", 100, 110, 1, 10);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	kv_set(&a.runs[1]->host, "cpu.governor", "schedutil");
	c = compare(&a);
	assert_int_equal(c->n_claims, 1);
	assert_string_equal(c->claims[0].word, COMPARE_CONFOUNDED);
	assert_non_null(strstr(c->claims[0].sentence, "performance (base), schedutil (patched)"));
	assert_false(c->claims[0].allowed);
	assert_true(c->rows[0].confounded);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
	assert_int_equal(compare_outcome(c), COMPARE_INCONCLUSIVE);
	comparison_free(c);
	strvec_push(&o.allow, "cpu.governor");
	strvec_push(&o.allow, "cpu.model");
	c = compare_runs(a.runs, 2, &o);
	assert_true(c->n_claims == 1 && c->claims[0].allowed);
	assert_false(c->rows[0].confounded);
	assert_int_equal(compare_outcome(c), COMPARE_REGRESSION);
	assert_true(any_has(&c->warnings, "--allow cpu.model: there is no such difference"));
	strvec_release(&o.allow);
	arms_free(&a);
}

static void a_target_confounds_its_rows_only(void **state)
{
	struct arms a = two("*wall", 100, 110, 1, 10);
	struct compare_options o = COMPARE_OPTIONS_INIT;
	__cleanup_comparison struct comparison *c = NULL;
	double v[10];

	(void)state;
	draw(v, 10, 5, 0.1, 3);
	for (size_t r = 0; r < 2; r++)
		runs_series(a.runs[r], 40, r, "w", "xfs", "*wall", v, 10);
	kv_set(&a.runs[1]->host, "machine.id", "c3a1f0e2");
	for (size_t i = 10; i < 20; i++)
		kv_set(&a.runs[1]->iterations[i].environment, "mount.options", "rw,other");
	c = compare(&a);
	assert_string_equal(c->rows[0].target, "btrfs");
	assert_false(c->rows[0].confounded);
	assert_true(c->rows[1].confounded);
	assert_string_equal(c->claims[0].target, "xfs");
	assert_int_equal(compare_outcome(c), COMPARE_REGRESSION);
	comparison_free(c);
	strvec_push(&o.allow, "mount.options");
	c = compare_runs(a.runs, 2, &o);
	assert_false(c->rows[1].confounded);
	strvec_release(&o.allow);
	arms_free(&a);
}

static void machines_are_never_compared(void **state)
{
	struct compare_options o = COMPARE_OPTIONS_INIT;
	struct arms a = two("*wall", 100, 110, 1, 10);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	kv_set(&a.runs[1]->host, "machine.id", "another");
	c = compare(&a);
	assert_null(c->rows[0].effect.verdict);
	assert_true(isnan(c->rows[0].effect.p) && c->rows[0].confounded);
	assert_int_equal(compare_outcome(c), COMPARE_INCONCLUSIVE);
	comparison_free(c);
	strvec_push(&o.allow, "machine.id");
	c = compare_runs(a.runs, 2, &o);
	assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
	strvec_release(&o.allow);
	arms_free(&a);
}

static void debug_kernels_leave_their_mark(void **state)
{
	struct arms a = two("*wall", 100, 110, 1, 10);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	for (size_t i = 0; i < 2; i++)
		kv_set(&a.runs[i]->host, "kernel.debug", "KASAN");
	c = compare(&a);
	assert_non_null(strstr(c->watermark, "DEBUG KERNEL: KASAN (base, patched)"));
	assert_int_equal(c->n_claims, 0);
	arms_free(&a);
}

static void contradictions_are_claimed(void **state)
{
	struct arms a = two("*rename.p50", 1000, 1100, 10, 10);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		runs_sample(&a.runs[0]->iterations[i], "ops", 500 + (double)i);
		runs_sample(&a.runs[1]->iterations[i], "ops", 600 + (double)i);
		runs_sample(&a.runs[0]->iterations[i], "rename.p99", 6000 - (double)i);
		runs_sample(&a.runs[1]->iterations[i], "rename.p99", 5000 - (double)i);
	}
	c = compare(&a);
	assert_int_equal(c->n_claims, 1);
	assert_string_equal(c->claims[0].word, COMPARE_CONFLICTING);
	assert_string_equal(c->claims[0].sentence, "ops is IMPROVED and rename.p50 is REGRESSED, "
			    "though both measure the same thing");
	assert_true(row_of(c, "ops", 1)->conflicting && row_of(c, "rename.p50", 1)->conflicting);
	/* Tails may well go another way. */
	assert_false(row_of(c, "rename.p99", 1)->conflicting);
	assert_int_equal(compare_outcome(c), COMPARE_REGRESSION);
	arms_free(&a);
}

static void a_fix_recovers(void **state)
{
	struct compare_options o = COMPARE_OPTIONS_INIT;
	struct arms a = two("*wall", 100, 120, 0, 10);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	add_arm(&a, "fix", "*wall", 105, 0, 10);
	for (size_t i = 0; i < 10; i++)
		a.runs[2]->iterations[i].seq = a.runs[1]->iterations[i].seq;
	strvec_split(&o.roles, "base,patch,fix", ',');
	c = compare_runs(a.runs, 3, &o);
	assert_string_equal(c->arms[2].role, "fix");
	assert_float_equal(row_of(c, "wall", 2)->recovered_pct, 75, 1e-9);
	assert_true(isnan(row_of(c, "wall", 1)->recovered_pct));
	assert_true(any_has(&row_of(c, "wall", 2)->notes, "recovered 75 % of what patched changed"));
	comparison_free(c);
	/* Nothing to recover of what was not changed. */
	for (size_t i = 0; i < 10; i++)
		runs_sample(&a.runs[1]->iterations[i], "*wall", 100);
	c = compare_runs(a.runs, 3, &o);
	assert_true(isnan(row_of(c, "wall", 2)->recovered_pct));
	strvec_release(&o.roles);
	arms_free(&a);
}

static void values_warn_of_themselves(void **state)
{
	struct arms a = two("*wall", 100, 110, 1, 20);
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	c = compare(&a);
	assert_int_equal(c->rows[0].notes.n, 0);
	comparison_free(c);
	runs_sample(&a.runs[0]->iterations[3], "*wall", 180);
	c = compare(&a);
	assert_true(any_has(&c->rows[0].notes, "outliers in base: 1 of 20"));
	comparison_free(c);
	for (size_t i = 0; i < 20; i++) {
		runs_sample(&a.runs[0]->iterations[i], "*wall", 100 + (double)i);
		runs_sample(&a.runs[1]->iterations[i], "*wall", 110 + (double)i);
	}
	c = compare(&a);
	assert_true(any_has(&c->rows[0].notes, "drift: values rise over time"));
	comparison_free(c);
	for (size_t i = 0; i < 20; i++)
		runs_sample(&a.runs[0]->iterations[i], "*wall", (i * 7 % 5 < 2 ? 200 : 100) +
			    (double)(i * 11 % 7) / 8);
	c = compare(&a);
	assert_true(any_has(&c->rows[0].notes, "two modes in base: 12 values around 100"));
	arms_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_can_be_reached),
		cmocka_unit_test(what_is_missing_is_inconclusive),
		cmocka_unit_test(unsure_says_what_would_do),
		cmocka_unit_test(the_effect_of_interest_can_be_set),
		cmocka_unit_test(primary_rows_share_their_level),
		cmocka_unit_test(sessions_apart_are_unsure),
		cmocka_unit_test(one_boot_cannot_be_told_from_the_kernel),
		cmocka_unit_test(boots_are_units),
		cmocka_unit_test(losses_forbid_a_verdict),
		cmocka_unit_test(other_environments_confound),
		cmocka_unit_test(a_target_confounds_its_rows_only),
		cmocka_unit_test(machines_are_never_compared),
		cmocka_unit_test(debug_kernels_leave_their_mark),
		cmocka_unit_test(contradictions_are_claimed),
		cmocka_unit_test(a_fix_recovers),
		cmocka_unit_test(values_warn_of_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
