// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/json.h"

#include "lib/mem.h"

#include <limits.h>
#include <math.h>
#include <string.h>

struct json_object *json_get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (!o || !json_object_is_type(o, json_type_object))
		return NULL;
	json_object_object_get_ex(o, key, &v);
	return v;
}

const char *json_get_str(struct json_object *o, const char *key)
{
	struct json_object *v = json_get(o, key);

	return v && json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

bool json_as_u64(struct json_object *v, uint64_t *out)
{
	if (!v || !json_object_is_type(v, json_type_int))
		return false;
	/* get_uint64() turns a negative number into 0; get_int64() saturates. */
	if (json_object_get_int64(v) < 0)
		return false;
	*out = json_object_get_uint64(v);
	return true;
}

bool json_as_double(struct json_object *v, double *out)
{
	double d;

	if (!v)
		return false;
	if (!json_object_is_type(v, json_type_double) && !json_object_is_type(v, json_type_int))
		return false;
	d = json_object_get_double(v);
	if (!isfinite(d))
		return false;
	*out = d;
	return true;
}

bool json_get_u64(struct json_object *o, const char *key, uint64_t *out)
{
	return json_as_u64(json_get(o, key), out);
}

bool json_get_double(struct json_object *o, const char *key, double *out)
{
	return json_as_double(json_get(o, key), out);
}

bool json_get_bool(struct json_object *o, const char *key, bool *out)
{
	struct json_object *v = json_get(o, key);

	if (!v || !json_object_is_type(v, json_type_boolean))
		return false;
	*out = json_object_get_boolean(v);
	return true;
}

void json_set(struct json_object *o, const char *key, struct json_object *v)
{
	json_object_object_add(o, key, v);
}

void json_set_str(struct json_object *o, const char *key, const char *s)
{
	json_set(o, key, s ? json_object_new_string(s) : NULL);
}

void json_set_u64(struct json_object *o, const char *key, uint64_t v)
{
	json_set(o, key, json_object_new_uint64(v));
}

struct json_object *json_double(double v)
{
	char buf[32];

	if (!isfinite(v))
		return NULL;
	/* The shortest text that reads back as the same number. */
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	/* A double must look like one when read back. */
	if (!strpbrk(buf, ".e"))
		snprintf(buf, sizeof(buf), "%.1f", v);
	return json_object_new_double_s(v, buf);
}

void json_set_double(struct json_object *o, const char *key, double v)
{
	json_set(o, key, json_double(v));
}

void json_set_bool(struct json_object *o, const char *key, bool v)
{
	json_set(o, key, json_object_new_boolean(v));
}

/* Only white space from @at to the end? */
static bool only_space(const char *text, size_t at, size_t len)
{
	while (at < len && strchr(" \t\r\n", text[at]) && text[at])
		at++;
	return at == len;
}

struct json_object *json_parse(const char *text, size_t len, size_t *where)
{
	struct json_tokener *tok;
	struct json_object *o = NULL;
	size_t at = 0;

	if (len > INT_MAX)
		return NULL;
	tok = json_tokener_new_ex(64);
	if (!tok)
		return NULL;
	json_tokener_set_flags(tok, JSON_TOKENER_VALIDATE_UTF8 | JSON_TOKENER_STRICT |
					    JSON_TOKENER_ALLOW_TRAILING_CHARS);
	o = json_tokener_parse_ex(tok, text, (int)len);
	/* A bare number needs a terminator before the tokener believes it is whole. */
	if (!o && json_tokener_get_error(tok) == json_tokener_continue)
		o = json_tokener_parse_ex(tok, " ", 1);
	at = json_tokener_get_parse_end(tok);
	if (o && at <= len && !only_space(text, at, len)) {
		json_object_put(o);
		o = NULL;
	}
	if (where)
		*where = at;
	json_tokener_free(tok);
	return o;
}
