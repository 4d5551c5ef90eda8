// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/job-ini.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <ctype.h>
#include <ini.h>
#include <limits.h>
#include <string.h>

/* What inih has room for, without the NUL (MAX_SECTION in ini.c). */
#define SECTION_MAX 49

/* inih reports neither lines, nor sections, nor a second error: its reader sees them all. */
struct splitter {
	struct job_ini *ini;
	struct strvec *errors;
	const char *where;
	const char *next; /* rest of the text */
	int line;
	bool indented;
	bool in_value; /* since the last section there was a key to continue */
	bool pending;  /* the line must give a key; the handler takes this back */
};

static bool is_comment(const char *s)
{
	return *s == '#' || *s == ';';
}

static void bad_line(struct splitter *sp, const char *what)
{
	strvec_pushf(sp->errors, "%s:%d: %s", sp->where, sp->line, what);
}

/* The line before this one is over: did inih take it? */
static void settle(struct splitter *sp)
{
	if (sp->pending)
		bad_line(sp, "neither a section, nor \"key = value\", nor a comment");
	sp->pending = false;
}

static void begin_section(struct splitter *sp, const char *line)
{
	struct job_ini *ini = sp->ini;
	const char *end = strchr(line, ']');
	size_t len;

	if (!end) {
		bad_line(sp, "the section has no ']'");
		return;
	}
	len = (size_t)(end - line - 1);
	if (len > SECTION_MAX)
		strvec_pushf(sp->errors, "%s:%d: the name of the section is longer than %d bytes",
			     sp->where, sp->line, SECTION_MAX);
	GROW(ini->sections, ini->n_sections);
	ini->sections[ini->n_sections++] = (struct job_ini_section){
		.name = xstrndup(line + 1, len), .line = sp->line,
	};
	sp->in_value = false;
}

/* Looks at a line as inih will; false: inih need not see it. */
static bool classify(struct splitter *sp, const char *line, size_t len, int room)
{
	const char *s = line;

	while (s < line + len && isspace((unsigned char)*s))
		s++;
	sp->indented = s > line;
	if (s == line + len || is_comment(s))
		return false;
	if (len >= (size_t)room) {
		strvec_pushf(sp->errors, "%s:%d: the line is longer than %d bytes", sp->where,
			     sp->line, room - 1);
		return false;
	}
	sp->pending = *s != '[' || (sp->indented && sp->in_value);
	return true;
}

static char *read_line(char *str, int num, void *stream)
{
	struct splitter *sp = stream;
	const char *line = sp->next;
	size_t len = strcspn(line, "\n");

	settle(sp);
	if (!*line || sp->line == INT_MAX)
		return NULL;
	sp->next = line + len + (line[len] == '\n');
	sp->line++;
	str[0] = '\0';
	if (!classify(sp, line, len, num))
		return str;
	memcpy(str, line, len);
	str[len] = '\0';
	if (!sp->pending)
		begin_section(sp, str_trim(str));
	/* str_trim() gives a pointer behind the blanks; inih skips them itself. */
	return str;
}

static void continue_value(struct splitter *sp, const char *more)
{
	struct job_ini_entry *e = &sp->ini->entries[sp->ini->n_entries - 1];
	char *joined = xasprintf("%s%s%s", e->value, *e->value ? " " : "", more);

	free(e->value);
	e->value = joined;
	if (!e->continued)
		e->continued = sp->line;
}

static int take_entry(void *user, const char *section, const char *key, const char *value)
{
	struct splitter *sp = user;
	struct job_ini *ini = sp->ini;

	sp->pending = false;
	if (sp->indented && sp->in_value) {
		continue_value(sp, value);
		return 1;
	}
	if (ini->n_sections) {
		/* inih cuts long names. */
		section = ini->sections[ini->n_sections - 1].name;
		ini->sections[ini->n_sections - 1].n_entries++;
	}
	GROW(ini->entries, ini->n_entries);
	ini->entries[ini->n_entries++] = (struct job_ini_entry){
		.section = xstrdup(section), .key = xstrdup(key), .value = xstrdup(value),
		.line = sp->line,
	};
	/* inih takes no continuation of a key that is empty. */
	sp->in_value = *key;
	return 1;
}

void job_ini_split(struct job_ini *ini, const char *where, const char *text,
		   struct strvec *errors)
{
	struct splitter sp = { .ini = ini, .errors = errors, .where = where, .next = text };

	if (str_starts(text, "\xef\xbb\xbf"))
		sp.next += 3;
	/* Its status says less than the reader has noticed. */
	(void)ini_parse_stream(read_line, &sp, take_entry, &sp);
}

void job_ini_release(struct job_ini *ini)
{
	for (size_t i = 0; i < ini->n_entries; i++) {
		free(ini->entries[i].section);
		free(ini->entries[i].key);
		free(ini->entries[i].value);
	}
	for (size_t i = 0; i < ini->n_sections; i++)
		free(ini->sections[i].name);
	free(ini->entries);
	free(ini->sections);
	*ini = (struct job_ini)JOB_INI_INIT;
}
