// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/clex.h"

#include <ctype.h>
#include <string.h>

void clex_start(struct clex *x, const char *text, size_t len)
{
	*x = (struct clex){ .at = text, .end = text + len, .line_start = text, .line = 1,
			    .fresh = true };
}

bool clex_is(const struct clex_token *t, const char *word)
{
	return t->type == CLEX_WORD && t->len == strlen(word) && !memcmp(t->text, word, t->len);
}

bool clex_sign(const struct clex_token *t, char c)
{
	return t->type == CLEX_SIGN && *t->text == c;
}

static bool word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static void newline(struct clex *x)
{
	x->at++;
	x->line++;
	x->line_start = x->at;
	x->fresh = true;
}

static char peek(const struct clex *x, size_t ahead)
{
	return (size_t)(x->end - x->at) > ahead ? x->at[ahead] : '\0';
}

/* Behind a backslash: the line goes on. The line is counted, but is not a fresh one. */
static bool skip_splice(struct clex *x)
{
	size_t n = peek(x, 1) == '\r' ? 2 : 1;
	bool fresh = x->fresh;

	if (peek(x, 0) != '\\' || peek(x, n) != '\n')
		return false;
	x->at += n;
	newline(x);
	x->fresh = fresh;
	return true;
}

static void skip_line_comment(struct clex *x)
{
	while (x->at < x->end && *x->at != '\n')
		if (!skip_splice(x))
			x->at++;
}

static void skip_block_comment(struct clex *x)
{
	bool fresh = x->fresh;

	x->at += 2;
	while (x->at < x->end && !(*x->at == '*' && peek(x, 1) == '/')) {
		if (*x->at == '\n')
			newline(x);
		else
			x->at++;
	}
	x->at += x->at < x->end ? 2 : 0;
	x->fresh = fresh;
}

static bool skip_comment(struct clex *x)
{
	if (peek(x, 0) != '/')
		return false;
	if (peek(x, 1) == '*')
		skip_block_comment(x);
	else if (peek(x, 1) == '/')
		skip_line_comment(x);
	else
		return false;
	return true;
}

static void skip_blanks(struct clex *x)
{
	while (x->at < x->end) {
		if (*x->at == '\n')
			newline(x);
		else if (isspace((unsigned char)*x->at) || !*x->at)
			x->at++;
		else if (!skip_splice(x) && !skip_comment(x))
			return;
	}
}

/* A string that is not closed ends with its line, so that one apostrophe spoils no file. */
static void skip_quoted(struct clex *x, char quote)
{
	x->at++;
	while (x->at < x->end && *x->at != quote && *x->at != '\n') {
		if (skip_splice(x))
			continue;
		x->at += *x->at == '\\' && x->end - x->at > 1 && x->at[1] != '\n' ? 2 : 1;
	}
	if (x->at < x->end && *x->at == quote)
		x->at++;
}

static void skip_directive(struct clex *x)
{
	while (x->at < x->end && *x->at != '\n')
		if (!skip_splice(x) && !skip_comment(x)) {
			if (*x->at == '"')
				skip_quoted(x, '"');
			else
				x->at++;
		}
}

static enum clex_type take(struct clex *x)
{
	char c = *x->at;

	if (c == '#' && x->fresh) {
		skip_directive(x);
		return CLEX_DIRECTIVE;
	}
	if (c == '"' || c == '\'') {
		skip_quoted(x, c);
		return CLEX_OTHER;
	}
	if (!word_byte(c)) {
		x->at++;
		return CLEX_SIGN;
	}
	while (x->at < x->end && word_byte(*x->at))
		x->at++;
	return isdigit((unsigned char)c) ? CLEX_OTHER : CLEX_WORD;
}

bool clex_next(struct clex *x, struct clex_token *t)
{
	skip_blanks(x);
	*t = (struct clex_token){ .text = x->at, .line = x->line,
				  .first_column = x->at == x->line_start };
	if (x->at >= x->end)
		return false;
	t->type = take(x);
	t->len = (size_t)(x->at - t->text);
	t->last_line = x->line;
	x->fresh = false;
	return true;
}
