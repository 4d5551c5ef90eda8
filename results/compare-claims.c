// SPDX-License-Identifier: GPL-2.0-or-later
/* What no p-value overrides. */
#include "results/compare-internal.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <string.h>

static struct compare_claim *add_claim(struct comparison *c, const char *word)
{
	GROW(c->claims, c->n_claims);
	c->claims[c->n_claims] = (struct compare_claim){ .word = word };
	return &c->claims[c->n_claims++];
}

/* A key, or one without its target: "mount.options" accepts "mount.options (btrfs)". */
static bool is_key(const char *allowed, const char *key)
{
	size_t len = strlen(allowed);

	return !strcmp(allowed, key) || (str_starts(key, allowed) && str_starts(key + len, " ("));
}

static bool is_allowed(const struct compare_options *o, const char *key)
{
	for (size_t i = 0; i < o->allow.n; i++)
		if (is_key(o->allow.v[i], key))
			return true;
	return false;
}

/*
 * Runs of sessions of their own have no plan that could name the kernel as what is
 * compared; but nobody boots another one by mistake, and those who did see the warning.
 */
static bool is_subject(struct run *const *runs, size_t arm, const struct compare_difference *d)
{
	struct run *const pair[] = { runs[0], runs[arm] };

	return !compare_one_session(pair, 2) &&
	       (!strcmp(d->key, "kernel.release") || !strcmp(d->key, "kernel.build_id") ||
		!strcmp(d->key, "kernel.version"));
}

/* A mkfs program explains what happens on its file systems. */
static bool is_about_target(struct run *const *runs, const struct compare_difference *d,
			    const char *target)
{
	const struct run *base = runs[0];

	if (d->target)
		return !strcmp(d->target, target);
	if (!str_starts(d->key, "mkfs."))
		return true;
	for (size_t i = 0; i < base->n_targets; i++)
		if (str_eq(base->targets[i].name, target))
			return str_eq(base->targets[i].fs, d->key + strlen("mkfs."));
	return true;
}

static void mark_confounded(struct comparison *c, struct run *const *runs,
			    const struct compare_difference *d, size_t arm)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (c->rows[i].arm == arm && is_about_target(runs, d, c->rows[i].target))
			c->rows[i].confounded = true;
}

static void claim_difference(struct comparison *c, struct run *const *runs,
			     const struct compare_options *o, const struct compare_difference *d)
{
	struct compare_claim *claim;
	size_t arms = 0, last = 0;

	for (size_t a = 1; a < c->n_arms; a++) {
		if (!d->unlike[a] || is_subject(runs, a, d))
			continue;
		arms++;
		last = a;
		if (!is_allowed(o, d->key))
			mark_confounded(c, runs, d, a);
	}
	if (!arms)
		return;
	claim = add_claim(c, COMPARE_CONFOUNDED);
	claim->target = d->target ? xstrdup(d->target) : NULL;
	claim->arm = arms == c->n_arms - 1 ? 0 : last;
	claim->key = xstrdup(d->key);
	claim->allowed = is_allowed(o, d->key);
	claim->sentence = xstrdup(d->sentence);
}

static void claim_texts(struct comparison *c, struct run *const *runs)
{
	for (size_t a = 1; a < c->n_arms; a++) {
		for (size_t w = 0; w < runs[0]->n_workloads; w++) {
			const char *name = runs[0]->workloads[w].name;
			struct compare_claim *claim;

			if (!compare_text_differs(runs[0], runs[a], name))
				continue;
			claim = add_claim(c, COMPARE_CONFOUNDED);
			claim->workload = xstrdup(name);
			claim->arm = a;
			claim->sentence = xasprintf("the job file is not the same in %s and %s (%s, "
						    "%s): other work", c->arms[0].label,
						    c->arms[a].label, runs[0]->workloads[w].digest,
						    run_find_workload(runs[a], name)->digest);
			for (size_t i = 0; i < c->n_rows; i++)
				if (c->rows[i].arm == a && !strcmp(c->rows[i].workload, name))
					c->rows[i].confounded = true;
		}
	}
}

static void warn_unused(struct comparison *c, const struct compare_options *o)
{
	for (size_t i = 0; i < o->allow.n; i++) {
		bool used = false;

		for (size_t k = 0; k < c->n_claims; k++)
			used |= c->claims[k].key && is_key(o->allow.v[i], c->claims[k].key);
		if (!used)
			strvec_pushf(&c->warnings, "--allow %s: there is no such difference.",
				     o->allow.v[i]);
	}
}

