/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parsers of tool output share: lines, words, numbers, names. All bounded, all pure. */
#ifndef FSDELTA_WORKLOADS_TOOLS_PARSE_H
#define FSDELTA_WORKLOADS_TOOLS_PARSE_H

#include "lib/strbuf.h"
#include "lib/strvec.h"
#include "workloads/tool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Walks over the lines of bytes that may hold anything. */
struct text_lines {
	const char *at, *end;
	struct strbuf line; /* the current one: no line end, no CR; a NUL is shown as '?' */
	bool whole;	    /* it had its end: else a number in it may have been cut */
};

#define TEXT_LINES(s, len) { (s), (s) + (len), STRBUF_INIT, false }

/* Steps to the next line; false (and everything released) behind the last. */
bool text_next(struct text_lines *t);
/* Ends a walk early. */
void text_end(struct text_lines *t);

/* Splits @line at blanks, in place; at most @max words, the rest is left out. Returns their number. */
size_t text_words(char *line, char **words, size_t max);
/* A finite decimal number that is the whole word: no hex, no "inf". */
bool text_number(const char *word, double *out);
/* An unsigned decimal that is the whole word: digits only. */
bool text_u64(const char *word, uint64_t *out);

/* Appends @s as part of a metric name: lower case; what is not in [a-z0-9._-] becomes '-'. */
void text_add_name(struct strbuf *out, const char *s);

/* A quantile of one iteration, and how many operations it needs: at least 10/(1-q). */
struct tool_quantile {
	const char *name;
	double q;
	uint64_t min_n;
};

extern const struct tool_quantile tool_quantiles[];
extern const size_t tool_n_quantiles;

/* Parameters of a job that may be NULL. Numbers: false when absent or no number of that kind. */
const char *tool_param_str(const struct job *job, const char *key);
bool tool_param_u64(const struct job *job, const char *key, uint64_t *out);
bool tool_param_seconds(const struct job *job, const char *key, uint64_t *out);
bool tool_param_set(const struct job *job, const char *key); /* there, and not "0" */
/* Words of all values of an argument list parameter. 0 or -EINVAL. */
int tool_param_words(const struct job *job, const char *key, struct strvec *out);

/*
 * Fails @r when the wait status says so: "fio exited with status 1: DETAIL"; @detail may be NULL.
 * True when it failed.
 */
bool tool_check_status(const struct tool_output *o, struct tool_result *r, const char *program,
		       const char *detail);

#endif
