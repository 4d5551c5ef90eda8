// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/hist.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "results/store-codec.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* --- text --- */

/* Table 3-7 of the Unicode standard: the well-formed sequences; 0: this is none. */
static size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char first, last, low, high;
		size_t more;
	} forms[] = {
		{ 0x01, 0x7f, 0, 0, 0 },	{ 0xc2, 0xdf, 0x80, 0xbf, 1 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 2 },	{ 0xe1, 0xec, 0x80, 0xbf, 2 },
		{ 0xed, 0xed, 0x80, 0x9f, 2 },	{ 0xee, 0xef, 0x80, 0xbf, 2 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 3 },	{ 0xf1, 0xf3, 0x80, 0xbf, 3 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 3 },
	};
	size_t i = 0;

	while (i < ARRAY_SIZE(forms) && (s[0] < forms[i].first || s[0] > forms[i].last))
		i++;
	if (i == ARRAY_SIZE(forms))
		return 0;
	if (forms[i].more && (s[1] < forms[i].low || s[1] > forms[i].high))
		return 0;
	for (size_t k = 2; k <= forms[i].more; k++)
		if ((s[k] & 0xc0) != 0x80)
			return 0;
	return forms[i].more + 1;
}

void store_add_utf8(struct strbuf *out, const char *s)
{
	while (*s) {
		size_t len = utf8_length((const unsigned char *)s);

		if (len)
			strbuf_add(out, s, len);
		else
			strbuf_adds(out, "\xef\xbf\xbd");
		s += len ? len : 1;
	}
}

static void set_member(struct json_object *o, const char *key, struct json_object *v)
{
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;

	store_add_utf8(&sb, key);
	json_set(o, strbuf_str(&sb), v);
}

static struct json_object *text(const char *s)
{
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;

	if (!s)
		return NULL;
	store_add_utf8(&sb, s);
	return json_object_new_string(strbuf_str(&sb));
}

static void set_text(struct json_object *o, const char *key, const char *s)
{
	json_set(o, key, text(s));
}

static void set_texts(struct json_object *o, const char *key, const struct strvec *sv)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < sv->n; i++)
		json_object_array_add(a, text(sv->v[i]));
	json_set(o, key, a);
}

static void set_pairs(struct json_object *o, const char *key, const struct kv *kv)
{
	struct json_object *pairs = json_object_new_object();

	for (size_t i = 0; i < kv->n; i++)
		set_member(pairs, kv->v[i].key, text(kv->v[i].value));
	json_set(o, key, pairs);
}

static void add_json(struct strbuf *out, struct json_object *o)
{
	size_t len;
	const char *s = json_object_to_json_string_length(o, JSON_C_TO_STRING_PLAIN |
							  JSON_C_TO_STRING_NOSLASHESCAPE, &len);

	strbuf_add(out, s, len);
}

static void add_line(struct strbuf *out, struct json_object *o)
{
	add_json(out, o);
	strbuf_addc(out, '\n');
}

/* In the journal, each object says what it is. */
static struct json_object *typed(const char *type)
{
	struct json_object *o = json_object_new_object();

	set_text(o, "type", type);
	return o;
}

/* --- header --- */

static void set_workloads(struct json_object *o, const struct run *r)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < r->n_workloads; i++) {
		struct json_object *w = json_object_new_object();

		set_text(w, "name", r->workloads[i].name);
		set_text(w, "digest", r->workloads[i].digest);
		set_text(w, "text", r->workloads[i].text);
		json_object_array_add(a, w);
	}
	json_set(o, "workloads", a);
}

static void set_targets(struct json_object *o, const struct run *r)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < r->n_targets; i++) {
		struct json_object *t = json_object_new_object();

		set_text(t, "name", r->targets[i].name);
		set_text(t, "fs", r->targets[i].fs);
		set_text(t, "mkfs", r->targets[i].mkfs);
		set_text(t, "mount", r->targets[i].mount);
		set_text(t, "device", r->targets[i].device);
		json_object_array_add(a, t);
	}
	json_set(o, "targets", a);
}

