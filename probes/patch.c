// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/patch.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <ctype.h>
#include <string.h>

#define DEV_NULL "/dev/null"

struct parser {
	struct patch *p;
	char *at, *end; /* rest of the text */
	size_t line;
	bool headers;	/* of a mail */
	bool subject;	/* the last header was it: it may be continued */
	bool git;	/* the file was begun by "diff --git": its names follow */
};

/* The next line, cut out of the text; NULL at the end. */
static char *next_line(struct parser *ps)
{
	char *line = ps->at, *end;

	if (line >= ps->end)
		return NULL;
	end = memchr(line, '\n', (size_t)(ps->end - line));
	ps->at = end ? end + 1 : ps->end;
	if (!end)
		end = ps->end;
	if (end > line && end[-1] == '\r')
		end[-1] = '\0';
	*end = '\0';
	ps->line++;
	return line;
}

/* Is the next line (not taken yet) so begun? */
static bool next_starts(const struct parser *ps, const char *prefix)
{
	size_t len = strlen(prefix);

	return (size_t)(ps->end - ps->at) >= len && !memcmp(ps->at, prefix, len);
}

static void warn(struct parser *ps, const char *what)
{
	strvec_pushf(&ps->p->warnings, "line %zu of the patch: %s", ps->line, what);
}

/* --- names --- */

static size_t octal(const char *s, char *out)
{
	size_t n = 0;
	unsigned int v = 0;

	while (n < 3 && s[n] >= '0' && s[n] <= '7')
		v = v * 8 + (unsigned int)(s[n++] - '0');
	*out = (char)v;
	return n;
}

/* A name in quotes, as git writes unusual ones; the caller frees. */
static char *unquote(const char *s)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;

	for (s++; *s && *s != '"'; s++) {
		char c = *s;

		if (c == '\\' && s[1] >= '0' && s[1] <= '7')
			s += octal(s + 1, &c);
		else if (c == '\\' && s[1])
			c = *++s == 't' ? '\t' : *s == 'n' ? '\n' : *s;
		if (c)
			strbuf_addc(&out, c);
	}
	return strbuf_detach(&out);
}

/* Without the "a/" or "b/" that diff puts in front (or i/ w/ c/ o/ with mnemonic prefixes). */
static char *strip_side(char *name)
{
	if (name[0] && strchr("abiwco", name[0]) && name[1] == '/')
		memmove(name, name + 2, strlen(name + 2) + 1);
	return name;
}

/* The name in a "--- " or "+++ " line: a tab begins a time stamp. NULL: /dev/null. */
static char *side_name(const char *s)
{
	char *name = *s == '"' ? unquote(s) : xstrndup(s, strcspn(s, "\t"));

	if (strcmp(name, DEV_NULL))
		return strip_side(name);
	free(name);
	return NULL;
}

/* "diff --git a/NAME b/NAME": only needed when no other line says the name. */
static void git_names(struct patch_file *f, const char *s)
{
	size_t len = strlen(s);

	if (*s == '"') {
		f->old_path = strip_side(unquote(s));
		f->new_path = xstrdup(f->old_path);
		return;
	}
	/* Both names are the same but for the side; there may be blanks in them. */
	if (len < 5 || len % 2 == 0 || s[len / 2] != ' ')
		return;
	f->old_path = strip_side(xstrndup(s, len / 2));
	f->new_path = strip_side(xstrdup(s + len / 2 + 1));
}

/* --- files --- */

static struct patch_file *last_file(struct parser *ps)
{
	return ps->p->n_files ? &ps->p->files[ps->p->n_files - 1] : NULL;
}

static struct patch_file *new_file(struct parser *ps)
{
	struct patch *p = ps->p;

	GROW(p->files, p->n_files);
	p->files[p->n_files] = (struct patch_file){ .old_path = NULL };
	return &p->files[p->n_files++];
}

static void drop_name(char **name)
{
	free(*name);
	*name = NULL;
}

static void set_name(char **slot, char *name)
{
	free(*slot);
	*slot = name;
}

/* A line between "diff --git" and the first hunk. */
static void git_header(struct parser *ps, const char *line)
{
	struct patch_file *f = last_file(ps);

	if (str_starts(line, "new file mode "))
		drop_name(&f->old_path);
	else if (str_starts(line, "deleted file mode "))
		drop_name(&f->new_path);
	else if (str_starts(line, "GIT binary patch") || str_starts(line, "Binary files "))
		f->binary = true;
}

static void renamed(struct parser *ps, const char *line)
{
	static const char *const from[] = { "rename from ", "copy from ", NULL };
	static const char *const to[] = { "rename to ", "copy to ", NULL };
	struct patch_file *f = last_file(ps);

	for (size_t i = 0; from[i]; i++) {
		if (str_starts(line, from[i]))
			set_name(&f->old_path, xstrdup(line + strlen(from[i])));
		if (str_starts(line, to[i]))
			set_name(&f->new_path, xstrdup(line + strlen(to[i])));
	}
}

static void take_names(struct parser *ps, const char *line)
{
	struct patch_file *f = ps->git ? last_file(ps) : new_file(ps);
	char *plus;

	set_name(&f->old_path, side_name(line + 4));
	plus = next_line(ps);
	set_name(&f->new_path, side_name(plus + 4));
	ps->git = false;
	ps->headers = false;
}

/* --- hunks --- */

/* "12,3" or "12"; NULL when it is none. */
static const char *take_range(const char *s, size_t *first, size_t *count)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return NULL;
	*first = strtoul(s, &end, 10);
	*count = 1;
	if (*end != ',')
		return end;
	if (!isdigit((unsigned char)end[1]))
		return NULL;
	*count = strtoul(end + 1, &end, 10);
	return end;
}

