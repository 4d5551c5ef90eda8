// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/forecast.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/forecast.h"
#include "results/noise.h"
#include "results/store.h"
#include "results/verdict.h"

#include <math.h>
#include <string.h>

#define RUNS_MAX 12	  /* earlier runs that are read */
#define FEW_WARMUPS 3	  /* of one arm: fewer say nothing of noise */
#define UNITS_TRIED 200

/* --- earlier runs --- */

/* The cells of the plan. */
struct wanted {
	struct noise_cell *v;
	size_t n;
};

/* Settings of arms do not count: one spread has to do for all. */
static bool alike(const struct noise_cell *a, const struct noise_cell *b)
{
	return str_eq(a->host, b->host) && str_eq(a->workload, b->workload) &&
	       str_eq(a->digest, b->digest) && str_eq(a->fs, b->fs) &&
	       str_eq(a->device, b->device);
}

static bool has_cell(const struct wanted *w, const struct run *r, const char *workload,
		     const char *target)
{
	struct noise_cell cell;
	bool found = false;

	if (!noise_cell_of(r, workload, target, &cell))
		return false;
	for (size_t i = 0; i < w->n; i++)
		found |= alike(&w->v[i], &cell);
	noise_cell_release(&cell);
	return found;
}

static bool is_like_the_plan(const struct run *header, void *arg)
{
	for (size_t w = 0; w < header->n_workloads; w++)
		for (size_t t = 0; t < header->n_targets; t++)
			if (has_cell(arg, header, header->workloads[w].name,
				     header->targets[t].name))
				return true;
	return false;
}

static void want_cells(const struct plan *p, const struct run *described, struct wanted *w)
{
	w->v = xcalloc(p->n_jobs * p->n_targets, sizeof(*w->v));
	for (size_t j = 0; j < p->n_jobs; j++)
		for (size_t t = 0; t < p->n_targets; t++)
			w->n += noise_cell_of(described, p->jobs[j]->name, p->targets[t].name,
					      &w->v[w->n]);
}

/* --- sentences --- */

static char *percent(double v)
{
	return v < 9.95 ? xasprintf("%.2g %%", v) : xasprintf("%.0f %%", v);
}

/* The smallest effect, and the n of the rule. */
static void add_sight(const struct plan *p, size_t job, size_t target, const struct forecast *f,
		      const char *from, struct strvec *lines)
{
	const struct stopping *s = &p->stopping;
	uint64_t n = plan_iterations(p, p->jobs[job]);
	double alpha = s->rule == STOPPING_DECIDED ? s->looks[s->n_looks - 1].alpha : VERDICT_ALPHA;
	double mde = verdict_mde_planned(n, f->sd_pct, alpha, 0.8);
	double units = forecast_units_for_width(f->sd_pct, s->width_pct);
	__cleanup_free char *seen = percent(mde), *scatter = percent(f->sd_pct);
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s on %s: ", p->jobs[job]->name, p->targets[target].name);
	if (isnan(mde))
		strbuf_adds(&sb, "one iteration says nothing about noise");
	else
		strbuf_addf(&sb, "n = %llu can see a change of %s in %s", (unsigned long long)n,
			    seen, f->metric);
	strbuf_addf(&sb, " (scatter %s, %zu values of %s)", scatter, f->values, from);
	if (s->rule == STOPPING_WIDTH && units > (double)s->most)
		strbuf_addf(&sb, "; +-%g %% would take about n = %.0f", s->width_pct, units);
	else if (s->rule == STOPPING_WIDTH)
		strbuf_addf(&sb, "; +-%g %% takes about n = %.0f", s->width_pct,
			    fmax(units, (double)s->first));
	strvec_push(lines, strbuf_str(&sb));
}

/* "45s", "4m", "2.5h" */
static char *about(double seconds)
{
	if (seconds < 90)
		return xasprintf("%.0fs", fmax(seconds, 1));
	return seconds < 90 * 60 ? xasprintf("%.0fm", seconds / 60) :
				   xasprintf("%.1fh", seconds / 3600);
}

static size_t steps_of(const struct plan *p, size_t job, size_t target)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_steps; i++)
		n += p->steps[i].job == job && p->steps[i].target == target;
	return n;
}

static void add_time(const struct plan *p, double seconds, size_t unknown, struct strvec *lines)
{
	size_t cells = p->n_jobs * p->n_targets;
	uint64_t limit = p->stopping.max_time_s;
	__cleanup_free char *time = NULL;
	const char *most = p->stopping.rule == STOPPING_FIXED ? "" : "at most ";

	if (unknown == cells) {
		strvec_push(lines, "how long it takes: not known yet");
		return;
	}
	if (limit && (double)limit < seconds)
		seconds = (double)limit;
	time = about(seconds);
	if (unknown)
		strvec_pushf(lines, "takes %sabout %s, and what %zu of %zu workloads and targets take "
			     "that were not run here", most, time, unknown, cells);
	else
		strvec_pushf(lines, "takes %sabout %s", most, time);
}

