// SPDX-License-Identifier: GPL-2.0-or-later
/* What is tested: iterations, or boots where a boot is what switches the arm. */
#include "results/compare-internal.h"

#include "lib/mem.h"
#include "results/ranktest.h"
#include "results/trend.h"

#include <math.h>
#include <string.h>

bool compare_ran_before(const struct compare_side *a, const struct compare_side *b)
{
	uint64_t last = 0;

	if (a->stats.n < 2 || b->stats.n < 2)
		return false;
	for (size_t i = 0; i < a->stats.n; i++)
		last = a->seqs[i] > last ? a->seqs[i] : last;
	for (size_t i = 0; i < b->stats.n; i++)
		if (b->seqs[i] <= last)
			return false;
	return true;
}

/* The different boots of a side; 0 when one is not known. */
static size_t list_boots(const struct compare_side *side, size_t *list)
{
	size_t n = 0;

	for (size_t i = 0; i < side->stats.n; i++) {
		size_t k = 0;

		if (side->boots[i] == COMPARE_NO_BOOT)
			return 0;
		while (k < n && list[k] != side->boots[i])
			k++;
		if (k == n)
			list[n++] = side->boots[i];
	}
	return n;
}

static bool any_shared(const size_t *a, size_t n_a, const size_t *b, size_t n_b)
{
	for (size_t i = 0; i < n_a; i++)
		for (size_t k = 0; k < n_b; k++)
			if (a[i] == b[k])
				return true;
	return false;
}

static double reduce(const double *v, size_t n, enum metric_kind kind)
{
	struct stats s;

	stats_describe(v, n, &s);
	switch (kind) {
	case KIND_RATE_WORK:
		return s.min > 0 ? s.hmean : s.median;
	case KIND_RATE_TIME:
		return s.mean;
	case KIND_MAX:
		return s.max;
	default:
		return s.median;
	}
}

/* Sides whose boots become units. */
struct boots {
	const struct comparison *c;
	enum metric_kind kind;
	bool by_session; /* a session is a block, not a block of the plan */
};

static uint64_t block_of(const struct boots *how, const struct compare_side *side, size_t i)
{
	return how->by_session ? compare_session_of(how->c, side->seqs[i]) : side->blocks[i];
}

/* One value a boot. False when a boot has values of several blocks: blocks mean nothing then. */
static bool take_boots(const struct boots *how, const struct compare_side *side,
		       const size_t *boots, size_t n, struct compare_units *out)
{
	__cleanup_free double *v = xcalloc(side->stats.n, sizeof(*v));
	bool blocked = true;

	for (size_t b = 0; b < n; b++) {
		size_t count = 0;

		for (size_t i = 0; i < side->stats.n; i++) {
			if (side->boots[i] != boots[b])
				continue;
			if (!count)
				out->block[b] = block_of(how, side, i);
			blocked &= out->block[b] == block_of(how, side, i);
			v[count++] = side->values[i];
		}
		out->value[b] = reduce(v, count, how->kind);
	}
	out->n = n;
	return blocked;
}

static void take_iterations(const struct compare_side *side, struct compare_units *out)
{
	out->n = side->stats.n;
	if (!out->n)
		return;
	memcpy(out->value, side->values, out->n * sizeof(*out->value));
	memcpy(out->block, side->blocks, out->n * sizeof(*out->block));
}

static struct compare_units units_new(size_t n)
{
	return (struct compare_units){
		.value = xcalloc(n, sizeof(double)), .block = xcalloc(n, sizeof(uint64_t)),
	};
}

/* Where each boot stands in time. */
static double *boot_places(const struct compare_side *side, const size_t *boots, size_t n)
{
	double *place = xcalloc(n, sizeof(*place));

	for (size_t b = 0; b < n; b++) {
		place[b] = INFINITY;
		for (size_t i = 0; i < side->stats.n; i++)
			if (side->boots[i] == boots[b])
				place[b] = fmin(place[b], (double)side->seqs[i]);
	}
	return place;
}

/*
 * Nobody randomised the order of sessions, but arms that took turns are not confounded with it.
 * The test that serves the values serves the places in time.
 */