static void set_header(struct json_object *o, const struct run *r)
{
	set_text(o, "schema", RUN_SCHEMA);
	set_text(o, "id", r->id);
	set_text(o, "label", r->label);
	set_text(o, "session", r->session);
	set_text(o, "role", r->role);
	set_text(o, "started", r->started);
	set_text(o, "version", r->version);
	set_texts(o, "command", &r->command);
	json_set_u64(o, "seed", r->seed);
	json_set_u64(o, "planned", r->planned);
	set_texts(o, "varied", &r->varied);
	set_pairs(o, "settings", &r->settings);
	set_pairs(o, "host", &r->host);
	set_workloads(o, r);
	set_targets(o, r);
	store_set_stopping(o, r);
}

void store_encode_header(const struct run *r, struct strbuf *out)
{
	__cleanup_json struct json_object *o = typed("header");

	set_header(o, r);
	add_line(out, o);
}

/* --- metrics and iterations --- */

static void set_metric(struct json_object *o, const char *workload, const struct metric *m)
{
	set_text(o, "workload", workload);
	set_text(o, "name", m->name);
	set_text(o, "unit", m->unit);
	set_text(o, "better", direction_str(m->better));
	set_text(o, "kind", metric_kind_str(m->kind));
	json_set_bool(o, "primary", m->primary);
	set_text(o, "text", m->text);
}

void store_encode_metric(const char *workload, const struct metric *m, struct strbuf *out)
{
	__cleanup_json struct json_object *o = typed("metric");

	set_metric(o, workload, m);
	add_line(out, o);
}

static void set_samples(struct json_object *o, const struct samples *s)
{
	struct json_object *all = json_object_new_object();

	for (size_t i = 0; i < s->n; i++) {
		struct value v = s->v[i].value;

		if (v.whole)
			set_member(all, s->v[i].metric.name, json_object_new_uint64(v.u));
		else if (isfinite(v.d))
			set_member(all, s->v[i].metric.name, json_double(v.d));
	}
	json_set(o, "samples", all);
}

static struct json_object *encode_hist(const struct named_hist *named)
{
	struct json_object *o = json_object_new_object(), *buckets = json_object_new_array();
	const struct hist *h = named->hist;

	set_text(o, "unit", named->unit);
	json_set_u64(o, "sub_bits", HIST_SUB_BITS);
	if (h->count) {
		json_set_u64(o, "min", h->min);
		json_set_u64(o, "max", h->max);
		/* A sum that is not known is absent. */
		json_set(o, "sum", h->sum == UINT64_MAX ? NULL : json_object_new_uint64(h->sum));
	}
	for (unsigned int i = hist_next(h, 0); i < HIST_BUCKETS; i = hist_next(h, i + 1)) {
		struct json_object *pair = json_object_new_array_ext(2);

		json_object_array_add(pair, json_object_new_uint64(i));
		json_object_array_add(pair, json_object_new_uint64(h->bucket[i]));
		json_object_array_add(buckets, pair);
	}
	json_set(o, "buckets", buckets);
	return o;
}

static void set_hists(struct json_object *o, const struct samples *s)
{
	struct json_object *all = json_object_new_object();

	for (size_t i = 0; i < s->n_hists; i++)
		set_member(all, s->hists[i].name, encode_hist(&s->hists[i]));
	json_set(o, "histograms", all);
}

static void set_exact(struct json_object *o, const struct iteration_exact *exact)
{
	struct json_object *e;

	if (!exact->perturbed && !exact->file)
		return;
	e = json_object_new_object();
	json_set(e, "pad", exact->perturbed ? json_object_new_uint64(exact->pad) : NULL);
	json_set(e, "seed", exact->perturbed ? json_object_new_uint64(exact->seed) : NULL);
	set_text(e, "file", exact->file);
	set_text(e, "hash", exact->hash);
	json_set(o, "exact", e);
}

