/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many tests at once. A p that is NaN (not testable) stays NaN and does not count as a
 * test; ties get equal adjusted values; order of the input is kept. @adjusted may be @p.
 */
#ifndef FSDELTA_RESULTS_MULTIPLE_H
#define FSDELTA_RESULTS_MULTIPLE_H

#include <stddef.h>

/*
 * Holm: bounds the chance of even one false claim in the family. For the metrics declared
 * primary before the run; they alone decide the exit status.
 */
void multiple_holm(const double *p, size_t n, double *adjusted);

/* Benjamini and Hochberg: bounds the share of false claims. For all the others. */
void multiple_bh(const double *p, size_t n, double *adjusted);

/*
 * The level at which a row's own test decides like the adjusted one: p <= level exactly when
 * p_adj <= alpha. An interval at confidence 1 - level then agrees with the verdict. NaN when
 * p or p_adj is.
 */
double multiple_level(double p, double p_adj, double alpha);

#endif
