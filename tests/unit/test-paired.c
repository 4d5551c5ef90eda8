// SPDX-License-Identifier: GPL-2.0-or-later
/* Paired differences, with sequences shaped like those of real kernels in exact mode. */
#include "results/paired.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"

#define OPS 400
#define MOST 7

static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/*
 * One arm in one perturbation. The path of operation i depends on i; a commit of 50 operations'
 * length falls into every 128th from @phase on (0: no commits); @noise is what differs in each
 * operation without a pattern.
 */
struct shape {
	uint64_t path, phase, noise, seed;
	int64_t constant;
};

static void make(uint64_t *v, const struct shape *s)
{
	uint64_t state = s->seed;

	for (size_t i = 0; i < OPS; i++) {
		v[i] = s->path + (i * 37 % 11) * 5 + (uint64_t)s->constant;
		if (s->phase && i % 128 == s->phase % 128)
			v[i] += 50 * s->path;
		if (s->noise)
			v[i] += next(&state) % s->noise;
	}
}

/* The same cell on both sides, perturbation by perturbation. */
struct cell {
	uint64_t base[MOST][OPS], arm[MOST][OPS];
	uint64_t pad[MOST];
	size_t n;
	double delta_pct;
};

static struct cell *new_cell(size_t n)
{
	struct cell *c = xcalloc(1, sizeof(*c));

	c->n = n;
	c->delta_pct = 1;
	return c;
}

static void fill(struct cell *c, size_t k, const struct shape *base, const struct shape *arm)
{
	make(c->base[k], base);
	make(c->arm[k], arm);
}

static void self(uint64_t (*v)[OPS], size_t n, struct paired_floor *floor)
{
	struct paired p[MOST * MOST];
	size_t pairs = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			struct paired_span span = { v[i], v[k], OPS, OPS };

			paired_compare(&span, 1, &p[pairs++]);
		}
	}
	paired_floor(p, pairs, floor);
}

static struct paired_result decide(struct cell *c)
{
	struct paired p[MOST];
	struct paired_input in = { .v = p, .n = c->n, .delta_pct = c->delta_pct };
	struct paired_result r;

	for (size_t k = 0; k < c->n; k++) {
		struct paired_span span = { c->base[k], c->arm[k], OPS, OPS };

		paired_compare(&span, 1, &p[k]);
	}
	self(c->base, c->n, &in.base);
	self(c->arm, c->n, &in.arm);
	paired_decide(&in, &r);
	return r;
}

/* A change of @constant in every operation, commits at the place that the pad gives them. */
static struct paired_result change_of(int64_t constant, uint64_t path, double delta_pct)
{
	__cleanup_free struct cell *c = new_cell(5);

	c->delta_pct = delta_pct;
	for (size_t k = 0; k < c->n; k++) {
		struct shape base = { .path = path, .phase = 1 + 17 * k }, arm = base;

		arm.constant = constant;
		fill(c, k, &base, &arm);
	}
	return decide(c);
}

static void a_tight_change_is_claimed(void **state)
{
	struct paired_result r = change_of(316, 8705, 1);

	(void)state;
	assert_int_equal(r.word, VERDICT_REGRESSED);
	assert_true(r.agreed && r.value == 316 && r.agree == 5 && r.usable == 5);
	assert_true(fabs(r.pct - 3.6) < 0.1);
	r = change_of(-316, 8705, 1);
	assert_int_equal(r.word, VERDICT_IMPROVED);
	r = change_of(-3, 79576, 1);
	assert_true(r.word == VERDICT_SMALL && r.value == -3);
	r = change_of(-3, 79576, 0);
	assert_true(r.word == VERDICT_IMPROVED && r.value == -3);
}

static void every_size_is_found_to_the_unit(void **state)
{
	static const int64_t sizes[] = { 1, 2, 3, 7, 12, 60, 123, 316, 1000, 4999, 10000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct paired_result r = change_of(sizes[i], 30000, 0);

		assert_int_equal(r.word, VERDICT_REGRESSED);
		assert_int_equal(r.value, sizes[i]);
		r = change_of(-sizes[i], 30000, 0);
		assert_int_equal(r.word, VERDICT_IMPROVED);
		assert_int_equal(r.value, -sizes[i]);
	}
}

