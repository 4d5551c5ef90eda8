/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines and tokens of plain numbers. Part of numbers; nothing else includes it. */
#ifndef FSDELTA_RESULTS_NUMBERS_SCAN_H
#define FSDELTA_RESULTS_NUMBERS_SCAN_H

#include "lib/strbuf.h"
#include "lib/strvec.h"

/* Invariant: start <= at <= end; between lines, at is where the next line starts. */
struct scan {
	const char *at, *end, *start; /* start: of the current line */
	size_t line;		      /* from 1 */
};

struct token {
	const char *s;
	size_t len;
	bool behind_comma; /* or at the start of the line, for fields */
	bool empty;	   /* two commas with nothing between; s is the second one */
};

void scan_init(struct scan *s, const char *text, size_t len);
/* Goes to the next line that has a token; false: there is none. */
bool scan_line(struct scan *s);
/* The next token of the current line. */
bool scan_token(struct scan *s, struct token *t);
/* As scan_token(); a text in quotes is one token. */
bool scan_field(struct scan *s, struct token *t);
/* Skips a "-" or "*" that stands in front of a word. */
void scan_bullet(struct scan *s);
/* Skips the rest of the line. */
void scan_rest(struct scan *s);

/*
 * The fast way through long lists: a line that is nothing but a number with few digits.
 * Returns where the next line starts; NULL when this line has to be looked at closely.
 */
const char *number_line(const char *s, const char *end, double *out);

/* "nan", "-inf" and the like, in any case. */
bool number_is_not_finite(const char *s, size_t len);
/* Something that cannot be meant as a number: neither a digit nor "nan" and the like. */
bool token_is_word(const struct token *t);
/* Appends the token without quotes and a colon at its end, a blank before it if needed. */
void token_add_word(const struct token *t, struct strbuf *name);

/* Appends "LINE:COLUMN: 'text' @why". */
void scan_mistake(const struct scan *s, const struct token *t, const char *why,
		  struct strvec *mistakes);

#endif
