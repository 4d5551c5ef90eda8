/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named rows of cells under headed columns, all to the right. Columns that do not fit beside each
 * other in LAYOUT_WIDTH come below, with the names again.
 */
#ifndef FSDELTA_REPORTS_GRID_H
#define FSDELTA_REPORTS_GRID_H

#include "lib/strvec.h"
#include "reports/layout.h"

struct grid {
	struct strvec heads; /* printable */
	struct strvec names; /* of the rows, short */
	struct strvec cells; /* row by row; "" leaves a gap */
};

void grid_release(struct grid *g);
/* Takes @text, which is printable and not much wider than 30. */
void grid_cell(struct grid *g, char *text);
void grid_print(const struct grid *g, struct layout *l);

#define __cleanup_grid __attribute__((cleanup(grid_release)))

#endif
