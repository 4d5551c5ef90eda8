// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/compare.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/cells.h"
#include "results/compare-internal.h"
#include "results/differences.h"

#include <string.h>

bool compare_row_is_missing(const struct compare_row *row)
{
	return !row->base.stats.n || !row->side.stats.n;
}

bool compare_one_session(struct run *const *runs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!pool_share_session(runs[0], runs[i]))
			return false;
	return true;
}

size_t compare_session_of(const struct comparison *c, uint64_t seq)
{
	size_t s = c->n_sessions;

	while (s > 1 && c->sessions[s - 1].first_seq > seq)
		s--;
	return s ? s - 1 : 0;
}

static bool label_is_taken(const struct comparison *c, size_t n, const char *label)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(c->arms[i].label, label))
			return true;
	return false;
}

/* Two columns of the same name could not be told apart. */
static char *unique_label(const struct comparison *c, size_t arm, const struct run *r)
{
	const char *wanted = r->label && *r->label ? r->label : r->id && *r->id ? r->id : "unnamed";
	char *label = xstrdup(wanted);

	for (size_t n = 2; label_is_taken(c, arm, label); n++) {
		free(label);
		label = xasprintf("%s (%zu)", wanted, n);
	}
	return label;
}

static uint64_t count_boots(const struct run *r)
{
	__cleanup_strvec struct strvec boots = STRVEC_INIT;

	for (size_t i = 0; i < r->n_iterations; i++) {
		const struct iteration *it = &r->iterations[i];

		if (iteration_is_valid(it) && it->boot_id && !strvec_has(&boots, it->boot_id))
			strvec_push(&boots, it->boot_id);
	}
	return boots.n;
}

static void add_arm(struct comparison *c, const struct run *r, const struct compare_options *o)
{
	struct compare_arm *arm = &c->arms[c->n_arms];
	struct cell_counts counts = cell_count(r, NULL, NULL);

	arm->label = unique_label(c, c->n_arms, r);
	arm->role = xstrdup(c->n_arms < o->roles.n ? o->roles.v[c->n_arms] :
			    c->n_arms ? "arm" : "base");
	str_replace(&arm->id, r->id);
	if (r->id && *r->id)
		strvec_push(&arm->ids, r->id);
	str_replace(&arm->started, r->started);
	kv_copy(&arm->settings, &r->settings);
	kv_copy(&arm->host, &r->host);
	arm->iterations = counts.valid + counts.invalid;
	arm->invalid = counts.invalid;
	arm->warmups = counts.warmups;
	arm->boots = count_boots(r);
	arm->planned = r->planned;
	arm->complete = r->complete;
	arm->command = r->command.n ? strvec_shell(&r->command) : NULL;
	c->n_arms++;
}

static void add_sessions(struct comparison *c, const struct pool *pool)
{
	c->sessions = xcalloc(pool->n_sessions, sizeof(*c->sessions));
	c->n_sessions = pool->n_sessions;
	for (size_t s = 0; s < pool->n_sessions; s++) {
		const struct pool_session *from = &pool->sessions[s];

		c->sessions[s] = (struct compare_session){
			.started = from->started && *from->started ? xstrdup(from->started) : NULL,
			.first_seq = from->first_seq, .first_block = from->first_block,
		};
	}
	for (size_t a = 0; pool->n_sessions && a < c->n_arms; a++) {
		strvec_release(&c->arms[a].ids);
		strvec_push_all(&c->arms[a].ids, &pool->ids[a]);
	}
}

/* Only a plan that all arms share can have varied something between them. */
static void find_varied(struct comparison *c, struct run *const *runs)
{
	if (!compare_one_session(runs, c->n_arms))
		return;
	for (size_t i = 0; i < c->n_arms; i++)
		for (size_t k = 0; k < runs[i]->varied.n; k++)
			if (!strvec_has(&c->varied, runs[i]->varied.v[k]))
				strvec_push(&c->varied, runs[i]->varied.v[k]);
}

/* Only what stands on a sound comparison counts, in either direction. */
static bool is_sound(const struct compare_row *row)
{
	static const char *const open[] = { "UNSURE", "UNTESTABLE", "MISSING" };

	for (size_t i = 0; i < ARRAY_SIZE(open); i++)
		if (str_eq(row->effect.verdict, open[i]))
			return false;
	return row->effect.verdict && !row->confounded;
}

