/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The experiments of bench-claims: simulated sessions, what is counted in them, and what
 * must come out.
 *
 * To add one: an entry in a table of claims-*.c. Its figures are sums that round() adds to,
 * divided by the number of rounds. The order of the tables is the order of the report;
 * entries with one section stand together.
 */
#ifndef FSDELTA_BENCH_EXPERIMENT_H
#define FSDELTA_BENCH_EXPERIMENT_H

#include "bench/session.h"

#define EXPERIMENT_FIGURES 4

enum bound {
	BOUND_NONE,	/* told only */
	BOUND_MOST,
	BOUND_LEAST,
};

struct figure {
	const char *what;	/* NULL = no such figure */
	enum bound bound;
	double expected;	/* per cent; the bound allows three standard errors more */
	/*
	 * When @expected was itself simulated and rounded to whole per cent: in how many
	 * sessions. 0 = it is exact.
	 */
	double simulated;
	bool number;		/* a mean number, not a rate in per cent */
};

struct tally {
	double sum[EXPERIMENT_FIGURES];
	double rows, contradictions;	/* judged; in how many p, interval and word differ */
};

struct experiment {
	const char *section;	/* a heading */
	const char *name;	/* NULL = made of the scene */
	struct scene scene;
	size_t metrics, primary;
	double width_pct;	/* of a stopping rule */
	double share;		/* of the rounds, for the slow ones; 0 = all */
	void (*round)(const struct experiment *e, gsl_rng *rng, struct tally *t);
	struct figure figures[EXPERIMENT_FIGURES];
};

struct experiment_table {
	const struct experiment *v;
	size_t n;
};

extern const struct experiment_table claims_single, claims_family, claims_stopping;
extern const struct experiment_table claims_controls;

#endif
