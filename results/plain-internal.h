/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of plain; nothing else includes it. */
#ifndef FSDELTA_RESULTS_PLAIN_INTERNAL_H
#define FSDELTA_RESULTS_PLAIN_INTERNAL_H

#include "results/plain.h"

/* From this many values on, logarithms are kept. */
#define PLAIN_MANY 1000

/* Sorts (the values themselves, unless their order is needed) and fills what one sample says. */
void plain_describe(struct plain_sample *s, bool keep_order);
/* @mde_pct: what the most telling comparison could have seen; NaN: none. */
void plain_warn(struct plain_sample *s, const struct plain_options *o, double mde_pct);

#endif
