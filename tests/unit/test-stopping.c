// SPDX-License-Identifier: GPL-2.0-or-later
/* results/stopping: when a run ends, and at which level it is judged. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "results/stopping.h"

static const struct stopping width = {
	.rule = STOPPING_WIDTH, .width_pct = 1, .first = 10, .most = 40,
};

static struct stopping decided(void)
{
	struct stopping s = {
		.rule = STOPPING_DECIDED, .n_looks = 4,
		.looks = { { 8, 0 }, { 12, 0 }, { 20, 0 }, { 40, 0 } },
	};

	stopping_share(&s);
	return s;
}

static void shares(void **state)
{
	static const double want[] = { 0.005, 0.010, 0.015, 0.020 };
	struct stopping s = decided(), one = { .rule = STOPPING_DECIDED, .n_looks = 1 };
	double sum = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_float_equal(s.looks[i].alpha, want[i], 1e-15);
		sum += s.looks[i].alpha;
	}
	assert_float_equal(sum, 0.05, 1e-15);
	stopping_share(&one);
	assert_float_equal(one.looks[0].alpha, 0.05, 0);
}

static void ends(const struct stopping *s, uint64_t units, const struct stopping_row *rows,
		 size_t n, enum stopped_why why)
{
	struct stopped end = { .why = STOPPED_NOT };

	assert_int_equal(stopping_judge(s, units, rows, n, &end), why != STOPPED_NOT);
	assert_int_equal(end.why, why);
	if (s->rule != STOPPING_FIXED)
		assert_int_equal(end.units, units);
}

static void never_without_a_rule(void **state)
{
	static const struct stopping none = { .rule = STOPPING_FIXED };
	static const struct stopping_row row = { 0, 0, 0 };

	(void)state;
	assert_false(stopping_is_look(&none, 10));
	assert_int_equal(stopping_most(&none), 0);
	ends(&none, 1000, &row, 1, STOPPED_NOT);
}

/* It is the widest row that counts; p never does. */
static void width_counts(void **state)
{
	static const struct stopping_row narrow = { 0.9, -0.4, 1.6 }, wide = { 1e-9, 4, 6.1 };
	static const struct stopping_row open = { 0.5, -INFINITY, 1 }, none = { 0.5, NAN, NAN };
	const struct stopping_row both[] = { narrow, wide }, with_open[] = { narrow, open };
	const struct stopping_row with_none[] = { none, narrow };

	(void)state;
	for (uint64_t units = 0; units < 10; units++) {
		assert_false(stopping_is_look(&width, units));
		ends(&width, units, &narrow, 1, STOPPED_NOT);
	}
	assert_true(stopping_is_look(&width, 10));
	ends(&width, 10, &narrow, 1, STOPPED_REACHED);
	ends(&width, 11, &wide, 1, STOPPED_NOT);
	ends(&width, 11, both, 2, STOPPED_NOT);
	ends(&width, 11, with_open, 2, STOPPED_NOT);
	ends(&width, 11, with_none, 2, STOPPED_NOT);
	ends(&width, 11, NULL, 0, STOPPED_NOT);
	ends(&width, 40, both, 2, STOPPED_BUDGET);
	ends(&width, 40, &narrow, 1, STOPPED_REACHED);
}

/* Under Holm, two rows of 0.003 are two of 0.006. */
static void decided_at_looks_alone(void **state)
{
	static const struct stopping_row rows[] = { { 0.003, 1, 2 }, { 0.003, 1, 2 } };
	static const struct stopping_row clear[] = { { 0.0015, 1, 2 }, { 0.005, 1, 2 } };
	static const struct stopping_row one_open[] = { { 0, 1, 2 }, { 0.021, -1, 2 } };
	static const struct stopping_row untested[] = { { 0, 1, 2 }, { NAN, NAN, NAN } };
	struct stopping s = decided();

	(void)state;
	ends(&s, 8, rows, 1, STOPPED_REACHED);
	ends(&s, 8, rows, 2, STOPPED_NOT);
	ends(&s, 8, clear, 2, STOPPED_REACHED);
	ends(&s, 12, rows, 2, STOPPED_REACHED);
	for (uint64_t units = 1; units < 40; units++) {
		bool look = units == 8 || units == 12 || units == 20;

		assert_int_equal(stopping_is_look(&s, units), look);
		ends(&s, units, clear, 2, look ? STOPPED_REACHED : STOPPED_NOT);
		ends(&s, units, one_open, 2, STOPPED_NOT);
		ends(&s, units, untested, 2, STOPPED_NOT);
		ends(&s, units, NULL, 0, STOPPED_NOT);
	}
	ends(&s, 40, one_open, 2, STOPPED_BUDGET);
	ends(&s, 40, clear, 2, STOPPED_REACHED);
}

