// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/verdict.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "lib/mem.h"
#include "results/multiple.h"

#define POWER 0.8

static const char *const verdict_names[] = {
	[VERDICT_MISSING] = "MISSING",
	[VERDICT_UNTESTABLE] = "UNTESTABLE",
	[VERDICT_UNSURE] = "UNSURE",
	[VERDICT_SAME] = "SAME",
	[VERDICT_SMALL] = "SMALL",
	[VERDICT_LOWER] = "LOWER",
	[VERDICT_HIGHER] = "HIGHER",
	[VERDICT_REGRESSED] = "REGRESSED",
	[VERDICT_IMPROVED] = "IMPROVED",
};

static const char *const why_texts[] = {
	[VERDICT_WHY_NONE] = "",
	[VERDICT_WHY_ONE_UNIT] = "one measurement a side says nothing about noise",
	[VERDICT_WHY_FEW_UNITS] = "too few units a side",
	[VERDICT_WHY_PLAN] = "no result of this plan could be significant",
	[VERDICT_WHY_NO_TEST] = "no block has both sides",
	[VERDICT_WHY_LOSS] = "too many units were lost, or more on one side",
	[VERDICT_WHY_ONE_BOOT] = "between these two boots",
	[VERDICT_WHY_SESSIONS] = "between these two sessions",
	[VERDICT_WHY_NOISE] = "too noisy for this many units",
	[VERDICT_WHY_SIZE] = "size uncertain",
	[VERDICT_WHY_NO_PERCENT] = "the base is 0",
};

const char *verdict_str(enum verdict v)
{
	return verdict_names[v];
}