void compare_claim_differences(struct comparison *c, struct run *const *runs,
			       const struct compare_options *o)
{
	claim_texts(c, runs);
	for (size_t i = 0; i < c->n_differences; i++)
		if (c->differences[i].major && !c->differences[i].planned)
			claim_difference(c, runs, o, &c->differences[i]);
	warn_unused(c, o);
}

bool compare_other_machine(const struct comparison *c, size_t arm)
{
	const char *a = kv_get(&c->arms[0].host, "machine.id");
	const char *b = kv_get(&c->arms[arm].host, "machine.id");

	if (!a || !b || !strcmp(a, b))
		return false;
	for (size_t i = 0; i < c->n_claims; i++)
		if (str_eq(c->claims[i].key, "machine.id"))
			return !c->claims[i].allowed;
	return true;
}

/* "rename" of "rename.p50" and "rename.rate"; empty: of the workload as a whole. */
static size_t class_length(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? (size_t)(dot - name) : 0;
}

/* Of operations; of bytes, which can be many or few in an operation, it is not. */
static bool is_rate(const struct metric *m)
{
	return (m->kind == KIND_RATE_WORK || m->kind == KIND_RATE_TIME) &&
	       m->better == BETTER_HIGHER && !strcmp(m->unit, "1/s");
}

/* A typical time of one operation of a class, or of all the fixed work. */
static bool is_typical_time(const struct metric *m)
{
	return m->better == BETTER_LOWER && class_length(m->name) &&
	       (str_ends(m->name, ".p50") || str_ends(m->name, ".mean"));
}

/* Has the cell times of one class of operations only? */
static bool one_class(const struct comparison *c, const struct compare_row *of)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];
		size_t len = class_length(of->metric.name);

		if (row->arm == of->arm && !strcmp(row->workload, of->workload) &&
		    !strcmp(row->target, of->target) && is_typical_time(&row->metric) &&
		    (class_length(row->metric.name) != len ||
		     strncmp(row->metric.name, of->metric.name, len)))
			return false;
	}
	return true;
}

/* Do a rate and a time say the same thing in two ways? */
static bool measure_the_same(const struct comparison *c, const struct compare_row *rate,
			     const struct compare_row *time)
{
	size_t len = class_length(rate->metric.name);

	if (!is_rate(&rate->metric))
		return false;
	if (!strcmp(time->metric.name, "wall"))
		return rate->metric.kind == KIND_RATE_WORK && !len;
	if (!is_typical_time(&time->metric))
		return false;
	if (len)
		return class_length(time->metric.name) == len &&
		       !strncmp(rate->metric.name, time->metric.name, len);
	return one_class(c, time);
}

static int meaning(const struct compare_row *row)
{
	if (str_eq(row->effect.verdict, "IMPROVED"))
		return 1;
	return str_eq(row->effect.verdict, "REGRESSED") ? -1 : 0;
}

static void claim_conflict(struct comparison *c, struct compare_row *a, struct compare_row *b)
{
	struct compare_claim *claim = add_claim(c, COMPARE_CONFLICTING);

	a->conflicting = b->conflicting = true;
	claim->workload = xstrdup(a->workload);
	claim->target = xstrdup(a->target);
	claim->arm = a->arm;
	claim->sentence = xasprintf("%s is %s and %s is %s, though both measure the same thing",
				    a->metric.name, a->effect.verdict, b->metric.name,
				    b->effect.verdict);
}

void compare_claim_conflicts(struct comparison *c)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		struct compare_row *a = &c->rows[i];

		if (!meaning(a) || !is_rate(&a->metric))
			continue;
		for (size_t k = 0; k < c->n_rows; k++) {
			struct compare_row *b = &c->rows[k];

			if (a->arm == b->arm && meaning(a) * meaning(b) < 0 &&
			    !strcmp(a->workload, b->workload) && !strcmp(a->target, b->target) &&
			    measure_the_same(c, a, b))
				claim_conflict(c, a, b);
		}
	}
}

void compare_claims_release(struct comparison *c)
{
	for (size_t i = 0; i < c->n_claims; i++) {
		free(c->claims[i].workload);
		free(c->claims[i].target);
		free(c->claims[i].key);
		free(c->claims[i].sentence);
	}
	free(c->claims);
}
