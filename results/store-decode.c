// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/json.h"
#include "lib/mem.h"
#include "results/store-codec.h"

#include <errno.h>
#include <string.h>

void store_decoder_release(struct store_decoder *d)
{
	run_free(d->run);
	store_decls_release(&d->decls);
	free(d->error);
	memset(d, 0, sizeof(*d));
}

void store_decode_error(struct store_decoder *d, const char *fmt, ...)
{
	__cleanup_free char *what = NULL;
	va_list ap;

	if (d->error)
		return;
	va_start(ap, fmt);
	what = xvasprintf(fmt, ap);
	va_end(ap);
	if (d->line)
		d->error = xasprintf("%s:%zu: %s", d->name, d->line, what);
	else
		d->error = xasprintf("%s: %s", d->name, what);
}

/* --- members --- */

char *store_text(struct json_object *v)
{
	struct strbuf sb = STRBUF_INIT;
	const char *s;

	if (!v || !json_object_is_type(v, json_type_string))
		return NULL;
	s = json_object_get_string(v);
	if (strlen(s) != (size_t)json_object_get_string_len(v))
		return NULL;
	store_add_utf8(&sb, s);
	return strbuf_detach(&sb);
}

/* The member; NULL when there is none, which may be a mistake. */
static struct json_object *member(struct store_decoder *d, struct json_object *o,
				  const char *key, bool required)
{
	struct json_object *v = json_get(o, key);

	if (!v && required)
		store_decode_error(d, "there is no \"%s\"", key);
	return v;
}

static void wrong_type(struct store_decoder *d, const char *key, const char *wanted)
{
	store_decode_error(d, "\"%s\" is no %s", key, wanted);
}

void store_take_str(struct store_decoder *d, struct json_object *o, const char *key,
		    bool required, char **out)
{
	struct json_object *v = member(d, o, key, required);
	char *s;

	if (!v)
		return;
	s = store_text(v);
	if (!s) {
		wrong_type(d, key, "string");
		return;
	}
	free(*out);
	*out = s;
}

/* Like store_take_str(), but what is absent is "": for members that hold text or nothing. */
static void take_text(struct store_decoder *d, struct json_object *o, const char *key, char **out)
{
	store_take_str(d, o, key, false, out);
	if (!*out)
		*out = xstrdup("");
}

void store_take_u64(struct store_decoder *d, struct json_object *o, const char *key,
		    bool required, uint64_t *out)
{
	struct json_object *v = member(d, o, key, required);

	if (v && !json_as_u64(v, out))
		wrong_type(d, key, "whole number from 0 on");
}

void store_take_bool(struct store_decoder *d, struct json_object *o, const char *key,
		     bool required, bool *out)
{
	if (member(d, o, key, required) && !json_get_bool(o, key, out))
		wrong_type(d, key, "boolean");
}

/* An array, which may be absent; its length is in *@n. */
static struct json_object *take_array(struct store_decoder *d, struct json_object *o,
				      const char *key, size_t *n)
{
	struct json_object *v = member(d, o, key, false);

	*n = 0;
	if (v && !json_object_is_type(v, json_type_array)) {
		wrong_type(d, key, "array");
		return NULL;
	}
	if (v)
		*n = json_object_array_length(v);
	return v;
}

static void take_texts(struct store_decoder *d, struct json_object *o, const char *key,
		       struct strvec *out)
{
	size_t n;
	struct json_object *a = take_array(d, o, key, &n);

	for (size_t i = 0; i < n; i++) {
		__cleanup_free char *s = store_text(json_object_array_get_idx(a, i));

		if (s)
			strvec_push(out, s);
		else
			wrong_type(d, key, "array of strings");
	}
}

static void take_pairs(struct store_decoder *d, struct json_object *o, const char *key,
		       struct kv *out)
{
	struct json_object *pairs = member(d, o, key, false);

	if (!pairs)
		return;
	if (!json_object_is_type(pairs, json_type_object)) {
		wrong_type(d, key, "object");
		return;
	}
	json_object_object_foreach(pairs, name, v) {
		__cleanup_free char *s = store_text(v);

		if (s)
			kv_set(out, name, s);
		else if (v)
			wrong_type(d, key, "object of strings");
	}
}

/* --- header --- */

/* Later programs may add members to version 1; what they must not read is version 2. */
static void check_schema(struct store_decoder *d, struct json_object *o)
{
	static const char family[] = "fsdelta-result/";
	const char *schema = json_get_str(o, "schema");

	if (!schema) {
		store_decode_error(d, "is no result of fsdelta: it names no schema");
		return;
	}
	if (!strcmp(schema, RUN_SCHEMA) ||
	    (str_starts(schema, RUN_SCHEMA) && schema[strlen(RUN_SCHEMA)] == '.'))
		return;
	if (str_starts(schema, family))
		store_decode_error(d, "was made by a newer fsdelta: its schema is '%s', and this "
				   "program reads %s", schema, RUN_SCHEMA);
	else
		store_decode_error(d, "is no result of fsdelta: its schema is '%s', not %s", schema,
				   RUN_SCHEMA);
}

static void take_workloads(struct store_decoder *d, struct json_object *o)
{
	size_t n;
	struct json_object *a = take_array(d, o, "workloads", &n);

	for (size_t i = 0; i < n && !d->error; i++) {
		struct json_object *from = json_object_array_get_idx(a, i);
		struct run_workload *w = run_add_workload(d->run);

		store_take_str(d, from, "name", true, &w->name);
		take_text(d, from, "digest", &w->digest);
		take_text(d, from, "text", &w->text);
	}
}

