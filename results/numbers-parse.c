// SPDX-License-Identifier: GPL-2.0-or-later
/* One number from text. */
#include "results/numbers-scan.h"
#include "results/numbers.h"

#include "lib/mem.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* Whole numbers up to here and powers of ten up to there are doubles without rounding. */
#define MANTISSA_MAX (UINT64_C(1) << DBL_MANT_DIG)
#define POWER_MAX 22

static const double powers[POWER_MAX + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

/* mantissa * 10^exponent, unless there were more digits than fit. */
struct decimal {
	uint64_t mantissa;
	int exponent;
	bool minus, any, cut;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *take_digits(const char *s, const char *end, struct decimal *d)
{
	for (; s < end && is_digit(*s); s++) {
		d->any = true;
		if (d->mantissa <= MANTISSA_MAX)
			d->mantissa = 10 * d->mantissa + (uint64_t)(*s - '0');
		else
			d->cut = true;
	}
	return s;
}

/* Behind the 'e'; NULL without digits. */
static const char *take_exponent(const char *s, const char *end, struct decimal *d)
{
	int exponent = 0;
	bool minus = s < end && *s == '-';

	if (s < end && (*s == '-' || *s == '+'))
		s++;
	if (s == end || !is_digit(*s))
		return NULL;
	for (; s < end && is_digit(*s); s++)
		if (exponent < 100000)
			exponent = 10 * exponent + (*s - '0');
	d->exponent += minus ? -exponent : exponent;
	return s;
}

/* False when this is no decimal number. */
static bool take_decimal(const char *s, const char *end, struct decimal *d)
{
	if (s < end && (*s == '-' || *s == '+'))
		d->minus = *s++ == '-';
	s = take_digits(s, end, d);
	if (s < end && *s == '.') {
		const char *point = ++s;

		s = take_digits(s, end, d);
		/* Used only if no digit was cut off: then there are few. */
		d->exponent = d->cut ? 0 : (int)-(s - point);
	}
	if (!d->any)
		return false;
	if (s < end && (*s == 'e' || *s == 'E'))
		s = take_exponent(s + 1, end, d);
	return s == end;
}

bool number_is_not_finite(const char *s, size_t len)
{
	static const char *const words[] = { "nan", "inf", "infinity" };

	if (len && (*s == '-' || *s == '+')) {
		s++;
		len--;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (len == strlen(words[i]) && !strncasecmp(s, words[i], len))
			return true;
	return false;
}

static const char *why_not(const char *s, size_t len)
{
	if (number_is_not_finite(s, len))
		return "is not finite";
	if (len && (*s == '-' || *s == '+')) {
		s++;
		len--;
	}
	if (len > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		return "is hexadecimal; numbers are decimal here";
	return "is not a number";
}

static bool has_digit_but_zero(const char *s, size_t len)
{
	for (size_t i = 0; i < len && s[i] != 'e' && s[i] != 'E'; i++)
		if (s[i] >= '1' && s[i] <= '9')
			return true;
	return false;
}

static const char *parse_slowly(const char *s, size_t len, double *out)
{
	__cleanup_free char *copy = xstrndup(s, len);
	double v = strtod(copy, NULL);

	if (isinf(v))
		return "is too large for a double";
	if (v == 0 && has_digit_but_zero(s, len))
		return "is too small for a double";
	*out = v;
	return NULL;
}

/* One operation on two exact values, hence with the one rounding that is right. */
static bool combine(const struct decimal *d, double *out)
{
	double v = d->mantissa;

	if (FLT_EVAL_METHOD != 0 || d->cut || d->mantissa > MANTISSA_MAX ||
	    d->exponent < -POWER_MAX || d->exponent > POWER_MAX)
		return false;
	v = d->exponent < 0 ? v / powers[-d->exponent] : v * powers[d->exponent];
	*out = d->minus ? -v : v;
	return true;
}

const char *number_parse(const char *s, size_t len, double *out)
{
	struct decimal d = { 0 };

	if (!take_decimal(s, s + len, &d))
		return why_not(s, len);
	return combine(&d, out) ? NULL : parse_slowly(s, len, out);
}

const char *number_line(const char *s, const char *end, double *out)
{
	struct decimal d = { 0 };

	if (s < end && *s == '-') {
		d.minus = true;
		s++;
	}
	s = take_digits(s, end, &d);
	if (s < end && *s == '.') {
		const char *point = ++s;

		s = take_digits(s, end, &d);
		d.exponent = (int)-(s - point);
	}
	if (s == end || *s != '\n' || !d.any || !combine(&d, out))
		return NULL;
	return s + 1;
}
