// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/json.h"

#include "lib/json.h"
#include "lib/mem.h"
#include "results/cells.h"

#include <math.h>
#include <string.h>

#define SUMMARY_SCHEMA "fsdelta-summary/1"

/* Length of the UTF-8 sequence at @s, 0 when it is none. */
static size_t utf8_length(const unsigned char *s)
{
	size_t n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 :
		   *s >= 0xf0 && *s < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and beyond the last code point. */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static struct json_object *text_json(const char *s)
{
	__cleanup_strbuf struct strbuf clean = STRBUF_INIT;

	if (!s)
		return NULL;
	while (*s) {
		size_t n = utf8_length((const unsigned char *)s);

		if (n)
			strbuf_add(&clean, s, n);
		else
			strbuf_addf(&clean, "\\x%02x", (unsigned char)*s);
		s += n ? n : 1;
	}
	return json_object_new_string(strbuf_str(&clean));
}

static void set_text(struct json_object *o, const char *key, const char *s)
{
	json_set(o, key, text_json(s));
}

void json_put_text(struct json_object *o, const char *key, const char *s)
{
	set_text(o, key, s);
}

static struct json_object *list_json(const struct strvec *sv)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < sv->n; i++)
		json_object_array_add(list, text_json(sv->v[i]));
	return list;
}

static struct json_object *kv_json(const struct kv *kv)
{
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; i < kv->n; i++) {
		__cleanup_strbuf struct strbuf key = STRBUF_INIT;

		strbuf_add_printable(&key, kv->v[i].key);
		set_text(o, strbuf_str(&key), kv->v[i].value);
	}
	return o;
}

static void set_metric(struct json_object *o, const struct metric *m)
{
	set_text(o, "metric", m->name);
	set_text(o, "unit", m->unit);
	set_text(o, "better", direction_str(m->better));
	set_text(o, "kind", metric_kind_str(m->kind));
	json_set_bool(o, "primary", m->primary);
	set_text(o, "text", m->text);
}

static void set_stats(struct json_object *o, const struct stats *s)
{
	json_set_u64(o, "n", s->n);
	json_set_double(o, "mean", s->mean);
	json_set_double(o, "median", s->median);
	json_set_double(o, "sd", s->sd);
	json_set_double(o, "cv", s->cv);
	json_set_double(o, "hmean", s->hmean);
	json_set_double(o, "min", s->min);
	json_set_double(o, "max", s->max);
}

static struct json_object *values_json(const double *v, size_t n)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, json_double(v[i]));
	return list;
}

static struct json_object *numbers_json(const uint64_t *v, size_t n)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, json_object_new_uint64(v[i]));
	return list;
}

static struct json_object *side_json(const struct compare_side *side)
{
	struct json_object *o = json_object_new_object();

	json_set_u64(o, "units", side->units);
	json_set_double(o, "centre", side->centre);
	set_stats(o, &side->stats);
	json_set(o, "values", values_json(side->values, side->stats.n));
	json_set(o, "seqs", numbers_json(side->seqs, side->stats.n));
	json_set(o, "blocks", numbers_json(side->blocks, side->stats.n));
	return o;
}

static void set_effect(struct json_object *o, const struct compare_effect *e)
{
	json_set_double(o, "effect_pct", e->pct);
	json_set_double(o, "effect_lo", e->lo);
	json_set_double(o, "effect_hi", e->hi);
	json_set_double(o, "p", e->p);
	json_set_double(o, "p_adjusted", e->p_adjusted);
	set_text(o, "verdict", e->verdict);
	set_text(o, "why", *e->why ? e->why : NULL);
	json_set_double(o, "mde_pct", e->mde_pct);
	json_set_double(o, "n_needed", e->n_needed);
}

static struct json_object *welch_json(const struct stats_welch *w)
{
	struct json_object *o;

	if (isnan(w->diff))
		return NULL;
	o = json_object_new_object();
	json_set_double(o, "diff", w->diff);
	json_set_double(o, "t", w->t);
	json_set_double(o, "df", w->df);
	json_set_double(o, "p", w->p);
	json_set_double(o, "lo", w->lo);
	json_set_double(o, "hi", w->hi);
	return o;
}

