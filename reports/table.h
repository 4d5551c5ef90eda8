/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table that fits into LAYOUT_WIDTH: columns are as wide as they need to be, and where that is too
 * much, names are cut. */
#ifndef FSDELTA_REPORTS_TABLE_H
#define FSDELTA_REPORTS_TABLE_H

#include "lib/strvec.h"
#include "reports/layout.h"

struct table {
	struct strvec heads;
	const char *shape; /* one letter a column: 'm' mark, 'n' name (may be cut), 'w' word; 'r'
			      * figure, to the right */
	struct strvec cells; /* by row */
};

void table_release(struct table *t);
/* The heading of the next column. */
void table_head(struct table *t, const char *head);
/* The next cell; rows are complete when every column has one. */
void table_cell(struct table *t, const char *text);
void table_cellf(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_print(const struct table *t, struct layout *l, size_t indent);

#endif
