// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the values of a row warn about: each warning by values that call for it, and by values
 * that nearly do. Those about the arms as a whole (order, boots, mixed environment, losses) are
 * in test-compare.c, test-gate.c and test-compare-verdicts.c; the tests behind them in
 * test-trend.c and test-datacheck.c.
 */
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

#define MOST 64

/* Values of one side: in the order of time. */
struct side {
	double v[MOST];
	const char *boots[MOST]; /* NULL: one for all */
};

/* Noise of +-1 around 100 that follows no order. */
static double noise(size_t i, unsigned int seed)
{
	seed = seed * 1103515245u + 12345u + (unsigned int)i * 2654435761u;
	seed ^= seed >> 15;
	seed *= 2246822519u;
	return (double)(seed >> 8 & 0xffff) / 32768 - 1;
}

static void calm(struct side *s, size_t n, double centre, unsigned int seed)
{
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < n; i++)
		s->v[i] = centre + noise(i, seed);
}

static struct comparison *compare(const struct side *a, const struct side *b, size_t n,
				  const char *metric)
{
	struct run *runs[2];
	struct comparison *c;

	for (size_t arm = 0; arm < 2; arm++) {
		const struct side *s = arm ? b : a;

		runs[arm] = runs_new(arm ? "patched" : "base");
		runs_series(runs[arm], 0, arm, "w", "btrfs", metric, s->v, n);
		for (size_t i = 0; i < n; i++)
			if (s->boots[i])
				str_replace(&runs[arm]->iterations[i].boot_id, s->boots[i]);
	}
	c = compare_runs(runs, 2, NULL);
	for (size_t arm = 0; arm < 2; arm++)
		run_free(runs[arm]);
	return c;
}

/* @fires: the note @part is there; else it is not. */
static void check(const struct side *a, const struct side *b, size_t n, const char *metric,
		  const char *part, bool fires)
{
	__cleanup_comparison struct comparison *c = compare(a, b, n, metric);
	const struct strvec *notes = &c->rows[0].notes;

	if (any_has(notes, part) != fires) {
		for (size_t i = 0; i < notes->n; i++)
			print_message("# %s\n", notes->v[i]);
		fail_msg("'%s' is %s", part, fires ? "missing" : "there");
	}
}

static void calm_values_warn_of_nothing(void **state)
{
	struct side a, b;

	(void)state;
	calm(&a, 20, 100, 1);
	calm(&b, 20, 110, 2);
	for (size_t i = 0; i < 20; i++)
		b.v[i] += noise(i, 77) / 8;
	check(&a, &b, 20, "*wall", "", false);
}

static void drift(void **state)
{
	struct side a, b;

	(void)state;
	calm(&a, 20, 100, 1);
	calm(&b, 20, 110, 2);
	for (size_t i = 0; i < 20; i++) {
		a.v[i] += 0.2 * (double)i;
		b.v[i] += 0.2 * (double)i;
	}
	check(&a, &b, 20, "*wall", "drift: values rise over time", true);
	for (size_t i = 0; i < 20; i++) {
		a.v[i] -= 0.19 * (double)i;
		b.v[i] -= 0.19 * (double)i;
	}
	check(&a, &b, 20, "*wall", "drift", false);
}

/* Slow and fast spells without a trend. */
static void autocorrelation(void **state)
{
	struct side a, b;

	(void)state;
	calm(&a, 24, 100, 1);
	calm(&b, 24, 110, 2);
	check(&a, &b, 24, "*wall", "autocorrelation", false);
	for (size_t i = 0; i < 24; i++) {
		a.v[i] += 2 * sin((double)i);
		b.v[i] += 2 * sin((double)i);
	}
	check(&a, &b, 24, "*wall", "autocorrelation: neighbours in time are alike", true);
}