static struct json_object *marks_json(const struct compare_row *row)
{
	struct json_object *list = json_object_new_array();

	if (row->confounded)
		json_object_array_add(list, text_json(COMPARE_CONFOUNDED));
	if (row->conflicting)
		json_object_array_add(list, text_json(COMPARE_CONFLICTING));
	return list;
}

static struct json_object *row_json(const struct comparison *c, const struct compare_row *row)
{
	struct json_object *o = json_object_new_object();

	set_text(o, "workload", row->workload);
	set_text(o, "target", row->target);
	set_metric(o, &row->metric);
	set_text(o, "centre", row->centre_name);
	set_text(o, "arm_label", c->arms[row->arm].label);
	json_set(o, "base", side_json(&row->base));
	json_set(o, "arm", side_json(&row->side));
	json_set_double(o, "pct", row->pct);
	json_set_double(o, "pct_mean", row->pct_mean);
	json_set_double(o, "pct_median", row->pct_median);
	json_set_double(o, "pct_hmean", row->pct_hmean);
	set_effect(o, &row->effect);
	json_set_double(o, "delta_pct", row->delta_pct);
	set_text(o, "family", row->metric.primary ? "primary" : "exploratory");
	json_set(o, "claims", marks_json(row));
	json_set_double(o, "recovered_pct", row->recovered_pct);
	json_set(o, "welch", welch_json(&row->welch));
	json_set(o, "notes", list_json(&row->notes));
	return o;
}

static struct json_object *arm_json(const struct compare_arm *arm)
{
	struct json_object *o = json_object_new_object();

	set_text(o, "label", arm->label);
	set_text(o, "role", arm->role);
	set_text(o, "id", arm->id);
	json_set(o, "ids", list_json(&arm->ids));
	set_text(o, "started", arm->started);
	set_text(o, "kernel", kv_get(&arm->host, "kernel.release"));
	json_set(o, "host", kv_json(&arm->host));
	json_set(o, "options", kv_json(&arm->settings));
	/* 0 boots: no iteration says in which one it ran. */
	json_set(o, "boots", arm->boots ? json_object_new_uint64(arm->boots) : NULL);
	json_set_u64(o, "iterations", arm->iterations);
	json_set_u64(o, "invalid", arm->invalid);
	json_set_u64(o, "warmups", arm->warmups);
	json_set_u64(o, "planned", arm->planned);
	json_set_bool(o, "complete", arm->complete);
	set_text(o, "command", arm->command);
	return o;
}

static struct json_object *difference_json(const struct compare_difference *d, size_t n_arms)
{
	struct json_object *o = json_object_new_object();
	struct json_object *values = json_object_new_array();

	for (size_t a = 0; a < n_arms; a++)
		json_object_array_add(values, text_json(d->values[a]));
	set_text(o, "key", d->key);
	set_text(o, "name", d->name);
	json_set(o, "values", values);
	json_set_bool(o, "planned", d->planned);
	json_set_bool(o, "major", d->major);
	set_text(o, "sentence", d->sentence);
	return o;
}

static struct json_object *sessions_json(const struct comparison *c)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < c->n_sessions; i++) {
		struct json_object *o = json_object_new_object();

		set_text(o, "started", c->sessions[i].started);
		json_set_u64(o, "first_seq", c->sessions[i].first_seq);
		json_set_u64(o, "first_block", c->sessions[i].first_block);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *claims_json(const struct comparison *c)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < c->n_claims; i++) {
		const struct compare_claim *claim = &c->claims[i];
		struct json_object *o = json_object_new_object();

		set_text(o, "word", claim->word);
		set_text(o, "workload", claim->workload);
		set_text(o, "target", claim->target);
		set_text(o, "arm_label", claim->arm ? c->arms[claim->arm].label : NULL);
		set_text(o, "key", claim->key);
		json_set_bool(o, "allowed", claim->allowed);
		set_text(o, "sentence", claim->sentence);
		json_object_array_add(list, o);
	}
	return list;
}

