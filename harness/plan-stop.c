// SPDX-License-Identifier: GPL-2.0-or-later
/* The rule that ends a run. */
#include "harness/plan.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <string.h>

static const uint64_t default_looks[] = { 8, 12, 20, 40 };

static void choose_width(struct plan *p, struct strvec *problems)
{
	struct stopping *s = &p->stopping;

	s->rule = STOPPING_WIDTH;
	s->width_pct = p->opt->until_width_pct;
	s->first = STOPPING_FIRST;
	s->most = p->opt->iterations ? p->opt->iterations : p->opt->blocks;
	if (!s->most)
		s->most = STOPPING_MOST;
	if (s->most < s->first)
		strvec_pushf(problems, "--until-width: needs at least %d blocks, since with fewer "
			     "the width itself is too uncertain", STOPPING_FIRST);
}

static void add_looks(struct stopping *s, const struct strvec *looks, struct strvec *problems)
{
	if (looks->n > STOPPING_LOOKS_MAX) {
		strvec_pushf(problems, "--looks: %d at the most", STOPPING_LOOKS_MAX);
		return;
	}
	for (size_t i = 0; i < looks->n; i++) {
		unsigned long long units = 0;

		if (str_to_u64(looks->v[i], &units) || !units || units % 2 ||
		    units > PLAN_MAX_ITERATIONS ||
		    (s->n_looks && units <= s->looks[s->n_looks - 1].units)) {
			strvec_pushf(problems, "--looks: '%s': even numbers of iterations, each "
				     "larger than the one before (blocks have every arm twice)",
				     looks->v[i]);
			return;
		}
		s->looks[s->n_looks++].units = units;
	}
}

/* Can every one of @tests primary rows be decided at the first look of @s? */
static bool can_end(const struct plan *p, const struct stopping *s)
{
	double p_min = plan_p_min(p, p->jobs[0], s->looks[0].units);

	return (double)plan_tests(p) * p_min <= s->looks[0].alpha;
}

/* "--looks 12,20,40": the longest rest whose first look can end the run. */
static char *remedy(const struct plan *p)
{
	for (size_t from = 1; from < p->stopping.n_looks; from++) {
		struct stopping rest = p->stopping;
		__cleanup_strbuf struct strbuf sb = STRBUF_INIT;

		rest.n_looks -= from;
		memmove(rest.looks, rest.looks + from, rest.n_looks * sizeof(*rest.looks));
		stopping_share(&rest);
		if (!can_end(p, &rest))
			continue;
		for (size_t i = 0; i < rest.n_looks; i++)
			strbuf_addf(&sb, "%s%llu", i ? "," : "",
				    (unsigned long long)rest.looks[i].units);
		return xasprintf("--looks %s leaves it out", strbuf_str(&sb));
	}
	return xstrdup("fewer workloads, targets or arms, or later looks, would do");
}

static void check_first_look(const struct plan *p, struct strvec *problems)
{
	const struct stopping_look *first = &p->stopping.looks[0];
	__cleanup_free char *what = NULL;
	size_t m = plan_tests(p);

	if (!p->n_jobs || !p->n_targets || !m || can_end(p, &p->stopping))
		return;
	what = remedy(p);
	strvec_pushf(problems, "--until-decided: the first look, after %llu iterations of each arm, "
		     "cannot end the run: %zu primary test%s p <= %.2g there, and p = %.2g is the "
		     "best that %llu can reach; %s", (unsigned long long)first->units, m,
		     m == 1 ? " needs" : "s need", first->alpha / (double)m,
		     plan_p_min(p, p->jobs[0], first->units), (unsigned long long)first->units,
		     what);
}

static void choose_looks(struct plan *p, struct strvec *problems)
{
	struct stopping *s = &p->stopping;

	s->rule = STOPPING_DECIDED;
	if (p->opt->iterations || p->opt->blocks)
		strvec_push(problems, "--until-decided: the last look is the end; so --looks "
			    "instead of -n or --blocks");
	if (p->opt->looks.n) {
		add_looks(s, &p->opt->looks, problems);
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(default_looks); i++)
			s->looks[s->n_looks++].units = default_looks[i];
	}
	stopping_share(s);
	if (s->n_looks)
		check_first_look(p, problems);
}

void plan_choose_stop(struct plan *p, struct strvec *problems)
{
	const struct run_options *o = p->opt;
	bool width = o->until_width_pct > 0;

	if (!width && !o->until_decided) {
		if (o->max_time_s)
			strvec_push(problems, "--max-time: only together with --until-width or "
				    "--until-decided");
		if (o->looks.n)
			strvec_push(problems, "--looks: only together with --until-decided");
		return;
	}
	if (width && o->until_decided)
		strvec_push(problems, "--until-width and --until-decided: only one of them");
	else if (o->aa)
		strvec_push(problems, "--aa: without --until-width and --until-decided, so that "
			    "its sessions are alike");
	else if (p->n_arms < 2)
		strvec_push(problems, "--until-width, --until-decided: need a second --arm to "
			    "compare with");
	else if (width)
		choose_width(p, problems);
	else
		choose_looks(p, problems);
	if (o->keep)
		strvec_push(problems, "--keep: not with --until-width and --until-decided, where no "
			    "iteration is known to be the last");
	if (width && o->looks.n)
		strvec_push(problems, "--looks: only together with --until-decided");
	p->stopping.max_time_s = o->max_time_s;
}
