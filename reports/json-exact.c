// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/json.h"

#include "lib/json.h"

#include <math.h>

static struct json_object *whole(int64_t v)
{
	return json_object_new_int64(v);
}

/* The range of a distribution that may be empty. */
static void set_whole(struct json_object *o, const char *key, bool known, int64_t v)
{
	json_set(o, key, known ? whole(v) : NULL);
}

static struct json_object *perturbation_json(const struct compare_perturbation *v)
{
	struct json_object *o = json_object_new_object();
	struct json_object *quantiles = json_object_new_array();
	const struct paired *p = &v->p;

	json_set_u64(o, "pad", v->pad);
	json_set_u64(o, "seed", v->seed);
	json_set_u64(o, "base_operations", p->n_base);
	json_set_u64(o, "arm_operations", p->n_arm);
	json_set_u64(o, "pairs", p->n);
	set_whole(o, "value", paired_has_value(p), p->value);
	set_whole(o, "mode", p->n, p->mode);
	json_set_double(o, "mode_share", p->n ? p->mode_share : NAN);
	set_whole(o, "q1", p->n, p->q1);
	set_whole(o, "median", p->n, p->median);
	set_whole(o, "q3", p->n, p->q3);
	for (size_t i = 0; p->n && i < PAIRED_QUANTILES; i++)
		json_object_array_add(quantiles, whole(p->quantile[i]));
	json_set(o, "quantiles", quantiles);
	json_set(o, "base_median", p->n_base ? json_object_new_uint64(p->base_median) : NULL);
	json_set_u64(o, "base_total", p->base_total);
	json_set_u64(o, "arm_total", p->arm_total);
	json_set_u64(o, "far", p->far);
	json_set(o, "far_total", whole(p->far_total));
	return o;
}

static struct json_object *floor_json(const struct paired_floor *f)
{
	return f->known ? json_object_new_uint64(f->magnitude) : NULL;
}

static struct json_object *row_json(const struct comparison *c, const struct compare_exact *row)
{
	const struct paired_result *r = &row->r;
	struct json_object *o = json_object_new_object();
	struct json_object *list = json_object_new_array(), *notes = json_object_new_array();

	json_put_text(o, "workload", row->workload);
	json_put_text(o, "target", row->target);
	json_put_text(o, "arm_label", c->arms[row->arm].label);
	json_put_text(o, "op", row->op);
	json_put_text(o, "clock", row->clock);
	json_put_text(o, "unit", "instructions per operation");
	json_put_text(o, "verdict", verdict_str(r->word));
	json_put_text(o, "why", r->why == PAIRED_WHY_NONE ? NULL : paired_why_str(r->why));
	set_whole(o, "change", r->agreed, r->value);
	json_set_double(o, "change_pct", r->pct);
	json_set_double(o, "lo_pct", r->lo_pct);
	json_set_double(o, "hi_pct", r->hi_pct);
	json_set_u64(o, "agree", r->agree);
	json_set(o, "noise_floor", floor_json(&row->floor));
	json_set(o, "arm_noise_floor", floor_json(&row->arm_floor));
	json_set_bool(o, "confounded", row->confounded);
	for (size_t i = 0; i < row->n; i++)
		json_object_array_add(list, perturbation_json(&row->v[i]));
	json_set(o, "perturbations", list);
	for (size_t i = 0; i < row->notes.n; i++)
		json_object_array_add(notes, json_object_new_string(row->notes.v[i]));
	json_set(o, "notes", notes);
	return o;
}

void json_exact(const struct comparison *c, struct json_object *doc)
{
	struct json_object *list;

	if (!c->n_exact)
		return;
	list = json_object_new_array();
	for (size_t i = 0; i < c->n_exact; i++)
		json_object_array_add(list, row_json(c, &c->exact[i]));
	json_put_text(doc, "exact_caveat", COMPARE_EXACT_CAVEAT);
	json_set(doc, "exact", list);
}
