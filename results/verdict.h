/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One word for one row of a comparison. The figures come from ranktest and multiple; this
 * decides, and says what the samples could have shown.
 */
#ifndef FSDELTA_RESULTS_VERDICT_H
#define FSDELTA_RESULTS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "results/metric.h"

/* Below this many units a side there is no interval worth the name, hence no verdict. */
#define VERDICT_MIN_UNITS 6
#define VERDICT_ALPHA 0.05

enum verdict {
	VERDICT_MISSING,	/* on one side only: never a pass */
	VERDICT_UNTESTABLE,	/* too few units for any verdict */
	VERDICT_UNSURE,		/* none of the others */
	VERDICT_SAME,		/* the difference is inside the smallest effect of interest */
	VERDICT_SMALL,		/* real, but smaller than that: never fails a build */
	VERDICT_LOWER,		/* real, of a metric without a good side */
	VERDICT_HIGHER,
	VERDICT_REGRESSED,
	VERDICT_IMPROVED,
};

const char *verdict_str(enum verdict v);		/* "MISSING" "UNTESTABLE" ... */
int verdict_parse(const char *s, enum verdict *out);	/* 0 or -EINVAL */

/* What stands behind a word that could surprise. */
enum verdict_why {
	VERDICT_WHY_NONE,
	VERDICT_WHY_ONE_UNIT,	/* one measurement: nothing can be said about noise */
	VERDICT_WHY_FEW_UNITS,
	VERDICT_WHY_PLAN,	/* not even the clearest result would be significant */
	VERDICT_WHY_NO_TEST,	/* there is no p: no block has both sides */
	VERDICT_WHY_LOSS,	/* too many failed, or unevenly: survivors only */
	VERDICT_WHY_ONE_BOOT,	/* a difference between these two boots */
	VERDICT_WHY_SESSIONS,	/* a difference between these two sessions */
	VERDICT_WHY_NOISE,	/* not significant, and the interval is too wide for SAME */
	VERDICT_WHY_SIZE,	/* significant, but perhaps below the effect of interest */
	VERDICT_WHY_NO_PERCENT,	/* the base is 0: any change is beyond per cent */
};

/* A sentence without full stop; "" for VERDICT_WHY_NONE. */
const char *verdict_why_str(enum verdict_why why);

struct verdict_interval {
	double lo, hi;		/* per cent; NaN = not available, infinite = no bound */
};

struct verdict_input {
	size_t n_base, n_arm;	/* units in the test; 0 = the side is missing */
	enum direction better;
	double delta_pct;	/* smallest effect of interest, >= 0 */
	double alpha;		/* VERDICT_ALPHA, or less after a look at the data */

	double shift;		/* arm - base, test scale: its sign is the direction */
	double pct;		/* the estimate; NaN when there is no per cent */
	double p, p_adj;	/* p_adj == p without a family */
	double p_min;		/* the smallest the plan can reach */
	struct verdict_interval ci95, ci90;	/* not adjusted; ci90 at 1 - 2 * alpha */
	struct verdict_interval ci_adj;		/* at 1 - multiple_level(p, p_adj, alpha) */
	struct verdict_interval ci_alpha;	/* at 1 - alpha: ci95 unless alpha is lower */

	bool all_equal;		/* every value of both sides is the same number */
	bool exact;		/* cannot vary (exact mode): the difference decides, no test */
	bool loss;		/* data_loss() forbids a verdict */
	bool sequential;	/* one side after the other, not interleaved */
	bool one_boot;		/* the arms are kernels, and a side was booted once only */
	size_t boots_base, boots_arm;	/* with one_boot and boot_noise_pct: >= 1 */
	double boot_noise_pct;	/* sd between boots of one kernel; NaN = not known */
};

struct verdict_result {
	enum verdict word;
	enum verdict_why why;
	/* 95 %, not adjusted; wider than the input's when boot noise was added. */
	struct verdict_interval ci95;
	struct verdict_interval ci_alpha; /* likewise */
	/*
	 * The difference that a test of this noise and size finds in 80 % of runs:
	 * (z(1 - alpha / 2) + z.8) / z.975 half widths of the 95 % interval. NaN without an
	 * interval.
	 */
	double mde_pct;
	/*
	 * Units a side at which mde_pct would be delta_pct; for UNTESTABLE the units, and
	 * for one boot the boots, that any verdict needs. NaN = not known.
	 */
	double n_needed;
};

void verdict_decide(const struct verdict_input *in, struct verdict_result *out);

/*
 * Before a run: the difference that @n units a side find with probability @power when the
 * relative deviation is @cv_pct: (t(1 - alpha/2) + t(power)) * cv * sqrt(2 / n), with 2n - 2
 * degrees of freedom; good to 2 % from n = 5. NaN for n < 2.
 */
double verdict_mde_planned(size_t n, double cv_pct, double alpha, double power);

#endif
