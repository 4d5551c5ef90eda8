// SPDX-License-Identifier: GPL-2.0-or-later
/* May a difference come from the functions that were touched? */
#include "lib/mem.h"
#include "results/reach.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const words[] = {
	[REACH_RUNS] = "runs",
	[REACH_WORK_DIFFERS] = "the amount of work differs",
	[REACH_UNKNOWN] = "attribution unknown",
	[REACH_NOT_ATTRIBUTABLE] = "NOT ATTRIBUTABLE",
};

const char *reach_word_str(enum reach_word w)
{
	return (size_t)w < ARRAY_SIZE(words) ? words[w] : "?";
}

/* The first in @l, for which @yes says so, of @workload and, unless NULL, of @function. */
static const struct reach *first(const struct reach_list *l, const char *workload,
				 const char *function, bool (*yes)(const struct reach *r))
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].workload, workload) &&
		    (!function || !strcmp(l->v[i].function, function)) && yes(&l->v[i]))
			return &l->v[i];
	return NULL;
}

static bool any(const struct reach *r)
{
	(void)r;
	return true;
}

static bool ran(const struct reach *r)
{
	return r->known && r->hits;
}

/* Certainly not once: a lower bound of 0 says nothing. */
static bool never_ran(const struct reach *r)
{
	return r->known && !r->hits && !r->lower_bound;
}

/* A function that no arm could count; NULL: each was counted on one at least. */
static const struct reach *not_counted(const struct reach_list *l, const char *workload)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].workload, workload) &&
		    !first(l, workload, l->v[i].function, never_ran))
			return &l->v[i];
	return NULL;
}

static bool differ(double a, double b, double tolerance)
{
	/* False for NaN, too. */
	return fabs(a - b) > tolerance * fmax(fabs(a), fabs(b));
}

/* Two arms of one function whose exact hits per operation differ. */
static bool find_difference(const struct reach_list *l, const char *workload, double tolerance,
			    const struct reach **a, const struct reach **b)
{
	for (size_t i = 0; i < l->n; i++) {
		*a = &l->v[i];
		if (strcmp((*a)->workload, workload) || !(*a)->known || (*a)->lower_bound)
			continue;
		for (size_t k = i + 1; k < l->n; k++) {
			*b = &l->v[k];
			if (!strcmp((*b)->workload, workload) &&
			    !strcmp((*b)->function, (*a)->function) && (*b)->known &&
			    !(*b)->lower_bound && differ((*a)->per_op, (*b)->per_op, tolerance))
				return true;
		}
	}
	return false;
}

static size_t count_functions(const struct reach_list *l, const char *workload)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += !strcmp(l->v[i].workload, workload) &&
		     first(l, workload, l->v[i].function, any) == &l->v[i];
	return n;
}

static char *never_sentence(const struct reach_list *l, const char *workload)
{
	size_t n = count_functions(l, workload);

	if (n == 1)
		return xasprintf("%s ran 0 times in %s: a difference cannot come from it",
				 first(l, workload, NULL, any)->function, workload);
	return xasprintf("none of the %zu touched functions ran in %s: a difference cannot come from "
			 "them", n, workload);
}

static char *ran_sentence(const struct reach *r, const char *workload)
{
	if (isfinite(r->per_op))
		return xasprintf("%s ran %s%" PRIu64 " times in %s on %s, %.4g per operation",
				 r->function, r->lower_bound ? "at least " : "", r->hits, workload,
				 r->arm, r->per_op);
	return xasprintf("%s ran %s%" PRIu64 " times in %s on %s", r->function,
			 r->lower_bound ? "at least " : "", r->hits, workload, r->arm);
}

static char *unknown_sentence(const struct reach *r, const char *workload)
{
	return xasprintf("how often %s ran in %s is unknown: %s", r->function, workload,
			 r->reason ? r->reason : "it was not counted");
}

void reach_judge(const struct reach_list *l, const char *workload, double tolerance,
		 struct reach_claim *out)
{
	const struct reach *hit = first(l, workload, NULL, ran), *a, *b;
	const struct reach *open = not_counted(l, workload);

	if (find_difference(l, workload, tolerance, &a, &b)) {
		out->word = REACH_WORK_DIFFERS;
		out->sentence = xasprintf("%s ran %.4g times per operation of %s on %s, %.4g on %s",
					  a->function, a->per_op, workload, a->arm, b->per_op, b->arm);
	} else if (hit) {
		out->word = REACH_RUNS;
		out->sentence = ran_sentence(hit, workload);
	} else if (!first(l, workload, NULL, any)) {
		out->word = REACH_UNKNOWN;
		out->sentence = xasprintf("no function was counted in %s", workload);
	} else if (open) {
		out->word = REACH_UNKNOWN;
		out->sentence = unknown_sentence(open, workload);
	} else {
		out->word = REACH_NOT_ATTRIBUTABLE;
		out->sentence = never_sentence(l, workload);
	}
}
