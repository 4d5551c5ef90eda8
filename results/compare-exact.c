// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/compare.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/cells.h"
#include "results/each.h"

#include <string.h>

/* The perturbations of one cell in one run: valid iterations with their operations. */
struct sources {
	const struct iteration **v; /* by pad, seed, seq */
	size_t n;
};

static bool is_source(const struct iteration *it)
{
	return iteration_is_valid(it) && it->exact.perturbed && it->exact.each && it->workload &&
	       it->target;
}

static int compare_perturbations(const struct iteration *a, const struct iteration *b)
{
	if (a->exact.pad != b->exact.pad)
		return a->exact.pad < b->exact.pad ? -1 : 1;
	return (a->exact.seed > b->exact.seed) - (a->exact.seed < b->exact.seed);
}

static int by_perturbation(const void *a, const void *b)
{
	const struct iteration *x = *(const struct iteration *const *)a;
	const struct iteration *y = *(const struct iteration *const *)b;
	int order = compare_perturbations(x, y);

	return order ? order : (x->seq > y->seq) - (x->seq < y->seq);
}

static struct sources collect(const struct run *r, const char *workload, const char *target)
{
	struct sources s = { xcalloc(r->n_iterations + 1, sizeof(*s.v)), 0 };

	for (size_t i = 0; i < r->n_iterations; i++)
		if (is_source(&r->iterations[i]) &&
		    iteration_is_of(&r->iterations[i], workload, target))
			s.v[s.n++] = &r->iterations[i];
	qsort(s.v, s.n, sizeof(*s.v), by_perturbation);
	return s;
}

/* --- operations of two iterations --- */

static bool is_of(const struct each *e, const struct each_seq *s, const char *op,
		  const char *clock)
{
	return !strcmp(s->op, op) && !strcmp(e->clocks.v[s->clock], clock);
}

static void compare_two(const struct each *a, const struct each *b, const char *op,
			const char *clock, struct paired *out)
{
	__cleanup_free struct paired_span *spans = xcalloc(a->n + b->n + 1, sizeof(*spans));
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct each_seq *x = &a->seqs[i], *y;

		if (!is_of(a, x, op, clock))
			continue;
		y = each_find(b, op, clock, x->round, x->thread);
		spans[n++] = (struct paired_span){ x->v, y ? y->v : NULL, x->n, y ? y->n : 0 };
	}
	for (size_t i = 0; i < b->n; i++) {
		const struct each_seq *y = &b->seqs[i];

		if (is_of(b, y, op, clock) && !each_find(a, op, clock, y->round, y->thread))
			spans[n++] = (struct paired_span){ NULL, y->v, 0, y->n };
	}
	paired_compare(spans, n, out);
}

/* Every operation of @op the same, one by one? */
static bool is_identical(const struct each *a, const struct each *b, const char *op,
			 const char *clock)
{
	size_t left = 0;

	for (size_t i = 0; i < b->n; i++)
		left += is_of(b, &b->seqs[i], op, clock);
	for (size_t i = 0; i < a->n; i++) {
		const struct each_seq *x = &a->seqs[i], *y;

		if (!is_of(a, x, op, clock))
			continue;
		y = each_find(b, op, clock, x->round, x->thread);
		if (!y || x->n != y->n || (x->n && memcmp(x->v, y->v, x->n * sizeof(*x->v))))
			return false;
		left--;
	}
	return !left;
}

/* --- rows --- */

static void compare_self(const struct sources *s, const char *op, const char *clock,
			 struct paired_floor *out)
{
	__cleanup_free struct paired *p = xcalloc(s->n * s->n + 1, sizeof(*p));
	bool same_pad = false;
	size_t n = 0;

