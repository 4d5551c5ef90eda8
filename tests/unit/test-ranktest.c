// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/ranktest.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "lib/mem.h"
#include "tests/unit/rankcheck.h"
#include "tests/unit/vectors.h"

/* Two samples read from a vector, to be freed. */
struct two {
	struct ranktest_input in;
	double *base, *arm;
};

static struct two read_two(struct json_object *input)
{
	struct two t = { 0 };

	t.base = vec_array(input, "base", &t.in.base.n);
	t.arm = vec_array(input, "variant", &t.in.arm.n);
	t.in.base.value = t.base;
	t.in.arm.value = t.arm;
	return t;
}

static void free_two(struct two *t)
{
	free(t->base);
	free(t->arm);
}

/* R gives the whole range where the plan is too small for a bound; we give none. */
static void check_bounds(const char *id, struct json_object *expected, const char *key,
			 double lo, double hi)
{
	size_t n;
	double *want = vec_array(expected, key, &n);
	bool none = vec_num(expected, "hl_ci_true_coverage") < 0.95;

	assert_int_equal(n, 2);
	vec_expect(id, key, lo, none ? -INFINITY : want[0]);
	vec_expect(id, key, hi, none ? INFINITY : want[1]);
	free(want);
}

static void check_exact(const char *id, struct json_object *input,
			struct json_object *expected)
{
	struct two t = read_two(input);
	struct ranktest r;
	struct ranktest_interval ci;

	assert_int_equal(ranktest_run(&t.in, &r), 0);
	assert_true(r.log_scale && r.exact);
	assert_int_equal(r.n_base, t.in.base.n);
	vec_expect(id, "U", r.u, vec_num(expected, "U_variant"));
	vec_expect(id, "p", r.p, vec_num(expected, "p_exact"));
	vec_expect(id, "p_normal", r.p_normal, vec_num(expected, "p_normal_cc"));
	vec_expect(id, "pct", r.pct, vec_num(expected, "hl_pct"));
	assert_int_equal(ranktest_interval(&t.in, 0.95, &ci), 0);
	check_bounds(id, expected, "hl_pct_ci95", ci.pct_lo, ci.pct_hi);
	rank_check_agreement(id, &t.in);

	t.in.raw = true;
	assert_int_equal(ranktest_run(&t.in, &r), 0);
	assert_false(r.log_scale);
	vec_expect(id, "raw p", r.p, vec_num(expected, "p_exact"));
	vec_expect(id, "shift", r.shift, vec_num(expected, "hl_shift"));
	assert_int_equal(ranktest_interval(&t.in, 0.95, &ci), 0);
	check_bounds(id, expected, "hl_ci95", ci.lo, ci.hi);
	rank_check_agreement(id, &t.in);
	free_two(&t);
}

static void exact_vectors(void **state)
{
	(void)state;
	vectors_each("mann_whitney_exact", 14, check_exact);
}

static void check_ties(const char *id, struct json_object *input,
		       struct json_object *expected)
{
	struct two t = read_two(input);
	struct ranktest r;

	assert_int_equal(ranktest_run(&t.in, &r), 0);
	vec_expect(id, "U", r.u, vec_num(expected, "U_variant"));
	vec_expect(id, "p", r.p, vec_num(expected, "p_exact_ties_coin"));
	vec_expect(id, "p_normal", r.p_normal, vec_num(expected, "p_normal_cc"));
	if (r.log_scale)
		vec_expect(id, "pct", r.pct, vec_num(expected, "hl_pct"));
	else
		assert_true(isnan(vec_num(expected, "hl_pct")));
	rank_check_agreement(id, &t.in);

	t.in.raw = true;
	assert_int_equal(ranktest_run(&t.in, &r), 0);
	vec_expect(id, "shift", r.shift, vec_num(expected, "hl_shift"));
	rank_check_agreement(id, &t.in);
	free_two(&t);
}

static void ties_vectors(void **state)
{
	(void)state;
	vectors_each("mann_whitney_ties", 10, check_ties);
}

/* Signed ranks are another test; when all pairs point one way every test says 2 / 2^n. */
static void check_paired(const char *id, struct json_object *input,
			 struct json_object *expected)
{
	static const uint64_t pair[] = { 4, 9, 2, 7, 1, 0, 3, 8, 5, 6 };
	struct two t = read_two(input);
	struct ranktest r;
	double p_min = ldexp(1, 1 - (int)t.in.base.n);

	t.in.base.block = t.in.arm.block = pair;
	assert_int_equal(ranktest_run(&t.in, &r), 0);
	assert_int_equal(r.blocks, t.in.base.n);
	vec_expect(id, "p_min", r.p_min, p_min);
	if (vec_num(expected, "V") == 0)
		vec_expect(id, "p", r.p, vec_num(expected, "p_signed_rank"));
	else
		assert_true(r.p > p_min);
	rank_check_agreement(id, &t.in);
	free_two(&t);
}

static void paired_vectors(void **state)
{
	(void)state;
	vectors_each("paired_log_ratio", 4, check_paired);
}

static void check_blocked(const char *id, struct json_object *input,
			  struct json_object *expected)
{
	size_t n;
	double *value = vec_array(input, "value", &n);
	double *is_arm = vec_array(input, "is_variant", &n);
	double *block = vec_array(input, "block", &n);
	double *v = xcalloc(2 * n, sizeof(*v));
	uint64_t *b = xcalloc(2 * n, sizeof(*b));
	struct ranktest_input in = {
		.base = { .value = v, .block = b },
		.arm = { .value = v + n, .block = b + n },
	};
	struct ranktest r;

	for (size_t i = 0; i < n; i++) {
		size_t at = is_arm[i] != 0 ? n + in.arm.n++ : in.base.n++;

		v[at] = value[i];
		b[at] = block[i];
	}
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_true(r.exact);
	vec_expect(id, "T", r.rank_sum, vec_num(expected, "T"));
	vec_expect(id, "E", r.rank_expect, vec_num(expected, "E"));
	vec_expect(id, "p", r.p, vec_num(expected, "p"));
	vec_expect(id, "p_min", r.p_min, 2 / vec_num(expected, "assignments"));
	vec_expect(id, "pct", r.pct, vec_num(expected, "hl_log_pct"));
	rank_check_agreement(id, &in);

	in.base.block = in.arm.block = NULL;
	assert_int_equal(ranktest_run(&in, &r), 0);
	assert_int_equal(r.blocks, 1);
	vec_expect(id, "p unblocked", r.p, vec_num(expected, "p_unblocked_exact"));
	rank_check_agreement(id, &in);
	free(b);
	free(v);
	free(block);
	free(is_arm);
	free(value);
}

static void blocked_vectors(void **state)
{
	(void)state;
	vectors_each("blocked_rank_sum_exact", 7, check_blocked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_vectors),
		cmocka_unit_test(ties_vectors),
		cmocka_unit_test(paired_vectors),
		cmocka_unit_test(blocked_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
