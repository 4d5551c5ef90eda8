// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/job.h"

#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "workloads/job-check.h"
#include "workloads/job-ini.h"
#include "workloads/tool.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

struct loader {
	struct job *job;
	const struct job_ini *ini;
	const char *where;
	struct strvec *errors;
	const struct job_ini_entry *tool_entry;
};

/* A mistake in the value of @e. */
static void bad_value(const struct loader *l, const struct job_ini_entry *e, const char *what)
{
	strvec_pushf(l->errors, "%s:%d: [job] %s: '%s' %s", l->where, e->line, e->key, e->value,
		     what);
}

static void set_summary(struct loader *l, const struct job_ini_entry *e)
{
	if (!*e->value)
		bad_value(l, e, "says nothing");
	str_replace(&l->job->summary, e->value);
}

static void set_tool(struct loader *l, const struct job_ini_entry *e)
{
	l->tool_entry = e;
	l->job->tool = tool_find(e->value);
}

static void set_primary(struct loader *l, const struct job_ini_entry *e)
{
	size_t good = strspn(e->value, "abcdefghijklmnopqrstuvwxyz0123456789._-");

	if (!*e->value || e->value[good])
		bad_value(l, e, "is not the name of a metric");
	str_replace(&l->job->primary, e->value);
}

static void set_count(struct loader *l, const struct job_ini_entry *e, uint64_t *out)
{
	unsigned long long n;

	if (str_to_u64(e->value, &n))
		bad_value(l, e, "is not a whole number");
	else
		*out = n;
}

static void set_iterations(struct loader *l, const struct job_ini_entry *e)
{
	uint64_t n = 1;

	set_count(l, e, &n);
	if (!n)
		bad_value(l, e, "is not at least 1");
	l->job->iterations = n;
}

static void set_warmup(struct loader *l, const struct job_ini_entry *e)
{
	set_count(l, e, &l->job->warmup);
}

static void set_timeout(struct loader *l, const struct job_ini_entry *e)
{
	if (str_to_seconds(e->value, &l->job->timeout_s))
		bad_value(l, e, "is not a time such as 90, 90s or 5m");
	else if (!l->job->timeout_s)
		bad_value(l, e, "leaves no time");
}

static const struct job_key {
	const char *name;
	void (*set)(struct loader *l, const struct job_ini_entry *e);
} job_keys[] = {
	{ "iterations", set_iterations },
	{ "primary", set_primary },
	{ "summary", set_summary },
	{ "timeout", set_timeout },
	{ "tool", set_tool },
	{ "warmup", set_warmup },
};

static void unknown_key(const struct loader *l, const struct job_ini_entry *e)
{
	__cleanup_strvec struct strvec known = STRVEC_INIT;
	__cleanup_free char *hint = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(job_keys); i++)
		strvec_push(&known, job_keys[i].name);
	hint = job_hint(&known, e->key);
	strvec_pushf(l->errors, "%s:%d: [job] unknown key '%s'%s", l->where, e->line, e->key, hint);
}

static void take_job_key(struct loader *l, const struct job_ini_entry *e)
{
	/* A summary may need more than one line. */
	if (e->continued && strcmp(e->key, "summary")) {
		strvec_pushf(l->errors, "%s:%d: the line begins with white space and so "
			     "continues the value of '%s', which cannot be continued", l->where,
			     e->continued, e->key);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(job_keys); i++) {
		if (!strcmp(job_keys[i].name, e->key)) {
			job_keys[i].set(l, e);
			return;
		}
	}
	unknown_key(l, e);
}

static void take_job_section(struct loader *l)
{
	for (size_t i = 0; i < l->ini->n_entries; i++)
		if (!strcmp(l->ini->entries[i].section, "job"))
			take_job_key(l, &l->ini->entries[i]);
	if (!l->job->summary)
		strvec_pushf(l->errors, "%s: [job] has no 'summary'", l->where);
	if (!l->tool_entry)
		strvec_pushf(l->errors, "%s: [job] has no 'tool'", l->where);
}

/* Without a tool nothing can be said about the parameters. */
static void unknown_tool(const struct loader *l)
{
	__cleanup_strvec struct strvec known = STRVEC_INIT;
	__cleanup_free char *hint = NULL, *all = NULL;

	if (!l->tool_entry)
		return;
	for (size_t i = 0; tools[i]; i++)
		strvec_push(&known, tools[i]->name);
	hint = job_hint(&known, l->tool_entry->value);
	all = strvec_join(&known, ", ");
	strvec_pushf(l->errors, "%s:%d: [job] tool '%s' is unknown%s (tools are %s)", l->where,
		     l->tool_entry->line, l->tool_entry->value, hint, all);
}