	for (size_t i = 1; i < s->n; i++)
		same_pad |= s->v[i]->exact.pad == s->v[i - 1]->exact.pad &&
			    s->v[i]->exact.seed != s->v[i - 1]->exact.seed;
	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = i + 1; k < s->n; k++) {
			const struct iteration_exact *a = &s->v[i]->exact, *b = &s->v[k]->exact;

			if (compare_perturbations(s->v[i], s->v[k]) &&
			    (!same_pad || a->pad == b->pad))
				compare_two(a->each, b->each, op, clock, &p[n++]);
		}
	}
	paired_floor(p, n, out);
}

/* A perturbation that was run twice must do the same twice. */
static void check_repeats(const struct comparison *c, size_t arm, const struct sources *s,
			  struct compare_exact *row)
{
	for (size_t i = 1; i < s->n; i++) {
		const struct iteration *a = s->v[i - 1], *b = s->v[i];

		if (compare_perturbations(a, b) ||
		    is_identical(a->exact.each, b->exact.each, row->op, row->clock))
			continue;
		strvec_pushf(&row->notes, "not deterministic: two runs of %s with pad %llu and seed "
			     "%llu differ", c->arms[arm].label, (unsigned long long)a->exact.pad,
			     (unsigned long long)a->exact.seed);
		return;
	}
}

static const struct iteration *find(const struct sources *s, const struct iteration *like)
{
	for (size_t i = 0; i < s->n; i++)
		if (!compare_perturbations(s->v[i], like))
			return s->v[i];
	return NULL;
}

static void note_alone(const struct comparison *c, size_t arm, const struct sources *s,
		       const struct sources *other, struct compare_exact *row)
{
	size_t alone = 0;

	for (size_t i = 0; i < s->n; i++)
		alone += !find(other, s->v[i]);
	if (alone)
		strvec_pushf(&row->notes, "%zu of %zu perturbations are in %s only", alone, s->n,
			     c->arms[arm].label);
}

static void note_counts(struct compare_exact *row)
{
	for (size_t i = 0; i < row->n; i++) {
		const struct compare_perturbation *v = &row->v[i];

		if (v->p.unequal)
			strvec_pushf(&row->notes, "with pad %llu and seed %llu the base has %zu "
				     "operations, the arm %zu: the common beginning is compared",
				     (unsigned long long)v->pad, (unsigned long long)v->seed,
				     v->p.n_base, v->p.n_arm);
	}
}

static bool is_confounded(const struct comparison *c, const struct compare_exact *row)
{
	for (size_t i = 0; i < c->n_claims; i++) {
		const struct compare_claim *claim = &c->claims[i];

		if (!strcmp(claim->word, COMPARE_CONFOUNDED) && !claim->allowed &&
		    (!claim->arm || claim->arm == row->arm) &&
		    (!claim->workload || !strcmp(claim->workload, row->workload)) &&
		    (!claim->target || !strcmp(claim->target, row->target)))
			return true;
	}
	return false;
}

static void decide(const struct comparison *c, struct compare_exact *row)
{
	__cleanup_free struct paired *p = xcalloc(row->n + 1, sizeof(*p));
	struct paired_input in = { .v = p, .n = row->n, .base = row->floor, .arm = row->arm_floor,
				   .delta_pct = c->delta_pct };

	for (size_t i = 0; i < row->n; i++)
		p[i] = row->v[i].p;
	paired_decide(&in, &row->r);
	if (!row->n)
		row->r.word = VERDICT_MISSING;
}

static void fill_row(const struct comparison *c, const struct sources *base,
		     const struct sources *arm, struct compare_exact *row)
{
	row->v = xcalloc(base->n + 1, sizeof(*row->v));
	for (size_t i = 0; i < base->n; i++) {
		const struct iteration *a = base->v[i], *b = find(arm, a);
		struct compare_perturbation *v = &row->v[row->n];

		/* The first of a perturbation stands for it. */
		if (!b || (i && !compare_perturbations(base->v[i - 1], a)))
			continue;
		v->pad = a->exact.pad;
		v->seed = a->exact.seed;
		compare_two(a->exact.each, b->exact.each, row->op, row->clock, &v->p);
		/* Neither side has done any in this one. */
		row->n += v->p.n_base || v->p.n_arm;
	}
	compare_self(base, row->op, row->clock, &row->floor);
	compare_self(arm, row->op, row->clock, &row->arm_floor);
	row->confounded = is_confounded(c, row);
	decide(c, row);
	note_counts(row);
	note_alone(c, 0, base, arm, row);
	note_alone(c, row->arm, arm, base, row);
	check_repeats(c, 0, base, row);
	check_repeats(c, row->arm, arm, row);
}