int verdict_parse(const char *s, enum verdict *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(verdict_names); i++) {
		if (!strcmp(s, verdict_names[i])) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *verdict_why_str(enum verdict_why why)
{
	return why_texts[why];
}

/* The figures that decide, after boot noise was added. */
struct figures {
	struct verdict_interval ci95, ci90, ci_adj, ci_alpha;
};

static bool inside(struct verdict_interval ci, double delta)
{
	return ci.lo >= -delta && ci.hi <= delta;
}

static bool beyond(struct verdict_interval ci, double delta)
{
	return ci.lo >= delta || ci.hi <= -delta;
}

/* Independent errors add in squares, on each side of the estimate. */
static struct verdict_interval widen(struct verdict_interval ci, double pct, double half)
{
	return (struct verdict_interval) {
		.lo = pct - hypot(pct - ci.lo, half),
		.hi = pct + hypot(ci.hi - pct, half),
	};
}

static bool boot_noise_known(const struct verdict_input *in)
{
	return isfinite(in->boot_noise_pct) && in->boots_base && in->boots_arm &&
	       isfinite(in->pct);
}

static struct figures take_figures(const struct verdict_input *in)
{
	struct figures f = { in->ci95, in->ci90, in->ci_adj, in->ci_alpha };
	double level = multiple_level(in->p, in->p_adj, in->alpha), sd;

	if (!in->one_boot || !boot_noise_known(in))
		return f;
	sd = in->boot_noise_pct * sqrt(1.0 / in->boots_base + 1.0 / in->boots_arm);
	f.ci95 = widen(f.ci95, in->pct, sd * gsl_cdf_ugaussian_Qinv(0.025));
	f.ci90 = widen(f.ci90, in->pct, sd * gsl_cdf_ugaussian_Qinv(in->alpha));
	f.ci_alpha = widen(f.ci_alpha, in->pct, sd * gsl_cdf_ugaussian_Qinv(in->alpha / 2));
	if (level > 0)
		f.ci_adj = widen(f.ci_adj, in->pct, sd * gsl_cdf_ugaussian_Qinv(level / 2));
	return f;
}

static enum verdict directed(const struct verdict_input *in, double sign)
{
	if (in->better == BETTER_NEUTRAL)
		return sign < 0 ? VERDICT_LOWER : VERDICT_HIGHER;
	return (sign < 0) == (in->better == BETTER_LOWER) ? VERDICT_IMPROVED : VERDICT_REGRESSED;
}

/* The word for a difference that is real. */
static void decide_real(const struct verdict_input *in, const struct figures *f,
			struct verdict_result *out)
{
	double sign = isnan(in->shift) ? in->pct : in->shift;

	if (isnan(sign)) {
		out->word = VERDICT_UNSURE;
		out->why = VERDICT_WHY_NO_TEST;
	} else if (sign == 0) {
		out->word = VERDICT_SMALL;
	} else if (isnan(in->pct)) {
		out->word = directed(in, sign);
		out->why = VERDICT_WHY_NO_PERCENT;
	} else if (fabs(in->pct) >= in->delta_pct) {
		out->word = directed(in, sign);
		if (!in->exact && !beyond(f->ci_adj, in->delta_pct))
			out->why = VERDICT_WHY_SIZE;
	} else {
		out->word = VERDICT_SMALL;
	}
}

static void decide_by_test(const struct verdict_input *in, const struct figures *f,
			   struct verdict_result *out)
{
	/* Both must say so: boot noise widens the interval and leaves p as it is. */
	bool open = f->ci_adj.lo < 0 && f->ci_adj.hi > 0;

	if (in->p_adj <= in->alpha && !open) {
		decide_real(in, f, out);
	} else if (inside(f->ci90, in->delta_pct)) {
		out->word = VERDICT_SAME;
	} else {
		out->word = VERDICT_UNSURE;
		out->why = VERDICT_WHY_NOISE;
	}
}

/* Too little of anything for a test: the reason, else VERDICT_WHY_NONE. */
static enum verdict_why untestable(const struct verdict_input *in)
{
	if (isnan(in->p) || isnan(in->p_adj))
		return VERDICT_WHY_NO_TEST;
	if (in->n_base == 1 && in->n_arm == 1)
		return VERDICT_WHY_ONE_UNIT;
	if (in->n_base < VERDICT_MIN_UNITS || in->n_arm < VERDICT_MIN_UNITS)
		return VERDICT_WHY_FEW_UNITS;
	return in->p_min > in->alpha ? VERDICT_WHY_PLAN : VERDICT_WHY_NONE;
}

/* What makes any word but UNSURE unfounded, whatever the figures are. */
static enum verdict_why unfounded(const struct verdict_input *in)
{
	if (in->loss)
		return VERDICT_WHY_LOSS;
	if (in->one_boot && !boot_noise_known(in))
		return VERDICT_WHY_ONE_BOOT;
	return in->sequential ? VERDICT_WHY_SESSIONS : VERDICT_WHY_NONE;
}

/* p_min falls by a constant factor a unit: how many units bring it to alpha. */
static double units_for_plan(const struct verdict_input *in)
{
	size_t n = in->n_base < in->n_arm ? in->n_base : in->n_arm;
	double needed = VERDICT_MIN_UNITS;

	if (in->p_min > in->alpha && in->p_min < 1)
		needed = ceil(n * log(in->alpha / 2) / log(in->p_min / 2));
	return fmax(needed, VERDICT_MIN_UNITS);
}

static void detectable(const struct verdict_input *in, const struct figures *f,
		       struct verdict_result *out)
{
	double se = 0.5 * (f->ci95.hi - f->ci95.lo) / gsl_cdf_ugaussian_Qinv(0.025);
	double n = 2 / (1.0 / in->n_base + 1.0 / in->n_arm);
	double ratio;

	if (!isfinite(se))
		return;
	out->mde_pct = se * (gsl_cdf_ugaussian_Qinv(in->alpha / 2) +
			     gsl_cdf_ugaussian_Pinv(POWER));
	ratio = out->mde_pct / in->delta_pct;
	/* More iterations of the same two boots would not lower the boot noise. */
	if (isfinite(ratio) && !in->one_boot)
		out->n_needed = fmax(VERDICT_MIN_UNITS, ceil(n * ratio * ratio));
}

void verdict_decide(const struct verdict_input *in, struct verdict_result *out)
{
	struct figures f = take_figures(in);
	enum verdict_why why;

	*out = (struct verdict_result) {
		.word = VERDICT_MISSING, .ci95 = f.ci95, .ci_alpha = f.ci_alpha,
		.mde_pct = NAN, .n_needed = NAN,
	};
	if (!in->n_base || !in->n_arm)
		return;

	if (in->exact) {
		out->word = VERDICT_SAME;
		if (in->shift != 0)
			decide_real(in, &f, out);
		return;
	}

	why = untestable(in);
	if (why != VERDICT_WHY_NONE) {
		out->word = VERDICT_UNTESTABLE;
		out->why = why;
		out->n_needed = units_for_plan(in);
		return;
	}

	detectable(in, &f, out);
	why = unfounded(in);
	if (why != VERDICT_WHY_NONE) {
		out->word = VERDICT_UNSURE;
		out->why = why;
		if (why == VERDICT_WHY_ONE_BOOT)
			out->n_needed = VERDICT_MIN_UNITS;
	} else if (in->all_equal) {
		out->word = VERDICT_SAME;
	} else {
		decide_by_test(in, &f, out);
	}
}

double verdict_mde_planned(size_t n, double cv_pct, double alpha, double power)
{
	double df = 2.0 * n - 2;

	if (n < 2)
		return NAN;
	return (gsl_cdf_tdist_Qinv(alpha / 2, df) + gsl_cdf_tdist_Pinv(power, df)) *
	       cv_pct * sqrt(2.0 / n);
}
