// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/forecast.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/cells.h"
#include "results/stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define NS 1e-9

/* --- scatter --- */

static bool counts(const struct iteration *it, const char *workload, const char *target,
		   bool warmups)
{
	return it->outcome == OUTCOME_OK && it->warmup == warmups &&
	       iteration_is_of(it, workload, target);
}

/* The primary sample; of several the one whose name is known already. */
static const struct sample *primary_of(const struct iteration *it, const char *name)
{
	for (size_t i = 0; i < it->samples.n; i++)
		if (it->samples.v[i].metric.primary &&
		    (!name || !strcmp(it->samples.v[i].metric.name, name)))
			return &it->samples.v[i];
	return NULL;
}

struct scatter {
	double squares; /* of deviations */
	size_t freedom;
};

static void add_run(const struct run *r, const char *workload, const char *target, bool warmups,
		    struct forecast *f, struct scatter *s)
{
	__cleanup_free double *v = xcalloc(r->n_iterations, sizeof(*v));
	struct stats stats;
	size_t n = 0;

	for (size_t i = 0; i < r->n_iterations; i++) {
		const struct iteration *it = &r->iterations[i];
		const struct sample *sample = counts(it, workload, target, warmups) ?
					      primary_of(it, f->metric) : NULL;

		if (!sample)
			continue;
		f->metric = sample->metric.name;
		/* A logarithm of what is not above 0 does not exist, and then there is no sd. */
		v[n++] = log(value_as_double(sample->value));
	}
	if (n < 2 || stats_describe(v, n, &stats))
		return;
	s->squares += stats.sd * stats.sd * (double)(n - 1);
	s->freedom += n - 1;
	f->values += n;
	f->runs++;
}

/* --- time --- */

struct moment {
	const char *session;
	const struct iteration *it;
};

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	int ret = strcmp(x->session, y->session);

	return ret ? ret : (x->it->seq > y->it->seq) - (x->it->seq < y->it->seq);
}

static size_t list_moments(struct run *const *runs, size_t n, struct moment *m)
{
	size_t count = 0;

	for (size_t r = 0; r < n; r++)
		for (size_t i = 0; i < runs[r]->n_iterations; i++)
			if (runs[r]->iterations[i].mono_ns)
				m[count++] = (struct moment){
					runs[r]->session ?: runs[r]->id ?: "",
					&runs[r]->iterations[i],
				};
	qsort(m, count, sizeof(*m), by_time);
	return count;
}

static bool follows(const struct moment *a, const struct moment *b)
{
	return !strcmp(a->session, b->session) && b->it->seq == a->it->seq + 1 &&
	       str_eq(a->it->boot_id, b->it->boot_id) && b->it->mono_ns > a->it->mono_ns;
}

static double median_time(struct run *const *runs, size_t n, const char *workload,
			  const char *target)
{
	__cleanup_free struct moment *m = NULL;
	__cleanup_free double *seconds = NULL;
	size_t total = 0, count = 0, most;

	for (size_t r = 0; r < n; r++)
		total += runs[r]->n_iterations;
	m = xcalloc(total, sizeof(*m));
	seconds = xcalloc(total, sizeof(*seconds));
	most = list_moments(runs, n, m);
	for (size_t i = 0; i + 1 < most; i++)
		if (iteration_is_of(m[i].it, workload, target) && follows(&m[i], &m[i + 1]))
			seconds[count++] = NS * (double)(m[i + 1].it->mono_ns - m[i].it->mono_ns);
	return stats_median(seconds, count);
}

void forecast_cell(struct run *const *runs, size_t n, const char *workload, const char *target,
		   bool warmups, struct forecast *out)
{
	struct scatter s = { 0, 0 };

	*out = (struct forecast){ .sd_pct = NAN };
	for (size_t i = 0; i < n; i++)
		add_run(runs[i], workload, target, warmups, out, &s);
	if (s.freedom)
		out->sd_pct = 100 * sqrt(s.squares / (double)s.freedom);
	out->seconds = median_time(runs, n, workload, target);
}

double forecast_units_for_width(double sd_pct, double width_pct)
{
	double ratio = gsl_cdf_ugaussian_Qinv(0.025) * sd_pct / width_pct;

	return ceil(2 * ratio * ratio);
}
