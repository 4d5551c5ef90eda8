// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/mem.h"

#include <stdint.h>
#include <string.h>

static void *must(void *p)
{
	if (!p) {
		fputs("fsdelta: out of memory\n", stderr);
		exit(2);
	}
	return p;
}

void *xmalloc(size_t size)
{
	return must(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return must(calloc(n ? n : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	return must(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return must(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return must(strndup(s, n));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return must(s);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

void str_replace(char **slot, const char *s)
{
	char *copy = s ? xstrdup(s) : NULL;

	free(*slot);
	*slot = copy;
}
