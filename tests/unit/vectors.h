/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FSDELTA_TESTS_VECTORS_H
#define FSDELTA_TESTS_VECTORS_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/*
 * Reference values of tests/vectors/ for the unit tests. The folder is found below
 * $srcdir (set by the test driver), or below the current directory. A test that cannot read
 * its vectors fails; there is no way to skip one by accident.
 */

/* The parsed file; the caller puts it. */
struct json_object *vectors_load(const char *name);

/*
 * Call @check(id, input, expected) for each vector of stats.json whose kind is @kind.
 * Fails the test unless exactly @count were found.
 */
void vectors_each(const char *kind, size_t count,
		  void (*check)(const char *id, struct json_object *input,
				struct json_object *expected));

/* Member @key as a number; null is NaN, a missing member fails the test. */
double vec_num(struct json_object *obj, const char *key);

/*
 * Member @key as numbers (null is NaN), to be freed by the caller. The two samples that
 * stats.json describes in words are built here.
 */
double *vec_array(struct json_object *obj, const char *key, size_t *n);

/* Digits after the point in the way the file spells the number. */
int vec_decimals(struct json_object *obj, const char *key);

/* Equal to 1e-9 relative (1e-12 absolute for a wanted 0), or both NaN, or both the same infinity. */
bool vec_close(double got, double want);

/* Fail with @id and @what when not vec_close(). */
void vec_expect(const char *id, const char *what, double got, double want);

#endif
