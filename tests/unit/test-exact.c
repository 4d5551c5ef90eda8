// SPDX-License-Identifier: GPL-2.0-or-later
/* From the single operations of runs to the rows and the outcome of exact mode. */
#include "results/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "results/each.h"
#include "tests/golden/exact.h"
#include "tests/golden/runs.h"
#include "tests/unit/said.h"

static void free_runs(struct run **runs, size_t n)
{
	while (n)
		run_free(runs[--n]);
}

static const struct compare_exact *row_of(const struct comparison *c, const char *target,
					  const char *op, const char *clock)
{
	for (size_t i = 0; i < c->n_exact; i++) {
		const struct compare_exact *e = &c->exact[i];

		if (!strcmp(e->target, target) && !strcmp(e->op, op) && !strcmp(e->clock, clock))
			return e;
	}
	fail_msg("no row of %s %s %s", target, op, clock);
	return NULL;
}

static void rows_are_those_of_the_study(void **state)
{
	static const char *const clocks[] = { "elapsed", "cpu" };
	struct run *runs[3];
	size_t n = exact_runs(runs);
	__cleanup_comparison struct comparison *c = compare_runs(runs, n, NULL);
	const struct compare_exact *e;

	(void)state;
	assert_int_equal(c->n_exact, 12);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		e = row_of(c, "btrfs", "utime", clocks[i]);
		assert_true(e->r.word == VERDICT_REGRESSED && e->r.value == 316 && e->n == 5);
		assert_true(e->floor.known && e->floor.magnitude == 0);
		e = row_of(c, "btrfs", "unlink", clocks[i]);
		assert_true(e->r.word == VERDICT_SMALL && e->r.value == -3 && e->r.agree == 5);
		e = row_of(c, "btrfs", "rename", clocks[i]);
		assert_true(e->r.word == VERDICT_SAME && e->r.value == 0 && e->r.agree == 4);
		assert_true(e->v[0].p.far > 0);
		e = row_of(c, "xfs", "utime", clocks[i]);
		assert_true(e->r.word == VERDICT_SAME && e->r.agree == 5);
		e = row_of(c, "xfs", "rename", clocks[i]);
		assert_true(e->r.word == VERDICT_SAME && e->r.why == PAIRED_WHY_SALT);
		assert_int_equal(e->floor.magnitude, 18);
		e = row_of(c, "xfs", "fsync", clocks[i]);
		assert_true(e->r.word == VERDICT_UNSURE && e->r.why == PAIRED_WHY_PHASES);
	}
	assert_int_equal(compare_outcome(c), COMPARE_REGRESSION);
	free_runs(runs, n);
}

static const struct exact_class plain[] = { { "utime", 8705, { 0 }, { 0 }, 0 } };

static struct run *arm(const char *label, size_t number, int64_t constant)
{
	struct exact_class class = plain[0];
	struct run *r = runs_new(label);

	for (size_t k = 0; k < EXACT_PERTURBATIONS; k++)
		class.constant[k] = constant;
	exact_series(r, 0, number, "meta", "xfs", &class, 1, 400);
	return r;
}

static void an_arm_against_itself_is_the_same(void **state)
{
	struct run *runs[] = { arm("base", 0, 0), arm("same", 1, 0) };
	__cleanup_comparison struct comparison *c = compare_runs(runs, 2, NULL);

	(void)state;
	assert_int_equal(c->n_exact, 2);
	for (size_t i = 0; i < c->n_exact; i++) {
		const struct compare_exact *e = &c->exact[i];

		assert_true(e->r.word == VERDICT_SAME && e->r.agreed && e->r.value == 0);
		assert_int_equal(e->notes.n, 0);
		for (size_t k = 0; k < e->n; k++)
			assert_true(e->v[k].p.mode_share == 1 && !e->v[k].p.far_total);
	}
	assert_int_equal(compare_outcome(c), COMPARE_NO_REGRESSION);
	free_runs(runs, 2);
}

static void three_arms_have_rows_of_their_own(void **state)
{
	struct run *runs[] = { arm("base", 0, 0), arm("b", 1, 500), arm("c", 1, -500) };
	__cleanup_comparison struct comparison *c = compare_runs(runs, 3, NULL);

	(void)state;
	assert_int_equal(c->n_exact, 4);
	assert_true(c->exact[0].arm == 1 && c->exact[0].r.word == VERDICT_REGRESSED);
	assert_true(c->exact[2].arm == 2 && c->exact[2].r.word == VERDICT_IMPROVED);
	free_runs(runs, 3);
}

