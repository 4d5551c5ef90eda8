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

struct json_object;

/* A member that is text, whatever its bytes are; NULL: null. For reports/json*.c. */
void json_put_text(struct json_object *o, const char *key, const char *s);
/* json-exact.c: the members of exact mode; none without it. */
void json_exact(const struct comparison *c, struct json_object *doc);

#endif
