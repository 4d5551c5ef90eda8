/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-c with its quirks in one place. Readers take any object (NULL too) and say
 * whether a value of the wanted kind is there: a wrong type is "not there", never a
 * silent 0.
 */
#ifndef FSDELTA_LIB_JSON_H
#define FSDELTA_LIB_JSON_H

#include "lib/strbuf.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

static inline void cleanup_json_putp(struct json_object **o)
{
	if (*o)
		json_object_put(*o);
}

/* Drops the reference at the end of the scope. */
#define __cleanup_json __attribute__((cleanup(cleanup_json_putp)))

/* Member @key of @o; NULL when @o is no object or has none. Borrowed. */
struct json_object *json_get(struct json_object *o, const char *key);
/* Borrowed string; NULL when absent or no string. */
const char *json_get_str(struct json_object *o, const char *key);
bool json_get_u64(struct json_object *o, const char *key, uint64_t *out);
/* Any finite number, integers included. */
bool json_get_double(struct json_object *o, const char *key, double *out);
bool json_get_bool(struct json_object *o, const char *key, bool *out);
/* As a whole number without loss: integers only (an unsigned 64-bit one survives). */
bool json_as_u64(struct json_object *v, uint64_t *out);
bool json_as_double(struct json_object *v, double *out);

/* Writers. A NULL string or a number that is not finite is written as null. */
void json_set(struct json_object *o, const char *key, struct json_object *v); /* takes @v */
void json_set_str(struct json_object *o, const char *key, const char *s);
void json_set_u64(struct json_object *o, const char *key, uint64_t v);
void json_set_double(struct json_object *o, const char *key, double v);
void json_set_bool(struct json_object *o, const char *key, bool v);
/* A number that reads back as the same double (17 digits at the most), or null. */
struct json_object *json_double(double v);

/*
 * Parses one value that fills @text (white space around it allowed). NULL when it
 * is not JSON; the offset of the trouble goes to *@where when not NULL. Nesting is limited
 * to 64 levels. Refused too: invalid UTF-8, \u0000 (strings are C strings here), and whole
 * numbers that do not fit in 64 bits (nothing may become another number). The value null
 * alone is NULL as well. Let pass, since tools write them: control bytes in strings.
 */
struct json_object *json_parse(const char *text, size_t len, size_t *where);

#endif