static void an_arm_is_the_same_as_itself(void **state)
{
	struct paired_result r = change_of(0, 8705, 0);

	(void)state;
	assert_int_equal(r.word, VERDICT_SAME);
	assert_true(r.agreed && r.value == 0 && r.agree == 5 && r.why == PAIRED_WHY_NONE);
}

/* Unlink and rename of xfs: constant per seed, 0 to 18, other in every image. */
static void the_salt_of_hash_tables_is_no_change(void **state)
{
	static const int64_t base[] = { 0, 0, 12, 0, 18 }, arm[] = { 18, 0, 6, 12, 0 };
	__cleanup_free struct cell *c = new_cell(5);
	struct paired_result r;

	(void)state;
	for (size_t k = 0; k < c->n; k++) {
		struct shape a = { .path = 20000, .constant = base[k] };
		struct shape b = { .path = 20000, .constant = arm[k] };

		fill(c, k, &a, &b);
	}
	r = decide(c);
	assert_true(r.word == VERDICT_SAME && r.why == PAIRED_WHY_SALT && !r.agreed);
	c->delta_pct = 0.01;
	r = decide(c);
	assert_true(r.word == VERDICT_UNSURE && r.why == PAIRED_WHY_SALT);
	/* Also where most happen to agree. */
	for (size_t k = 0; k < 3; k++) {
		struct shape a = { .path = 20000, .constant = base[k] };
		struct shape b = { .path = 20000, .constant = base[k] + 12 };

		fill(c, k, &a, &b);
	}
	r = decide(c);
	assert_true(r.agreed && r.value == 12 && r.agree >= 3);
	assert_true(r.word == VERDICT_UNSURE && r.why == PAIRED_WHY_SALT);
}

/* Each arm and seed with a salt of its own: how often is that called a change? */
static void salt_is_hardly_ever_claimed(void **state)
{
	static const int64_t salts[] = { 0, 6, 12, 18 };
	__cleanup_free struct cell *c = new_cell(5);
	uint64_t seed = 1;
	size_t claims = 0;

	(void)state;
	c->delta_pct = 0;
	for (size_t i = 0; i < 1000; i++) {
		for (size_t k = 0; k < c->n; k++) {
			struct shape a = { .path = 20000, .constant = salts[next(&seed) % 4] };
			struct shape b = { .path = 20000, .constant = salts[next(&seed) % 4] };

			fill(c, k, &a, &b);
		}
		switch (decide(c).word) {
		case VERDICT_SAME:
		case VERDICT_UNSURE:
			break;
		default:
			claims++;
		}
	}
	assert_in_range(claims, 0, 10);
}

/* A real change keeps its value where the salt is another in each seed. */
static void a_change_is_seen_beside_salt(void **state)
{
	static const int64_t salt[] = { 0, 12, 18, 0, 12 };
	__cleanup_free struct cell *c = new_cell(5);
	struct paired_result r;

	(void)state;
	for (size_t k = 0; k < c->n; k++) {
		struct shape a = { .path = 20000, .constant = salt[k] };
		struct shape b = { .path = 20000, .constant = salt[k] + 316 };

		fill(c, k, &a, &b);
	}
	r = decide(c);
	assert_true(r.word == VERDICT_REGRESSED && r.value == 316);
	for (size_t k = 0; k < 2; k++) {
		struct shape b = { .path = 20000, .constant = salt[k] + 316 + 12 * (int64_t)k + 6 };

		make(c->arm[k], &b);
	}
	r = decide(c);
	assert_true(r.word == VERDICT_REGRESSED && r.value == 316 && r.agree == 3);
}

static void phases_that_differ_are_no_change(void **state)
{
	__cleanup_free struct cell *c = new_cell(5);
	struct paired_result r;

	(void)state;
	for (size_t k = 0; k < c->n; k++) {
		struct shape a = { .path = 100000, .noise = 40000, .seed = k };
		struct shape b = { .path = 100000, .noise = 40000, .seed = k + 100 };

		fill(c, k, &a, &b);
	}
	r = decide(c);
	assert_true(r.word == VERDICT_UNSURE && r.why == PAIRED_WHY_PHASES && !r.agreed);
	assert_true(r.lo_pct < -1 && r.hi_pct > 1 && isnan(r.pct));
	/* One of five, as at pad 1000: the others decide. */
	for (size_t k = 0; k < 4; k++) {
		struct shape a = { .path = 8705 }, b = { .path = 8705, .constant = 316 };

		fill(c, k, &a, &b);
	}
	r = decide(c);
	assert_true(r.word == VERDICT_REGRESSED && r.value == 316 && r.agree == 4 && r.usable == 4);
	/* Where they are hardly apart, that is the same. */
	for (size_t k = 0; k < c->n; k++) {
		struct shape a = { .path = 100000, .noise = 400, .seed = k };
		struct shape b = { .path = 100000, .noise = 400, .seed = k + 100 };

		fill(c, k, &a, &b);
	}
	r = decide(c);
	assert_true(r.word == VERDICT_SAME && r.why == PAIRED_WHY_PHASES);
}

