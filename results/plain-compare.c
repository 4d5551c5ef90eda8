// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/plain.h"

#include "lib/mem.h"
#include "results/multiple.h"
#include "results/percent.h"
#include "results/plain-internal.h"
#include "results/rankbig.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Two samples and the way they are tested. */
struct pair {
	const struct plain_sample *base, *arm;
	struct ranktest_input input; /* small ones, and blocks */
	struct rankbig big;
	bool is_big;
};

static bool positive(const struct plain_sample *s)
{
	return s->stats.min > 0;
}

static double largest(const struct plain_sample *s)
{
	return fmax(fabs(s->stats.min), fabs(s->stats.max));
}

static void pair_init(struct pair *pair, const struct plain_sample *base,
		      const struct plain_sample *arm, const uint64_t *blocks)
{
	*pair = (struct pair){
		.base = base, .arm = arm,
		.input.base = { base->values, blocks, base->n },
		.input.arm = { arm->values, blocks, arm->n },
		.is_big = !blocks && base->n >= PLAIN_MANY && arm->n >= PLAIN_MANY,
	};
	if (pair->is_big) {
		bool logs = positive(base) && positive(arm);

		pair->big = (struct rankbig){
			.base = logs ? base->logs : base->sorted, .n_base = base->n,
			.arm = logs ? arm->logs : arm->sorted, .n_arm = arm->n,
			.log_scale = logs, .base_median = base->stats.median,
		};
	}
}

static struct ranktest_interval interval(const struct pair *pair, double conf)
{
	struct ranktest_interval ci = { NAN, NAN, NAN, NAN };

	if (pair->is_big)
		rankbig_interval(&pair->big, conf, &ci);
	else
		ranktest_interval(&pair->input, conf, &ci);
	return ci;
}

/* Equal counts of a coarse clock are possible, a whole list of different values is not. */
static bool same_data(const struct plain_sample *a, const struct plain_sample *b)
{
	if (a->n != b->n || memcmp(a->values, b->values, a->n * sizeof(*a->values)))
		return false;
	for (size_t i = 1; i < a->n; i++)
		if (a->values[i] != a->values[0])
			return true;
	return false;
}

/* Before the values are sorted. */
static int check_data(const struct plain_options *o, const struct plain_row *row, char **error)
{
	const struct plain_sample *base = &row->samples[0];

	for (size_t i = 1; i < row->n; i++) {
		const struct plain_sample *arm = &row->samples[i];

		if (same_data(base, arm))
			*error = xasprintf("%s and %s are the same data, value for value: there is "
					   "nothing to compare", base->label, arm->label);
		else if (o->order == PLAIN_PAIRED && base->n != arm->n)
			*error = xasprintf("pairs need as many values on both sides: %s has %zu, "
					   "%s has %zu", base->label, base->n, arm->label, arm->n);
		else if (base->n > INT32_MAX / 2 || arm->n > INT32_MAX / 2)
			*error = xasprintf("%s and %s: too many values", base->label, arm->label);
		if (*error)
			return -EINVAL;
	}
	return 0;
}

static int check_range(const struct plain_sample *base, const struct plain_sample *arm,
		       char **error)
{
	if ((positive(base) && positive(arm)) ||
	    fmax(largest(base), largest(arm)) <= DBL_MAX / 4)
		return 0;
	*error = xasprintf("%s and %s: values too large to compare", base->label, arm->label);
	return -EINVAL;
}

static void describe_effect(struct plain_effect *e, const struct pair *pair)
{
	const struct stats *a = &pair->base->stats, *b = &pair->arm->stats;

	e->pct_median = percent_change(a->median, b->median);
	e->pct_mean = percent_change(a->mean, b->mean);
	e->pct_hmean = percent_change(a->hmean, b->hmean);
	stats_welch(a, b, 0.95, &e->welch);
	e->welch_pct = a->mean != 0 ? 100 * (e->welch.diff / fabs(a->mean)) : NAN;
	e->welch_lo = a->mean != 0 ? 100 * (e->welch.lo / fabs(a->mean)) : NAN;
	e->welch_hi = a->mean != 0 ? 100 * (e->welch.hi / fabs(a->mean)) : NAN;
}

/* All pairs, in the order of the effects. */
struct pairs {
	struct pair *v;
	size_t n;
	uint64_t *blocks; /* 0, 1, 2 ...; NULL unless values are paired */
};

static void number_blocks(const struct plain *p, struct pairs *pairs)
{
	size_t most = 0;

	if (p->options.order != PLAIN_PAIRED)
		return;
	for (size_t r = 0; r < p->n_rows; r++)
		for (size_t i = 0; i < p->rows[r].n; i++)
			if (p->rows[r].samples[i].n > most)
				most = p->rows[r].samples[i].n;
	pairs->blocks = xcalloc(most, sizeof(*pairs->blocks));
	for (size_t i = 0; i < most; i++)
		pairs->blocks[i] = i;
}

