// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/pool.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/facts.h"
#include "results/verdict.h"

#include <string.h>

/* Between the sessions of a pooled run; no session id has one. */
#define GLUE "+"

bool pool_share_session(const struct run *a, const struct run *b)
{
	__cleanup_strvec struct strvec x = STRVEC_INIT, y = STRVEC_INIT;

	if (!a->session || !b->session)
		return false;
	if (!strcmp(a->session, b->session))
		return true;
	strvec_split(&x, a->session, *GLUE);
	strvec_split(&y, b->session, *GLUE);
	for (size_t i = 0; i < x.n; i++)
		if (strvec_has(&y, x.v[i]))
			return true;
	return false;
}

static const char *session_of(const struct run *r)
{
	return r->session ? r->session : "";
}

/* --- what may be pooled --- */

static bool same_kv(const struct kv *a, const struct kv *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (!str_eq(kv_get(b, a->v[i].key), a->v[i].value))
			return false;
	return a->n == b->n;
}

static bool same_list(const struct strvec *a, const struct strvec *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (!strvec_has(b, a->v[i]))
			return false;
	return a->n == b->n;
}

/* A release name alone identifies no build. */
static const char *kernel_obstacle(const struct kv *a, const struct kv *b)
{
	static const char *const keys[] = { "kernel.build_id", "kernel.version",
					    "kernel.config_hash", "kernel.release" };

	if (!kv_get(a, "kernel.build_id") && !kv_get(a, "kernel.version"))
		return "which kernel it was is not known";
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!str_eq(kv_get(a, keys[i]), kv_get(b, keys[i])))
			return "another kernel";
	return NULL;
}

static bool same_target(const struct run_target *a, const struct run_target *b)
{
	return str_eq(a->name, b->name) && str_eq(a->fs, b->fs) && str_eq(a->mount, b->mount) &&
	       str_eq(a->device, b->device) &&
	       (str_eq(a->mkfs, b->mkfs) || fact_equal(FACT_COMMAND, a->mkfs, b->mkfs));
}

static bool same_targets(const struct run *a, const struct run *b)
{
	for (size_t i = 0; i < a->n_targets; i++) {
		bool found = false;

		for (size_t k = 0; k < b->n_targets; k++)
			found |= same_target(&a->targets[i], &b->targets[k]);
		if (!found)
			return false;
	}
	return a->n_targets == b->n_targets;
}

static const char *workload_obstacle(const struct run *a, const struct run *b)
{
	for (size_t i = 0; i < a->n_workloads; i++) {
		const struct run_workload *w = run_find_workload(b, a->workloads[i].name);

		if (!w)
			return "other workloads";
		if (!w->digest || !*w->digest || !str_eq(w->digest, a->workloads[i].digest))
			return "another job file";
	}
	return a->n_workloads == b->n_workloads ? NULL : "other workloads";
}

const char *pool_obstacle(const struct run *a, const struct run *b)
{
	const char *machine = kv_get(&a->host, "machine.id"), *why;

	if (!a->session || !*a->session || !b->session || !*b->session)
		return "its session is not known";
	if (pool_share_session(a, b))
		return "the same session again";
	if (!machine || !kv_get(&b->host, "machine.id"))
		return "which machine it was is not known";
	if (strcmp(machine, kv_get(&b->host, "machine.id")))
		return "another machine";
	why = kernel_obstacle(&a->host, &b->host);
	if (why)
		return why;
	if (!same_kv(&a->settings, &b->settings) || !same_list(&a->varied, &b->varied))
		return "another plan: other settings of the arm";
	why = workload_obstacle(a, b);
	if (why)
		return why;
	return same_targets(a, b) ? NULL : "another plan: other targets, mkfs or mount options";
}

void pool_reject(struct pool *p, const char *label, const char *reason)
{
	for (size_t i = 0; i < p->n_rejects; i++) {
		if (strcmp(p->rejects[i].label, label) || strcmp(p->rejects[i].reason, reason))
			continue;
		p->rejects[i].n++;
		return;
	}
	GROW(p->rejects, p->n_rejects);
	p->rejects[p->n_rejects++] = (struct pool_reject){ xstrdup(label), xstrdup(reason), 1 };
}

static void drop(struct pool_arm *arm, size_t i)
{
	run_free(arm->runs[i]);
	memmove(&arm->runs[i], &arm->runs[i + 1], (arm->n - i - 1) * sizeof(*arm->runs));
	arm->n--;
}

static void drop_obstacles(struct pool *p, struct pool_arm *arm)
{
	for (size_t i = arm->n - 1; i-- > 0;) {
		const char *why = NULL;

		for (size_t k = arm->n - 1; k > i && !why; k--)
			why = pool_obstacle(arm->runs[k], arm->runs[i]);
		if (!why)
			continue;
		pool_reject(p, arm->runs[i]->label, why);
		drop(arm, i);
	}
}

static bool others_have(const struct pool_arm *arms, size_t n, size_t but, const struct run *r)
{
	for (size_t a = 0; a < n; a++)
		for (size_t i = 0; a != but && i < arms[a].n; i++)
			if (pool_share_session(arms[a].runs[i], r))
				return true;
	return false;
}