static void two_modes(void **state)
{
	struct side a, b;

	(void)state;
	calm(&a, 20, 100, 1);
	calm(&b, 20, 100, 2);
	for (size_t i = 0; i < 20; i++) {
		a.v[i] += i * 7 % 20 < 8 ? 50 : 0;
		b.v[i] += i * 7 % 20 < 8 ? 50 : 0;
	}
	check(&a, &b, 20, "*wall", "two modes in base: 12 values around 99.7", true);
	check(&a, &b, 20, "*wall", "share of the low mode: 12 of 20 in base, 12 of 20 in patched "
	      "(p = 1, Fisher)", true);
	/* The slow one is gone in one arm: 12 of 20 against 20 of 20. */
	calm(&b, 20, 100, 2);
	check(&a, &b, 20, "*wall", "two modes in patched", false);
	check(&a, &b, 20, "*wall", "share of the low mode: 12 of 20 in base, 20 of 20 in patched "
	      "(p = 0.0033, Fisher)", true);
	/* Less than a fifth is no mode. */
	for (size_t i = 0; i < 20; i++)
		a.v[i] = 100 + noise(i, 1) + (i * 7 % 20 < 3 ? 50 : 0);
	check(&a, &b, 20, "*wall", "two modes", false);
	check(&a, &b, 20, "*wall", "share of the low mode", false);
}

static void outliers_on_the_slow_side(void **state)
{
	struct side a, b;

	(void)state;
	calm(&a, 20, 100, 1);
	calm(&b, 20, 100, 2);
	a.v[3] = 120;
	check(&a, &b, 20, "*wall", "outliers in base: 1 of 20", true);
	a.v[3] = 80;
	check(&a, &b, 20, "*wall", "outliers", false);
	check(&a, &b, 20, "*ops", "outliers in base: 1 of 20", true);
}

static void heavy_tail(void **state)
{
	struct side a, b;

	(void)state;
	calm(&b, 16, 100, 2);
	memset(&a, 0, sizeof(a));
	/* Exponential: skewed, but nothing stands apart. */
	for (size_t i = 0; i < 16; i++)
		a.v[i] = 10 - 10 * log(((double)(i * 5 % 16) + 0.5) / 16);
	check(&a, &b, 16, "*wall", "heavy tail in base", true);
	check(&a, &b, 16, "*wall", "heavy tail in patched", false);
}

static void the_first_of_a_boot(void **state)
{
	static const char *const boots[] = { "a", "b", "c", "d", "e", "f" };
	struct side a, b;

	(void)state;
	calm(&a, 24, 100, 1);
	calm(&b, 24, 110, 2);
	for (size_t i = 0; i < 24; i++)
		a.boots[i] = b.boots[i] = boots[i / 4];
	check(&a, &b, 24, "*wall", "the first iteration", false);
	for (size_t i = 0; i < 24; i += 4)
		a.v[i] = 130; /* of the two first, the earlier one */
	check(&a, &b, 24, "*wall", "the first iteration was the worst in 6 of 6 boots", true);
}

static void coarse_clock(void **state)
{
	struct side a, b;

	(void)state;
	calm(&a, 20, 100, 1);
	calm(&b, 20, 110, 2);
	check(&a, &b, 20, "*wall", "coarse", false);
	for (size_t i = 0; i < 20; i++) {
		a.v[i] = round(a.v[i]);
		b.v[i] = round(b.v[i]);
	}
	check(&a, &b, 20, "*wall", "coarse: steps of 0.9", true);
	/* What is counted has steps by nature. */
	check(&a, &b, 20, "*disk.flushes", "coarse", false);
}

/* Boots of four iterations, the arms booted apart; @apart: how far boots are from each other. */
static void booted(struct side *s, double centre, double apart, const char *const *names)
{
	calm(s, 24, centre, (unsigned int)centre);
	for (size_t i = 0; i < 24; i++) {
		s->boots[i] = names[i / 4];
		s->v[i] += apart * noise(i / 4, 99 + (unsigned int)centre);
	}
}

static void boots_matter(void **state)
{
	static const char *const x[] = { "a", "b", "c", "d", "e", "f" };
	static const char *const y[] = { "g", "h", "i", "j", "k", "l" };
	struct side a, b;

	(void)state;
	booted(&a, 100, 20, x);
	booted(&b, 101, 20, y);
	check(&a, &b, 24, "*wall", "boots matter: more boots, not more iterations", true);
	check(&a, &b, 24, "*wall", "1 iteration a boot would be enough", true);
	booted(&a, 100, 0, x);
	booted(&b, 101, 0, y);
	check(&a, &b, 24, "*wall", "boots matter:", false);
}

/* --- values at the edges --- */

