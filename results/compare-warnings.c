// SPDX-License-Identifier: GPL-2.0-or-later
/* What could mislead the reader of a comparison, the worst first. */
#include "results/compare-internal.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/cells.h"
#include "results/differences.h"

#include <string.h>

#define MAX_REASONS 3

static void warn_same_twice(struct comparison *c, struct run *const *runs)
{
	for (size_t b = 1; b < c->n_arms; b++) {
		for (size_t a = 0; a < b; a++) {
			const char *id = runs[a]->id;

			if (runs[a] != runs[b] && (!id || !*id || !str_eq(id, runs[b]->id)))
				continue;
			c->same_twice = true;
			strvec_pushf(&c->warnings, "The same result twice: %s and %s are %s; there is "
				     "nothing to compare.", c->arms[a].label, c->arms[b].label,
				     id && *id ? id : "one result");
		}
	}
}

static void warn_missing(struct comparison *c)
{
	size_t missing = 0;

	for (size_t i = 0; i < c->n_rows; i++)
		missing += compare_row_is_missing(&c->rows[i]);
	if (missing)
		strvec_pushf(&c->warnings, "%zu of %zu rows have values on one side only (MISSING).",
			     missing, c->n_rows);
}

/* A cell without a valid iteration in any arm has no rows that could say so. */
static void warn_dead_cells(struct comparison *c, struct run *const *runs)
{
	__cleanup_strvec struct strvec seen = STRVEC_INIT;

	for (size_t a = 0; a < c->n_arms; a++) {
		for (size_t i = 0; i < runs[a]->n_iterations; i++) {
			const struct iteration *it = &runs[a]->iterations[i];
			__cleanup_free char *cell = xasprintf("%s on %s", it->workload ?: "?",
							      it->target ?: "?");
			uint64_t valid = 0;

			if (strvec_has(&seen, cell))
				continue;
			strvec_push(&seen, cell);
			for (size_t x = 0; x < c->n_arms; x++)
				valid += cell_count(runs[x], it->workload, it->target).valid;
			if (valid)
				continue;
			c->dead_cells = true;
			strvec_pushf(&c->warnings, "%s has no valid iteration%s.", cell,
				     c->n_arms > 1 ? " in any arm" : "");
		}
	}
}

static bool is_claimed(const struct comparison *c, const char *key)
{
	for (size_t i = 0; i < c->n_claims; i++)
		if (str_eq(c->claims[i].key, key))
			return true;
	return false;
}

/* Those that are no claim: the kernels of runs that nobody planned together. */
static void warn_differences(struct comparison *c)
{
	for (size_t i = 0; i < c->n_differences; i++) {
		const struct compare_difference *d = &c->differences[i];

		if (d->major && !d->planned && !is_claimed(c, d->key))
			strvec_pushf(&c->warnings, "Taken for what is compared, though no plan says "
				     "so: %s.", d->sentence);
	}
}

static void warn_minor_differences(struct comparison *c)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT;
	__cleanup_free char *list = NULL;

	for (size_t i = 0; i < c->n_differences; i++)
		if (!c->differences[i].major && !c->differences[i].planned)
			strvec_push(&names, c->differences[i].name);
	if (!names.n)
		return;
	list = strvec_join(&names, ", ");
	strvec_pushf(&c->warnings, "Also different or not known everywhere: %s.", list);
}

/* The labels of the arms with this value of a host fact (NULL: that do not know it). */
static char *arms_with(const struct comparison *c, const char *key, const char *value, size_t *n)
{
	__cleanup_strvec struct strvec labels = STRVEC_INIT;

	for (size_t a = 0; a < c->n_arms; a++)
		if (str_eq(kv_get(&c->arms[a].host, key), value))
			strvec_push(&labels, c->arms[a].label);
	*n = labels.n;
	return strvec_join(&labels, ", ");
}

/* Did any iteration of @r run on this file system? Unknown is not without it. */
static bool uses_fs(const struct run *r, const char *fs)
{
	for (size_t i = 0; i < r->n_iterations; i++) {
		const struct iteration *it = &r->iterations[i];
		const char *type = kv_get(&it->environment, "fs.type");

		for (size_t t = 0; !type && t < r->n_targets; t++)
			if (str_eq(r->targets[t].name, it->target) && r->targets[t].fs &&
			    *r->targets[t].fs)
				type = r->targets[t].fs;
		if (!type || !strcmp(type, fs))
			return true;
	}
	return !r->n_iterations;
}

/* Checks inside a file system that nobody used have cost nothing. */
static char *debug_in_use(const struct run *r, const char *options)
{
	static const struct {
		const char *start, *fs;
	} only[] = {
		{ "BTRFS_", "btrfs" }, { "EXT4_", "ext4" }, { "XFS_", "xfs" },
	};
	__cleanup_strvec struct strvec all = STRVEC_INIT, used = STRVEC_INIT;

	strvec_split(&all, options, ',');
	for (size_t i = 0; i < all.n; i++) {
		bool use = true;

		for (size_t k = 0; k < ARRAY_SIZE(only); k++)
			if (str_starts(all.v[i], only[k].start))
				use = uses_fs(r, only[k].fs);
		if (use)
			strvec_push(&used, all.v[i]);
	}
	return strvec_join(&used, ",");
}

