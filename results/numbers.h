/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain numbers as people keep and paste them. Pure: bytes in, named series out.
 *
 *   one number a line, or columns:     rows, each behind its name:
 *
 *     real  sys                          - before 35993 35712 35369
 *     80    78      # a comment          - after 32968 33146
 *     63    62                             32996
 *
 * Numbers are set apart by blanks or by one comma or semicolon. The first line decides. Starts
 * it with a number, or is it nothing but names (a heading), then lines are rows of a table and
 * all have as many numbers; but a single line of numbers is one series. Starts it with a name
 * that numbers follow, then a series lasts until the next name, over line ends too; a name is
 * one or more words at the start of a line (behind a bullet "-" or "*") or behind a comma.
 *
 * A number is decimal, finite and not rounded to 0. Anything else is named and nothing skipped.
 */
#ifndef FSDELTA_RESULTS_NUMBERS_H
#define FSDELTA_RESULTS_NUMBERS_H

#include "lib/strvec.h"

#include <stdbool.h>
#include <stddef.h>

struct number_series {
	char *name; /* NULL: it has none */
	double *v;
	size_t n;   /* never 0 after numbers_parse() */
	size_t cap; /* for the reader */
};

struct numbers {
	struct number_series *series;
	size_t n;
};

#define NUMBERS_INIT { NULL, 0 }
#define NUMBERS_MISTAKES_MAX 10

/*
 * Appends the series of @text to the empty @out. 0; -EINVAL when something is wrong: @mistakes then
 * has up to NUMBERS_MISTAKES_MAX sentences "LINE:COLUMN: 'text' ...", counted in bytes
 * from 1, and @out is empty. No series at all is a mistake.
 */
int numbers_parse(const char *text, size_t len, bool no_negative, struct numbers *out,
		  struct strvec *mistakes);

/*
 * The same for one column of a table whose other columns may hold anything: @column is a
 * name in the first line, or a position from 1 (then a first line without a number there is a
 * heading). @out gets one series.
 */
int numbers_parse_column(const char *text, size_t len, const char *column, bool no_negative,
			 struct numbers *out, struct strvec *mistakes);

void numbers_release(struct numbers *n);

/* By name, else by position from 1; NULL when there is none. */
struct number_series *numbers_find(const struct numbers *n, const char *column);

/*
 * The double nearest to the @len bytes at @s: exactly what strtod() gives, but fast for
 * up to 15 digits. NULL, or why this is not a number ("is not finite").
 */
const char *number_parse(const char *s, size_t len, double *out);

#endif
