/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comparison as a JSON document (results/schema/comparison.schema.json), and a summary of a
 * run; for reports.c. What is not known is null, which also stands for every number that is not
 * finite. Text that is not UTF-8 has its bytes as \xNN.
 */
#ifndef FSDELTA_REPORTS_JSON_H
#define FSDELTA_REPORTS_JSON_H

#include "reports/report.h"

void json_comparison(const struct comparison *c, const struct report_options *o,
		     struct strbuf *out);
void json_run(const struct run *r, const struct report_options *o, struct strbuf *out);

#endif