/* The runs that did the same work in this cell. */
static size_t pick_runs(const struct wanted *w, struct run *const *runs, size_t n,
			const char *workload, const char *target, struct run **out)
{
	size_t picked = 0;

	for (size_t i = 0; i < n; i++)
		if (has_cell(w, runs[i], workload, target))
			out[picked++] = runs[i];
	return picked;
}

/* Returns the seconds that all of the cell takes; NaN: not known. */
static double add_cell(const struct plan *p, size_t job, size_t target, struct run *const *runs,
		       size_t n, struct strvec *lines)
{
	const char *workload = p->jobs[job]->name, *where = p->targets[target].name;
	__cleanup_free char *from = NULL;
	struct forecast f;

	forecast_cell(runs, n, workload, where, false, &f);
	from = xasprintf("%zu earlier run%s", f.runs, f.runs == 1 ? "" : "s");
	if (isnan(f.sd_pct))
		strvec_pushf(lines, "%s on %s: no earlier runs here: what it can see is not known "
			     "yet", workload, where);
	else
		add_sight(p, job, target, &f, from, lines);
	return f.seconds * (double)steps_of(p, job, target);
}

static void add_cells(const struct plan *p, const struct wanted *w, struct run *const *runs,
		      size_t n, struct strvec *lines)
{
	struct run *picked[RUNS_MAX];
	double seconds = 0;
	size_t unknown = 0;

	for (size_t j = 0; j < p->n_jobs; j++) {
		for (size_t t = 0; t < p->n_targets; t++) {
			size_t k = pick_runs(w, runs, n, p->jobs[j]->name, p->targets[t].name,
					     picked);
			double cell = add_cell(p, j, t, picked, k, lines);

			if (isnan(cell))
				unknown++;
			else
				seconds += cell;
		}
	}
	add_time(p, seconds, unknown, lines);
}

/* --- what no result could show --- */

/* The fewest iterations with which the first of @m tests can be significant. */
static unsigned long long enough(const struct plan *p, const struct job *job, size_t m)
{
	struct run_options o = *p->opt;
	struct plan tried = *p;

	tried.opt = &o;
	o.blocks = 0;
	for (o.iterations = VERDICT_MIN_UNITS; o.iterations < UNITS_TRIED; o.iterations++)
		if ((double)m * plan_p_min(&tried, job, o.iterations) <= VERDICT_ALPHA)
			break;
	return o.iterations;
}

static void warn_reach(const struct plan *p, struct strvec *warnings)
{
	const struct job *worst = NULL;
	size_t m = plan_tests(p);
	double p_min = 0;
	unsigned long long n, needed;

	for (size_t j = 0; j < p->n_jobs; j++) {
		double reached = plan_p_min(p, p->jobs[j], plan_iterations(p, p->jobs[j]));

		if (reached > p_min) {
			p_min = reached;
			worst = p->jobs[j];
		}
	}
	if (p->n_arms < 2 || !worst)
		return;
	n = plan_iterations(p, worst);
	needed = enough(p, worst, m);
	if (n < VERDICT_MIN_UNITS)
		strvec_pushf(warnings, "%s: n = %llu gives no verdict; -n %llu can, for %zu primary "
			     "test%s", worst->name, n, needed, m, m == 1 ? "" : "s");
	else if ((double)m * p_min > VERDICT_ALPHA)
		strvec_pushf(warnings, "%zu primary tests share the level of 5 %% (Holm): the first "
			     "one needs p <= %.2g, and p = %.2g is the best that n = %llu can reach "
			     "(%s); -n %llu would do", m, VERDICT_ALPHA / (double)m, p_min, n,
			     worst->name, needed);
}

void forecast_plan(const struct app *app, const struct plan *p, const struct kv *host,
		   struct strvec *lines, struct strvec *warnings)
{
	struct session s = { .app = app, .plan = p, .host = host };
	__cleanup_run struct run *described = session_describe(&s, 0, "");
	struct run *runs[RUNS_MAX];
	struct wanted wanted = { NULL, 0 };
	size_t n;

	want_cells(p, described, &wanted);
	n = store_recent(app->store, is_like_the_plan, &wanted, runs, RUNS_MAX);
	add_cells(p, &wanted, runs, n, lines);
	warn_reach(p, warnings);
	while (n)
		run_free(runs[--n]);
	while (wanted.n)
		noise_cell_release(&wanted.v[--wanted.n]);
	free(wanted.v);
}

void forecast_warmups(const struct session *s, struct strvec *lines)
{
	const struct plan *p = s->plan;
	__cleanup_free struct run **runs = xcalloc(p->n_arms, sizeof(struct run *));

	for (size_t a = 0; a < p->n_arms; a++)
		runs[a] = s->arms[a].run;
	for (size_t j = 0; j < p->n_jobs; j++) {
		for (size_t t = 0; t < p->n_targets; t++) {
			struct forecast f;

			if (p->jobs[j]->warmup < FEW_WARMUPS)
				continue;
			forecast_cell(runs, p->n_arms, p->jobs[j]->name, p->targets[t].name, true,
				      &f);
			if (!isnan(f.sd_pct))
				add_sight(p, j, t, &f, "warm-ups", lines);
		}
	}
}
