// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/file.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "results/each.h"
#include "results/store-codec.h"
#include "results/store.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* json-c counts in int. */
#define FILE_MAX (1U << 30)

/* --- after the last record --- */

struct order {
	uint64_t seq;
	size_t at;
};

static int by_seq(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static bool is_sorted(const struct run *r)
{
	for (size_t i = 1; i < r->n_iterations; i++)
		if (r->iterations[i - 1].seq >= r->iterations[i].seq)
			return false;
	return true;
}

/* Puts the iterations in order; of those with the same number the last one stays. */
static void sort_iterations(struct run *r, const char *name)
{
	size_t n = r->n_iterations, kept = 0;
	struct iteration *sorted;
	struct order *order;

	if (is_sorted(r))
		return;
	order = xcalloc(n, sizeof(*order));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct order){ r->iterations[i].seq, i };
	qsort(order, n, sizeof(*order), by_seq);
	/* As large as the old one, which GROW relies on. */
	sorted = xcalloc(2 * n, sizeof(*sorted));
	for (size_t i = 0; i < n; i++) {
		struct iteration *it = &r->iterations[order[i].at];

		if (i + 1 < n && order[i + 1].seq == it->seq)
			iteration_release(it);
		else
			sorted[kept++] = *it;
	}
	free(order);
	free(r->iterations);
	r->iterations = sorted;
	r->n_iterations = kept;
	if (kept < n)
		strvec_pushf(&r->load_warnings, "%s: %zu records have the number of a later one "
			     "and are left out", name, n - kept);
}

/* The run, or NULL with *@error; @d is empty afterwards. */
static struct run *take_run(struct store_decoder *d, char **error)
{
	struct run *r = d->run;

	if (d->error) {
		*error = d->error;
		d->error = NULL;
		store_decoder_release(d);
		return NULL;
	}
	if (d->undeclared)
		strvec_pushf(&r->load_warnings, "%s: %zu samples are left out, since the "
			     "declarations of their metrics could not be read", d->name,
			     d->undeclared);
	if (d->not_ok)
		strvec_pushf(&r->load_warnings, "%s: %zu iterations were not OK and have samples, "
			     "which are left out", d->name, d->not_ok);
	sort_iterations(r, d->name);
	d->run = NULL;
	store_decoder_release(d);
	return r;
}

/* --- result.json --- */

static void each_object(struct store_decoder *d, struct json_object *o, const char *key,
			void (*decode)(struct store_decoder *d, struct json_object *o))
{
	struct json_object *a = json_get(o, key);
	size_t n;

	if (d->error)
		return;
	if (!a || !json_object_is_type(a, json_type_array)) {
		store_decode_error(d, "\"%s\" is no array", key);
		return;
	}
	n = json_object_array_length(a);
	for (size_t i = 0; i < n && !d->error; i++)
		decode(d, json_object_array_get_idx(a, i));
}

static bool is_blank(const char *text, size_t len)
{
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	return len == 0;
}

struct run *store_parse_result(const char *name, const char *text, size_t len, char **error)
{
	struct store_decoder d = { .name = name, .run = run_new() };
	size_t where = 0;
	__cleanup_json struct json_object *o = json_parse(text, len, &where);

	*error = NULL;
	if (is_blank(text, len))
		store_decode_error(&d, "the file is empty");
	else if (!o || !json_object_is_type(o, json_type_object))
		store_decode_error(&d, "is no result of fsdelta: not a JSON object (byte %zu)",
				   where);
	else
		store_decode_header(&d, o);
	each_object(&d, o, "metrics", store_decode_metric);
	each_object(&d, o, "iterations", store_decode_iteration);
	if (!d.error)
		store_decode_end(&d, o);
	return take_run(&d, error);
}

/* --- journal.jsonl --- */

struct journal_parse {
	struct store_decoder d;
	size_t broken, first_broken;
	size_t unknown, first_unknown;
	char *unknown_kind;
	bool cut;
};

static const struct line_kind {
	const char *type;
	void (*decode)(struct store_decoder *d, struct json_object *o);
} line_kinds[] = {
	{ "end", store_decode_end },
	{ "iteration", store_decode_iteration },
	{ "metric", store_decode_metric },
	{ "stopped", store_decode_stopped },
};

static void unknown_line(struct journal_parse *p, const char *type)
{
	if (!p->unknown++) {
		p->first_unknown = p->d.line;
		p->unknown_kind = xstrdup(type);
	}
}

static void take_line(struct journal_parse *p, struct json_object *o)
{
	const char *type = json_get_str(o, "type");

	if (p->d.line == 1) {
		if (!str_eq(type, "header"))
			store_decode_error(&p->d, "is no journal of fsdelta: its first line is no "
					   "header");
		else
			store_decode_header(&p->d, o);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(line_kinds); i++) {
		if (str_eq(type, line_kinds[i].type)) {
			line_kinds[i].decode(&p->d, o);
			return;
		}
	}
	unknown_line(p, type ? type : "");
}