static bool hunk_header(struct patch_hunk *h, const char *s)
{
	s = take_range(s + strlen("@@ -"), &h->old_first, &h->old_count);
	if (!s || !str_starts(s, " +"))
		return false;
	s = take_range(s + 2, &h->new_first, &h->new_count);
	if (!s || !str_starts(s, " @@"))
		return false;
	h->section = s + 3 + (s[3] == ' ');
	return true;
}

static void add_line(struct patch_hunk *h, char sign, const char *text)
{
	GROW(h->v, h->n);
	h->v[h->n++] = (struct patch_line){ sign, text };
}

/* Lines until both sides have as many as the header says. */
static void hunk_lines(struct parser *ps, struct patch_hunk *h)
{
	size_t old = 0, new = 0;

	while (old < h->old_count || new < h->new_count) {
		char *line;

		/* Mailers cut the blank of an empty line. */
		if (ps->at >= ps->end || !strchr(" +-\\\n\r", *ps->at)) {
			warn(ps, "the hunk is shorter than its header says");
			return;
		}
		line = next_line(ps);
		if (*line == '\\')
			continue;
		old += *line != '+';
		new += *line != '-';
		add_line(h, *line ? *line : ' ', *line ? line + 1 : line);
	}
}

static void take_hunk(struct parser *ps, const char *line)
{
	struct patch_file *f = last_file(ps);
	struct patch_hunk h = { .section = "" };

	if (!f || (!f->old_path && !f->new_path) || !hunk_header(&h, line)) {
		warn(ps, "a hunk without a file, or without line numbers");
		return;
	}
	ps->git = false;
	hunk_lines(ps, &h);
	GROW(f->hunks, f->n_hunks);
	f->hunks[f->n_hunks++] = h;
}

/* --- mails --- */

/* "From 0123...def Mon Sep 17 00:00:00 2001", or any other start of a mail. */
static bool is_mail_start(const char *line)
{
	return str_starts(line, "From ") && strstr(line, " 20");
}

static void take_subject(struct parser *ps, const char *text)
{
	while (*text == ' ')
		text++;
	while (*text == '[' && strchr(text, ']')) {
		text = strchr(text, ']') + 1;
		while (*text == ' ')
			text++;
	}
	strvec_push(&ps->p->subjects, text);
}

static void continue_subject(struct parser *ps, const char *line)
{
	char **last = &ps->p->subjects.v[ps->p->subjects.n - 1];
	char *joined = xasprintf("%s %s", *last, line + strspn(line, " \t"));

	free(*last);
	*last = joined;
}

static void mail_header(struct parser *ps, const char *line)
{
	bool was_subject = ps->subject;

	ps->headers = true;
	ps->subject = false;
	if (!*line) {
		ps->headers = false;
	} else if (was_subject && (*line == ' ' || *line == '\t')) {
		continue_subject(ps, line);
		ps->subject = true;
	} else if (str_starts(line, "Subject:")) {
		take_subject(ps, line + strlen("Subject:"));
		ps->subject = true;
	} else if (!strcasecmp(line, "Content-Transfer-Encoding: base64") ||
		   !strcasecmp(line, "Content-Transfer-Encoding: quoted-printable")) {
		warn(ps, "the mail is encoded; save it decoded (git am or b4 can do that)");
	}
}

static void begin_mail(struct parser *ps)
{
	ps->headers = true;
	ps->git = false;
}

static void begin_git(struct parser *ps, const char *line)
{
	ps->headers = false;
	ps->git = true;
	git_names(new_file(ps), line + strlen("diff --git "));
}

static void take(struct parser *ps, const char *line)
{
	if (str_starts(line, "diff --git "))
		begin_git(ps, line);
	else if (is_mail_start(line))
		begin_mail(ps);
	else if (str_starts(line, "--- ") && next_starts(ps, "+++ "))
		take_names(ps, line);
	else if (str_starts(line, "@@ -"))
		take_hunk(ps, line);
	else if (str_starts(line, "@@@ "))
		warn(ps, "a merge: diff it against one parent");
	else if (ps->headers || (ps->line == 1 && str_starts(line, "Subject:")))
		mail_header(ps, line);
	else if (ps->git) {
		git_header(ps, line);
		renamed(ps, line);
	}
}

/* A file of which nothing is known, not even its name. */
static void drop_nameless(struct patch *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n_files; i++) {
		if (p->files[i].old_path || p->files[i].new_path)
			p->files[kept++] = p->files[i];
		else
			strvec_push(&p->warnings, "a file whose name cannot be read");
	}
	p->n_files = kept;
}

void patch_parse(struct patch *p, const char *text, size_t len)
{
	struct parser ps = { .p = p };
	char *line;

	*p = (struct patch)PATCH_INIT;
	p->text = xmalloc(len + 1);
	for (size_t i = 0; i < len; i++)
		p->text[i] = text[i] ? text[i] : '?';
	p->text[len] = '\0';
	ps.at = p->text;
	ps.end = p->text + len;
	while ((line = next_line(&ps)))
		take(&ps, line);
	drop_nameless(p);
}

const char *patch_path(const struct patch_file *f)
{
	return f->new_path ? f->new_path : f->old_path;
}

void patch_release(struct patch *p)
{
	for (size_t i = 0; i < p->n_files; i++) {
		for (size_t h = 0; h < p->files[i].n_hunks; h++)
			free(p->files[i].hunks[h].v);
		free(p->files[i].hunks);
		free(p->files[i].old_path);
		free(p->files[i].new_path);
	}
	free(p->files);
	free(p->text);
	strvec_release(&p->subjects);
	strvec_release(&p->warnings);
	*p = (struct patch)PATCH_INIT;
}
