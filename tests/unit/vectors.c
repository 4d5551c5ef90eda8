// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#define NUMACC4 "10000000.2 then 500 times (10000000.1, 10000000.3)"
#define LCG1000 "1000+((i*7919) mod 101), i=1..1000"

struct json_object *vectors_load(const char *name)
{
	const char *dir = getenv("srcdir");
	struct json_object *obj;
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/vectors/%s", dir ? dir : ".", name);
	obj = json_object_from_file(path);
	if (!obj)
		fail_msg("cannot read %s", path);
	return obj;
}

static struct json_object *member(struct json_object *obj, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_object_get_ex(obj, key, &value))
		fail_msg("no member %s", key);
	return value;
}

void vectors_each(const char *kind, size_t count,
		  void (*check)(const char *id, struct json_object *input,
				struct json_object *expected))
{
	struct json_object *root = vectors_load("stats.json");
	struct json_object *list = member(root, "vectors");
	size_t found = 0;

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *v = json_object_array_get_idx(list, i);

		if (strcmp(json_object_get_string(member(v, "kind")), kind))
			continue;
		found++;
		check(json_object_get_string(member(v, "id")), member(v, "input"),
		      member(v, "expected"));
	}
	json_object_put(root);
	assert_int_equal(found, count);
}

static double number(struct json_object *value)
{
	return value ? json_object_get_double(value) : NAN;
}

double vec_num(struct json_object *obj, const char *key)
{
	return number(member(obj, key));
}

static double *described(const char *text, size_t *n)
{
	double *x;

	if (!strcmp(text, NUMACC4)) {
		*n = 1001;
		x = calloc(*n, sizeof(*x));
		assert_non_null(x);
		x[0] = 10000000.2;
		for (size_t i = 1; i < *n; i++)
			x[i] = i % 2 ? 10000000.1 : 10000000.3;
	} else if (!strcmp(text, LCG1000)) {
		*n = 1000;
		x = calloc(*n, sizeof(*x));
		assert_non_null(x);
		for (size_t i = 0; i < *n; i++)
			x[i] = 1000.0 + (i + 1) * 7919 % 101;
	} else {
		fail_msg("unknown sample: %s", text);
		x = NULL;
	}
	return x;
}

double *vec_array(struct json_object *obj, const char *key, size_t *n)
{
	struct json_object *list = member(obj, key);
	double *x;

	if (json_object_is_type(list, json_type_string))
		return described(json_object_get_string(list), n);

	*n = json_object_array_length(list);
	x = calloc(*n + 1, sizeof(*x));
	assert_non_null(x);
	for (size_t i = 0; i < *n; i++)
		x[i] = number(json_object_array_get_idx(list, i));
	return x;
}

int vec_decimals(struct json_object *obj, const char *key)
{
	const char *text = json_object_get_string(member(obj, key));
	const char *point = strchr(text, '.');

	return point ? (int)strspn(point + 1, "0123456789") : 0;
}

bool vec_close(double got, double want)
{
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	if (isinf(want) || isinf(got))
		return want == got;
	if (want == 0)
		return fabs(got) <= 1e-12;
	return fabs(got - want) <= 1e-9 * fabs(want);
}

void vec_expect(const char *id, const char *what, double got, double want)
{
	if (!vec_close(got, want))
		fail_msg("%s: %s is %.17g, expected %.17g", id, what, got, want);
}