static void what_is_missing_is_said(void **state)
{
	struct run *runs[] = { arm("base", 0, 0), arm("patched", 1, 0) };
	struct comparison *c;

	(void)state;
	runs[1]->iterations[2].exact.seed = 99;
	c = compare_runs(runs, 2, NULL);
	assert_int_equal(c->exact[0].n, 4);
	assert_true(any_has(&c->exact[0].notes, "1 of 5 perturbations are in base only"));
	assert_true(any_has(&c->exact[0].notes, "1 of 5 perturbations are in patched only"));
	comparison_free(c);
	for (size_t i = 0; i < 3; i++)
		runs[1]->iterations[i].outcome = OUTCOME_CRASHED;
	c = compare_runs(runs, 2, NULL);
	assert_int_equal(c->exact[0].r.word, VERDICT_UNTESTABLE);
	assert_int_equal(compare_outcome(c), COMPARE_INCONCLUSIVE);
	comparison_free(c);
	for (size_t i = 0; i < 5; i++)
		runs[1]->iterations[i].outcome = OUTCOME_CRASHED;
	c = compare_runs(runs, 2, NULL);
	assert_true(c->exact[0].n == 0 && c->exact[0].r.word == VERDICT_MISSING);
	assert_int_equal(compare_outcome(c), COMPARE_INCONCLUSIVE);
	comparison_free(c);
	free_runs(runs, 2);
}

static void other_counts_are_said(void **state)
{
	struct run *runs[] = { arm("base", 0, 0), arm("patched", 1, 0) };
	struct comparison *c;

	(void)state;
	runs[1]->iterations[1].exact.each->seqs[0].n--;
	c = compare_runs(runs, 2, NULL);
	assert_true(c->exact[0].r.word == VERDICT_UNSURE);
	assert_int_equal(c->exact[0].r.why, PAIRED_WHY_UNEQUAL);
	assert_true(any_has(&c->exact[0].notes, "the base has 400 operations, the arm 399"));
	assert_int_equal(c->exact[1].r.word, VERDICT_SAME);
	comparison_free(c);
	free_runs(runs, 2);
}

static void what_is_not_deterministic_is_said(void **state)
{
	struct run *runs[] = { arm("base", 0, 0), arm("patched", 1, 0) };
	struct comparison *c;

	(void)state;
	exact_series(runs[0], 20, 0, "meta", "xfs", plain, 1, 400);
	c = compare_runs(runs, 2, NULL);
	assert_true(c->exact[0].n == 5 && !c->exact[0].notes.n);
	comparison_free(c);
	runs[0]->iterations[7].exact.each->seqs[0].v[3]++;
	c = compare_runs(runs, 2, NULL);
	assert_true(any_has(&c->exact[0].notes, "not deterministic: two runs of base with pad 123"));
	comparison_free(c);
	/* Nor when differences far apart cancel. */
	runs[0]->iterations[7].exact.each->seqs[0].v[3] += 999;
	runs[0]->iterations[7].exact.each->seqs[0].v[9] -= 1000;
	c = compare_runs(runs, 2, NULL);
	assert_true(any_has(&c->exact[0].notes, "not deterministic: two runs of base with pad 123"));
	comparison_free(c);
	free_runs(runs, 2);
}

/* In which order the iterations were done is of no matter. */
static void the_order_of_iterations_does_not_matter(void **state)
{
	struct run *runs[] = { arm("base", 0, 0), arm("patched", 1, 7) };
	__cleanup_comparison struct comparison *first = compare_runs(runs, 2, NULL), *c = NULL;
	struct iteration tmp = runs[1]->iterations[0];

	(void)state;
	runs[1]->iterations[0] = runs[1]->iterations[3];
	runs[1]->iterations[3] = tmp;
	c = compare_runs(runs, 2, NULL);
	assert_int_equal(c->n_exact, first->n_exact);
	for (size_t i = 0; i < c->n_exact; i++) {
		const struct paired_result *x = &c->exact[i].r, *y = &first->exact[i].r;

		assert_true(x->word == y->word && x->value == y->value && x->agree == y->agree);
		for (size_t k = 0; k < c->exact[i].n; k++)
			assert_true(c->exact[i].v[k].pad == first->exact[i].v[k].pad &&
				    c->exact[i].v[k].p.value == first->exact[i].v[k].p.value);
	}
	free_runs(runs, 2);
}

static void without_exact_mode_there_is_nothing(void **state)
{
	struct run *runs[] = { runs_new("a"), runs_new("b") };
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	runs_sample(runs_iterate(runs[0], 0, "w", "xfs", "rw"), "*wall", 1);
	c = compare_runs(runs, 2, NULL);
	assert_true(c->n_exact == 0 && !c->exact);
	free_runs(runs, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_of_the_study),
		cmocka_unit_test(an_arm_against_itself_is_the_same),
		cmocka_unit_test(three_arms_have_rows_of_their_own),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(other_counts_are_said),
		cmocka_unit_test(what_is_not_deterministic_is_said),
		cmocka_unit_test(the_order_of_iterations_does_not_matter),
		cmocka_unit_test(without_exact_mode_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
