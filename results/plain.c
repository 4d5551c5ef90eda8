// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/plain.h"

#include "lib/large.h"
#include "lib/mem.h"
#include "results/plain-internal.h"
#include "results/sorted.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Whole numbers beyond are not all doubles. */
#define EXACT_MAX (1.0 / DBL_EPSILON * 2)
#define TIED_MAX 0.3
/* So many steps of the clock in a deviation make ties harmless. */
#define FINE_STEPS 100

static const char *const order_names[] = {
	[PLAIN_ASSUMED] = "assumed",
	[PLAIN_INTERLEAVED] = "interleaved",
	[PLAIN_PAIRED] = "paired",
	[PLAIN_SEQUENTIAL] = "sequential",
};

const char *plain_order_str(enum plain_order order)
{
	return order_names[order];
}

struct plain *plain_new(const struct plain_options *options)
{
	struct plain *p = xcalloc(1, sizeof(*p));

	p->options = *options;
	return p;
}

static void release_row(struct plain_row *row)
{
	for (size_t i = 0; i < row->n; i++) {
		struct plain_sample *s = &row->samples[i];

		free(s->label);
		if (s->sorted != s->values)
			free(s->sorted);
		free(s->values);
		free(s->logs);
		strvec_release(&s->warnings);
	}
	free(row->samples);
	free(row->effects);
	free(row->name);
}

void plain_free(struct plain *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_rows; i++)
		release_row(&p->rows[i]);
	free(p->rows);
	free(p);
}

struct plain_row *plain_add_row(struct plain *p, const char *name)
{
	GROW(p->rows, p->n_rows);
	p->rows[p->n_rows] = (struct plain_row){ .name = name ? xstrdup(name) : NULL };
	return &p->rows[p->n_rows++];
}

void plain_add_sample(struct plain_row *row, const char *label, double *values, size_t n)
{
	GROW(row->samples, row->n);
	row->samples[row->n++] = (struct plain_sample){
		.label = xstrdup(label), .values = values, .n = n,
	};
}

void plain_describe(struct plain_sample *s, bool keep_order)
{
	double *work = NULL;

	s->sorted = s->values;
	if (keep_order) {
		s->sorted = large_alloc(s->n * sizeof(*s->sorted));
		memcpy(s->sorted, s->values, s->n * sizeof(*s->sorted));
	}
	if (s->n >= PLAIN_MANY)
		work = large_alloc(s->n * sizeof(*work));
	sorted_sort(s->sorted, work, s->n);
	if (work && s->sorted[0] > 0) {
		s->logs = work;
		for (size_t i = 0; i < s->n; i++)
			s->logs[i] = log(s->sorted[i]);
	} else {
		free(work);
	}
	sorted_describe(s->sorted, s->logs, s->n, &s->stats);
	stats_median_ci(s->sorted, s->n, 0.95, &s->median_ci);
	s->q1 = stats_quantile(s->sorted, s->n, 0.25);
	s->q3 = stats_quantile(s->sorted, s->n, 0.75);
	sorted_resolution(s->sorted, s->n, &s->tied, &s->step);
}

static void warn_few(struct plain_sample *s)
{
	if (s->n == 1)
		strvec_push(&s->warnings, "one value says nothing about noise");
	else if (s->n < VERDICT_MIN_UNITS)
		strvec_pushf(&s->warnings, "n = %zu is too few for an interval of the median and "
			     "for a verdict: %d are needed", s->n, VERDICT_MIN_UNITS);
}

static void warn_outliers(struct plain_sample *s, enum direction better)
{
	struct trend_outliers o;

	sorted_outliers(s->sorted, &s->stats, better, &o);
	if (o.warn)
		strvec_pushf(&s->warnings, "%zu outlier%s (modified z above 5), the worst is %.6g; "
			     "nothing was left out", o.warn, o.warn == 1 ? "" : "s",
			     s->sorted[o.worst]);
	else if (o.note && s->n < PLAIN_MANY)
		strvec_pushf(&s->warnings, "%zu value%s far out (modified z above 3.5), up to %.6g",
			     o.note, o.note == 1 ? "" : "s", s->sorted[o.worst]);
}

static void warn_shape(struct plain_sample *s)
{
	const struct stats *t = &s->stats;
	struct trend_split split;

	sorted_split(s->sorted, s->n, &split);
	if (split.modes)
		strvec_pushf(&s->warnings, "two modes: %zu values around %.6g, %zu around %.6g; no "
			     "single figure stands for both", split.n_low, split.mean_low,
			     s->n - split.n_low, split.mean_high);
	if (fabs(t->mean - t->median) > 0.5 * (s->median_ci.hi - s->median_ci.lo) ||
	    (t->median > 0 && t->max > 1.5 * t->median))
		strvec_push(&s->warnings, "skewed or heavy tail: mean and sd are not to be "
			    "trusted, the median is");
}

static void warn_coarse(struct plain_sample *s, double mde_pct)
{
	double step_pct = 100 * (s->step / fabs(s->stats.median));
	bool tied;

	if (s->n > 1 && s->stats.min == s->stats.max)
		strvec_push(&s->warnings, "all values are equal");
	if (isnan(s->step))
		return;
	/* Among very many values there are ties at any resolution. */
	tied = s->tied > TIED_MAX && s->step > s->stats.sd / FINE_STEPS;
	if (!tied && !(step_pct > mde_pct / 2))
		return;
	if (isfinite(step_pct))
		strvec_pushf(&s->warnings, "coarse: %.0f %% of the values are tied, and the "
			     "smallest step, %.6g, is %.2g %% of the median", 100 * s->tied,
			     s->step, step_pct);
	else
		strvec_pushf(&s->warnings, "coarse: %.0f %% of the values are tied", 100 * s->tied);
}

void plain_warn(struct plain_sample *s, const struct plain_options *o, double mde_pct)
{
	warn_few(s);
	warn_outliers(s, o->better);
	warn_shape(s);
	warn_coarse(s, mde_pct);
	if (o->rate && s->stats.min <= 0)
		strvec_push(&s->warnings, "a rate of 0: there is no harmonic mean");
	if (fmax(fabs(s->stats.min), fabs(s->stats.max)) > EXACT_MAX)
		strvec_push(&s->warnings, "numbers above 2^53 may have been rounded");
}