/* What stands above every report of a debug kernel. */
static void add_watermark(struct comparison *c, struct run *const *runs)
{
	__cleanup_free char **on = xcalloc(c->n_arms, sizeof(*on));
	__cleanup_strbuf struct strbuf s = STRBUF_INIT;

	for (size_t a = 0; a < c->n_arms; a++)
		on[a] = debug_in_use(runs[a], kv_get(&c->arms[a].host, "kernel.debug") ?: "");
	for (size_t a = 0; a < c->n_arms; a++) {
		__cleanup_strvec struct strvec labels = STRVEC_INIT;
		__cleanup_free char *list = NULL;
		bool first = true;

		for (size_t b = 0; b < c->n_arms; b++) {
			if (strcmp(on[a], on[b]))
				continue;
			first &= b >= a;
			strvec_push(&labels, c->arms[b].label);
		}
		list = strvec_join(&labels, ", ");
		if (*on[a] && first)
			strbuf_addf(&s, "%s%s (%s)", s.len ? "; " : "", on[a], list);
	}
	if (s.len)
		c->watermark = xasprintf("DEBUG KERNEL: %s. Times of such a kernel say little about "
					 "others.", strbuf_str(&s));
	for (size_t a = 0; a < c->n_arms; a++)
		free(on[a]);
}

/* Whoever looked at the first session has looked at the experiment before its end. */
static void warn_sessions(struct comparison *c, const struct pool *pool)
{
	__cleanup_strvec struct strvec started = STRVEC_INIT, counts = STRVEC_INIT;
	__cleanup_free char *when = NULL, *of = NULL;

	for (size_t s = 0; s < c->n_sessions; s++)
		strvec_push(&started, c->sessions[s].started ?: "not known");
	for (size_t a = 0; a < c->n_arms; a++)
		strvec_pushf(&counts, "%zu of %s", c->arms[a].ids.n, c->arms[a].label);
	when = strvec_join(&started, ", ");
	of = strvec_join(&counts, ", ");
	if (c->n_sessions)
		strvec_pushf(&c->warnings, "%zu sessions (%s; started %s) of one plan are pooled: their "
			     "blocks are one analysis, in which a look at a part of them was an "
			     "interim look.", c->n_sessions, of, when);
	for (size_t i = 0; pool && i < pool->notes.n; i++)
		strvec_push(&c->warnings, pool->notes.v[i]);
}

static void warn_debug(struct comparison *c)
{
	__cleanup_free char *unknown = NULL;
	size_t n;

	unknown = arms_with(c, "kernel.debug", NULL, &n);
	if (n)
		strvec_pushf(&c->warnings, "Not known of %s: whether kernel debug options are on.",
			     unknown);
}

/* "FAILED 2 (no space left), TIMEOUT 1 (...)" */
static void say_invalid(const struct run *r, struct strbuf *out)
{
	for (int o = OUTCOME_FAILED; o <= OUTCOME_CRASHED; o++) {
		__cleanup_strvec struct strvec reasons = STRVEC_INIT;
		size_t n = 0, more = 0;

		for (size_t i = 0; i < r->n_iterations; i++) {
			const struct iteration *it = &r->iterations[i];
			const char *reason = it->reason ? it->reason : "no reason given";

			if ((int)it->outcome != o || it->warmup)
				continue;
			n++;
			if (strvec_has(&reasons, reason))
				continue;
			if (reasons.n < MAX_REASONS)
				strvec_push(&reasons, reason);
			else
				more++;
		}
		if (!n)
			continue;
		strbuf_addf(out, "%s%zu %s", out->len ? ", " : "", n, outcome_str((enum outcome)o));
		for (size_t i = 0; i < reasons.n; i++)
			strbuf_addf(out, "%s%s", i ? "; " : " (", reasons.v[i]);
		strbuf_adds(out, more ? "; and others)" : ")");
	}
}

static void warn_invalid(struct comparison *c, struct run *const *runs)
{
	for (size_t a = 0; a < c->n_arms; a++) {
		const struct compare_arm *arm = &c->arms[a];
		__cleanup_strbuf struct strbuf how = STRBUF_INIT;

		if (!arm->invalid)
			continue;
		say_invalid(runs[a], &how);
		strvec_pushf(&c->warnings, "%llu of %llu iteration%s of %s %s not valid and left "
			     "out: %s.", (unsigned long long)arm->invalid,
			     (unsigned long long)arm->iterations, arm->iterations == 1 ? "" : "s",
			     arm->label, arm->invalid == 1 ? "is" : "are", strbuf_str(&how));
	}
}

