/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples of plain numbers say: each described, and in each row every arm against the
 * base. Pure. The figures and their sources: stats.h, ranktest.h, verdict.h, trend.h.
 *
 * Numbers alone do not say in which order they were measured. Unless told, this assumes that
 * base and arms took turns, which the reader of a report must be told, too.
 */
#ifndef FSDELTA_RESULTS_PLAIN_H
#define FSDELTA_RESULTS_PLAIN_H

#include "lib/strvec.h"
#include "results/metric.h"
#include "results/ranktest.h"
#include "results/stats.h"
#include "results/trend.h"
#include "results/verdict.h"

enum plain_order {
	PLAIN_ASSUMED,	   /* nothing is known: as if interleaved */
	PLAIN_INTERLEAVED, /* in turns, at random */
	PLAIN_PAIRED,	   /* the i-th values of all samples are block i */
	PLAIN_SEQUENTIAL,  /* one sample after the other: no difference can be told from a drift */
};

/* "assumed" "interleaved" "paired" "sequential" */
const char *plain_order_str(enum plain_order order);

struct plain_options {
	enum direction better;
	enum plain_order order;
	double delta_pct; /* smallest effect of interest, >= 0 */
	bool rate;	  /* centre = harmonic mean */
	/* What is shown on request; it is computed always and never decides. */
	bool welch, population;
	int digits;	  /* significant ones of a figure in text */
};

struct plain_sample {
	char *label;
	double *values; /* in the order given, until plain_compare(), if that does not matter */
	double *sorted; /* may be the same array */
	double *logs;	/* of sorted; only where comparing needs them */
	size_t n;
	struct stats stats;
	struct stats_median_ci median_ci;
	double q1, q3;
	double tied, step;  /* share of tied values; smallest step, NaN: none */
	struct strvec warnings; /* sentences without a full stop */
};

/* An arm against the base. */
struct plain_effect {
	double pct_median, pct_mean, pct_hmean; /* 100 * (B - A) / A; NaN = not available */
	struct ranktest test;
	struct ranktest_interval ci95;
	double p_adjusted;	 /* Holm, over all effects of the document */
	struct verdict_result verdict;
	struct stats_welch welch;
	double welch_pct, welch_lo, welch_hi; /* the same in per cent of the base's mean */
};

struct plain_row {
	char *name; /* NULL: there is only one */
	struct plain_sample *samples; /* [0] is the base */
	struct plain_effect *effects; /* [0] is not used; NULL with one sample */
	size_t n;
};

struct plain {
	struct plain_options options;
	struct plain_row *rows;
	size_t n_rows;
	size_t n_effects; /* in all rows: the tests that Holm counts */
};

struct plain *plain_new(const struct plain_options *options);
void plain_free(struct plain *p);

/* The row is @p's; it moves when another one is added. */
struct plain_row *plain_add_row(struct plain *p, const char *name);
/* Takes @values over: finite, @n > 0. */
void plain_add_sample(struct plain_row *row, const char *label, double *values, size_t n);

/*
 * Fills everything that follows from the values. 0; -EINVAL with a sentence in *@error, which the
 * caller frees, when base and arm are the same data, pairs are incomplete, or values are too
 * large to compare.
 */
int plain_compare(struct plain *p, char **error);

static inline void cleanup_plainp(struct plain **p)
{
	plain_free(*p);
}
#define __cleanup_plain __attribute__((cleanup(cleanup_plainp)))

#endif