static enum compare_outcome exact_outcome(const struct comparison *c)
{
	bool open = c->same_twice || c->dead_cells;

	for (size_t i = 0; !c->same_twice && i < c->n_exact; i++) {
		const struct compare_exact *row = &c->exact[i];

		if (row->r.word == VERDICT_REGRESSED && !row->confounded)
			return COMPARE_REGRESSION;
		open |= row->confounded || row->r.word == VERDICT_MISSING ||
			row->r.word == VERDICT_UNTESTABLE || row->r.word == VERDICT_UNSURE;
	}
	return open ? COMPARE_INCONCLUSIVE : COMPARE_NO_REGRESSION;
}

enum compare_outcome compare_outcome(const struct comparison *c)
{
	bool open = c->same_twice || c->dead_cells || c->disjoint, any = false;

	if (c->n_exact)
		return exact_outcome(c);
	for (size_t i = 0; !c->same_twice && i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];

		if (!row->metric.primary)
			continue;
		if (is_sound(row) && !strcmp(row->effect.verdict, "REGRESSED"))
			return COMPARE_REGRESSION;
		any = true;
		open |= !is_sound(row) || row->conflicting;
	}
	return open || !any ? COMPARE_INCONCLUSIVE : COMPARE_NO_REGRESSION;
}

bool compare_row_is_significant(const struct compare_row *row)
{
	static const char *const real[] = { "IMPROVED", "REGRESSED", "HIGHER", "LOWER", "SMALL" };

	for (size_t i = 0; i < ARRAY_SIZE(real); i++)
		if (str_eq(row->effect.verdict, real[i]))
			return true;
	return false;
}

static void note_data(struct comparison *c, struct run *const *runs)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		struct run *const pair[] = { runs[0], runs[c->rows[i].arm] };

		compare_note_data(c, &c->rows[i], compare_one_session(pair, 2));
	}
}

struct comparison *compare_runs(struct run *const *runs, size_t n, const struct compare_options *o)
{
	static const struct compare_options usual = COMPARE_OPTIONS_INIT;
	struct comparison *c = xcalloc(1, sizeof(*c));
	__cleanup_strvec struct strvec odd = STRVEC_INIT;

	o = o ? o : &usual;
	c->delta_pct = o->delta_pct;
	c->boot_noise_pct = o->boot_noise_pct;
	c->arms = xcalloc(n, sizeof(*c->arms));
	for (size_t i = 0; i < n; i++)
		add_arm(c, runs[i], o);
	if (o->pool)
		add_sessions(c, o->pool);
	find_varied(c, runs);
	compare_set_level(c, runs);
	compare_add_rows(c, runs);
	compare_set_deltas(c, runs, o);
	differences_find(c, runs, &odd);
	compare_claim_differences(c, runs, o);
	compare_test_rows(c, runs, o);
	compare_claim_conflicts(c);
	compare_add_exact(c, runs);
	note_data(c, runs);
	compare_add_warnings(c, runs, o, &odd);
	return c;
}

static void free_arm(struct compare_arm *a)
{
	free(a->label);
	free(a->role);
	free(a->id);
	strvec_release(&a->ids);
	free(a->started);
	kv_release(&a->settings);
	kv_release(&a->host);
	free(a->command);
}

static void free_side(struct compare_side *s)
{
	free(s->values);
	free(s->seqs);
	free(s->blocks);
	free(s->boots);
}

static void free_row(struct compare_row *r)
{
	free(r->workload);
	free(r->target);
	metric_release(&r->metric);
	free_side(&r->base);
	free_side(&r->side);
	strvec_release(&r->notes);
}

void comparison_free(struct comparison *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_arms; i++)
		free_arm(&c->arms[i]);
	free(c->arms);
	for (size_t i = 0; i < c->n_rows; i++)
		free_row(&c->rows[i]);
	free(c->rows);
	compare_exact_release(c);
	differences_release(c);
	compare_claims_release(c);
	strvec_release(&c->boots);
	for (size_t s = 0; s < c->n_sessions; s++)
		free(c->sessions[s].started);
	free(c->sessions);
	free(c->watermark);
	free(c->stopping);
	kv_release(&c->common);
	strvec_release(&c->varied);
	strvec_release(&c->warnings);
	free(c);
}