static void put(struct json_object *o, struct strbuf *out)
{
	strbuf_adds(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
							JSON_C_TO_STRING_SPACED |
							JSON_C_TO_STRING_NOSLASHESCAPE));
	strbuf_addc(out, '\n');
}

void json_comparison(const struct comparison *c, const struct report_options *o,
		     struct strbuf *out)
{
	__cleanup_json struct json_object *doc = json_object_new_object();
	struct json_object *arms = json_object_new_array();
	struct json_object *differences = json_object_new_array();
	struct json_object *rows = json_object_new_array();

	(void)o;
	for (size_t i = 0; i < c->n_arms; i++)
		json_object_array_add(arms, arm_json(&c->arms[i]));
	for (size_t i = 0; i < c->n_differences; i++)
		json_object_array_add(differences, difference_json(&c->differences[i], c->n_arms));
	for (size_t i = 0; i < c->n_rows; i++)
		json_object_array_add(rows, row_json(c, &c->rows[i]));
	set_text(doc, "schema", COMPARE_SCHEMA);
	json_set(doc, "arms", arms);
	json_set(doc, "varied", list_json(&c->varied));
	json_set(doc, "environment_differences", differences);
	json_set(doc, "environment", kv_json(&c->common));
	set_text(doc, "watermark", c->watermark);
	json_set_double(doc, "delta_pct", c->delta_pct);
	json_set_double(doc, "alpha", c->alpha);
	set_text(doc, "stopping", c->stopping);
	json_set_double(doc, "boot_noise_pct", c->boot_noise_pct);
	json_set(doc, "sessions", sessions_json(c));
	json_set(doc, "claims", claims_json(c));
	json_set(doc, "reach", json_object_new_array());
	json_set(doc, "warnings", list_json(&c->warnings));
	json_set(doc, "rows", rows);
	json_exact(c, doc);
	put(doc, out);
}

static struct json_object *outcomes_json(const struct run *r)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < r->n_iterations; i++) {
		const struct iteration *it = &r->iterations[i];
		struct json_object *o = json_object_new_object();

		json_set_u64(o, "seq", it->seq);
		json_set_u64(o, "block", it->block);
		set_text(o, "workload", it->workload);
		set_text(o, "target", it->target);
		json_set_bool(o, "warmup", it->warmup);
		set_text(o, "outcome", outcome_str(it->outcome));
		set_text(o, "reason", it->reason);
		json_set(o, "warnings", list_json(&it->warnings));
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *metrics_json(const struct run *r)
{
	struct json_object *list = json_object_new_array();
	struct run *const runs[] = { (struct run *)r };
	struct cell_keys keys;

	cell_keys_collect(runs, 1, &keys);
	for (size_t i = 0; i < keys.n; i++) {
		struct json_object *o = json_object_new_object();
		struct series series;
		struct stats s;

		series_collect(r, &keys.v[i], &series);
		stats_describe(series.values, series.n, &s);
		set_text(o, "workload", keys.v[i].workload);
		set_text(o, "target", keys.v[i].target);
		set_metric(o, series.metric);
		json_set_bool(o, "primary", keys.v[i].primary);
		set_stats(o, &s);
		json_set(o, "values", values_json(series.values, series.n));
		json_object_array_add(list, o);
		series_release(&series);
	}
	cell_keys_release(&keys);
	return list;
}

void json_run(const struct run *r, const struct report_options *o, struct strbuf *out)
{
	struct run *const runs[] = { (struct run *)r };
	__cleanup_comparison struct comparison *c = compare_runs(runs, 1, NULL);
	__cleanup_json struct json_object *doc = json_object_new_object();

	(void)o;
	set_text(doc, "schema", SUMMARY_SCHEMA);
	json_set(doc, "result", arm_json(&c->arms[0]));
	set_text(doc, "watermark", c->watermark);
	set_text(doc, "session", r->session);
	set_text(doc, "finished", r->finished);
	set_text(doc, "version", r->version);
	json_set(doc, "environment", kv_json(&c->common));
	json_set(doc, "warnings", list_json(&c->warnings));
	json_set(doc, "iterations", outcomes_json(r));
	json_set(doc, "metrics", metrics_json(r));
	put(doc, out);
}
