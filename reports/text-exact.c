// SPDX-License-Identifier: GPL-2.0-or-later
/* Exact mode: a table for each cell and arm, and a picture of what is not one clear value. */
#include "reports/text.h"

#include "lib/mem.h"
#include "reports/number.h"
#include "reports/table.h"

#include <math.h>
#include <string.h>

#define PICTURE 27
#define LABEL 20

static bool same_table(const struct compare_exact *a, const struct compare_exact *b)
{
	return a->arm == b->arm && !strcmp(a->workload, b->workload) &&
	       !strcmp(a->target, b->target);
}

/* "+316", "0" */
static char *signed_text(int64_t v)
{
	return xasprintf(v > 0 ? "+%lld" : "%lld", (long long)v);
}

static char *change(const struct compare_exact *row)
{
	__cleanup_free char *value = signed_text(row->r.value), *pct = NULL;

	if (!row->r.agreed)
		return xstrdup("-");
	if (!row->r.value || isnan(row->r.pct))
		return xstrdup(value);
	/* Three digits: a change of a few instructions is a small part of a path. */
	pct = fabs(row->r.pct) < 1 ? xasprintf("%+.2g%%", row->r.pct) :
				     number_percent(row->r.pct);
	return xasprintf("%s %s", value, pct);
}

/* All instructions of all perturbations, the cluster included. */
static char *total(const struct compare_exact *row)
{
	double base = 0, arm = 0;

	for (size_t i = 0; i < row->n; i++) {
		base += (double)row->v[i].p.base_total;
		arm += (double)row->v[i].p.arm_total;
	}
	return base > 0 ? xasprintf("%+.2f%%", 100 * (arm - base) / base) : xstrdup("-");
}

static int by_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The median operation of the base, of the middle perturbation. */
static char *base_text(const struct compare_exact *row)
{
	__cleanup_free uint64_t *v = xcalloc(row->n + 1, sizeof(*v));

	if (!row->n)
		return xstrdup("-");
	for (size_t i = 0; i < row->n; i++)
		v[i] = row->v[i].p.base_median;
	qsort(v, row->n, sizeof(*v), by_u64);
	return xasprintf("%llu", (unsigned long long)v[row->n / 2]);
}

static char *floor_text(const struct compare_exact *row)
{
	if (!row->floor.known)
		return xstrdup("-");
	if (row->arm_floor.known && row->arm_floor.magnitude > row->floor.magnitude)
		return xasprintf("%llu/%llu", (unsigned long long)row->floor.magnitude,
				 (unsigned long long)row->arm_floor.magnitude);
	return xasprintf("%llu", (unsigned long long)row->floor.magnitude);
}

static void add_row(struct table *t, const struct compare_exact *row)
{
	__cleanup_free char *base = base_text(row), *value = change(row), *all = total(row);
	__cleanup_free char *floor = floor_text(row);

	table_cell(t, row->confounded ? "!" : "");
	table_cell(t, row->op);
	table_cell(t, row->clock);
	table_cell(t, base);
	table_cell(t, value);
	table_cellf(t, "%zu/%zu", row->r.agree, row->n);
	table_cell(t, floor);
	table_cell(t, all);
	table_cell(t, verdict_str(row->r.word));
}

/* --- pictures --- */

struct axis {
	double lo, hi;
};

static size_t place(const struct axis *a, int64_t v)
{
	double share = a->hi > a->lo ? ((double)v - a->lo) / (a->hi - a->lo) : 0.5;

	return (size_t)fmin(PICTURE - 1, fmax(0, share * PICTURE));
}

/* '-' from 5 to 95 %, '[' and ']' the quartiles, '|' the median, ':' no difference. */
static void draw(const struct paired *p, const struct axis *a, char *cells)
{
	memset(cells, ' ', PICTURE);
	cells[place(a, 0)] = ':';
	for (size_t i = place(a, p->quantile[1]); i <= place(a, p->quantile[19]); i++)
		cells[i] = '-';
	cells[place(a, p->q1)] = '[';
	cells[place(a, p->q3)] = ']';
	cells[place(a, p->median)] = '|';
}