static void warn_incomplete(struct comparison *c, struct run *const *runs)
{
	for (size_t a = 0; a < c->n_arms; a++) {
		const struct compare_arm *arm = &c->arms[a];
		const char *why = runs[a]->end_reason;

		if (arm->complete)
			continue;
		strvec_pushf(&c->warnings, "The run of %s is not complete: %llu of %llu planned "
			     "iterations%s%s.", arm->label,
			     (unsigned long long)(arm->iterations + arm->warmups),
			     (unsigned long long)arm->planned, why ? "; it ended early: " : "",
			     why ? why : runs[a]->finished ? "" : "; it has no end");
	}
}

static void warn_order(struct comparison *c, struct run *const *runs)
{
	if (c->n_sessions > 2 && !compare_one_session(runs, c->n_arms)) {
		strvec_push(&c->warnings, "The arms were measured in sessions of their own, not "
			    "interleaved by a plan: nobody drew their order at random.");
		return;
	}
	if (c->n_arms > 1 && !compare_one_session(runs, c->n_arms)) {
		strvec_push(&c->warnings, "The arms were measured one after the other, not "
			    "interleaved: the order is confounded with the arm, and drift of the "
			    "machine looks like an effect.");
		return;
	}
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];
		const char *base = c->arms[0].label, *arm = c->arms[row->arm].label;
		bool first = compare_ran_before(&row->base, &row->side);

		if (!first && !compare_ran_before(&row->side, &row->base))
			continue;
		strvec_pushf(&c->warnings, "%s on %s: all iterations of %s came before those of %s, "
			     "so the order is confounded with the arm.", row->workload,
			     row->target, first ? base : arm, first ? arm : base);
		return;
	}
}

static bool share_a_boot(const struct run *a, const struct run *b)
{
	for (size_t i = 0; i < a->n_iterations; i++)
		for (size_t k = 0; k < b->n_iterations; k++)
			if (a->iterations[i].boot_id &&
			    str_eq(a->iterations[i].boot_id, b->iterations[k].boot_id))
				return true;
	return false;
}

static void warn_boots(struct comparison *c, struct run *const *runs)
{
	for (size_t a = 1; a < c->n_arms; a++) {
		const struct compare_arm *base = &c->arms[0], *arm = &c->arms[a];

		if (!base->boots || !arm->boots || share_a_boot(runs[0], runs[a]))
			continue;
		strvec_pushf(&c->warnings, "%s and %s are from different boots (%llu and %llu): boots "
			     "of one kernel differ too, so this is a difference between these "
			     "boots.", base->label, arm->label, (unsigned long long)base->boots,
			     (unsigned long long)arm->boots);
	}
}

static void warn_unrecorded(struct comparison *c)
{
	for (size_t a = 0; a < c->n_arms; a++)
		if (!c->arms[a].host.n)
			strvec_pushf(&c->warnings, "Nothing is recorded about the machine of %s.",
				     c->arms[a].label);
}

/* What the iterations themselves warned about: each sentence once an arm. */
static void warn_iterations(struct comparison *c, const struct run *r, const char *label)
{
	__cleanup_strvec struct strvec seen = STRVEC_INIT;

	for (size_t i = 0; i < r->n_iterations; i++) {
		for (size_t w = 0; w < r->iterations[i].warnings.n; w++) {
			const char *text = r->iterations[i].warnings.v[w];
			size_t n = 0;

			if (strvec_has(&seen, text))
				continue;
			strvec_push(&seen, text);
			for (size_t k = i; k < r->n_iterations; k++)
				n += strvec_has(&r->iterations[k].warnings, text);
			strvec_pushf(&c->warnings, "%s, %zu iteration%s: %s", label, n,
				     n == 1 ? "" : "s", text);
		}
	}
}

static void warn_what_runs_say(struct comparison *c, struct run *const *runs)
{
	for (size_t a = 0; a < c->n_arms; a++) {
		for (size_t i = 0; i < runs[a]->load_warnings.n; i++)
			strvec_pushf(&c->warnings, "%s: %s", c->arms[a].label,
				     runs[a]->load_warnings.v[i]);
		warn_iterations(c, runs[a], c->arms[a].label);
	}
}

void compare_add_warnings(struct comparison *c, struct run *const *runs,
			  const struct compare_options *o, const struct strvec *odd)
{
	warn_same_twice(c, runs);
	warn_missing(c);
	warn_dead_cells(c, runs);
	warn_differences(c);
	for (size_t i = 0; i < odd->n; i++)
		strvec_pushf(&c->warnings, "Mind: %s.", odd->v[i]);
	add_watermark(c, runs);
	warn_debug(c);
	warn_invalid(c, runs);
	warn_incomplete(c, runs);
	warn_sessions(c, o->pool);
	warn_order(c, runs);
	warn_boots(c, runs);
	warn_unrecorded(c);
	warn_minor_differences(c);
	warn_what_runs_say(c, runs);
}
