/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FSDELTA_RESULTS_PERCENT_H
#define FSDELTA_RESULTS_PERCENT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * 100 * (arm - base) / base. NaN ("not available") when base is 0 or a value is not
 * finite, or when the result does not fit a double.
 */
double percent_change(double base, double arm);

/* The ways in which people state a change from a to b. */
enum percent_formula {
	PERCENT_BASE,		/* 100 * (b - a) / a */
	PERCENT_SYMMETRIC,	/* 100 * (b - a) / ((a + b) / 2) */
	PERCENT_NEW,		/* 100 * (b - a) / b */
	PERCENT_RATIO,		/* b / a, "3.5 times" */
	PERCENT_FORMULAS,
};

/* "100 * (B - A) / A" ... */
const char *percent_formula_str(enum percent_formula formula);

/* NaN where the formula has no value. */
double percent_by(enum percent_formula formula, double a, double b);

/* How a formula's value became the claimed figure, the most likely first. */
enum percent_how {
	PERCENT_ROUNDED,	/* to the nearest */
	PERCENT_TRUNCATED,	/* towards 0 */
	PERCENT_INPUTS,		/* from a and b before they were rounded for print */
	PERCENT_HOWS,
};

/* "rounded" ... */
const char *percent_how_str(enum percent_how how);

struct percent_match {
	enum percent_formula formula;
	enum percent_how how;
	int decimals;		/* the digit of rounding: 1 = tenths, 0 = ones, -1 = tens */
	bool unsigned_claim;	/* only the size fits: "26 % faster" for -26 */
	double value;		/* what the formula gives for a and b as printed */
};

/* A number as it was printed; @decimals after the point, negative = not known. */
struct percent_figure {
	double value;
	int decimals;
};

/*
 * Which formulas give the figure @claim for a change from @a to @b? Fills @out, which has
 * room for PERCENT_FORMULAS, with at most one match a formula, the most likely first: with
 * the claim's sign, then at a finer digit, then by how, then by formula. Round claims
 * ("about 30 %") are tried at coarser digits too, down to tens. Returns the number of
 * matches; 0 when nothing gives this figure.
 */
size_t percent_explain(struct percent_figure a, struct percent_figure b,
		       struct percent_figure claim, struct percent_match *out);

#endif
