// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/table.h"

#include "lib/mem.h"

#include <string.h>

#define NAME_MIN 5 /* what layout_fit() can make of any name */

void table_release(struct table *t)
{
	strvec_release(&t->heads);
	strvec_release(&t->cells);
}

void table_head(struct table *t, const char *head)
{
	strvec_push(&t->heads, head);
}

void table_cell(struct table *t, const char *text)
{
	strvec_push(&t->cells, text);
}

void table_cellf(struct table *t, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	strvec_push(&t->cells, text);
	free(text);
}

static size_t printed_length(const char *s)
{
	__cleanup_free char *clean = layout_printable(s);

	return strlen(clean);
}

/* What column @col wants, and what it cannot do without: figures are never cut. */
static void measure(const struct table *t, size_t col, size_t *want, size_t *need)
{
	size_t head = printed_length(t->heads.v[col]), widest = 0;

	for (size_t i = col; i < t->cells.n; i += t->heads.n) {
		size_t n = printed_length(t->cells.v[i]);

		widest = n > widest ? n : widest;
	}
	*want = head > widest ? head : widest;
	*need = t->shape[col] == 'n' || widest < NAME_MIN ? NAME_MIN : widest;
	if (*need > *want)
		*need = *want;
}

/* Blanks behind a column: a mark belongs to what it marks. */
static size_t gap_after(const struct table *t, size_t col, size_t gap)
{
	return t->shape[col] == 'm' ? 1 : gap;
}

static size_t total(const struct table *t, const size_t *width, size_t gap)
{
	size_t sum = 0;

	for (size_t i = 0; i < t->heads.n; i++)
		sum += width[i] + (i + 1 < t->heads.n ? gap_after(t, i, gap) : 0);
	return sum;
}

/* Takes one column from the width that has most to give; false when none has. */
static bool shrink(size_t *width, const size_t *need, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (width[i] - need[i] > width[best] - need[best])
			best = i;
	if (width[best] == need[best])
		return false;
	width[best]--;
	return true;
}

static void print_row(const struct table *t, struct layout *l, char *const *cells,
		      const size_t *width, size_t gap, size_t indent)
{
	size_t pending = indent;

	for (size_t c = 0; c < t->heads.n; c++) {
		__cleanup_free char *text = layout_fit(l, cells[c], width[c]);
		size_t fill = width[c] - strlen(text);
		bool right = t->shape[c] == 'r';

		pending += right ? fill : 0;
		if (*text) {
			strbuf_pad(l->out, ' ', pending);
			layout_paint(l, (!strcmp(text, "MISSING") || !strcmp(text, "REGRESSED")) ? LAYOUT_ALERT : LAYOUT_PLAIN, text);
			pending = 0;
		}
		pending += (right ? 0 : fill) + gap_after(t, c, gap);
	}
	strbuf_addc(l->out, '\n');
}

void table_print(const struct table *t, struct layout *l, size_t indent)
{
	size_t n = t->heads.n, gap = 2;
	__cleanup_free size_t *width = xcalloc(n, sizeof(*width));
	__cleanup_free size_t *need = xcalloc(n, sizeof(*need));

	for (size_t c = 0; c < n; c++)
		measure(t, c, &width[c], &need[c]);
	if (indent + total(t, width, gap) > LAYOUT_WIDTH)
		gap = 1;
	while (indent + total(t, width, gap) > LAYOUT_WIDTH && shrink(width, need, n))
		;
	print_row(t, l, t->heads.v, width, gap, indent);
	for (size_t i = 0; i + n <= t->cells.n; i += n)
		print_row(t, l, t->cells.v + i, width, gap, indent);
}
