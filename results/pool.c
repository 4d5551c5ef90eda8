// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/pool.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/facts.h"
#include "results/pool-internal.h"

#include <string.h>

bool pool_share_session(const struct run *a, const struct run *b)
{
	__cleanup_strvec struct strvec x = STRVEC_INIT, y = STRVEC_INIT;

	if (!a->session || !b->session)
		return false;
	if (!strcmp(a->session, b->session))
		return true;
	strvec_split(&x, a->session, *POOL_GLUE);
	strvec_split(&y, b->session, *POOL_GLUE);
	for (size_t i = 0; i < x.n; i++)
		if (strvec_has(&y, x.v[i]))
			return true;
	return false;
}

const char *pool_session_of(const struct run *r)
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

static void note_lonely(struct pool *p, const char *label, const struct strvec *started,
			size_t iterations)
{
	__cleanup_free char *when = strvec_join(started, ", ");

	if (!started->n)
		return;
	strvec_pushf(&p->notes, "The session%s of %s %s %s only, so that %s blocks carry no "
		     "information: %zu iteration%s left out.", started->n == 1 ? "" : "s", when,
		     started->n == 1 ? "has" : "have", label, started->n == 1 ? "its" : "their",
		     iterations, iterations == 1 ? "" : "s");
}

/* Of an arm that has a session together with another one, what it has alone is dropped. */
static void drop_lonely(struct pool *p, struct pool_arm *arms, size_t n)
{
	for (size_t a = 0; a < n; a++) {
		__cleanup_strvec struct strvec started = STRVEC_INIT;
		size_t iterations = 0;
		bool any = false;

		for (size_t i = 0; i < arms[a].n; i++)
			any |= others_have(arms, n, a, arms[a].runs[i]);
		for (size_t i = 0; any && i < arms[a].n;) {
			const struct run *r = arms[a].runs[i];

			if (others_have(arms, n, a, r)) {
				i++;
				continue;
			}
			strvec_push(&started, r->started ? r->started : "an unknown time");
			iterations += r->n_iterations;
			drop(&arms[a], i);
		}
		note_lonely(p, arms[a].runs[0]->label, &started, iterations);
	}
}

/* --- the whole --- */

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
	if (any)
		pool_list_sessions(p, arms, n);
	for (size_t a = 0; a < n; a++) {
		if (any)
			p->runs[a] = pool_join_arm(p, &arms[a], &p->ids[a]);
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
