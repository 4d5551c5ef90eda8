/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the text report, each in its own file; for reports/text*.c and reports.c only. */
#ifndef FSDELTA_REPORTS_TEXT_H
#define FSDELTA_REPORTS_TEXT_H

#include "reports/layout.h"
#include "reports/report.h"

/* text.c: for mail, plain ASCII, at most LAYOUT_WIDTH columns. */
void text_comparison(const struct comparison *c, const struct report_options *o,
		     struct strbuf *out);

/* text-run.c: one result. */
void text_run(const struct run *r, const struct report_options *o, struct strbuf *out);

/*
 * text-block.c: the tables of one cell, from its @n rows, which are of one arm: the metrics, what
 * is to be noted of them, and the primary ones in more detail. The last one that has
 * hidden metrics adds their number to *@hidden.
 */
void text_block(struct layout *l, const struct comparison *c, const struct compare_row *const *rows,
		size_t n, bool all, size_t *hidden);

/* text-summary.c: a line for each primary metric. */
void text_summary(struct layout *l, const struct comparison *c);
/* text-exact.c: operation by operation; nothing without exact mode. @all: every picture. */
void text_exact(struct layout *l, const struct comparison *c, bool all);
/* What no p-value overrides, above everything else; nothing when there is none. */
void text_claims(struct layout *l, const struct comparison *c);
/* The first line of a report of a debug kernel; NULL: nothing. */
void text_watermark(struct layout *l, const char *watermark);
/* What the words in @used mean. */
void text_vocabulary(struct layout *l, const struct comparison *c, const struct strvec *used);

#define TEXT_NO_VERDICT "no verdict"

/* The word of a row; where there is no verdict, the claim or TEXT_NO_VERDICT. */
const char *text_word(const struct compare_row *row);
/* "!" confounded or contradicted; "*" primary, when @primary asks for that. */
const char *text_mark(const struct compare_row *row, bool primary);
/* The estimated change, or without a test that of the centres; the caller frees. */
char *text_change(const struct compare_row *row);

/* "95% interval"; the caller frees. */
char *text_interval_name(const struct comparison *c);

/* A label for columns, the same wherever it comes up; the caller frees. */
char *text_label(struct layout *l, const char *label);

/* Warnings, numbered; nothing when there are none. */
void text_warnings(struct layout *l, const struct strvec *warnings);

/* The host and the targets: @all, or what a mail should spell out. */
void text_environment(struct layout *l, const char *heading, const struct kv *facts, bool all);

#endif