static void take_targets(struct store_decoder *d, struct json_object *o)
{
	size_t n;
	struct json_object *a = take_array(d, o, "targets", &n);

	for (size_t i = 0; i < n && !d->error; i++) {
		struct json_object *from = json_object_array_get_idx(a, i);
		struct run_target *t = run_add_target(d->run);

		store_take_str(d, from, "name", true, &t->name);
		take_text(d, from, "fs", &t->fs);
		take_text(d, from, "mkfs", &t->mkfs);
		take_text(d, from, "mount", &t->mount);
		take_text(d, from, "device", &t->device);
	}
}

void store_decode_header(struct store_decoder *d, struct json_object *o)
{
	struct run *r = d->run;

	check_schema(d, o);
	store_take_str(d, o, "id", true, &r->id);
	store_take_str(d, o, "label", true, &r->label);
	store_take_str(d, o, "started", true, &r->started);
	take_text(d, o, "session", &r->session);
	take_text(d, o, "role", &r->role);
	take_text(d, o, "version", &r->version);
	take_texts(d, o, "command", &r->command);
	store_take_u64(d, o, "seed", true, &r->seed);
	store_take_u64(d, o, "planned", true, &r->planned);
	take_texts(d, o, "varied", &r->varied);
	take_pairs(d, o, "settings", &r->settings);
	take_pairs(d, o, "host", &r->host);
	take_workloads(d, o);
	take_targets(d, o);
	store_take_stopping(d, o);
}

void store_decode_end(struct store_decoder *d, struct json_object *o)
{
	store_take_str(d, o, "finished", false, &d->run->finished);
	store_take_bool(d, o, "complete", true, &d->run->complete);
	store_take_str(d, o, "reason", false, &d->run->end_reason);
	if (json_get(o, "stopped"))
		store_decode_stopped(d, json_get(o, "stopped"));
}

/* --- metrics and iterations --- */

static void take_enums(struct store_decoder *d, const char *name, const char *better,
		       const char *kind, struct metric *m)
{
	if (direction_parse(better, &m->better))
		store_decode_error(d, "metric '%s' has the unknown direction '%s'", name, better);
	if (metric_kind_parse(kind, &m->kind))
		store_decode_error(d, "metric '%s' is of the unknown kind '%s'", name, kind);
}

void store_decode_metric(struct store_decoder *d, struct json_object *o)
{
	__cleanup_free char *workload = NULL, *name = NULL, *unit = NULL, *better = NULL;
	__cleanup_free char *kind = NULL, *what = NULL;
	struct metric m = { .primary = false };

	store_take_str(d, o, "workload", true, &workload);
	store_take_str(d, o, "name", true, &name);
	store_take_str(d, o, "unit", true, &unit);
	store_take_str(d, o, "better", true, &better);
	store_take_str(d, o, "kind", true, &kind);
	store_take_bool(d, o, "primary", true, &m.primary);
	store_take_str(d, o, "text", false, &what);
	if (d->error)
		return;
	take_enums(d, name, better, kind, &m);
	m.name = name;
	m.unit = unit;
	m.text = what;
	if (!d->error && store_decls_add(&d->decls, workload, &m) < 0)
		store_decode_error(d, "metric '%s' of %s was declared in another way before", name,
				   workload);
}

static void take_outcome(struct store_decoder *d, struct json_object *o, struct iteration *it)
{
	__cleanup_free char *outcome = NULL;

	store_take_str(d, o, "outcome", true, &outcome);
	store_take_str(d, o, "reason", false, &it->reason);
	if (!outcome)
		return;
	if (outcome_parse(outcome, &it->outcome))
		store_decode_error(d, "unknown outcome '%s'", outcome);
	else if (it->outcome != OUTCOME_OK && !it->reason)
		it->reason = xstrdup("no reason was recorded");
}

static void take_exact(struct store_decoder *d, struct json_object *o, struct iteration_exact *exact)
{
	struct json_object *e = json_get(o, "exact");

	if (!e)
		return;
	if (!json_object_is_type(e, json_type_object)) {
		wrong_type(d, "exact", "object");
		return;
	}
	exact->perturbed = json_get(e, "pad") && json_get(e, "seed");
	store_take_u64(d, e, "pad", false, &exact->pad);
	store_take_u64(d, e, "seed", false, &exact->seed);
	store_take_str(d, e, "file", false, &exact->file);
	store_take_str(d, e, "hash", exact->file, &exact->hash);
}

void store_decode_iteration(struct store_decoder *d, struct json_object *o)
{
	struct iteration *it = run_add_iteration(d->run);

	store_take_u64(d, o, "seq", true, &it->seq);
	store_take_u64(d, o, "block", true, &it->block);
	store_take_str(d, o, "workload", true, &it->workload);
	store_take_str(d, o, "target", true, &it->target);
	store_take_u64(d, o, "number", true, &it->number);
	store_take_bool(d, o, "warmup", true, &it->warmup);
	take_outcome(d, o, it);
	take_text(d, o, "started", &it->started);
	store_take_u64(d, o, "mono_ns", false, &it->mono_ns);
	take_text(d, o, "boot_id", &it->boot_id);
	take_texts(d, o, "warnings", &it->warnings);
	take_pairs(d, o, "environment", &it->environment);
	take_exact(d, o, &it->exact);
	if (!d->error)
		store_decode_samples(d, o, it);
}
