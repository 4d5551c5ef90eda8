/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of plain numbers and their comparison, for people and as JSON. */
#ifndef FSDELTA_REPORTS_PLAIN_H
#define FSDELTA_REPORTS_PLAIN_H

#include "lib/strbuf.h"
#include "results/plain.h"

/* Printable ASCII, at most LAYOUT_WIDTH columns. */
void plain_text(const struct plain *p, bool colour, struct strbuf *out);

/* One document, schema "fsdelta-stats/1". What does not exist is null. */
void plain_json(const struct plain *p, struct strbuf *out);

/*
 * A picture of samples on one axis, one line each: the more values, the denser the sign
 * (. : + #), '[' and ']' at the quartiles, '|' at the median. Labels are cut to @label_width.
 */
struct layout;
void plain_strips(const struct plain_row *row, struct layout *l);

/* @digits significant digits without exponent where possible; "-" for NaN; the caller frees. */
char *plain_figure(double v, int digits);

#endif
