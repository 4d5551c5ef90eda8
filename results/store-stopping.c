// SPDX-License-Identifier: GPL-2.0-or-later
/* The rule of a plan, and how it ended the run. Absent: none, as in results of earlier programs. */
#include "results/store-codec.h"

#include "lib/json.h"
#include "lib/mem.h"

#include <math.h>

/* --- encoding --- */

static struct json_object *looks_json(const struct stopping *s)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < s->n_looks; i++) {
		struct json_object *look = json_object_new_object();

		json_set_u64(look, "units", s->looks[i].units);
		json_set_double(look, "alpha", s->looks[i].alpha);
		json_object_array_add(a, look);
	}
	return a;
}

void store_set_stopping(struct json_object *header, const struct run *r)
{
	const struct stopping *s = &r->stopping;
	struct json_object *o;

	if (r->aa)
		json_set_bool(header, "aa", true);
	if (s->rule == STOPPING_FIXED)
		return;
	o = json_object_new_object();
	json_set_str(o, "rule", stopping_rule_str(s->rule));
	if (s->rule == STOPPING_WIDTH) {
		json_set_double(o, "width_pct", s->width_pct);
		json_set_u64(o, "first", s->first);
		json_set_u64(o, "most", s->most);
	} else {
		json_set(o, "looks", looks_json(s));
	}
	if (s->max_time_s)
		json_set_u64(o, "max_time_s", s->max_time_s);
	json_set(header, "stopping", o);
}

void store_set_stopped(struct json_object *o, const struct stopped *stopped)
{
	json_set_str(o, "why", stopped_why_str(stopped->why));
	json_set_u64(o, "units", stopped->units);
	json_set_u64(o, "look", stopped->look);
}

/* --- decoding --- */

static void take_look(struct store_decoder *d, struct json_object *o, struct stopping *s)
{
	struct stopping_look look = { 0 };

	store_take_u64(d, o, "units", true, &look.units);
	if (!json_get_double(o, "alpha", &look.alpha) || !(look.alpha > 0) || look.alpha >= 1)
		store_decode_error(d, "a look has no \"alpha\" between 0 and 1");
	else if (s->n_looks && look.units <= s->looks[s->n_looks - 1].units)
		store_decode_error(d, "the looks are not in their order");
	else if (!d->error)
		s->looks[s->n_looks++] = look;
}

static void take_looks(struct store_decoder *d, struct json_object *o, struct stopping *s)
{
	struct json_object *a = json_get(o, "looks");
	size_t n = a && json_object_is_type(a, json_type_array) ? json_object_array_length(a) : 0;

	if (!n || n > STOPPING_LOOKS_MAX)
		store_decode_error(d, "\"looks\" is no array of 1 to %d looks",
				   STOPPING_LOOKS_MAX);
	for (size_t i = 0; i < n && !d->error; i++)
		take_look(d, json_object_array_get_idx(a, i), s);
}

static void take_rule(struct store_decoder *d, struct json_object *o, struct stopping *s)
{
	__cleanup_free char *rule = NULL;

	store_take_str(d, o, "rule", true, &rule);
	if (!rule)
		return;
	/* How to judge such a run is then not known. */
	if (stopping_rule_parse(rule, &s->rule))
		store_decode_error(d, "the plan has the unknown rule '%s'", rule);
	if (s->rule == STOPPING_WIDTH) {
		if (!json_get_double(o, "width_pct", &s->width_pct) || !(s->width_pct > 0))
			store_decode_error(d, "\"width_pct\" is no number above 0");
		store_take_u64(d, o, "first", true, &s->first);
		store_take_u64(d, o, "most", true, &s->most);
	} else if (s->rule == STOPPING_DECIDED) {
		take_looks(d, o, s);
	}
	store_take_u64(d, o, "max_time_s", false, &s->max_time_s);
}

void store_take_stopping(struct store_decoder *d, struct json_object *header)
{
	struct json_object *o = json_get(header, "stopping");

	store_take_bool(d, header, "aa", false, &d->run->aa);
	if (!o)
		return;
	if (json_object_is_type(o, json_type_object))
		take_rule(d, o, &d->run->stopping);
	else
		store_decode_error(d, "\"stopping\" is no object");
}

void store_decode_stopped(struct store_decoder *d, struct json_object *o)
{
	struct stopped *stopped = &d->run->stopped;
	__cleanup_free char *why = NULL;
	uint64_t look = 0;

	store_take_str(d, o, "why", true, &why);
	store_take_u64(d, o, "units", true, &stopped->units);
	store_take_u64(d, o, "look", false, &look);
	if (why && stopped_why_parse(why, &stopped->why))
		store_decode_error(d, "the run was stopped for the unknown reason '%s'", why);
	if (look > d->run->stopping.n_looks)
		store_decode_error(d, "there is no look %llu", (unsigned long long)look);
	else
		stopped->look = (size_t)look;
}