static void set_iteration(struct json_object *o, const struct iteration *it)
{
	static const struct samples none = SAMPLES_INIT;
	/* What did not end well has no numbers. */
	const struct samples *samples = it->outcome == OUTCOME_OK ? &it->samples : &none;

	json_set_u64(o, "seq", it->seq);
	json_set_u64(o, "block", it->block);
	set_text(o, "workload", it->workload);
	set_text(o, "target", it->target);
	json_set_u64(o, "number", it->number);
	json_set_bool(o, "warmup", it->warmup);
	set_text(o, "outcome", outcome_str(it->outcome));
	set_text(o, "reason", it->reason);
	set_text(o, "started", it->started);
	json_set_u64(o, "mono_ns", it->mono_ns);
	set_text(o, "boot_id", it->boot_id);
	set_texts(o, "warnings", &it->warnings);
	set_pairs(o, "environment", &it->environment);
	set_samples(o, samples);
	set_hists(o, samples);
	set_exact(o, &it->exact);
}

void store_encode_iteration(const struct iteration *it, struct strbuf *out)
{
	__cleanup_json struct json_object *o = typed("iteration");

	set_iteration(o, it);
	add_line(out, o);
}

void store_encode_stopped(const struct stopped *stopped, struct strbuf *out)
{
	__cleanup_json struct json_object *o = typed("stopped");

	store_set_stopped(o, stopped);
	add_line(out, o);
}

static void set_end(struct json_object *o, const char *finished, bool complete,
		    const char *reason)
{
	set_text(o, "finished", finished);
	json_set_bool(o, "complete", complete);
	set_text(o, "reason", reason);
}

void store_encode_end(const char *finished, bool complete, const char *reason,
		      struct strbuf *out)
{
	__cleanup_json struct json_object *o = typed("end");

	set_end(o, finished, complete, reason);
	add_line(out, o);
}

/* --- the whole result --- */

/* Appends the members of @o without the braces. */
static void add_members(struct strbuf *out, struct json_object *o)
{
	struct json_object_iterator it = json_object_iter_begin(o);
	struct json_object_iterator end = json_object_iter_end(o);
	const char *sep = "";

	for (; !json_object_iter_equal(&it, &end); json_object_iter_next(&it)) {
		/* The names are ours: there is nothing to escape. */
		strbuf_addf(out, "%s\"%s\":", sep, json_object_iter_peek_name(&it));
		add_json(out, json_object_iter_peek_value(&it));
		sep = ",\n";
	}
}

static void add_metrics(struct strbuf *out, const struct store_decls *decls)
{
	strbuf_adds(out, ",\n\"metrics\":[");
	for (size_t i = 0; i < decls->n; i++) {
		__cleanup_json struct json_object *o = json_object_new_object();

		set_metric(o, decls->v[i].workload, &decls->v[i].metric);
		strbuf_adds(out, i ? ",\n" : "\n");
		add_json(out, o);
	}
	strbuf_adds(out, "]");
}

static void add_iterations(struct strbuf *out, const struct run *r)
{
	strbuf_adds(out, ",\n\"iterations\":[");
	for (size_t i = 0; i < r->n_iterations; i++) {
		__cleanup_json struct json_object *o = json_object_new_object();

		set_iteration(o, &r->iterations[i]);
		strbuf_adds(out, i ? ",\n" : "\n");
		add_json(out, o);
	}
	strbuf_adds(out, "],\n");
}

static int declare_all(struct store_decls *decls, const struct run *r)
{
	for (size_t i = 0; i < r->n_iterations; i++) {
		const struct iteration *it = &r->iterations[i];

		for (size_t k = 0; it->outcome == OUTCOME_OK && k < it->samples.n; k++)
			if (store_decls_add(decls, it->workload, &it->samples.v[k].metric) < 0)
				return -EINVAL;
	}
	return 0;
}

int store_encode_result(const struct run *r, struct strbuf *out)
{
	__cleanup_store_decls struct store_decls decls = STORE_DECLS_INIT;
	__cleanup_json struct json_object *header = json_object_new_object();
	__cleanup_json struct json_object *end = json_object_new_object();

	if (declare_all(&decls, r))
		return -EINVAL;
	set_header(header, r);
	set_end(end, r->finished, r->complete, r->end_reason);
	if (r->stopped.why != STOPPED_NOT) {
		struct json_object *stopped = json_object_new_object();

		store_set_stopped(stopped, &r->stopped);
		json_set(end, "stopped", stopped);
	}
	strbuf_addc(out, '{');
	add_members(out, header);
	add_metrics(out, &decls);
	add_iterations(out, r);
	add_members(out, end);
	strbuf_adds(out, "}\n");
	return 0;
}