static bool is_known(const struct comparison *c, const struct compare_exact *row)
{
	for (size_t i = 0; i < c->n_exact; i++) {
		const struct compare_exact *e = &c->exact[i];

		if (e->arm == row->arm && !strcmp(e->op, row->op) &&
		    !strcmp(e->clock, row->clock) && !strcmp(e->workload, row->workload) &&
		    !strcmp(e->target, row->target))
			return true;
	}
	return false;
}

static void add_row(struct comparison *c, const struct iteration *it, const struct each_seq *seq,
		    size_t arm, const struct sources *base, const struct sources *side)
{
	struct compare_exact row = {
		.workload = it->workload, .target = it->target, .op = seq->op,
		.clock = it->exact.each->clocks.v[seq->clock], .arm = arm,
	};

	if (is_known(c, &row))
		return;
	row.workload = xstrdup(row.workload);
	row.target = xstrdup(row.target);
	row.op = xstrdup(row.op);
	row.clock = xstrdup(row.clock);
	fill_row(c, base, side, &row);
	GROW(c->exact, c->n_exact);
	c->exact[c->n_exact++] = row;
}

/* The rows of one cell and arm, classes in the order of the files. */
static void add_cell(struct comparison *c, struct run *const *runs, size_t arm,
		     const char *workload, const char *target)
{
	struct sources base = collect(runs[0], workload, target);
	struct sources side = collect(runs[arm], workload, target);
	const struct sources *both[] = { &base, &side };

	for (size_t b = 0; b < ARRAY_SIZE(both); b++) {
		for (size_t i = 0; i < both[b]->n; i++) {
			const struct iteration *it = both[b]->v[i];

			for (size_t k = 0; k < it->exact.each->n; k++)
				add_row(c, it, &it->exact.each->seqs[k], arm, &base, &side);
		}
	}
	free(base.v);
	free(side.v);
}

static int by_cell(const void *a, const void *b)
{
	const struct iteration *x = *(const struct iteration *const *)a;
	const struct iteration *y = *(const struct iteration *const *)b;
	int order = strcmp(x->workload, y->workload);

	return order ? order : strcmp(x->target, y->target);
}

void compare_add_exact(struct comparison *c, struct run *const *runs)
{
	__cleanup_free const struct iteration **cells = NULL;
	size_t n = 0;

	for (size_t r = 0; r < c->n_arms; r++) {
		for (size_t i = 0; i < runs[r]->n_iterations; i++) {
			if (!is_source(&runs[r]->iterations[i]))
				continue;
			GROW(cells, n);
			cells[n++] = &runs[r]->iterations[i];
		}
	}
	if (!n)
		return;
	qsort(cells, n, sizeof(*cells), by_cell);
	for (size_t i = 0; i < n; i++) {
		if (i && !by_cell(&cells[i - 1], &cells[i]))
			continue;
		for (size_t arm = 1; arm < c->n_arms; arm++)
			add_cell(c, runs, arm, cells[i]->workload, cells[i]->target);
	}
}

void compare_exact_release(struct comparison *c)
{
	for (size_t i = 0; i < c->n_exact; i++) {
		free(c->exact[i].workload);
		free(c->exact[i].target);
		free(c->exact[i].op);
		free(c->exact[i].clock);
		free(c->exact[i].v);
		strvec_release(&c->exact[i].notes);
	}
	free(c->exact);
}