static void broken_line(struct journal_parse *p, bool last)
{
	if (p->d.line == 1) {
		store_decode_error(&p->d, last ? "the file ends within its header" :
				   "is no journal of fsdelta: its first line is not JSON");
		return;
	}
	/* Declarations may have been in it. */
	p->d.gaps = true;
	if (last)
		p->cut = true;
	else if (!p->broken++)
		p->first_broken = p->d.line;
}

static void parse_line(struct journal_parse *p, const char *line, size_t len, bool last)
{
	__cleanup_json struct json_object *o = NULL;

	if (is_blank(line, len) && p->d.line > 1)
		return;
	o = json_parse(line, len, NULL);
	if (o && json_object_is_type(o, json_type_object))
		take_line(p, o);
	else
		broken_line(p, last);
}

/* Says what was left out, and whether anything may be missing because of it. */
static void judge_journal(struct journal_parse *p)
{
	struct run *r = p->d.run;

	if (p->cut)
		strvec_pushf(&r->load_warnings, "%s: the last line was cut and is left out",
			     p->d.name);
	if (p->broken)
		strvec_pushf(&r->load_warnings, "%s: %zu lines cannot be read and are left out, "
			     "the first is line %zu", p->d.name, p->broken, p->first_broken);
	if (p->unknown)
		strvec_pushf(&r->load_warnings, "%s: %zu lines are of an unknown kind and are left "
			     "out, the first is line %zu, '%s'", p->d.name, p->unknown,
			     p->first_unknown, p->unknown_kind);
}

/*
 * A line that was cut and then ended by store_reopen() is broken for ever, but its
 * iteration was done again: complete is what has all planned iterations, and their samples.
 */
static void judge_completeness(struct run *r, bool broken, bool undeclared)
{
	if (undeclared || (broken && (!r->planned || r->n_iterations < r->planned)))
		r->complete = false;
}

struct run *store_parse_journal(const char *name, const char *text, size_t len, char **error)
{
	struct journal_parse p = { .d = { .name = name, .run = run_new() } };
	bool undeclared;
	struct run *r;
	size_t n;

	*error = NULL;
	if (is_blank(text, len))
		store_decode_error(&p.d, "the file is empty");
	for (size_t at = 0; at < len && !p.d.error; at += n + 1) {
		const char *end = memchr(text + at, '\n', len - at);

		n = end ? (size_t)(end - text) - at : len - at;
		p.d.line++;
		parse_line(&p, text + at, n, !end);
	}
	if (!p.d.error)
		judge_journal(&p);
	undeclared = p.d.undeclared;
	r = take_run(&p.d, error);
	free(p.unknown_kind);
	if (r)
		judge_completeness(r, p.broken, undeclared);
	return r;
}

/* --- files --- */

/* A journal is told by its first line, whatever it is called. */
static bool is_journal(const char *path, const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);
	__cleanup_json struct json_object *o = NULL;

	if (str_ends(path, ".jsonl"))
		return true;
	o = json_parse(text, end ? (size_t)(end - text) : len, NULL);
	return str_eq(json_get_str(o, "type"), "header");
}

static struct run *parse_file(const char *path, char **error)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	int ret = file_read(path, &text, FILE_MAX);

	if (ret) {
		*error = xasprintf("%s: %s", path, ret == -EFBIG ? "is larger than 1 GiB" :
							   strerror(-ret));
		return NULL;
	}
	if (is_journal(path, text.buf, text.len))
		return store_parse_journal(path, text.buf, text.len, error);
	return store_parse_result(path, text.buf, text.len, error);
}

/* With the files of single operations beside it. */
static struct run *load_file(const char *path, char **error)
{
	const char *slash = strrchr(path, '/');
	__cleanup_free char *dir = slash ? xstrndup(path, (size_t)(slash - path)) :
					   xstrdup(".");
	struct run *r = parse_file(path, error);

	if (r)
		each_load(dir, r);
	return r;
}

struct run *store_load(const char *path, char **error)
{
	static const char *const files[] = { STORE_RESULT, STORE_JOURNAL };
	struct stat st;

	*error = NULL;
	if (stat(path, &st)) {
		*error = xasprintf("%s: %s", path, strerror(errno));
		return NULL;
	}
	if (!S_ISDIR(st.st_mode))
		return load_file(path, error);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		__cleanup_free char *file = xasprintf("%s/%s", path, files[i]);

		if (file_exists(file))
			return load_file(file, error);
	}
	*error = xasprintf("%s: there is neither %s nor %s in it", path, STORE_RESULT,
			   STORE_JOURNAL);
	return NULL;
}
