/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C as a sequence of words, numbers and signs: comments, strings and line ends are gone; a
 * preprocessor line is one token, continuations included. Any bytes can be read. Inside
 * probes/ only.
 */
#ifndef FSDELTA_PROBES_CLEX_H
#define FSDELTA_PROBES_CLEX_H

#include <stdbool.h>
#include <stddef.h>

enum clex_type {
	CLEX_END,
	CLEX_WORD,   /* identifier or keyword */
	CLEX_OTHER,  /* number, string, character: text is its first byte */
	CLEX_SIGN,   /* one byte of punctuation */
	CLEX_DIRECTIVE, /* from '#' to the end of its last line; in the text are comments, too */
};

struct clex_token {
	enum clex_type type;
	const char *text; /* into the text */
	size_t len;
	size_t line;	  /* where it begins, from 1 */
	size_t last_line; /* where it ends */
	bool first_column; /* nothing stands before it on its line */
};

struct clex {
	const char *at, *end;
	const char *line_start;
	size_t line;
	bool fresh; /* only blanks so far on this line: a '#' begins a directive */
};

void clex_start(struct clex *x, const char *text, size_t len);
/* False at the end (the token is CLEX_END then). */
bool clex_next(struct clex *x, struct clex_token *t);
bool clex_is(const struct clex_token *t, const char *word);
bool clex_sign(const struct clex_token *t, char c);

#endif