static void print_picture(struct layout *l, const struct compare_exact *row)
{
	struct axis a = { 0, 0 };

	for (size_t i = 0; i < row->n; i++) {
		a.lo = fmin(a.lo, (double)row->v[i].p.quantile[1]);
		a.hi = fmax(a.hi, (double)row->v[i].p.quantile[19]);
	}
	for (size_t i = 0; i < row->n; i++) {
		const struct paired *p = &row->v[i].p;
		__cleanup_free char *name = xasprintf("pad %llu seed %llu",
						      (unsigned long long)row->v[i].pad,
						      (unsigned long long)row->v[i].seed);
		__cleanup_free char *label = layout_fit(l, name, LABEL);
		__cleanup_free char *median = signed_text(p->median), *mode = signed_text(p->mode);
		__cleanup_free char *text = NULL;
		char cells[PICTURE + 1] = "";

		if (!p->n)
			continue;
		draw(p, &a, cells);
		text = xasprintf("%s [%lld, %lld]", median, (long long)p->q1, (long long)p->q3);
		strbuf_addf(l->out, "    %-*s %s %s", LABEL, label, cells, text);
		/* The most frequent value, where that is not the median, and there is room. */
		if (p->mode != p->median && 5 + LABEL + PICTURE + 2 + strlen(text) + strlen(mode) +
		    6 <= LAYOUT_WIDTH)
			strbuf_addf(l->out, " %s %.0f%%", mode, 100 * p->mode_share);
		strbuf_addc(l->out, '\n');
	}
}

/* --- notes --- */

static void print_cluster(struct layout *l, const struct compare_exact *row)
{
	__cleanup_free char *diff = NULL, *text = NULL;
	size_t far = 0;
	int64_t sum = 0;

	for (size_t i = 0; i < row->n; i++) {
		far += row->v[i].p.far;
		sum = (int64_t)((uint64_t)sum + (uint64_t)row->v[i].p.far_total);
	}
	if (!far || !sum)
		return;
	diff = signed_text(sum);
	text = xasprintf("%s %s: %zu with a commit or a wait, set apart: %s in all", row->op,
			 row->clock, far, diff);
	layout_wrap(l, 2, "", 2, text);
}

static bool is_plain(const struct compare_exact *row)
{
	return row->r.agreed && row->r.agree == row->n && row->r.why == PAIRED_WHY_NONE;
}

static void explain(struct layout *l, const struct compare_exact *row, bool all)
{
	const char *why = paired_why_str(row->r.why);
	__cleanup_free char *head = xasprintf("%s %s: %s", row->op, row->clock,
					      *why ? why : "not all perturbations agree");

	if (!is_plain(row) && row->n) {
		layout_wrap(l, 2, "", 2, head);
		print_picture(l, row);
	} else if (all && row->n) {
		print_picture(l, row);
	}
	for (size_t i = 0; i < row->notes.n; i++) {
		__cleanup_free char *note = xasprintf("%s %s: %s", row->op, row->clock,
						      row->notes.v[i]);

		layout_wrap(l, 2, "", 2, note);
	}
	print_cluster(l, row);
}

static void print_table(struct layout *l, const struct comparison *c,
			const struct compare_exact *rows, size_t n, bool all)
{
	static const char *const heads[] = { "", "operation", "clock", "base", "change", "agree",
					     "floor", "total", "verdict" };
	struct table t = { .shape = "mnnrrrrrw" };
	__cleanup_free char *title = xasprintf("%s on %s, %s against %s", rows->workload,
					       rows->target, c->arms[rows->arm].label,
					       c->arms[0].label);

	strbuf_addc(l->out, '\n');
	layout_heading(l, title);
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		table_head(&t, heads[i]);
	for (size_t i = 0; i < n; i++)
		add_row(&t, &rows[i]);
	table_print(&t, l, 1);
	table_release(&t);
	for (size_t i = 0; i < n; i++)
		explain(l, &rows[i], all);
}

static void print_key(struct layout *l)
{
	strbuf_addc(l->out, '\n');
	layout_wrap(l, 2, "base", 15, "instructions of the median operation; change: arm - base, "
		    "operation by operation, the value of most perturbations");
	layout_wrap(l, 2, "agree", 15, "perturbations (pad, seed) that have this value");
	layout_wrap(l, 2, "floor", 15, "the largest value of the base (/ of the arm) against itself "
		    "in other perturbations: nothing up to that is claimed");
	layout_wrap(l, 2, "total", 15, "all instructions of all perturbations, with the commits and "
		    "waits that are set apart");
	layout_wrap(l, 2, "[ | ]", 15, "quartiles and median of the differences; - to 5 and 95 %; : "
		    "no difference; behind it median [quartiles] mode and its share");
}

void text_exact(struct layout *l, const struct comparison *c, bool all)
{
	if (!c->n_exact)
		return;
	strbuf_addc(l->out, '\n');
	layout_heading(l, "Operation by operation: instructions per operation");
	layout_wrap(l, 2, "", 2, COMPARE_EXACT_CAVEAT);
	for (size_t start = 0, end; start < c->n_exact; start = end) {
		for (end = start; end < c->n_exact && same_table(&c->exact[start], &c->exact[end]);
		     end++)
			;
		print_table(l, c, &c->exact[start], end - start, all);
	}
	print_key(l);
}
