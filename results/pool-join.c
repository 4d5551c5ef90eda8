// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs of several sessions become one: their order, their hosts, and the rule that stands. */
#include "results/pool-internal.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/facts.h"
#include "results/verdict.h"

#include <string.h>

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
static void find_sessions(struct pool *p, const struct pool_arm *arms, size_t n)
{
	for (size_t a = 0; a < n; a++) {
		for (size_t i = 0; i < arms[a].n; i++) {
			const struct run *r = arms[a].runs[i];
			const char *started = r->started ? r->started : "";
			struct pool_session *s = find_session(p, pool_session_of(r));

			if (!s) {
				GROW(p->sessions, p->n_sessions);
				s = &p->sessions[p->n_sessions++];
				*s = (struct pool_session){ .id = xstrdup(pool_session_of(r)) };
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

				if (!str_eq(pool_session_of(r), p->sessions[s].id))
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

void pool_list_sessions(struct pool *p, const struct pool_arm *arms, size_t n)
{
	find_sessions(p, arms, n);
	number_sessions(p, arms, n);
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

	return order ? order : strcmp(pool_session_of(x), pool_session_of(y));
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

struct run *pool_join_arm(struct pool *p, struct pool_arm *arm, struct strvec *ids)
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

		strvec_push(&sessions, pool_session_of(r));
		strvec_push(ids, r->id ? r->id : "");
		add_session(all, r == all ? own : r, find_session(p, pool_session_of(r)));
	}
	str_replace(&all->started, arm->runs[0]->started);
	for (size_t i = 0; i < arm->n; i++)
		if (arm->runs[i] != all)
			run_free(arm->runs[i]);
	run_free(own);
	kv_release(&all->host);
	all->host = host;
	free(all->session);
	all->session = strvec_join(&sessions, POOL_GLUE);
	return all;
}
