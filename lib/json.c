// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/json.h"

#include "lib/mem.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define DEPTH_MAX 64

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

static bool reads_back(double v, int digits)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%.*e", digits - 1, v);
	return strtod(buf, NULL) == v;
}

/*
 * The fewest digits, six at least, that read back as @v. Numbers of DBL_DIG digits survive
 * being doubles, so if so many do, what is left of them without zeros at the end is the
 * shortest. Very small numbers have fewer.
 */
static int digits_of(double v)
{
	char buf[32];
	int digits = 6;

	if (fabs(v) >= DBL_MIN) {
		snprintf(buf, sizeof(buf), "%.*e", DBL_DIG - 1, v);
		digits = DBL_DIG;
		if (strtod(buf, NULL) == v) {
			const char *end = strchr(buf, 'e');

			while (digits > 6 && *--end == '0')
				digits--;
			return digits;
		}
		digits++;
	}
	while (digits < DBL_DECIMAL_DIG && !reads_back(v, digits))
		digits++;
	return digits;
}

struct json_object *json_double(double v)
{
	char buf[32];

	if (!isfinite(v))
		return NULL;
	/* The shortest text that reads back as the same number. */
	snprintf(buf, sizeof(buf), "%.*g", digits_of(v), v);
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

/* Bytes of the character at @s, 0 when it is not UTF-8. RFC 3629, section 4. */
static size_t utf8_len(const unsigned char *s, size_t len)
{
	size_t n = *s < 0x80 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;

	if (n > len || (*s >= 0x80 && *s < 0xc2) || *s > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Longer than needed, a surrogate, beyond U+10FFFF. */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/* Bytes of the string at @s, quotes included; 0: bad. */
static size_t string_len(const char *s, size_t len)
{
	size_t at = 1, n;

	while (at < len && s[at] != '"') {
		if (!s[at] || (s[at] == '\\' && len - at > 5 && !memcmp(s + at, "\\u0000", 6)))
			return 0;
		if (s[at] == '\\' && at + 1 < len)
			at++;
		n = utf8_len((const unsigned char *)s + at, len - at);
		if (!n)
			return 0;
		at += n;
	}
	return at < len ? at + 1 : at;
}

/* Outside strings and numbers. */
static bool is_bad(char c)
{
	return c == '\0' || c == 'N' || c == 'I' || c == '\'';
}

static bool is_of_fraction(char c)
{
	return c == '.' || c == 'e' || c == 'E';
}

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '+' || c == '-' || is_of_fraction(c);
}

/* Bytes of the number at @s; 0 when it is whole and does not fit in 64 bits. */
static size_t number_len(const char *s, size_t len)
{
	char buf[24] = "";
	bool whole = true;
	size_t n = 0;

	for (; n < len && is_of_number(s[n]); n++)
		if (is_of_fraction(s[n]))
			whole = false;
	if (!whole)
		return n;
	if (n >= sizeof(buf))
		return 0;
	memcpy(buf, s, n);
	errno = 0;
	if (*buf == '-')
		strtoll(buf, NULL, 10);
	else
		strtoull(buf, NULL, 10);
	return errno == ERANGE ? 0 : n;
}

/*
 * The tokener lets pass what is not JSON (NaN, Infinity, '..', overlong UTF-8), ends at a
 * NUL, and changes whole numbers that do not fit. The offset of the first of these; @len: none.
 */
static size_t first_bad(const char *text, size_t len)
{
	size_t at = 0, n;

	while (at < len) {
		if (text[at] == '"')
			n = string_len(text + at, len - at);
		else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9'))
			n = number_len(text + at, len - at);
		else
			n = !is_bad(text[at]);
		if (!n)
			return at;
		at += n;
	}
	return len;
}

static struct json_object *parse(struct json_tokener *tok, const char *text, size_t len,
				 size_t *at)
{
	struct json_object *o = json_tokener_parse_ex(tok, text, (int)len);

	*at = json_tokener_get_parse_end(tok);
	if (!o && json_tokener_get_error(tok) == json_tokener_continue) {
		/* A bare number needs a terminator before the tokener believes it is whole. */
		*at = len;
		o = json_tokener_parse_ex(tok, " ", 1);
	}
	if (o && !only_space(text, *at, len)) {
		json_object_put(o);
		o = NULL;
	}
	return o;
}

struct json_object *json_parse(const char *text, size_t len, size_t *where)
{
	size_t at = len > INT_MAX ? 0 : first_bad(text, len);
	struct json_tokener *tok = at == len ? json_tokener_new_ex(DEPTH_MAX) : NULL;
	struct json_object *o = NULL;

	if (tok) {
		json_tokener_set_flags(tok, JSON_TOKENER_VALIDATE_UTF8 | JSON_TOKENER_STRICT |
					    JSON_TOKENER_ALLOW_TRAILING_CHARS);
		o = parse(tok, text, len, &at);
		json_tokener_free(tok);
	}
	if (where)
		*where = at;
	return o;
}
