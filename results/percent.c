// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/percent.h"

#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"

/* Coarsest digit at which a claim is tried: "about 30 %". */
#define COARSEST (-1)

static const char *const formula_texts[] = {
	[PERCENT_BASE] = "100 * (B - A) / A",
	[PERCENT_SYMMETRIC] = "100 * (B - A) / ((A + B) / 2)",
	[PERCENT_NEW] = "100 * (B - A) / B",
	[PERCENT_RATIO] = "B / A",
};

static const char *const how_texts[] = {
	[PERCENT_ROUNDED] = "rounded",
	[PERCENT_TRUNCATED] = "truncated",
	[PERCENT_INPUTS] = "from figures before they were rounded",
};

const char *percent_formula_str(enum percent_formula formula)
{
	return formula_texts[formula];
}

const char *percent_how_str(enum percent_how how)
{
	return how_texts[how];
}

static double finite_or_nan(double x)
{
	return isfinite(x) ? x : NAN;
}

double percent_change(double base, double arm)
{
	return percent_by(PERCENT_BASE, base, arm);
}

double percent_by(enum percent_formula formula, double a, double b)
{
	if (!isfinite(a) || !isfinite(b))
		return NAN;
	switch (formula) {
	case PERCENT_BASE:
		return finite_or_nan(100 * ((b - a) / a));
	case PERCENT_SYMMETRIC:
		return finite_or_nan(100 * ((b - a) / (0.5 * a + 0.5 * b)));
	case PERCENT_NEW:
		return finite_or_nan(100 * ((b - a) / b));
	case PERCENT_RATIO:
		return finite_or_nan(b / a);
	case PERCENT_FORMULAS:
		break;
	}
	return NAN;
}

/* Slack for values that are decimal numbers only on paper. */
static double slack(double value)
{
	return 1e-9 * (fabs(value) + 1);
}

static bool rounds_to(double value, double claim, double unit)
{
	return fabs(value - claim) <= 0.5 * unit + slack(value);
}

static bool truncates_to(double value, double claim, double unit)
{
	double cut = fabs(value) - fabs(claim);

	return (claim == 0 || value * claim > 0) && cut >= -slack(value) &&
	       cut < unit - slack(value);
}

/* What @formula can give when a and b are anything that prints as @a and @b. */
static bool inputs_reach(enum percent_formula formula, struct percent_figure a,
			 struct percent_figure b, double claim, double unit)
{
	double ha = 0.5 * pow(10, -a.decimals), hb = 0.5 * pow(10, -b.decimals);
	double least = INFINITY, most = -INFINITY;

	/* Each formula is monotone in a and in b while neither changes its sign. */
	if (a.decimals < 0 || b.decimals < 0 || fabs(a.value) <= ha || fabs(b.value) <= hb)
		return false;
	for (int corner = 0; corner < 4; corner++) {
		double value = percent_by(formula, a.value + (corner & 1 ? ha : -ha),
					  b.value + (corner & 2 ? hb : -hb));

		if (isnan(value))
			return false;
		least = fmin(least, value);
		most = fmax(most, value);
	}
	return least <= claim + 0.5 * unit && most >= claim - 0.5 * unit;
}

static bool is_round(double claim, double unit)
{
	return fabs(claim / unit - round(claim / unit)) < 1e-6;
}

/* The finest digit, and for it the first way, that turns @m->value into @claim. */
static bool match_claim(struct percent_figure a, struct percent_figure b, double claim,
			int decimals, struct percent_match *m)
{
	int coarsest = claim == 0 || decimals < COARSEST ? decimals : COARSEST;

	for (m->decimals = decimals; m->decimals >= coarsest; m->decimals--) {
		double unit = pow(10, -m->decimals);

		if (m->decimals < decimals && !is_round(claim, unit))
			return false;
		m->how = PERCENT_ROUNDED;
		if (rounds_to(m->value, claim, unit))
			return true;
		m->how = PERCENT_TRUNCATED;
		if (truncates_to(m->value, claim, unit))
			return true;
		m->how = PERCENT_INPUTS;
		if (m->decimals == decimals && inputs_reach(m->formula, a, b, claim, unit))
			return true;
	}
	return false;
}

static int likelier(const void *a, const void *b)
{
	const struct percent_match *x = a, *y = b;

	if (x->unsigned_claim != y->unsigned_claim)
		return x->unsigned_claim ? 1 : -1;
	if (x->decimals != y->decimals)
		return x->decimals > y->decimals ? -1 : 1;
	if (x->how != y->how)
		return x->how < y->how ? -1 : 1;
	return (x->formula > y->formula) - (x->formula < y->formula);
}

size_t percent_explain(struct percent_figure a, struct percent_figure b,
		       struct percent_figure claim, struct percent_match *out)
{
	int decimals = claim.decimals < 0 ? 0 : claim.decimals;
	size_t n = 0;

	if (!isfinite(claim.value))
		return 0;
	for (int formula = 0; formula < PERCENT_FORMULAS; formula++) {
		struct percent_match m = { .formula = formula };

		m.value = percent_by(formula, a.value, b.value);
		if (isnan(m.value))
			continue;
		if (match_claim(a, b, claim.value, decimals, &m)) {
			out[n++] = m;
			continue;
		}
		m.unsigned_claim = true;
		if (formula != PERCENT_RATIO && claim.value != 0 &&
		    match_claim(a, b, -claim.value, decimals, &m))
			out[n++] = m;
	}
	qsort(out, n, sizeof(*out), likelier);
	return n;
}
