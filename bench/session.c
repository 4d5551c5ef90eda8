// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/session.h"

#include <math.h>

#include <gsl/gsl_randist.h>

#define RUNS (2 * SESSION_UNITS)
#define RHO 0.7

static const char *const noise_names[] = {
	[NOISE_LN1] = "LN1",
	[NOISE_LN3] = "LN3",
	[NOISE_LN10] = "LN10",
	[NOISE_BIMODAL] = "BIMODAL",
	[NOISE_OUTLIER] = "OUTLIER",
	[NOISE_DRIFT] = "DRIFT",
	[NOISE_AR1] = "AR1",
	[NOISE_COARSE] = "COARSE",
};

const char *noise_str(enum noise kind)
{
	return noise_names[kind];
}

double scene_shift(const struct scene *scene)
{
	return log1p(scene->effect);
}

static double variation(enum noise kind)
{
	switch (kind) {
	case NOISE_LN10:
		return 0.10;
	case NOISE_LN3:
	case NOISE_AR1:
		return 0.03;
	default:
		return 0.01;
	}
}

/* From @n standard normal numbers to the factors of @n runs, in place. */
static void make_noise(gsl_rng *rng, enum noise kind, double *x, size_t n)
{
	double sigma = sqrt(log1p(variation(kind) * variation(kind)));
	double drift = gsl_rng_uniform(rng) < 0.5 ? -0.03 : 0.03;

	for (size_t i = 1; i < n && kind == NOISE_AR1; i++)
		x[i] = RHO * x[i - 1] + sqrt(1 - RHO * RHO) * x[i];
	for (size_t i = 0; i < n; i++) {
		x[i] = exp(sigma * x[i]);
		if (kind == NOISE_BIMODAL && gsl_rng_uniform(rng) < 0.3)
			x[i] *= 1.08;
		else if (kind == NOISE_OUTLIER && gsl_rng_uniform(rng) < 0.05)
			x[i] *= 1 + gsl_ran_exponential(rng, 0.3);
		else if (kind == NOISE_DRIFT)
			x[i] *= 1 + drift * i / (n - 1.0);
	}
}

/* Runs of each arm in a full block. */
static size_t block_share(const struct scene *scene)
{
	switch (scene->order) {
	case ORDER_DEFAULT:
		return scene->units < 10 ? 2 : 1;
	case ORDER_PAIRS:
		return 1;
	case ORDER_FOURS:
		return 2;
	default:
		return scene->units;
	}
}

/* Which arm each run is of, and the blocks of the units. */
static void draw_order(gsl_rng *rng, const struct scene *scene, struct session *s,
		       unsigned char *arm)
{
	size_t full = block_share(scene), unit = 0;

	for (uint64_t block = 0; unit < s->units; block++) {
		size_t share = s->units - unit < full ? s->units - unit : full;
		unsigned char *first = arm + 2 * unit;

		for (size_t i = 0; i < 2 * share; i++)
			first[i] = i >= share;
		if (scene->order != ORDER_SEQUENTIAL)
			gsl_ran_shuffle(rng, first, 2 * share, sizeof(*first));
		for (size_t i = 0; i < share; i++)
			s->block[0][unit + i] = s->block[1][unit + i] = block;
		unit += share;
	}
}

static void fill_metric(const struct scene *scene, struct session *s, size_t metric,
			const unsigned char *arm, const double *factor)
{
	enum noise kind = scene->mixed ? metric % NOISE_KINDS : scene->noise;
	double effect = s->metrics == 1 || metric < scene->changed ? scene->effect : 0;
	size_t next[2] = { 0, 0 };

	for (size_t i = 0; i < 2 * s->units; i++) {
		double value = 100 * factor[i] * (arm[i] ? 1 + effect : 1);

		if (kind == NOISE_COARSE)
			value = round(value);
		s->value[metric][arm[i]][next[arm[i]]++] = value;
	}
}

void session_draw(gsl_rng *rng, const struct scene *scene, size_t metrics, struct session *s)
{
	double common[RUNS], x[RUNS];
	double together = sqrt(scene->correlation), apart = sqrt(1 - scene->correlation);
	unsigned char arm[RUNS];

	s->metrics = metrics;
	s->units = scene->units;
	s->blocked = scene->order != ORDER_SEQUENTIAL;
	draw_order(rng, scene, s, arm);
	for (size_t i = 0; i < 2 * s->units; i++)
		common[i] = together > 0 ? gsl_ran_gaussian_ziggurat(rng, 1) : 0;
	for (size_t m = 0; m < metrics; m++) {
		enum noise kind = scene->mixed ? m % NOISE_KINDS : scene->noise;

		for (size_t i = 0; i < 2 * s->units; i++)
			x[i] = together * common[i] + apart * gsl_ran_gaussian_ziggurat(rng, 1);
		make_noise(rng, kind, x, 2 * s->units);
		fill_metric(scene, s, m, arm, x);
	}
}

struct ranktest_input session_input(const struct session *s, size_t metric, size_t units)
{
	return (struct ranktest_input) {
		.base = { s->value[metric][0], s->blocked ? s->block[0] : NULL, units },
		.arm = { s->value[metric][1], s->blocked ? s->block[1] : NULL, units },
	};
}
