// SPDX-License-Identifier: GPL-2.0-or-later
/* What the values themselves warn about. None of it removes data. */
#include "results/compare-internal.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/datacheck.h"
#include "results/trend.h"

#include <math.h>
#include <stdlib.h>

/* A value with its place in time. */
struct moment {
	uint64_t seq;
	double value;
	size_t arm, boot;
};

static int by_seq(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

static size_t add_moments(struct moment *m, size_t n, const struct compare_side *side, size_t arm)
{
	for (size_t i = 0; i < side->stats.n; i++)
		m[n++] = (struct moment){ side->seqs[i], side->values[i], arm, side->boots[i] };
	return n;
}

/* Values of one or both sides, in the order of time. */
static void note_order(const struct comparison *c, struct compare_row *row,
		       const struct moment *m, size_t n, const char *of)
{
	size_t n_sessions = c->n_sessions ? c->n_sessions : 1;
	__cleanup_free size_t *session = xcalloc(n, sizeof(*session));
	__cleanup_free double *x = xcalloc(n, sizeof(*x));
	__cleanup_free size_t *arm = xcalloc(n, sizeof(*arm));
	struct trend_drift drift;
	struct trend_lag1 lag;

	for (size_t i = 0; i < n; i++) {
		x[i] = m[i].value;
		session[i] = compare_session_of(c, m[i].seq);
		arm[i] = 2 * session[i] + m[i].arm;
	}
	/* That sessions differ is no drift. */
	trend_residuals(x, arm, n, 2 * n_sessions, x);
	trend_drift_within(x, session, n, n_sessions, &drift);
	trend_lag1(x, n, &lag);
	if (drift.warn)
		strvec_pushf(&row->notes, "drift: values %s over time%s", drift.s > 0 ? "rise" :
			     "fall", of);
	else if (lag.warn)
		strvec_pushf(&row->notes, "autocorrelation: neighbours in time are alike%s", of);
}

static void note_first(struct compare_row *row, const struct moment *m, size_t n, size_t n_boots)
{
	__cleanup_free double *x = xcalloc(n, sizeof(*x));
	__cleanup_free size_t *boot = xcalloc(n, sizeof(*boot));
	struct data_first first;

	for (size_t i = 0; i < n; i++) {
		if (m[i].boot == COMPARE_NO_BOOT)
			return;
		x[i] = m[i].value;
		boot[i] = m[i].boot;
	}
	data_first(x, boot, n, n_boots, row->metric.better, &first);
	if (first.warn)
		strvec_pushf(&row->notes, "the first iteration was the worst in %zu of %zu boots",
			     first.worst_first, first.boots);
}

static void note_times(const struct comparison *c, struct compare_row *row, bool one_session)
{
	size_t n_a = row->base.stats.n, n = n_a + row->side.stats.n;
	__cleanup_free struct moment *m = xcalloc(n, sizeof(*m));

	add_moments(m, 0, &row->base, 0);
	add_moments(m, n_a, &row->side, 1);
	qsort(m, one_session ? n : n_a, sizeof(*m), by_seq);
	if (one_session) {
		note_order(c, row, m, n, "");
		note_first(row, m, n, c->boots.n);
		return;
	}
	qsort(m + n_a, n - n_a, sizeof(*m), by_seq);
	note_order(c, row, m, n_a, " in the base");
	note_order(c, row, m + n_a, n - n_a, " in the arm");
	/* Boots of different sessions are different ones: their order is that of the sides. */
	if (c->n_sessions)
		note_first(row, m, n, c->boots.n);
}

static void note_clock(struct compare_row *row)
{
	size_t n_a = row->base.stats.n, n = n_a + row->side.stats.n;
	__cleanup_free double *x = xcalloc(n, sizeof(*x));
	struct data_resolution r;

	for (size_t i = 0; i < n; i++)
		x[i] = i < n_a ? row->base.values[i] : row->side.values[i - n_a];
	data_resolution(x, n, row->effect.mde_pct, &r);
	/* What is counted comes in steps by nature. */
	if (r.coarse && row->metric.kind != KIND_COUNT && isfinite(r.step_pct))
		strvec_pushf(&row->notes, "coarse: steps of %.3g %% of the median, %.0f %% of the "
			     "values tied", r.step_pct, 100 * r.tied);
}

static void note_loss(const struct comparison *c, struct compare_row *row)
{
	const struct compare_side *a = &row->base, *b = &row->side;

	if (data_loss(a->lost, a->planned, b->lost, b->planned) != DATA_LOSS_NONE)
		strvec_pushf(&row->notes, "unequal loss: %zu of %zu in %s, %zu of %zu in %s gave no "
			     "value", a->lost, a->planned, c->arms[0].label, b->lost, b->planned,
			     c->arms[row->arm].label);
}

void compare_note_data(const struct comparison *c, struct compare_row *row, bool one_session)
{
	if (compare_row_is_missing(row) || !row->effect.verdict)
		return;
	note_loss(c, row);
	if (row->base.stats.n < VERDICT_MIN_UNITS || row->side.stats.n < VERDICT_MIN_UNITS)
		return;
	if (fmin(row->base.stats.min, row->side.stats.min) ==
	    fmax(row->base.stats.max, row->side.stats.max))
		return;
	note_times(c, row, one_session);
	compare_note_shape(c, row);
	note_clock(row);
}
