// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/strbuf.h"

#include "lib/mem.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static void reserve(struct strbuf *sb, size_t more)
{
	size_t need = sb->len + more + 1;

	if (need <= sb->cap)
		return;
	sb->cap = need > 2 * sb->cap ? need : 2 * sb->cap;
	if (sb->cap < 64)
		sb->cap = 64;
	sb->buf = xreallocarray(sb->buf, sb->cap, 1);
}

void strbuf_release(struct strbuf *sb)
{
	free(sb->buf);
	*sb = (struct strbuf)STRBUF_INIT;
}

void strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->buf)
		sb->buf[0] = '\0';
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s;

	reserve(sb, 0);
	sb->buf[sb->len] = '\0';
	s = sb->buf;
	*sb = (struct strbuf)STRBUF_INIT;
	return s;
}

const char *strbuf_str(const struct strbuf *sb)
{
	return sb->buf ? sb->buf : "";
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	reserve(sb, len);
	if (len)
		memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

void strbuf_adds(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addc(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	__cleanup_free char *s = xvasprintf(fmt, ap);

	strbuf_adds(sb, s);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_pad(struct strbuf *sb, char c, size_t n)
{
	while (n--)
		strbuf_addc(sb, c);
}

void strbuf_add_shell_word(struct strbuf *sb, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./:,@%^";

	if (*s && strspn(s, plain) == strlen(s)) {
		strbuf_adds(sb, s);
		return;
	}
	strbuf_addc(sb, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			strbuf_adds(sb, "'\\''");
		else
			strbuf_addc(sb, *s);
	}
	strbuf_addc(sb, '\'');
}

void strbuf_add_printable(struct strbuf *sb, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c >= 0x20 && c < 0x7f)
			strbuf_addc(sb, *s);
		else
			strbuf_addf(sb, "\\x%02x", c);
	}
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
	size_t ls = strlen(s), lx = strlen(suffix);

	return ls >= lx && strcmp(s + ls - lx, suffix) == 0;
}

bool str_eq(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

char *str_trim(char *s)
{
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	n = strlen(s);
	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
	return s;
}

int str_to_u64(const char *s, unsigned long long *out)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno == ERANGE)
		return -ERANGE;
	*out = v;
	return 0;
}

int str_to_double(const char *s, double *out)
{
	char *end;
	double v;

	/* strtod() would also take "nan", "inf", hexadecimal and leading blanks. */
	if (!*s || strspn(s, "0123456789+-.eE") != strlen(s))
		return -EINVAL;
	errno = 0;
	v = strtod(s, &end);
	if (*end || end == s)
		return -EINVAL;
	if (!isfinite(v))
		return -ERANGE;
	*out = v;
	return 0;
}

int str_to_size(const char *s, unsigned long long *out)
{
	static const char units[] = "KMGT";
	__cleanup_free char *digits = NULL;
	unsigned long long v;
	size_t n = strspn(s, "0123456789");
	const char *rest = s + n, *unit;
	unsigned int shift = 0;
	int ret;

	digits = xstrndup(s, n);
	ret = str_to_u64(digits, &v);
	if (ret)
		return ret;
	unit = *rest ? strchr(units, toupper((unsigned char)*rest)) : NULL;
	if (unit) {
		shift = 10 * (unsigned int)(unit - units + 1);
		rest++;
		if (*rest == 'i')
			rest++;
	}
	if (*rest == 'B')
		rest++;
	if (*rest)
		return -EINVAL;
	if (v > ULLONG_MAX >> shift)
		return -ERANGE;
	*out = v << shift;
	return 0;
}

int str_to_seconds(const char *s, unsigned int *out)
{
	__cleanup_free char *digits = NULL;
	unsigned long long v, unit = 1;
	size_t n = strspn(s, "0123456789");
	int ret;

	digits = xstrndup(s, n);
	ret = str_to_u64(digits, &v);
	if (ret)
		return ret;
	if (!strcmp(s + n, "m"))
		unit = 60;
	else if (!strcmp(s + n, "h"))
		unit = 3600;
	else if (s[n] && strcmp(s + n, "s"))
		return -EINVAL;
	if (v > UINT_MAX / unit)
		return -ERANGE;
	*out = (unsigned int)(v * unit);
	return 0;
}
