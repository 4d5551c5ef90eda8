// SPDX-License-Identifier: GPL-2.0-or-later
/* What is tested: iterations, or boots where a boot is what switches the arm. */
#include "results/compare-internal.h"

#include "lib/mem.h"

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

/* One value a boot. False when a boot has values of several blocks: blocks mean nothing then. */
static bool take_boots(const struct compare_side *side, enum metric_kind kind, const size_t *boots,
		       size_t n, struct compare_units *out)
{
	__cleanup_free double *v = xcalloc(side->stats.n, sizeof(*v));
	bool blocked = true;

	for (size_t b = 0; b < n; b++) {
		size_t count = 0;

		for (size_t i = 0; i < side->stats.n; i++) {
			if (side->boots[i] != boots[b])
				continue;
			if (!count)
				out->block[b] = side->blocks[i];
			blocked &= out->block[b] == side->blocks[i];
			v[count++] = side->values[i];
		}
		out->value[b] = reduce(v, count, kind);
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

void compare_pair_make(struct compare_row *row, bool one_session, struct compare_pair *out)
{
	struct compare_side *a = &row->base, *b = &row->side;
	__cleanup_free size_t *boots_a = xcalloc(a->stats.n, sizeof(*boots_a));
	__cleanup_free size_t *boots_b = xcalloc(b->stats.n, sizeof(*boots_b));
	size_t n_a = list_boots(a, boots_a), n_b = list_boots(b, boots_b);
	bool apart = n_a && n_b && !any_shared(boots_a, n_a, boots_b, n_b);

	*out = (struct compare_pair){
		.base = units_new(a->stats.n), .arm = units_new(b->stats.n),
		.sequential = !one_session || compare_ran_before(a, b) || compare_ran_before(b, a),
		.one_boot = apart && (n_a == 1 || n_b == 1),
		.by_boot = apart && n_a > 1 && n_b > 1,
		.blocked = one_session, .boots_base = n_a, .boots_arm = n_b,
	};
	if (out->by_boot) {
		out->blocked &= take_boots(a, row->metric.kind, boots_a, n_a, &out->base);
		out->blocked &= take_boots(b, row->metric.kind, boots_b, n_b, &out->arm);
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
