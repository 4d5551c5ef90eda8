// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/job-check.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <string.h>

/* Longer words are not compared, so that the table fits on the stack. */
#define WORD_MAX 40

/* Levenshtein distance; WORD_MAX + 1 when a word is too long to tell. */
static size_t distance(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	size_t row[WORD_MAX + 1];

	if (na > WORD_MAX || nb > WORD_MAX)
		return WORD_MAX + 1;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[nb];
}

const char *job_nearest(const struct strvec *known, const char *word)
{
	/* A third of the letters may be wrong: more would suggest anything for short words. */
	size_t best = strlen(word) / 3 + 2;
	const char *nearest = NULL;

	for (size_t i = 0; i < known->n; i++) {
		size_t d = distance(known->v[i], word);

		if (d < best) {
			best = d;
			nearest = known->v[i];
		}
	}
	return nearest;
}

char *job_hint(const struct strvec *known, const char *word)
{
	const char *nearest = job_nearest(known, word);

	return nearest ? xasprintf(", did you mean '%s'?", nearest) : xstrdup("");
}

const struct tool_param *job_known_param(const struct tool *tool, const char *key)
{
	for (const struct tool_param *p = tool->params; p && p->name; p++)
		if (!strcmp(p->name, key))
			return p;
	return NULL;
}

/* What @value lacks for the type of @p; NULL: nothing. */
static char *type_problem(const struct tool_param *p, const char *value)
{
	__cleanup_strvec struct strvec words = STRVEC_INIT;
	unsigned long long u;
	unsigned int s;

	switch (p->type) {
	case PARAM_STRING:
		return NULL;
	case PARAM_U64:
		return str_to_u64(value, &u) ? xstrdup("is not a whole number") : NULL;
	case PARAM_SIZE:
		return str_to_size(value, &u) ? xstrdup("is not a size such as 4096, 64K or 2G")
					      : NULL;
	case PARAM_SECONDS:
		return str_to_seconds(value, &s) ? xstrdup("is not a time such as 90, 90s or 5m")
						 : NULL;
	case PARAM_BOOL:
		return strcmp(value, "0") && strcmp(value, "1") ? xstrdup("is neither 0 nor 1")
								: NULL;
	case PARAM_CHOICE:
		strvec_split(&words, p->choices, '|');
		if (strvec_has(&words, value))
			return NULL;
		return xasprintf("is none of %s", p->choices);
	case PARAM_ARGV:
		if (strvec_split_words(&words, value))
			return xstrdup("has a quote that is not closed");
		return words.n ? NULL : xstrdup("is empty");
	}
	return NULL;
}

static void check_value(const struct job_ini_entry *e, const char *where,
			const struct tool_param *p, struct strvec *errors)
{
	__cleanup_free char *problem = NULL;

	if (e->continued && !(p && p->type == PARAM_ARGV)) {
		strvec_pushf(errors, "%s:%d: the line begins with white space and so continues "
			     "the value of '%s', which cannot be continued", where, e->continued,
			     e->key);
		return;
	}
	problem = p ? type_problem(p, e->value) : NULL;
	if (problem)
		strvec_pushf(errors, "%s:%d: [%s] %s: '%s' %s", where, e->line, e->section, e->key,
			     e->value, problem);
}

static void check_entry(const struct job_ini_entry *e, const char *where,
			const struct tool *tool, struct strvec *errors)
{
	const struct tool_param *p = job_known_param(tool, e->key);
	__cleanup_strvec struct strvec known = STRVEC_INIT;
	__cleanup_free char *hint = NULL;

	if (!*e->key) {
		strvec_pushf(errors, "%s:%d: [%s] there is no key before '='", where, e->line,
			     e->section);
		return;
	}
	if (p || tool->any_param) {
		check_value(e, where, p, errors);
		return;
	}
	for (p = tool->params; p && p->name; p++)
		strvec_push(&known, p->name);
	hint = job_hint(&known, e->key);
	strvec_pushf(errors, "%s:%d: [%s] unknown key '%s' for tool %s%s", where, e->line,
		     e->section, e->key, tool->name, hint);
}

static bool has_param(const struct job_ini *ini, const char *key)
{
	for (size_t i = 0; i < ini->n_entries; i++)
		if (!strcmp(ini->entries[i].section, "params") &&
		    !strcmp(ini->entries[i].key, key))
			return true;
	return false;
}

void job_check_params(const struct job_ini *ini, const char *where, const struct tool *tool,
		      struct strvec *errors)
{
	for (size_t i = 0; i < ini->n_entries; i++) {
		const struct job_ini_entry *e = &ini->entries[i];

		if (*e->section && strcmp(e->section, "job"))
			check_entry(e, where, tool, errors);
	}
	for (const struct tool_param *p = tool->params; p && p->name; p++)
		if (p->required && !has_param(ini, p->name))
			strvec_pushf(errors, "%s: [params] has no '%s', which tool %s needs",
				     where, p->name, tool->name);
}

/* "fio.NAME" for a tool called fio that takes any parameter? */
static bool is_tool_section(const char *name, const struct tool *tool)
{
	size_t len = strlen(tool->name);
	const char *own = name + len + 1;

	return tool->any_param && !strncmp(name, tool->name, len) && name[len] == '.' && *own &&
	       strspn(own, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
		       strlen(own);
}

static void check_section_name(const struct job_ini_section *s, const char *where,
			       const struct tool *tool, struct strvec *errors)
{
	__cleanup_strvec struct strvec known = STRVEC_INIT;
	__cleanup_free char *hint = NULL;

	if (!strcmp(s->name, "job") || !strcmp(s->name, "params"))
		return;
	if (!is_tool_section(s->name, tool)) {
		strvec_push(&known, "job");
		strvec_push(&known, "params");
		hint = job_hint(&known, s->name);
		strvec_pushf(errors, "%s:%d: unknown section [%s] for tool %s%s", where, s->line,
			     s->name, tool->name, hint);
	} else if (!s->n_entries) {
		strvec_pushf(errors, "%s:%d: section [%s] is empty", where, s->line, s->name);
	}
}

void job_check_sections(const struct job_ini *ini, const char *where, const struct tool *tool,
			struct strvec *errors)
{
	for (size_t i = 0; i < ini->n_entries; i++)
		if (!*ini->entries[i].section)
			strvec_pushf(errors, "%s:%d: '%s' stands outside any section", where,
				     ini->entries[i].line, ini->entries[i].key);
	for (size_t i = 0; i < ini->n_sections; i++)
		check_section_name(&ini->sections[i], where, tool, errors);
}

/* Where the key of entry @n was given before; 0: nowhere. */
static int earlier_line(const struct job_ini *ini, size_t n)
{
	const struct job_ini_entry *e = &ini->entries[n];

	for (size_t i = 0; i < n; i++)
		if (!strcmp(ini->entries[i].section, e->section) &&
		    !strcmp(ini->entries[i].key, e->key))
			return ini->entries[i].line;
	return 0;
}

void job_check_repeats(const struct job_ini *ini, const char *where, const struct tool *tool,
		       struct strvec *errors)
{
	for (size_t i = 0; i < ini->n_entries; i++) {
		const struct job_ini_entry *e = &ini->entries[i];
		const struct tool_param *p = tool ? job_known_param(tool, e->key) : NULL;
		int line = earlier_line(ini, i);

		if (line && !(p && p->type == PARAM_ARGV && strcmp(e->section, "job")))
			strvec_pushf(errors, "%s:%d: [%s] %s was given in line %d already", where,
				     e->line, e->section, e->key, line);
	}
}
