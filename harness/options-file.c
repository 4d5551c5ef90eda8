// SPDX-License-Identifier: GPL-2.0-or-later
/* The plan file. */
#include "harness/options-words.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <ini.h>
#include <string.h>

/* What inih has room for (ini.h and MAX_SECTION of ini.c), without the NUL. */
#define LINE_MAX_LEN 198
#define LABEL_MAX_LEN 45

struct reader {
	struct run_options *o;
	const char *name;
	struct strvec *errors;
	uint64_t before; /* words that the command line gave */
	bool arms_given; /* it gave arms */
	int line;
	struct strbuf section; /* its line, as inih can take it; empty before the first one */
};

static void begin_arm(struct reader *r, const char *label)
{
	const char *why = NULL;

	if (strlen(label) > LABEL_MAX_LEN)
		why = "the label is too long";
	else if (!r->arms_given)
		option_new_arm(r->o, label, &why);
	if (why)
		strvec_pushf(r->errors, "%s:%d: [arm %s]: %s", r->name, r->line, label, why);
}

/* Sections are taken note of here: inih does not tell of those without keys. */
static void begin_section(struct reader *r, char *line)
{
	char *end = strchr(line, ']');
	char *section = line + 1;

	if (!end) {
		strvec_pushf(r->errors, "%s:%d: the section has no ']'", r->name, r->line);
		return;
	}
	*end = '\0';
	section = str_trim(section);
	strbuf_reset(&r->section);
	if (str_starts(section, "arm ")) {
		const char *label = str_trim(section + 4);

		begin_arm(r, label);
		strbuf_addf(&r->section, "[arm %.*s]\n", LABEL_MAX_LEN, label);
		return;
	}
	if (strcmp(section, "run"))
		strvec_pushf(r->errors, "%s:%d: [%s]: sections are [run] and [arm LABEL]",
			     r->name, r->line, section);
	strbuf_addf(&r->section, "[%.*s]\n", LABEL_MAX_LEN, section);
}

static void take_arm_key(struct reader *r, const char *label, const char *key, const char *value)
{
	struct option_arm *arm = option_find_arm(r->o, label);

	if (!option_is_arm_key(key, strlen(key)))
		strvec_pushf(r->errors, "%s:%d: [arm %s] %s: unknown key (known: mkfs, "
			     "mount)", r->name, r->line, label, key);
	else if (arm && !r->arms_given)
		kv_set(&arm->settings, key, value);
}

static void take_run_key(struct reader *r, const char *key, const char *value)
{
	__cleanup_free char *where = xasprintf("%s:%d: %s", r->name, r->line, key);
	size_t i = option_of_file(key);

	if (i == OPTION_NONE)
		strvec_pushf(r->errors, "%s: unknown key in [run] (keys are the long options of "
			     "`fsdelta run`)", where);
	else if (!option_overruled(r->before, i))
		option_set(r->o, i, where, value, r->errors);
}

static int take_key(void *user, const char *section, const char *key, const char *value)
{
	struct reader *r = user;

	if (str_starts(section, "arm "))
		take_arm_key(r, section + 4, key, value);
	else if (!strcmp(section, "run"))
		take_run_key(r, key, value);
	else if (!*section)
		strvec_pushf(r->errors, "%s:%d: %s: stands before the first section, [run] or "
			     "[arm LABEL]", r->name, r->line, key);
	return 1;
}

static void not_understood(const struct reader *r)
{
	strvec_pushf(r->errors, "%s:%d: not understood (expected key = value)", r->name, r->line);
}

/*
 * inih tells of one bad line only and of no line numbers, cuts what is too long, and takes an
 * indented line for more of the value above it. So it gets each line on its own.
 */
static void take_line(struct reader *r, char *raw)
{
	__cleanup_free char *text = NULL;
	char *line = str_trim(raw);

	r->line++;
	if (!*line || *line == '#' || *line == ';')
		return;
	if (strlen(line) > LINE_MAX_LEN) {
		strvec_pushf(r->errors, "%s:%d: the line is longer than %d bytes", r->name,
			     r->line, LINE_MAX_LEN);
	} else if (*line == '[') {
		begin_section(r, line);
	} else if (!strpbrk(line, "=:")) {
		not_understood(r);
	} else {
		text = xasprintf("%s%s\n", strbuf_str(&r->section), line);
		if (ini_parse_string(text, take_key, r))
			not_understood(r);
	}
}

int options_parse_file(struct run_options *o, const char *name, const char *text,
		       struct strvec *errors)
{
	struct reader r = { .o = o, .name = name, .errors = errors, .before = o->given,
			    .arms_given = o->n_arms > 0 };
	__cleanup_free char *copy = xstrdup(str_starts(text, "\xef\xbb\xbf") ? text + 3 : text);
	char *rest = copy, *raw;
	size_t before = errors->n;

	while ((raw = strsep(&rest, "\n")))
		take_line(&r, raw);
	strbuf_release(&r.section);
	return errors->n > before ? -EINVAL : 0;
}