/* Of an arm that has a session together with another one, what it has alone is dropped. */
static void drop_lonely(struct pool *p, struct pool_arm *arms, size_t n)
{
	for (size_t a = 0; a < n; a++) {
		bool any = false;

		for (size_t i = 0; i < arms[a].n; i++)
			any |= others_have(arms, n, a, arms[a].runs[i]);
		for (size_t i = arms[a].n; any && i-- > 0;) {
			const struct run *r = arms[a].runs[i];

			if (others_have(arms, n, a, r))
				continue;
			strvec_pushf(&p->notes, "The session of %s has %s only, so that its blocks "
				     "carry no information: %zu iteration%s left out.",
				     r->started ? r->started : "an unknown time", r->label,
				     r->n_iterations, r->n_iterations == 1 ? "" : "s");
			drop(&arms[a], i);
		}
	}
}

/* --- joining --- */

static struct pool_session *find_session(struct pool *p, const char *id)
{
	for (size_t i = 0; i < p->n_sessions; i++)
		if (str_eq(p->sessions[i].id, id))
			return &p->sessions[i];
	return NULL;
}

static int by_age(const void *a, const void *b)
{
	const struct pool_session *x = a, *y = b;
	int order = strcmp(x->started, y->started);

	return order ? order : strcmp(x->id, y->id);
}

/* Its arms start at the same time or nearly so; the first counts. */
static void list_sessions(struct pool *p, const struct pool_arm *arms, size_t n)
{
	for (size_t a = 0; a < n; a++) {
		for (size_t i = 0; i < arms[a].n; i++) {
			const struct run *r = arms[a].runs[i];
			const char *started = r->started ? r->started : "";
			struct pool_session *s = find_session(p, session_of(r));

			if (!s) {
				GROW(p->sessions, p->n_sessions);
				s = &p->sessions[p->n_sessions++];
				*s = (struct pool_session){ .id = xstrdup(session_of(r)) };
			}
			if (!s->started || strcmp(started, s->started) < 0)
				str_replace(&s->started, started);
		}
	}
	qsort(p->sessions, p->n_sessions, sizeof(*p->sessions), by_age);
}

/* Every session begins where the one before ended, whatever the arm. */
static void number_sessions(struct pool *p, const struct pool_arm *arms, size_t n)
{
	uint64_t seq = 0, block = 0;

	for (size_t s = 0; s < p->n_sessions; s++) {
		uint64_t seqs = 0, blocks = 0;

		p->sessions[s].first_seq = seq;
		p->sessions[s].first_block = block;
		for (size_t a = 0; a < n; a++) {
			for (size_t i = 0; i < arms[a].n; i++) {
				const struct run *r = arms[a].runs[i];

				if (!str_eq(session_of(r), p->sessions[s].id))
					continue;
				for (size_t k = 0; k < r->n_iterations; k++) {
					const struct iteration *it = &r->iterations[k];

					seqs = it->seq + 1 > seqs ? it->seq + 1 : seqs;
					blocks = it->block + 1 > blocks ? it->block + 1 : blocks;
				}
			}
		}
		seq += seqs;
		block += blocks;
	}
}

static void add_session(struct run *into, struct run *from, const struct pool_session *s)
{
	for (size_t i = 0; i < from->n_iterations; i++) {
		struct iteration *it = run_add_iteration(into);

		*it = from->iterations[i];
		it->seq += s->first_seq;
		it->block += s->first_block;
	}
	from->n_iterations = 0;
	into->planned += from->planned;
	into->complete &= from->complete;
	strvec_push_all(&into->load_warnings, &from->load_warnings);
}

/* Each value once; sorted, so that arms with the same ones are alike. */
static char *join_fact(const struct pool_arm *arm, const char *key, bool *mixed)
{
	enum fact_shape shape = fact_kind_of_host(key)->shape;
	__cleanup_strvec struct strvec values = STRVEC_INIT;

	*mixed = false;
	for (size_t i = 0; i < arm->n; i++) {
		const char *value = kv_get(&arm->runs[i]->host, key);
		bool seen = false;

		for (size_t k = 0; k < values.n; k++)
			seen |= fact_equal(shape, values.v[k], value ? value : FACT_UNKNOWN);
		if (!seen)
			strvec_push(&values, value ? value : FACT_UNKNOWN);
	}
	*mixed = values.n > 1;
	strvec_sort(&values);
	return strvec_join(&values, FACT_OR);
}

static void join_hosts(struct pool *p, const struct pool_arm *arm, const char *label,
		       struct kv *host)
{
	for (size_t i = 0; i < arm->n; i++) {
		const struct kv *own = &arm->runs[i]->host;

		for (size_t k = 0; k < own->n; k++) {
			const char *key = own->v[k].key;
			__cleanup_free char *value = NULL, *name = NULL;
			bool mixed;

			if (!strcmp(key, "boot.id") || kv_get(host, key))
				continue;
			value = join_fact(arm, key, &mixed);
			kv_set(host, key, value);
			if (!mixed)
				continue;
			name = fact_name_of_host(key);
			strvec_pushf(&p->notes, "Mixed environment: %s of %s changed between its "
				     "sessions: %s.", name, label, value);
		}
	}
}