static void check_word(const struct side *a, const struct side *b, size_t n, const char *metric,
		       const char *word, const char *note)
{
	__cleanup_comparison struct comparison *c = compare(a, b, n, metric);

	assert_string_equal(c->rows[0].effect.verdict, word);
	if (note)
		check(a, b, n, metric, note, true);
}

static void one_value_says_nothing(void **state)
{
	struct side a = { { 100 }, { NULL } }, b = { { 200 }, { NULL } };
	__cleanup_comparison struct comparison *c = NULL;

	(void)state;
	check_word(&a, &b, 1, "*wall", "UNTESTABLE", "one value says nothing about noise");
	c = compare(&a, &b, 1, "*wall");
	assert_true(isnan(c->rows[0].base.stats.sd) && !isfinite(c->rows[0].effect.lo));
	assert_true(c->rows[0].pct == 100);
}

/* Pairs reach .5, .25, .125, .0625: the values, and no verdict. */
static void two_to_five_are_described(void **state)
{
	(void)state;
	for (size_t n = 2; n <= 5; n++) {
		struct side a, b;
		__cleanup_comparison struct comparison *c = NULL;

		calm(&a, n, 100, 1);
		calm(&b, n, 200, 2);
		check_word(&a, &b, n, "*wall", "UNTESTABLE", "and a verdict needs 6 a side");
		c = compare(&a, &b, n, "*wall");
		assert_float_equal(c->rows[0].effect.p, 2 / pow(2, (double)n), 1e-12);
		assert_true(c->rows[0].base.stats.sd > 0);
	}
}

static void values_without_spread(void **state)
{
	struct side a = { { 0 }, { NULL } }, b = { { 0 }, { NULL } };

	(void)state;
	for (size_t i = 0; i < 10; i++)
		a.v[i] = b.v[i] = 100;
	check_word(&a, &b, 10, "*wall", "SAME", NULL);
	/* Constant on both sides and different: ranks do not mind. */
	for (size_t i = 0; i < 10; i++)
		b.v[i] = 110;
	check_word(&a, &b, 10, "*wall", "REGRESSED", NULL);
	/* Constant on one side. */
	for (size_t i = 0; i < 10; i++)
		b.v[i] = 110 + noise(i, 3);
	check_word(&a, &b, 10, "*wall", "REGRESSED", NULL);
	/* All tied but one. */
	for (size_t i = 0; i < 10; i++)
		b.v[i] = i ? 100 : 101;
	check_word(&a, &b, 10, "*wall", "SAME", NULL);
}

static void nothing_has_no_percentage(void **state)
{
	struct side a = { { 0 }, { NULL } }, b = { { 0 }, { NULL } };

	(void)state;
	for (size_t i = 0; i < 10; i++)
		b.v[i] = 12;
	check_word(&a, &b, 10, "*lost", "REGRESSED", "0 -> 12");
	check(&a, &b, 10, "*ops", "no harmonic mean", true);
}

/* Powers of two are taken out before anything is squared. */
static void any_magnitude(void **state)
{
	static const double scales[] = { 1e-300, 1e-12, 1e12, 1e290 };
	struct side a, b;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(scales); k++) {
		__cleanup_comparison struct comparison *c = NULL;

		calm(&a, 10, 100, 1);
		calm(&b, 10, 110, 2);
		for (size_t i = 0; i < 10; i++) {
			a.v[i] *= scales[k];
			b.v[i] *= scales[k];
		}
		c = compare(&a, &b, 10, "*wall");
		assert_string_equal(c->rows[0].effect.verdict, "REGRESSED");
		assert_true(c->rows[0].effect.pct > 8 && c->rows[0].effect.pct < 12);
		assert_true(c->rows[0].base.stats.sd > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calm_values_warn_of_nothing),
		cmocka_unit_test(drift),
		cmocka_unit_test(autocorrelation),
		cmocka_unit_test(two_modes),
		cmocka_unit_test(outliers_on_the_slow_side),
		cmocka_unit_test(heavy_tail),
		cmocka_unit_test(the_first_of_a_boot),
		cmocka_unit_test(coarse_clock),
		cmocka_unit_test(boots_matter),
		cmocka_unit_test(one_value_says_nothing),
		cmocka_unit_test(two_to_five_are_described),
		cmocka_unit_test(values_without_spread),
		cmocka_unit_test(nothing_has_no_percentage),
		cmocka_unit_test(any_magnitude),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
