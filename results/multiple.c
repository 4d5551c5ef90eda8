// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/multiple.h"

#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"

struct ranked {
	double p;
	size_t at;	/* place in the input */
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The tests that count, smallest p first; the others go to @adjusted as NaN. */
static struct ranked *rank(const double *p, size_t n, double *adjusted, size_t *m)
{
	struct ranked *r = xcalloc(n, sizeof(*r));

	*m = 0;
	for (size_t i = 0; i < n; i++) {
		if (isnan(p[i]))
			adjusted[i] = NAN;
		else
			r[(*m)++] = (struct ranked) { p[i], i };
	}
	qsort(r, *m, sizeof(*r), by_p);
	return r;
}

void multiple_holm(const double *p, size_t n, double *adjusted)
{
	size_t m;
	struct ranked *r = rank(p, n, adjusted, &m);
	double worst = 0;

	for (size_t i = 0; i < m; i++) {
		worst = fmax(worst, fmin(1, (m - i) * r[i].p));
		adjusted[r[i].at] = worst;
	}
	free(r);
}

void multiple_bh(const double *p, size_t n, double *adjusted)
{
	size_t m;
	struct ranked *r = rank(p, n, adjusted, &m);
	double best = 1;

	for (size_t i = m; i-- > 0;) {
		best = fmin(best, m * r[i].p / (i + 1.0));
		adjusted[r[i].at] = best;
	}
	free(r);
}

double multiple_level(double p, double p_adj, double alpha)
{
	if (isnan(p) || isnan(p_adj))
		return NAN;
	/* A p of 0 is one too small for a double; its factor is unknown, and irrelevant. */
	return p_adj > 0 ? alpha * (p / p_adj) : alpha;
}