static void test(struct pair *pair, struct plain_effect *e)
{
	describe_effect(e, pair);
	if (pair->is_big)
		rankbig_run(&pair->big, &e->test);
	else
		ranktest_run(&pair->input, &e->test);
	e->ci95 = interval(pair, 0.95);
}

static int test_row(struct plain *p, struct plain_row *row, struct pairs *pairs, char **error)
{
	if (check_data(&p->options, row, error))
		return -EINVAL;
	for (size_t i = 0; i < row->n; i++)
		plain_describe(&row->samples[i], pairs->blocks != NULL);
	if (row->n > 1)
		row->effects = xcalloc(row->n, sizeof(*row->effects));
	for (size_t i = 1; i < row->n; i++) {
		const struct plain_sample *base = &row->samples[0], *arm = &row->samples[i];

		if (check_range(base, arm, error))
			return -EINVAL;
		GROW(pairs->v, pairs->n);
		pair_init(&pairs->v[pairs->n], base, arm, pairs->blocks);
		test(&pairs->v[pairs->n++], &row->effects[i]);
		p->n_effects++;
	}
	return 0;
}

static void adjust(struct plain *p)
{
	__cleanup_free double *adjusted = xcalloc(p->n_effects + 1, sizeof(*adjusted));
	size_t n = 0;

	for (size_t r = 0; r < p->n_rows; r++)
		for (size_t i = 1; i < p->rows[r].n; i++)
			adjusted[n++] = p->rows[r].effects[i].test.p;
	multiple_holm(adjusted, n, adjusted);
	n = 0;
	for (size_t r = 0; r < p->n_rows; r++)
		for (size_t i = 1; i < p->rows[r].n; i++)
			p->rows[r].effects[i].p_adjusted = adjusted[n++];
}

static struct verdict_interval in_percent(const struct ranktest_interval *ci)
{
	return (struct verdict_interval){ ci->pct_lo, ci->pct_hi };
}

static void decide(const struct plain *p, const struct pair *pair, struct plain_effect *e)
{
	const struct stats *a = &pair->base->stats, *b = &pair->arm->stats;
	double level = multiple_level(e->test.p, e->p_adjusted, VERDICT_ALPHA);
	/* The interval of a verdict that the test has made already is not looked at. */
	bool need90 = !(e->p_adjusted <= VERDICT_ALPHA) || !pair->is_big;
	struct ranktest_interval ci90 = { NAN, NAN, NAN, NAN }, adjusted = e->ci95;
	struct verdict_input in = {
		.n_base = e->test.n_base, .n_arm = e->test.n_arm, .better = p->options.better,
		.delta_pct = p->options.delta_pct, .alpha = VERDICT_ALPHA,
		.shift = e->test.shift, .pct = e->test.pct,
		.p = e->test.p, .p_adj = e->p_adjusted, .p_min = e->test.p_min,
		.all_equal = fmin(a->min, b->min) == fmax(a->max, b->max),
		.sequential = p->options.order == PLAIN_SEQUENTIAL, .boot_noise_pct = NAN,
	};

	if (need90)
		ci90 = interval(pair, 0.90);
	if (level < VERDICT_ALPHA)
		adjusted = interval(pair, 1 - level);
	in.ci95 = in_percent(&e->ci95);
	in.ci90 = in_percent(&ci90);
	in.ci_adj = in_percent(&adjusted);
	verdict_decide(&in, &e->verdict);
}

/* @first: the row's first pair, if it has any. */
static void decide_row(const struct plain *p, struct plain_row *row, const struct pairs *pairs,
		       size_t first)
{
	double best = NAN;

	for (size_t i = 1; i < row->n; i++) {
		decide(p, &pairs->v[first + i - 1], &row->effects[i]);
		best = fmin(best, row->effects[i].verdict.mde_pct);
	}
	for (size_t i = 0; i < row->n; i++)
		plain_warn(&row->samples[i], &p->options,
			   i ? row->effects[i].verdict.mde_pct : best);
}

int plain_compare(struct plain *p, char **error)
{
	struct pairs pairs = { NULL, 0, NULL };
	size_t decided = 0;
	int ret = 0;

	*error = NULL;
	number_blocks(p, &pairs);
	for (size_t r = 0; !ret && r < p->n_rows; r++)
		ret = test_row(p, &p->rows[r], &pairs, error);
	if (!ret) {
		adjust(p);
		for (size_t r = 0; r < p->n_rows; r++) {
			decide_row(p, &p->rows[r], &pairs, decided);
			decided += p->rows[r].n - 1;
		}
	}
	free(pairs.blocks);
	free(pairs.v);
	return ret;
}
