// SPDX-License-Identifier: GPL-2.0-or-later
/* What the shape of the values warns about: modes, outliers, tails, and noise between boots. */
#include "results/compare-internal.h"

#include "lib/mem.h"
#include "results/datacheck.h"
#include "results/trend.h"

#include <math.h>
#include <string.h>

/* A side without what makes its sessions differ: that is no mode, and nobody's outlier. */
static double *level(const struct comparison *c, const struct compare_side *side)
{
	size_t n = side->stats.n, n_sessions = c->n_sessions ? c->n_sessions : 1;
	__cleanup_free size_t *session = xcalloc(n, sizeof(*session));
	double *x = xcalloc(n, sizeof(*x));

	for (size_t i = 0; i < n; i++)
		session[i] = compare_session_of(c, side->seqs[i]);
	if (n_sessions > 1)
		trend_residuals(side->values, session, n, n_sessions, x);
	for (size_t i = 0; i < n; i++)
		x[i] = n_sessions > 1 ? x[i] + side->stats.median : side->values[i];
	return x;
}

/* Values below the middle between the modes of @of. */
static size_t count_low(const double *x, size_t n, const struct trend_split *of)
{
	size_t low = 0;

	for (size_t i = 0; i < n; i++)
		low += x[i] < (of->mean_low + of->mean_high) / 2;
	return low;
}

static void note_side(struct compare_row *row, const double *x, size_t n,
		      const struct trend_split *split, const char *label)
{
	struct trend_outliers out;

	trend_outliers(x, n, row->metric.better, &out);
	if (split->modes)
		strvec_pushf(&row->notes, "two modes in %s: %zu values around %.4g, %zu around %.4g",
			     label, split->n_low, split->mean_low, n - split->n_low,
			     split->mean_high);
	else if (out.warn)
		strvec_pushf(&row->notes, "outliers in %s: %zu of %zu", label, out.warn, n);
	else if (data_heavy_tail(x, n))
		strvec_pushf(&row->notes, "heavy tail in %s: its mean and sd are unreliable", label);
}

void compare_note_shape(const struct comparison *c, struct compare_row *row)
{
	__cleanup_free double *a = level(c, &row->base), *b = level(c, &row->side);
	size_t n_a = row->base.stats.n, n_b = row->side.stats.n, low_a, low_b;
	const char *base = c->arms[0].label, *arm = c->arms[row->arm].label;
	struct trend_split split_a, split_b;

	trend_split(a, n_a, &split_a);
	trend_split(b, n_b, &split_b);
	note_side(row, a, n_a, &split_a, base);
	note_side(row, b, n_b, &split_b, arm);
	if (!split_a.modes && !split_b.modes)
		return;
	low_a = split_a.modes ? split_a.n_low : count_low(a, n_a, &split_b);
	low_b = split_b.modes ? split_b.n_low : count_low(b, n_b, &split_a);
	strvec_pushf(&row->notes, "share of the low mode: %zu of %zu in %s, %zu of %zu in %s "
		     "(p = %.2g, Fisher)", low_a, n_a, base, low_b, n_b, arm,
		     trend_share_p(low_a, n_a, low_b, n_b));
}

/* --- boots --- */

/* One boot of a run while it is gone through. */
struct boot_clock {
	const char *id;
	uint64_t first, last;
	size_t n;
};

static struct boot_clock *find_clock(struct boot_clock *boots, size_t n, const char *id)
{
	for (size_t b = n; b-- > 0;)
		if (!strcmp(boots[b].id, id))
			return &boots[b];
	return NULL;
}

/* CLOCK_MONOTONIC starts with the boot: what it shows at the first iteration is what it cost. */
double compare_boot_cost(struct run *const *runs, size_t n)
{
	double boot = INFINITY, iterations = 0, count = 0;

	for (size_t r = 0; r < n; r++) {
		struct boot_clock *boots = NULL, *b;
		size_t n_boots = 0;

		for (size_t i = 0; i < runs[r]->n_iterations; i++) {
			const struct iteration *it = &runs[r]->iterations[i];

			if (!it->boot_id || !*it->boot_id || !it->mono_ns)
				continue;
			b = find_clock(boots, n_boots, it->boot_id);
			if (!b) {
				GROW(boots, n_boots);
				b = &boots[n_boots++];
				*b = (struct boot_clock){ it->boot_id, it->mono_ns, it->mono_ns, 0 };
			}
			b->last = it->mono_ns;
			b->n++;
		}
		for (size_t k = 0; k < n_boots; k++) {
			boot = fmin(boot, (double)boots[k].first);
			iterations += (double)boots[k].last - (double)boots[k].first;
			count += (double)boots[k].n - 1;
		}
		free(boots);
	}
	return count > 0 && iterations > 0 ? boot / (iterations / count) : NAN;
}

/* Values of both sides as relative deviations from their median, with their boots. */
static void add_boots(const struct compare_side *side, double *x, size_t *boot)
{
	for (size_t i = 0; i < side->stats.n; i++) {
		x[i] = side->values[i] - side->stats.median;
		if (side->stats.min > 0)
			x[i] = log(side->values[i] / side->stats.median);
		boot[i] = side->boots[i];
	}
}

void compare_note_boots(const struct comparison *c, struct compare_row *row, double cost)
{
	size_t n_a = row->base.stats.n, n = n_a + row->side.stats.n;
	__cleanup_free double *x = xcalloc(n, sizeof(*x));
	__cleanup_free size_t *boot = xcalloc(n, sizeof(*boot));
	struct data_boots d;

	if (compare_row_is_missing(row) || (row->base.stats.min > 0) != (row->side.stats.min > 0))
		return;
	add_boots(&row->base, x, boot);
	add_boots(&row->side, x + n_a, boot + n_a);
	data_boots(x, boot, n, c->boots.n, cost, &d);
	if (isnan(d.boot_var))
		return;
	if (d.boots_matter && isnan(d.worth))
		strvec_push(&row->notes, "boots matter: more boots, not more iterations, make this "
			    "surer");
	else if (d.boots_matter)
		strvec_pushf(&row->notes, "boots matter: more boots, not more iterations, make this "
			     "surer; %.0f iteration%s a boot would be enough", d.worth,
			     d.worth == 1 ? "" : "s");
	else if (row->metric.primary && !isnan(d.worth) && d.worth < 2 * d.iterations)
		strvec_pushf(&row->notes, "boots matter little; %.0f iteration%s a boot would be enough",
			     d.worth, d.worth == 1 ? "" : "s");
}
