// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/grid.h"

#include "lib/mem.h"

#include <string.h>

#define GAP 2

void grid_release(struct grid *g)
{
	strvec_release(&g->heads);
	strvec_release(&g->names);
	strvec_release(&g->cells);
}

void grid_cell(struct grid *g, char *text)
{
	strvec_push(&g->cells, text);
	free(text);
}

static size_t longest(const struct strvec *texts)
{
	size_t most = 0;

	for (size_t i = 0; i < texts->n; i++) {
		size_t len = strlen(texts->v[i]);

		most = len > most ? len : most;
	}
	return most;
}

static size_t column_width(const struct grid *g, size_t column)
{
	size_t width = strlen(g->heads.v[column]);

	for (size_t i = column; i < g->cells.n; i += g->heads.n) {
		size_t len = strlen(g->cells.v[i]);

		width = len > width ? len : width;
	}
	return width;
}

/* Columns @from .. @to of one line; nothing but blanks is left away at its end. */
static void print_line(const struct grid *g, const char *name, char *const *cells, size_t from,
		       size_t to, struct layout *l)
{
	size_t blanks = longest(&g->names) - strlen(name);

	strbuf_adds(l->out, name);
	for (size_t c = from; c < to; c++) {
		size_t len = strlen(cells[c]);

		blanks += GAP + column_width(g, c) - len;
		if (!len)
			continue;
		strbuf_pad(l->out, ' ', blanks);
		strbuf_adds(l->out, cells[c]);
		blanks = 0;
	}
	strbuf_addc(l->out, '\n');
}

void grid_print(const struct grid *g, struct layout *l)
{
	size_t names = longest(&g->names), columns = g->heads.n;

	for (size_t from = 0, to; from < columns; from = to) {
		size_t width = names;

		for (to = from; to < columns; to++) {
			width += GAP + column_width(g, to);
			if (to > from && width > LAYOUT_WIDTH)
				break;
		}
		if (from)
			strbuf_addc(l->out, '\n');
		print_line(g, "", g->heads.v, from, to, l);
		for (size_t r = 0; r < g->names.n; r++)
			print_line(g, g->names.v[r], &g->cells.v[r * columns], from, to, l);
	}
}