static void perturbations_that_disagree_are_no_change(void **state)
{
	__cleanup_free struct cell *c = new_cell(5);
	struct paired_result r;

	(void)state;
	for (size_t k = 0; k < c->n; k++) {
		struct shape a = { .path = 8705 };
		struct shape b = { .path = 8705, .constant = 300 + (int64_t)k };

		fill(c, k, &a, &b);
	}
	r = decide(c);
	assert_true(r.word == VERDICT_UNSURE && r.why == PAIRED_WHY_PHASES && r.usable == 5);
}

/* Commits at other places on the two sides: the path is the same all the same. */
static void commits_are_a_cluster_of_their_own(void **state)
{
	struct shape a = { .path = 8705, .phase = 5 }, b = { .path = 8705, .phase = 70 };
	uint64_t base[OPS], arm[OPS];
	struct paired_span span = { base, arm, OPS, OPS };
	struct paired p;

	(void)state;
	make(base, &a);
	make(arm, &b);
	base[300] += 50 * 8705;
	paired_compare(&span, 1, &p);
	assert_int_equal(p.far, 8);
	assert_int_equal(p.far_total, -100 * 8705);
	assert_int_equal(p.n + p.far, OPS);
	assert_true(p.clear && p.mode == 0 && p.mode_share == 1);
	assert_int_equal((int64_t)(p.arm_total - p.base_total), -100 * 8705);
	/* A class in which every operation waits has no cluster. */
	for (size_t i = 0; i < OPS; i++)
		base[i] = arm[i] = 639800 + i % 7;
	paired_compare(&span, 1, &p);
	assert_int_equal(p.far, 0);
}

static void figures_are_those_of_the_definition(void **state)
{
	static const uint64_t base[] = { 100, 100, 100, 100, 100, 100, 100, 100 };
	static const uint64_t arm[] = { 99, 100, 100, 103, 103, 103, 105, 190 };
	struct paired_span spans[] = { { base, arm, 5, 5 }, { base + 5, arm + 5, 3, 3 } };
	struct paired p;

	(void)state;
	paired_compare(spans, 2, &p);
	assert_int_equal(p.n, 8);
	assert_true(p.q1 == 0 && p.median == 3 && p.q3 == 5 && p.mode == 3);
	assert_true(p.mode_share == 0.375 && !p.clear && !p.tight && !paired_has_value(&p));
	assert_true(p.quantile[0] == -1 && p.quantile[20] == 90 && p.quantile[10] == 3);
	assert_true(p.base_median == 100 && p.base_total == 800 && p.arm_total == 903);
}

static void other_operations_are_never_compared_in_silence(void **state)
{
	__cleanup_free struct cell *c = new_cell(3);
	struct paired p[3];
	struct paired_input in = { .v = p, .n = 3, .delta_pct = 1 };
	struct paired_result r;

	(void)state;
	for (size_t k = 0; k < c->n; k++) {
		struct shape a = { .path = 8705 };
		struct paired_span span = { c->base[k], c->arm[k], OPS, k == 1 ? OPS - 1 : OPS };

		fill(c, k, &a, &a);
		paired_compare(&span, 1, &p[k]);
	}
	assert_true(p[1].unequal && p[1].n == OPS - 1 && p[1].n_base == OPS && !p[0].unequal);
	paired_decide(&in, &r);
	assert_true(r.word == VERDICT_UNSURE && r.why == PAIRED_WHY_UNEQUAL);
}