static void looks_are_counted(void **state)
{
	static const struct stopping_row open = { 0.5, -1, 1 };
	struct stopping s = decided();
	struct stopped end = { .why = STOPPED_NOT };

	(void)state;
	for (uint64_t units = 2; units <= 14; units += 2)
		assert_false(stopping_judge(&s, units, &open, 1, &end));
	assert_int_equal(end.look, 2);
	assert_int_equal(end.units, 14);
}

static void levels(void **state)
{
	static const struct {
		struct stopped end;
		uint64_t units;
		double level;
	} rows[] = {
		{ { STOPPED_REACHED, 8, 1 }, 8, 0.005 },
		{ { STOPPED_REACHED, 20, 3 }, 20, 0.015 },
		{ { STOPPED_BUDGET, 40, 4 }, 40, 0.020 },
		/* Out of time between the second and the third look. */
		{ { STOPPED_TIME, 14, 2 }, 14, 0.015 },
		/* The second look was taken in vain, and right then the time was over. */
		{ { STOPPED_TIME, 12, 2 }, 12, 0.015 },
		/* Killed: nobody wrote down which looks there were. */
		{ { STOPPED_NOT, 0, 0 }, 3, 0.005 },
		{ { STOPPED_NOT, 0, 0 }, 9, 0.010 },
		{ { STOPPED_NOT, 0, 0 }, 12, 0.010 },
		{ { STOPPED_NOT, 0, 0 }, 39, 0.020 },
		{ { STOPPED_NOT, 0, 0 }, 40, 0.020 },
	};
	struct stopping s = decided();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_float_equal(stopping_level(&s, &rows[i].end, rows[i].units),
				   rows[i].level, 1e-15);
	assert_float_equal(stopping_level(&width, &rows[0].end, 8), 0.05, 0);
}

static void says(const struct stopping *s, struct stopped end, uint64_t units, const char *want)
{
	__cleanup_free char *text = stopping_text(s, &end, units);

	assert_string_equal(text, want);
}

static void texts(void **state)
{
	struct stopping s = decided();
	static const struct stopping none = { .rule = STOPPING_FIXED };
	struct stopped end = { .why = STOPPED_NOT };

	(void)state;
	assert_null(stopping_text(&none, &end, 5));
	says(&s, (struct stopped){ STOPPED_REACHED, 12, 2 }, 12, "until every primary metric is "
	     "decided, looks after 8, 12, 20, 40 of each arm; ended at look 2, after 12; judged at "
	     "the share of that look, 1 %");
	says(&s, end, 9, "until every primary metric is decided, looks after 8, 12, 20, 40 of each "
	     "arm; not ended by this rule, but after 9, so judged at the share of the next look not "
	     "taken, 1 %");
	says(&width, (struct stopped){ STOPPED_BUDGET, 40, 0 }, 40, "until the 95 % interval of "
	     "every primary metric is within +-1 %, 10 to 40 of each arm; ended after 40, not "
	     "reached");
}

static void names(void **state)
{
	enum stopping_rule rule;
	enum stopped_why why;

	(void)state;
	for (int i = STOPPING_FIXED; i <= STOPPING_DECIDED; i++) {
		assert_int_equal(stopping_rule_parse(stopping_rule_str(i), &rule), 0);
		assert_int_equal(rule, i);
	}
	for (int i = STOPPED_NOT; i <= STOPPED_TIME; i++) {
		assert_int_equal(stopped_why_parse(stopped_why_str(i), &why), 0);
		assert_int_equal(why, i);
	}
	assert_true(stopping_rule_parse("until", &rule) < 0);
	assert_true(stopped_why_parse("never", &why) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares),
		cmocka_unit_test(never_without_a_rule),
		cmocka_unit_test(width_counts),
		cmocka_unit_test(decided_at_looks_alone),
		cmocka_unit_test(looks_are_counted),
		cmocka_unit_test(levels),
		cmocka_unit_test(texts),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