static bool order_is_confounded(const struct compare_row *row, const size_t *boots_a, size_t n_a,
				const size_t *boots_b, size_t n_b)
{
	__cleanup_free double *a = boot_places(&row->base, boots_a, n_a);
	__cleanup_free double *b = boot_places(&row->side, boots_b, n_b);
	const struct ranktest_input in = { .base = { a, NULL, n_a }, .arm = { b, NULL, n_b },
					   .raw = true };
	struct ranktest test;

	return compare_ran_before(&row->base, &row->side) ||
	       compare_ran_before(&row->side, &row->base) ||
	       ranktest_run(&in, &test) || !(test.p > VERDICT_ALPHA);
}

/* A boot in time, without what its arm makes of it. */
struct place {
	double at, value;
	size_t arm;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Are neighbours in time alike? Without blocks that makes any difference look surer than it is. */
static bool neighbours_are_alike(const struct compare_row *row, const struct compare_pair *pair,
				 const size_t *boots_a, const size_t *boots_b)
{
	__cleanup_free double *a = boot_places(&row->base, boots_a, pair->base.n);
	__cleanup_free double *b = boot_places(&row->side, boots_b, pair->arm.n);
	size_t n_a = pair->base.n, n = n_a + pair->arm.n;
	__cleanup_free struct place *p = xcalloc(n, sizeof(*p));
	__cleanup_free double *x = xcalloc(n, sizeof(*x));
	__cleanup_free size_t *arm = xcalloc(n, sizeof(*arm));
	struct trend_lag1 lag;

	for (size_t i = 0; i < n; i++)
		p[i] = i < n_a ? (struct place){ a[i], pair->base.value[i], 0 } :
				 (struct place){ b[i - n_a], pair->arm.value[i - n_a], 1 };
	qsort(p, n, sizeof(*p), by_place);
	for (size_t i = 0; i < n; i++) {
		x[i] = p[i].value;
		arm[i] = p[i].arm;
	}
	trend_residuals(x, arm, n, 2, x);
	trend_lag1(x, n, &lag);
	return lag.warn;
}

static bool too_few_boots(const struct comparison *c, size_t n_a, size_t n_b)
{
	size_t least = n_a < n_b ? n_a : n_b;

	/* Known noise between boots does for those that are not there. */
	return least < 2 || (isfinite(c->boot_noise_pct) && least < VERDICT_MIN_UNITS);
}

/* Boots are in the blocks of the plan, or else in those that sessions are. */
static void pair_boots(const struct comparison *c, struct compare_row *row, struct compare_pair *out,
		       const size_t *boots_a, const size_t *boots_b)
{
	struct boots how = { c, row->metric.kind, false };

	for (int s = 0; s < (c->n_sessions ? 2 : 1); s++) {
		bool blocked;

		how.by_session = s;
		blocked = take_boots(&how, &row->base, boots_a, out->boots_base, &out->base);
		blocked &= take_boots(&how, &row->side, boots_b, out->boots_arm, &out->arm);
		if (blocked)
			return;
	}
	out->blocked = false;
}

void compare_pair_make(const struct comparison *c, struct compare_row *row, bool one_session,
		       struct compare_pair *out)
{
	struct compare_side *a = &row->base, *b = &row->side;
	__cleanup_free size_t *boots_a = xcalloc(a->stats.n, sizeof(*boots_a));
	__cleanup_free size_t *boots_b = xcalloc(b->stats.n, sizeof(*boots_b));
	size_t n_a = list_boots(a, boots_a), n_b = list_boots(b, boots_b);
	bool apart = n_a && n_b && !any_shared(boots_a, n_a, boots_b, n_b);

	*out = (struct compare_pair){
		.base = units_new(a->stats.n), .arm = units_new(b->stats.n),
		.sequential = !one_session || compare_ran_before(a, b) || compare_ran_before(b, a),
		.few_boots = apart && too_few_boots(c, n_a, n_b),
		.by_boot = apart && !too_few_boots(c, n_a, n_b),
		.blocked = one_session, .boots_base = n_a, .boots_arm = n_b,
	};
	if (out->by_boot) {
		pair_boots(c, row, out, boots_a, boots_b);
		if (!one_session && c->n_sessions)
			out->sequential = order_is_confounded(row, boots_a, n_a, boots_b, n_b);
		if (!out->blocked)
			out->sequential |= neighbours_are_alike(row, out, boots_a, boots_b);
	} else {
		take_iterations(a, &out->base);
		take_iterations(b, &out->arm);
	}
	a->units = out->base.n;
	b->units = out->arm.n;
}

void compare_pair_release(struct compare_pair *pair)
{
	free(pair->base.value);
	free(pair->base.block);
	free(pair->arm.value);
	free(pair->arm.block);
}
