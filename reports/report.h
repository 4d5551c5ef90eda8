/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report formats. To add one: write reports/NAME.c with a function of the type below and a
 * golden example, add a line to the table in reports.c and to Makemodule.am; tests/golden.sh notices
 * when the example is missing.
 *
 * A renderer is pure: the comparison in, text out. It learns names, units and directions from
 * the comparison, and treats labels and messages as data.
 */
#ifndef FSDELTA_REPORTS_REPORT_H
#define FSDELTA_REPORTS_REPORT_H

#include "lib/strbuf.h"
#include "results/compare.h"

struct report_options {
	bool colour; /* terminal escapes allowed */
	bool all;    /* every metric, not only the primary and the notable ones */
};

struct report_format {
	const char *name;    /* "text" */
	const char *summary; /* for --help */
	void (*comparison)(const struct comparison *c, const struct report_options *o,
			   struct strbuf *out);
	void (*run)(const struct run *r, const struct report_options *o, struct strbuf *out);
};

extern const struct report_format report_formats[]; /* sorted; ends with name NULL */
const struct report_format *report_find(const char *name);

#endif
