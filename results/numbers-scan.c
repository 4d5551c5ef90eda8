// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/numbers-scan.h"

#include "lib/mem.h"
#include "results/numbers.h"

#include <string.h>

#define SHOWN_MAX 40

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_comma(char c)
{
	return c == ',' || c == ';';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void scan_init(struct scan *s, const char *text, size_t len)
{
	/* The mark that some editors put in front of UTF-8. */
	size_t skip = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;

	*s = (struct scan){ .at = text + skip, .end = text + len, .start = text };
}

void scan_rest(struct scan *s)
{
	const char *newline = memchr(s->at, '\n', s->end - s->at);

	s->at = newline ? newline : s->end;
}

static bool at_line_end(const struct scan *s)
{
	return s->at == s->end || *s->at == '\n' || *s->at == '#';
}

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end && is_blank(*s->at))
		s->at++;
}

bool scan_line(struct scan *s)
{
	for (;;) {
		if (s->line) {
			scan_rest(s);
			if (s->at == s->end)
				return false;
			s->at++;
		}
		s->start = s->at;
		s->line++;
		skip_blanks(s);
		if (!at_line_end(s))
			return true;
		if (s->at == s->end)
			return false;
	}
}

/* Up to the next token; false at the end of the line. */
static bool skip_to_token(struct scan *s, struct token *t)
{
	bool first = s->at == s->start;

	skip_blanks(s);
	*t = (struct token){ .s = s->at };
	if (s->at < s->end && is_comma(*s->at)) {
		t->behind_comma = true;
		if (!first)
			s->at++;
		skip_blanks(s);
		t->s = s->at;
		t->empty = s->at < s->end && is_comma(*s->at);
		t->len = t->empty;
		if (t->empty && first)
			s->at++;
		return t->empty || !at_line_end(s);
	}
	return !at_line_end(s);
}

bool scan_token(struct scan *s, struct token *t)
{
	if (!skip_to_token(s, t))
		return false;
	if (t->empty)
		return true;
	while (s->at < s->end && !is_blank(*s->at) && !is_comma(*s->at) && !at_line_end(s))
		s->at++;
	t->len = s->at - t->s;
	return true;
}

bool scan_field(struct scan *s, struct token *t)
{
	struct scan before = *s;
	const char *close;

	if (!scan_token(s, t))
		return false;
	if (t->empty || *t->s != '"')
		return true;
	close = t->s + 1;
	while (close < s->end && *close != '"' && *close != '\n')
		close++;
	if (close == s->end || *close != '"')
		return true;
	before.at = close + 1;
	*s = before;
	t->len = close + 1 - t->s;
	return true;
}

void scan_bullet(struct scan *s)
{
	struct scan ahead = *s;
	struct token bullet, next;

	if (scan_token(&ahead, &bullet) && bullet.len == 1 &&
	    (*bullet.s == '-' || *bullet.s == '*')) {
		struct scan behind = ahead;

		if (scan_token(&ahead, &next) && token_is_word(&next))
			*s = behind;
	}
}

bool token_is_word(const struct token *t)
{
	const char *s = t->s;
	size_t len = t->len;

	if (t->empty || !len || number_is_not_finite(s, len))
		return false;
	while (len && (*s == '-' || *s == '+' || *s == '.')) {
		s++;
		len--;
	}
	return len && !is_digit(*s);
}

void token_add_word(const struct token *t, struct strbuf *name)
{
	const char *s = t->s, *end = s + t->len;

	if (s < end && *s == '"')
		s++;
	while (end > s && (end[-1] == ':' || end[-1] == '"'))
		end--;
	if (s == end || t->empty)
		return;
	if (name->len)
		strbuf_addc(name, ' ');
	while (s < end) {
		/* A name is a C string. */
		strbuf_addc(name, *s ? *s : '?');
		s++;
	}
}

void scan_mistake(const struct scan *s, const struct token *t, const char *why,
		  struct strvec *mistakes)
{
	__cleanup_strbuf struct strbuf shown = STRBUF_INIT, text = STRBUF_INIT;
	size_t len = t->len < SHOWN_MAX ? t->len : SHOWN_MAX;

	if (mistakes->n >= NUMBERS_MISTAKES_MAX)
		return;
	for (size_t i = 0; i < len; i++)
		strbuf_addc(&text, t->s[i] ? t->s[i] : '?');
	strbuf_add_printable(&shown, strbuf_str(&text));
	strvec_pushf(mistakes, "%zu:%zu: '%s%s' %s", s->line, (size_t)(t->s - s->start) + 1,
		     strbuf_str(&shown), len < t->len ? ".." : "", why);
}