static void little_is_no_verdict(void **state)
{
	__cleanup_free struct cell *c = new_cell(3);
	struct shape a = { .path = 8705 }, b = { .path = 8705, .constant = 316 };
	struct paired p[3];
	struct paired_input in = { .v = p, .n = 2, .delta_pct = 1 };
	struct paired_result r;

	(void)state;
	for (size_t k = 0; k < c->n; k++) {
		struct paired_span span = { c->base[k], c->arm[k], PAIRED_MIN_OPS - 1,
					    PAIRED_MIN_OPS - 1 };

		fill(c, k, &a, &b);
		paired_compare(&span, 1, &p[k]);
	}
	paired_decide(&in, &r);
	assert_true(r.word == VERDICT_UNTESTABLE && r.why == PAIRED_WHY_FEW_PERTURBATIONS);
	in.n = 3;
	paired_decide(&in, &r);
	assert_true(r.word == VERDICT_UNTESTABLE && r.why == PAIRED_WHY_FEW_OPERATIONS);
	in.n = 0;
	paired_decide(&in, &r);
	assert_int_equal(r.word, VERDICT_UNTESTABLE);
}

/* Without a noise floor of the base, only what all say is claimed. */
static void without_a_floor_all_must_agree(void **state)
{
	struct paired p[3] = { { .n = 100, .clear = true, .value = 316, .q1 = 316, .q3 = 316,
				 .base_median = 8705 } };
	struct paired_input in = { .v = p, .n = 3, .delta_pct = 1 };
	struct paired_result r;

	(void)state;
	p[1] = p[2] = p[0];
	paired_decide(&in, &r);
	assert_true(r.word == VERDICT_REGRESSED && r.why == PAIRED_WHY_NONE);
	p[1].value = 318;
	paired_decide(&in, &r);
	assert_true(r.word == VERDICT_UNSURE && r.why == PAIRED_WHY_NO_FLOOR);
	in.base.known = true;
	paired_decide(&in, &r);
	assert_int_equal(r.word, VERDICT_REGRESSED);
	in.base.magnitude = 316;
	paired_decide(&in, &r);
	assert_true(r.word == VERDICT_UNSURE && r.why == PAIRED_WHY_SALT);
}

static void swap(struct cell *c, size_t i, size_t k)
{
	uint64_t tmp[OPS];

	memcpy(tmp, c->base[i], sizeof(tmp));
	memcpy(c->base[i], c->base[k], sizeof(tmp));
	memcpy(c->base[k], tmp, sizeof(tmp));
	memcpy(tmp, c->arm[i], sizeof(tmp));
	memcpy(c->arm[i], c->arm[k], sizeof(tmp));
	memcpy(c->arm[k], tmp, sizeof(tmp));
}

static bool alike(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void the_order_of_perturbations_does_not_matter(void **state)
{
	__cleanup_free struct cell *c = new_cell(5);
	uint64_t seed = 7;

	(void)state;
	for (size_t i = 0; i < 300; i++) {
		struct paired_result first, r;

		for (size_t k = 0; k < c->n; k++) {
			struct shape a = { .path = 20000, .phase = next(&seed) % 3,
					   .noise = next(&seed) % 4, .seed = next(&seed),
					   .constant = (int64_t)(next(&seed) % 3) };
			struct shape b = a;

			b.constant += (int64_t)(next(&seed) % 3);
			b.seed = next(&seed) % 2 ? a.seed : next(&seed);
			fill(c, k, &a, &b);
		}
		first = decide(c);
		for (size_t k = c->n - 1; k; k--)
			swap(c, k, next(&seed) % (k + 1));
		r = decide(c);
		assert_true(r.word == first.word && r.why == first.why && r.value == first.value &&
			    r.agree == first.agree && r.usable == first.usable);
		assert_true(alike(r.pct, first.pct) && alike(r.lo_pct, first.lo_pct) &&
			    alike(r.hi_pct, first.hi_pct));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tight_change_is_claimed),
		cmocka_unit_test(every_size_is_found_to_the_unit),
		cmocka_unit_test(an_arm_is_the_same_as_itself),
		cmocka_unit_test(the_salt_of_hash_tables_is_no_change),
		cmocka_unit_test(salt_is_hardly_ever_claimed),
		cmocka_unit_test(a_change_is_seen_beside_salt),
		cmocka_unit_test(phases_that_differ_are_no_change),
		cmocka_unit_test(perturbations_that_disagree_are_no_change),
		cmocka_unit_test(commits_are_a_cluster_of_their_own),
		cmocka_unit_test(figures_are_those_of_the_definition),
		cmocka_unit_test(other_operations_are_never_compared_in_silence),
		cmocka_unit_test(little_is_no_verdict),
		cmocka_unit_test(without_a_floor_all_must_agree),
		cmocka_unit_test(the_order_of_perturbations_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
