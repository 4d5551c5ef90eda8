/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulated session: the random order of a plan, and the values of its runs. Noise is
 * multiplicative, and laid over the runs in the order in which they were executed.
 */
#ifndef FSDELTA_BENCH_SESSION_H
#define FSDELTA_BENCH_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_rng.h>

#include "results/ranktest.h"

#define SESSION_UNITS 40	/* a side, at most */
#define SESSION_METRICS 20

enum noise {
	NOISE_LN1,	/* lognormal, coefficient of variation 1 % */
	NOISE_LN3,
	NOISE_LN10,
	NOISE_BIMODAL,	/* 1 %, and 30 % of the runs slower by 8 % */
	NOISE_OUTLIER,	/* 1 %, and 5 % of the runs times 1 + Exp(mean 0.3) */
	NOISE_DRIFT,	/* 1 %, and linearly up or down by 3 % over the session */
	NOISE_AR1,	/* 3 %, autocorrelated over the order of the runs with 0.7 */
	NOISE_COARSE,	/* 1 %, read from a clock with steps of 1 %: many ties */
	NOISE_KINDS,
};

const char *noise_str(enum noise kind);

/* How the runs of both arms are ordered. */
enum order {
	/* The default: pairs from 10 units a side on, two of each arm in a block below. */
	ORDER_DEFAULT,
	ORDER_PAIRS,
	ORDER_FOURS,
	ORDER_SEQUENTIAL,	/* all of the base, then all of the arm; no blocks */
};

struct scene {
	enum noise noise;
	enum order order;
	size_t units;		/* a side, 1 .. SESSION_UNITS */
	double effect;		/* the arm's values are 1 + effect times as large */
	/* Of several metrics only: */
	bool mixed;		/* metric i has noise i modulo NOISE_KINDS */
	double correlation;	/* between the normal numbers behind any two of them */
	size_t changed;		/* the first ones have the effect, the others none */
};

struct session {
	size_t metrics, units;
	bool blocked;
	uint64_t block[2][SESSION_UNITS];	/* base, arm */
	double value[SESSION_METRICS][2][SESSION_UNITS];
};

/* Makes @s anew from @rng: one metric with the effect, or @metrics of them. */
void session_draw(gsl_rng *rng, const struct scene *scene, size_t metrics, struct session *s);

/* The first @units of both sides, as a test takes them; borrowed from @s. */
struct ranktest_input session_input(const struct session *s, size_t metric, size_t units);

/* The true difference as the estimate of a test has it: a shift of logarithms. */
double scene_shift(const struct scene *scene);

#endif