static int by_start(const void *a, const void *b)
{
	const struct run *x = *(struct run *const *)a, *y = *(struct run *const *)b;
	int order = strcmp(x->started ? x->started : "", y->started ? y->started : "");

	return order ? order : strcmp(session_of(x), session_of(y));
}

/* Looks of several sessions add up: what is claimed after all of them can exceed 5 %. */
static void note_spent(struct pool *p, double spent)
{
	__cleanup_free char *note = NULL;

	if (!(spent > VERDICT_ALPHA * (1 + 1e-9)))
		return;
	note = xasprintf("The looks of the pooled sessions and this comparison spend %.3g %% together, "
			 "not %.3g %%: a claim can be wrong that often. Confirm it with a new plan.",
			 100 * spent, 100 * VERDICT_ALPHA);
	for (size_t i = 0; i < p->notes.n; i++)
		if (str_eq(p->notes.v[i], note))
			return;
	strvec_push(&p->notes, note);
}

/* The rule of the session that left the least of the 5 % stands for all. */
static void join_rules(struct pool *p, const struct pool_arm *arm, struct run *all)
{
	const struct run *least = all;
	double level, lowest = 1, spent = 0;

	for (size_t i = 0; i < arm->n; i++) {
		const struct run *r = arm->runs[i];

		all->aa &= r->aa;
		spent += stopping_spent(&r->stopping, &r->stopped);
		level = stopping_level(&r->stopping, &r->stopped, run_units(r));
		if (level < lowest) {
			lowest = level;
			least = r;
		}
	}
	if (arm->n > 1)
		note_spent(p, spent + (spent > 0 ? lowest : 0));
	all->rule_units = run_units(least);
	all->stopping = least->stopping;
	all->stopped = least->stopped;
}

/* All of an arm become one run: the newest, with the iterations of all. */
static struct run *join_arm(struct pool *p, struct pool_arm *arm, struct strvec *ids)
{
	__cleanup_strvec struct strvec sessions = STRVEC_INIT;
	struct run *all = arm->runs[arm->n - 1];
	struct run *own = run_new(); /* the iterations of the newest, to be added last */
	struct kv host = KV_INIT;

	qsort(arm->runs, arm->n, sizeof(*arm->runs), by_start);
	join_hosts(p, arm, all->label, &host);
	join_rules(p, arm, all);
	own->iterations = all->iterations;
	own->n_iterations = all->n_iterations;
	own->complete = all->complete;
	all->iterations = NULL;
	all->n_iterations = 0;
	for (size_t i = 0; i < arm->n; i++) {
		struct run *r = arm->runs[i];

		strvec_push(&sessions, session_of(r));
		strvec_push(ids, r->id ? r->id : "");
		add_session(all, r == all ? own : r, find_session(p, session_of(r)));
	}
	str_replace(&all->started, arm->runs[0]->started);
	for (size_t i = 0; i < arm->n; i++)
		if (arm->runs[i] != all)
			run_free(arm->runs[i]);
	run_free(own);
	kv_release(&all->host);
	all->host = host;
	free(all->session);
	all->session = strvec_join(&sessions, GLUE);
	return all;
}

static void note_rejects(struct pool *p)
{
	for (size_t i = 0; i < p->n_rejects; i++)
		strvec_pushf(&p->notes, "Not pooled: %zu earlier result%s called %s: %s.",
			     p->rejects[i].n, p->rejects[i].n == 1 ? "" : "s", p->rejects[i].label,
			     p->rejects[i].reason);
}

void pool_make(struct pool *p, struct pool_arm *arms, size_t n)
{
	bool any = false;

	p->n = n;
	p->runs = xcalloc(n, sizeof(*p->runs));
	p->ids = xcalloc(n, sizeof(*p->ids));
	for (size_t a = 0; a < n; a++)
		drop_obstacles(p, &arms[a]);
	drop_lonely(p, arms, n);
	note_rejects(p);
	for (size_t a = 0; a < n; a++)
		any |= arms[a].n > 1;
	if (any) {
		list_sessions(p, arms, n);
		number_sessions(p, arms, n);
	}
	for (size_t a = 0; a < n; a++) {
		if (any)
			p->runs[a] = join_arm(p, &arms[a], &p->ids[a]);
		else
			p->runs[a] = arms[a].runs[0];
		arms[a].n = 0;
	}
}

void pool_release(struct pool *p)
{
	for (size_t a = 0; a < p->n; a++) {
		run_free(p->runs[a]);
		strvec_release(&p->ids[a]);
	}
	free(p->runs);
	free(p->ids);
	for (size_t i = 0; i < p->n_sessions; i++) {
		free(p->sessions[i].id);
		free(p->sessions[i].started);
	}
	free(p->sessions);
	for (size_t i = 0; i < p->n_rejects; i++) {
		free(p->rejects[i].label);
		free(p->rejects[i].reason);
	}
	free(p->rejects);
	strvec_release(&p->notes);
	*p = (struct pool)POOL_INIT;
}
