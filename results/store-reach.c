// SPDX-License-Identifier: GPL-2.0-or-later
/* Reach as JSON: schema/reach.schema.json. */
#include "lib/json.h"
#include "lib/mem.h"
#include "results/reach.h"
#include "results/store-codec.h"

#include <errno.h>

/* --- writing --- */

static void set_text(struct json_object *o, const char *key, const char *s)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	if (s)
		store_add_utf8(&text, s);
	json_set_str(o, key, s ? strbuf_str(&text) : NULL);
}

static struct json_object *encode_one(const struct reach *r)
{
	struct json_object *o = json_object_new_object(), *stacks = json_object_new_array();

	set_text(o, "function", r->function);
	set_text(o, "workload", r->workload);
	set_text(o, "arm", r->arm);
	if (r->known)
		json_set_u64(o, "hits", r->hits);
	else
		json_set(o, "hits", NULL);
	if (r->has_all)
		json_set_u64(o, "all", r->all);
	else
		json_set(o, "all", NULL);
	json_set_bool(o, "lower_bound", r->lower_bound);
	set_text(o, "reason", r->reason);
	json_set_double(o, "per_op", r->per_op);
	json_set_double(o, "share", r->share);
	for (size_t i = 0; i < r->n_stacks; i++) {
		struct json_object *s = json_object_new_object();

		set_text(s, "stack", r->stacks[i].stack);
		json_set_u64(s, "hits", r->stacks[i].hits);
		json_object_array_add(stacks, s);
	}
	json_set(o, "stacks", stacks);
	return o;
}

void reach_encode(const struct reach_list *l, struct strbuf *out)
{
	__cleanup_json struct json_object *doc = json_object_new_object();
	struct json_object *all = json_object_new_array();

	json_set_str(doc, "schema", REACH_SCHEMA);
	for (size_t i = 0; i < l->n; i++)
		json_object_array_add(all, encode_one(&l->v[i]));
	json_set(doc, "reach", all);
	strbuf_adds(out, json_object_to_json_string_ext(doc, JSON_C_TO_STRING_PLAIN |
							     JSON_C_TO_STRING_NOSLASHESCAPE));
	strbuf_addc(out, '\n');
}

/* --- reading --- */

/* A number, or null where there is none: anything else is a mistake. */
static bool take_u64(struct json_object *o, const char *key, bool *there, uint64_t *out)
{
	*there = json_get_u64(o, key, out);
	return *there || !json_get(o, key);
}

static bool take_number(struct json_object *o, const char *key, double *out)
{
	return json_get_double(o, key, out) || !json_get(o, key);
}

static bool take_stacks(struct reach *r, struct json_object *all)
{
	if (!json_object_is_type(all, json_type_array))
		return !all;
	for (size_t i = 0; i < json_object_array_length(all); i++) {
		struct json_object *s = json_object_array_get_idx(all, i);
		const char *text = json_get_str(s, "stack");
		uint64_t hits;

		if (!text || !json_get_u64(s, "hits", &hits))
			return false;
		reach_add_stack(r, text, hits);
	}
	return true;
}

static bool decode_one(struct reach_list *l, struct json_object *o)
{
	const char *function = json_get_str(o, "function"), *workload = json_get_str(o, "workload");
	const char *arm = json_get_str(o, "arm"), *reason = json_get_str(o, "reason");
	struct reach *r;

	if (!function || !workload || !arm)
		return false;
	r = reach_add(l, function, workload, arm);
	str_replace(&r->reason, reason);
	return take_u64(o, "hits", &r->known, &r->hits) && take_u64(o, "all", &r->has_all, &r->all) &&
	       json_get_bool(o, "lower_bound", &r->lower_bound) &&
	       take_number(o, "per_op", &r->per_op) && take_number(o, "share", &r->share) &&
	       take_stacks(r, json_get(o, "stacks"));
}

static char *decode_all(struct reach_list *out, const char *text, size_t len)
{
	__cleanup_json struct json_object *doc = json_parse(text, len, NULL);
	struct json_object *all = json_get(doc, "reach");

	if (!doc)
		return xstrdup("it is no JSON");
	if (!str_eq(json_get_str(doc, "schema"), REACH_SCHEMA))
		return xstrdup("its schema is not " REACH_SCHEMA);
	if (!json_object_is_type(all, json_type_array))
		return xstrdup("it has no list \"reach\"");
	for (size_t i = 0; i < json_object_array_length(all); i++)
		if (!decode_one(out, json_object_array_get_idx(all, i)))
			return xasprintf("entry %zu of \"reach\" lacks something, or has it of a "
					 "wrong type", i);
	return NULL;
}

int reach_decode(const char *text, size_t len, struct reach_list *out, char **error)
{
	*out = (struct reach_list)REACH_LIST_INIT;
	*error = decode_all(out, text, len);
	if (!*error)
		return 0;
	reach_list_release(out);
	return -EINVAL;
}
