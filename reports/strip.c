// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/plain.h"

#include "lib/mem.h"
#include "reports/layout.h"

#include <math.h>
#include <string.h>

#define LABEL_WIDTH 14
#define CELLS (LAYOUT_WIDTH - LABEL_WIDTH - 3)

/* Signs for up to these shares of the fullest cell. */
static const struct {
	double share;
	char sign;
} signs[] = { { 0.1, '.' }, { 0.4, ':' }, { 0.75, '+' }, { 1, '#' } };

struct axis {
	double lo, hi;
};

/* Without overflow, whatever the ends are. */
static size_t cell_of(const struct axis *a, double v)
{
	double half = 0.5 * a->hi - 0.5 * a->lo;
	double share = half > 0 ? (0.5 * v - 0.5 * a->lo) / half : 0.5;

	return (size_t)fmin(CELLS - 1, fmax(0, share * CELLS));
}

static char sign_of(size_t count, size_t most)
{
	size_t i = 0;

	if (!count)
		return ' ';
	/* A single value is a point, also where nothing is denser. */
	while (count > 1 && (double)count > signs[i].share * (double)most)
		i++;
	return signs[i].sign;
}

/* The first value behind the cell of value @i. */
static size_t end_of_cell(const struct plain_sample *s, const struct axis *a, size_t i)
{
	size_t lo = i + 1, hi = s->n, cell = cell_of(a, s->sorted[i]);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cell_of(a, s->sorted[mid]) > cell)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static void strip(const struct plain_sample *s, const struct axis *a, char *cells)
{
	size_t counts[CELLS] = { 0 }, most = 0;

	for (size_t i = 0, end; i < s->n; i = end) {
		size_t cell = cell_of(a, s->sorted[i]);

		end = end_of_cell(s, a, i);
		counts[cell] = end - i;
		most = counts[cell] > most ? counts[cell] : most;
	}
	for (size_t i = 0; i < CELLS; i++)
		cells[i] = sign_of(counts[i], most);
	cells[cell_of(a, s->q1)] = '[';
	cells[cell_of(a, s->q3)] = ']';
	cells[cell_of(a, s->stats.median)] = '|';
}

/* The ends of the axis below its ends. */
static void scale(const struct axis *a, struct layout *l)
{
	__cleanup_free char *lo = plain_figure(a->lo, 6), *hi = plain_figure(a->hi, 6);
	size_t used = LABEL_WIDTH + 2 + strlen(lo) + strlen(hi);
	size_t end = LABEL_WIDTH + 2 + CELLS;

	strbuf_pad(l->out, ' ', LABEL_WIDTH + 2);
	strbuf_adds(l->out, lo);
	strbuf_pad(l->out, ' ', end > used ? end - used : 1);
	strbuf_addf(l->out, "%s\n", hi);
}

void plain_strips(const struct plain_row *row, struct layout *l)
{
	struct axis a = { INFINITY, -INFINITY };

	for (size_t i = 0; i < row->n; i++) {
		a.lo = fmin(a.lo, row->samples[i].stats.min);
		a.hi = fmax(a.hi, row->samples[i].stats.max);
	}
	for (size_t i = 0; i < row->n; i++) {
		__cleanup_free char *label = layout_fit(l, row->samples[i].label, LABEL_WIDTH);
		char cells[CELLS + 1] = "";
		size_t end = CELLS;

		strip(&row->samples[i], &a, cells);
		while (end && cells[end - 1] == ' ')
			end--;
		strbuf_addf(l->out, "%-*s  %.*s\n", LABEL_WIDTH, label, (int)end, cells);
	}
	scale(&a, l);
}
