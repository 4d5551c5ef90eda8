// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/strvec.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Takes @s over. */
static void push_owned(struct strvec *sv, char *s)
{
	sv->v = xreallocarray(sv->v, sv->n + 2, sizeof(*sv->v));
	sv->v[sv->n++] = s;
	sv->v[sv->n] = NULL;
}

void strvec_release(struct strvec *sv)
{
	for (size_t i = 0; i < sv->n; i++)
		free(sv->v[i]);
	free(sv->v);
	*sv = (struct strvec)STRVEC_INIT;
}

void strvec_push(struct strvec *sv, const char *s)
{
	push_owned(sv, xstrdup(s));
}

void strvec_pushf(struct strvec *sv, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	push_owned(sv, xvasprintf(fmt, ap));
	va_end(ap);
}

void strvec_push_all(struct strvec *sv, const struct strvec *from)
{
	for (size_t i = 0; i < from->n; i++)
		strvec_push(sv, from->v[i]);
}

void strvec_split(struct strvec *sv, const char *s, char sep)
{
	while (*s) {
		const char *end = strchrnul(s, sep);
		__cleanup_free char *part = xstrndup(s, (size_t)(end - s));
		const char *trimmed = str_trim(part);

		if (*trimmed)
			strvec_push(sv, trimmed);
		s = *end ? end + 1 : end;
	}
}

/* One word from @s into @word; returns what follows it, NULL for an open quote. */
static const char *take_word(const char *s, struct strbuf *word)
{
	char quote = 0;

	for (; *s && (quote || !isspace((unsigned char)*s)); s++) {
		if (quote && *s == quote)
			quote = 0;
		else if (!quote && (*s == '\'' || *s == '"'))
			quote = *s;
		else if (*s == '\\' && quote != '\'' && s[1] && (!quote || strchr("\\\"$`", s[1])))
			strbuf_addc(word, *++s);
		else
			strbuf_addc(word, *s);
	}
	return quote ? NULL : s;
}

int strvec_split_words(struct strvec *sv, const char *s)
{
	for (;;) {
		__cleanup_strbuf struct strbuf word = STRBUF_INIT;

		while (isspace((unsigned char)*s))
			s++;
		if (!*s)
			return 0;
		s = take_word(s, &word);
		if (!s)
			return -EINVAL;
		strvec_push(sv, strbuf_str(&word));
	}
}

bool strvec_has(const struct strvec *sv, const char *s)
{
	for (size_t i = 0; i < sv->n; i++)
		if (!strcmp(sv->v[i], s))
			return true;
	return false;
}

static int cmp_str(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strvec_sort(struct strvec *sv)
{
	if (sv->n)
		qsort(sv->v, sv->n, sizeof(*sv->v), cmp_str);
}

char *strvec_shell(const struct strvec *sv)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < sv->n; i++) {
		if (i)
			strbuf_addc(&sb, ' ');
		strbuf_add_shell_word(&sb, sv->v[i]);
	}
	return strbuf_detach(&sb);
}

char *strvec_join(const struct strvec *sv, const char *sep)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < sv->n; i++) {
		if (i)
			strbuf_adds(&sb, sep);
		strbuf_adds(&sb, sv->v[i]);
	}
	return strbuf_detach(&sb);
}
