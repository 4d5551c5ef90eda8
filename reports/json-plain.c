// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/plain.h"

#include "lib/json.h"

#define SCHEMA "fsdelta-stats/1"

/* Labels are file names: any bytes. */
static void set_text(struct json_object *o, const char *key, const char *s)
{
	__cleanup_strbuf struct strbuf clean = STRBUF_INIT;

	if (s)
		strbuf_add_printable(&clean, s);
	json_set_str(o, key, s ? strbuf_str(&clean) : NULL);
}

static struct json_object *texts_json(const struct strvec *texts)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < texts->n; i++) {
		__cleanup_strbuf struct strbuf clean = STRBUF_INIT;

		strbuf_add_printable(&clean, texts->v[i]);
		json_object_array_add(list, json_object_new_string(strbuf_str(&clean)));
	}
	return list;
}

static struct json_object *sample_json(const struct plain_sample *s)
{
	struct json_object *o = json_object_new_object();
	const struct stats *t = &s->stats;

	set_text(o, "label", s->label);
	json_set_u64(o, "n", s->n);
	json_set_double(o, "min", t->min);
	json_set_double(o, "q1", s->q1);
	json_set_double(o, "median", t->median);
	json_set_double(o, "median_lo", s->median_ci.lo);
	json_set_double(o, "median_hi", s->median_ci.hi);
	json_set_double(o, "median_coverage", s->median_ci.coverage);
	json_set_double(o, "q3", s->q3);
	json_set_double(o, "max", t->max);
	json_set_double(o, "mean", t->mean);
	json_set_double(o, "mean_lo", t->mean_lo);
	json_set_double(o, "mean_hi", t->mean_hi);
	json_set_double(o, "sd", t->sd);
	json_set_double(o, "pop_sd", t->sd_pop);
	json_set_double(o, "cv", t->cv);
	json_set_double(o, "hmean", t->hmean);
	json_set_double(o, "gmean", t->gmean);
	json_set_double(o, "mad", t->mad);
	json_set_double(o, "tied", s->tied);
	json_set_double(o, "step", s->step);
	json_set(o, "warnings", texts_json(&s->warnings));
	return o;
}

static struct json_object *welch_json(const struct plain_effect *e)
{
	struct json_object *o = json_object_new_object();

	json_set_double(o, "t", e->welch.t);
	json_set_double(o, "df", e->welch.df);
	json_set_double(o, "p", e->welch.p);
	json_set_double(o, "pct", e->welch_pct);
	json_set_double(o, "lo", e->welch_lo);
	json_set_double(o, "hi", e->welch_hi);
	return o;
}

static struct json_object *effect_json(const struct plain_row *row, size_t i)
{
	struct json_object *o = json_object_new_object();
	const struct plain_effect *e = &row->effects[i];
	const struct verdict_result *v = &e->verdict;

	set_text(o, "base", row->samples[0].label);
	set_text(o, "arm", row->samples[i].label);
	json_set_double(o, "pct_median", e->pct_median);
	json_set_double(o, "pct_mean", e->pct_mean);
	json_set_double(o, "pct_hmean", e->pct_hmean);
	json_set_double(o, "effect_pct", e->test.pct);
	json_set_double(o, "effect_lo", e->ci95.pct_lo);
	json_set_double(o, "effect_hi", e->ci95.pct_hi);
	json_set_bool(o, "log_scale", e->test.log_scale);
	json_set_double(o, "shift", e->test.shift);
	json_set_double(o, "shift_lo", e->ci95.lo);
	json_set_double(o, "shift_hi", e->ci95.hi);
	json_set_double(o, "u", e->test.u);
	json_set_double(o, "p", e->test.p);
	json_set_bool(o, "p_exact", e->test.exact);
	json_set_double(o, "p_adjusted", e->p_adjusted);
	json_set_u64(o, "blocks", e->test.blocks);
	json_set_str(o, "verdict", verdict_str(v->word));
	json_set_str(o, "why", v->why == VERDICT_WHY_NONE ? NULL : verdict_why_str(v->why));
	json_set_double(o, "mde_pct", v->mde_pct);
	json_set_double(o, "n_needed", v->n_needed);
	json_set(o, "welch", welch_json(e));
	return o;
}

static struct json_object *row_json(const struct plain_row *row)
{
	struct json_object *o = json_object_new_object();
	struct json_object *samples = json_object_new_array(), *effects = json_object_new_array();

	for (size_t i = 0; i < row->n; i++)
		json_object_array_add(samples, sample_json(&row->samples[i]));
	for (size_t i = 1; i < row->n; i++)
		json_object_array_add(effects, effect_json(row, i));
	set_text(o, "name", row->name);
	json_set(o, "samples", samples);
	json_set(o, "comparisons", effects);
	return o;
}

void plain_json(const struct plain *p, struct strbuf *out)
{
	__cleanup_json struct json_object *o = json_object_new_object();
	struct json_object *rows = json_object_new_array();

	json_set_str(o, "schema", SCHEMA);
	json_set_str(o, "better", direction_str(p->options.better));
	json_set_str(o, "order", plain_order_str(p->options.order));
	json_set_bool(o, "rate", p->options.rate);
	json_set_double(o, "delta_pct", p->options.delta_pct);
	json_set_str(o, "percent", "100 * (B - A) / A");
	for (size_t i = 0; i < p->n_rows; i++)
		json_object_array_add(rows, row_json(&p->rows[i]));
	json_set(o, "rows", rows);
	strbuf_adds(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
						       JSON_C_TO_STRING_SPACED |
						       JSON_C_TO_STRING_NOSLASHESCAPE));
	strbuf_addc(out, '\n');
}