static void take_params(struct loader *l)
{
	struct job *j = l->job;

	for (size_t i = 0; i < l->ini->n_entries; i++) {
		const struct job_ini_entry *e = &l->ini->entries[i];

		if (!*e->section || !strcmp(e->section, "job"))
			continue;
		GROW(j->params, j->n_params);
		j->params[j->n_params++] = (struct job_param){
			.section = xstrdup(e->section), .key = xstrdup(e->key),
			.value = xstrdup(e->value), .line = e->line,
		};
	}
}

/* The tool knows no file names: they are put before its sentences. */
static void tool_check(const struct loader *l)
{
	__cleanup_strvec struct strvec found = STRVEC_INIT;

	if (!l->job->tool->check)
		return;
	l->job->tool->check(l->job, &found);
	for (size_t i = 0; i < found.n; i++)
		strvec_pushf(l->errors, "%s: %s", l->where, found.v[i]);
}

/* The comment at the top. What is behind a line of code is about that code. */
static char *leading_comment(const char *text)
{
	__cleanup_strbuf struct strbuf doc = STRBUF_INIT;
	__cleanup_free char *copy = xstrdup(text);
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		line = str_trim(line);
		if (*line && *line != '#' && *line != ';')
			break;
		line = str_trim(line + strspn(line, "#;"));
		if (str_starts(line, "SPDX-"))
			continue;
		strbuf_addf(&doc, "%s\n", line);
	}
	strbuf_add(&doc, "", 0);
	return xstrdup(str_trim(doc.buf));
}

/* Of what the file means: spacing and comments do not count. */
static char *digest(const struct job_ini *ini)
{
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;
	struct hash64 hash = HASH64_INIT;

	for (size_t i = 0; i < ini->n_entries; i++)
		strbuf_addf(&sb, "[%s]\n%s=%s\n", ini->entries[i].section, ini->entries[i].key,
			    ini->entries[i].value);
	hash64_add(&hash, strbuf_str(&sb), sb.len);
	return xasprintf("%016" PRIx64, hash.value);
}

static void check_all(struct loader *l, size_t errors_before)
{
	const struct tool *tool = l->job->tool;

	job_check_repeats(l->ini, l->where, tool, l->errors);
	if (!tool) {
		unknown_tool(l);
		return;
	}
	job_check_sections(l->ini, l->where, tool, l->errors);
	job_check_params(l->ini, l->where, tool, l->errors);
	take_params(l);
	if (l->errors->n == errors_before)
		tool_check(l);
}

struct job *job_parse(const char *name, const char *path, const char *text, struct strvec *errors)
{
	__cleanup_job_ini struct job_ini ini = JOB_INI_INIT;
	struct job *job = xcalloc(1, sizeof(*job));
	struct loader l = { .job = job, .ini = &ini, .where = path ? path : name,
			    .errors = errors };
	size_t errors_before = errors->n;

	job->name = xstrdup(name);
	job->path = path ? xstrdup(path) : NULL;
	job->text = xstrdup(text);
	job->doc = leading_comment(text);
	job_ini_split(&ini, l.where, text, errors);
	job->digest = digest(&ini);
	take_job_section(&l);
	check_all(&l, errors_before);
	if (errors->n == errors_before)
		return job;
	job_free(job);
	return NULL;
}

void job_free(struct job *j)
{
	if (!j)
		return;
	free(j->name);
	free(j->path);
	free(j->text);
	free(j->digest);
	free(j->summary);
	free(j->doc);
	free(j->primary);
	for (size_t i = 0; i < j->n_params; i++) {
		free(j->params[i].section);
		free(j->params[i].key);
		free(j->params[i].value);
	}
	free(j->params);
	free(j);
}

const char *job_param(const struct job *j, const char *key)
{
	for (size_t i = 0; i < j->n_params; i++)
		if (!strcmp(j->params[i].section, "params") && !strcmp(j->params[i].key, key))
			return j->params[i].value;
	return NULL;
}

uint64_t job_param_u64(const struct job *j, const char *key, uint64_t fallback)
{
	const struct tool_param *p = job_known_param(j->tool, key);
	const char *value = job_param(j, key);
	unsigned long long u = fallback;
	unsigned int s;

	if (!value)
		return fallback;
	if (p && p->type == PARAM_SECONDS)
		return str_to_seconds(value, &s) ? fallback : s;
	/* A plain number is a size, too. */
	return str_to_size(value, &u) ? fallback : u;
}
