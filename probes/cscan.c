// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/cscan.h"

#include "lib/mem.h"
#include "probes/cdecl.h"
#include "probes/clex.h"

#include <string.h>

#define NONE ((size_t)-1)
/* Of one declaration. A prototype with all its attributes has some hundred. */
#define MAX_TOKENS 20000

/* What is open at one place of the text; an #else goes back to that of its #if. */
struct state {
	size_t braces, parens;
	size_t open; /* item whose end was not seen; NONE: none */
	bool closed; /* ... but its '}' was: only the ';' is missing */
	/* Line of a '}' in the first column that does not match: see settle(). 0: none. */
	size_t doubt;
	struct clex_token *v; /* the declaration so far */
	size_t n;
};

struct branch {
	struct state before; /* at the #if */
	struct state first;  /* at the end of the first branch */
	bool has_first;
};

struct scanner {
	struct cscan *out;
	struct state now;
	struct branch *branches;
	size_t n_branches;
};

static struct state copy_state(const struct state *s)
{
	struct state copy = *s;

	copy.v = xcalloc(s->n + 1, sizeof(*copy.v));
	if (s->n)
		memcpy(copy.v, s->v, s->n * sizeof(*copy.v));
	/* GROW() takes the room to be the next power of two. */
	while (copy.n & (copy.n - 1))
		copy.n &= copy.n - 1;
	copy.v = xreallocarray(copy.v, copy.n ? 2 * copy.n : 1, sizeof(*copy.v));
	copy.n = s->n;
	return copy;
}

static void set_state(struct state *to, struct state from)
{
	free(to->v);
	*to = from;
}

static void push(struct state *s, const struct clex_token *t)
{
	if (s->n >= MAX_TOKENS)
		s->n = 0;
	GROW(s->v, s->n);
	s->v[s->n++] = *t;
}

static size_t add_item(struct cscan *out, const struct cscan_item *item)
{
	GROW(out->v, out->n);
	out->v[out->n] = *item;
	return out->n++;
}

static void open_brace(struct scanner *s)
{
	struct cdecl_info info;

	s->now.open = NONE;
	s->now.closed = false;
	s->now.braces = 1;
	if (cdecl_open(s->now.v, s->now.n, &info))
		s->now.open = add_item(s->out, &(struct cscan_item){
			.kind = info.kind, .name = info.name, .first = info.first,
			.is_static = info.is_static });
	if (info.linkage)
		s->now.braces = 0;
	s->now.n = 0;
}

/* Depth 0 is reached again. */
static void close_item(struct scanner *s, size_t line)
{
	struct cscan_item *item = s->now.open == NONE ? NULL : &s->out->v[s->now.open];

	s->now.braces = 0;
	s->now.parens = 0;
	s->now.n = 0;
	if (!item)
		return;
	item->last = line;
	if (item->kind == CSCAN_FUNCTION || item->kind == CSCAN_INLINE)
		s->now.open = NONE;
	else
		s->now.closed = true;
}

static void close_brace(struct scanner *s, const struct clex_token *t)
{
	if (!--s->now.braces)
		close_item(s, t->line);
	else if (t->first_column)
		s->now.doubt = t->line;
}

/*
 * A '}' in the first column closes a function, whatever the depth, when the next token stands
 * there too: then a macro or a branch has spoilt the count. Else it is badly indented.
 */
static void settle(struct scanner *s, const struct clex_token *t)
{
	if (s->now.doubt && s->now.braces && t->first_column && !clex_sign(t, '}'))
		close_item(s, s->now.doubt);
	s->now.doubt = 0;
}

static void end_declaration(struct scanner *s, const struct clex_token *t)
{
	struct state *now = &s->now;

	if (now->open != NONE && now->closed) {
		struct cscan_item *item = &s->out->v[now->open];

		item->last = t->line;
		/* typedef struct { ... } name; */
		if (!item->name && now->n && now->v[now->n - 1].type == CLEX_WORD)
			item->name = xstrndup(now->v[now->n - 1].text, now->v[now->n - 1].len);
		now->open = NONE;
		now->n = 0;
		return;
	}
	push(now, t);
	if (!cdecl_may_be_knr(now->v, now->n))
		now->n = 0;
}

static void at_top(struct scanner *s, const struct clex_token *t)
{
	struct state *now = &s->now;

	/* Parentheses that do not match (branches of #if, macros) end here at the latest. */
	if (clex_sign(t, '{') && t->first_column)
		now->parens = 0;
	if (clex_sign(t, '{') && !now->parens) {
		open_brace(s);
		return;
	}
	if (clex_sign(t, '}') && !now->parens) {
		now->n = 0;
		return;
	}
	if (clex_sign(t, ';') && !now->parens) {
		end_declaration(s, t);
		return;
	}
	if (clex_sign(t, '('))
		now->parens++;
	else if (clex_sign(t, ')'))
		now->parens -= now->parens > 0;
	push(now, t);
}

/* --- preprocessor --- */

static void add_macro(struct scanner *s, const struct clex_token *t, struct clex *x)
{
	struct clex_token name;

	if (clex_next(x, &name) && name.type == CLEX_WORD)
		add_item(s->out, &(struct cscan_item){
			.kind = CSCAN_MACRO, .name = xstrndup(name.text, name.len),
			.first = t->line, .last = t->last_line });
}

static void branch_begins(struct scanner *s)
{
	GROW(s->branches, s->n_branches);
	s->branches[s->n_branches++] = (struct branch){ .before = copy_state(&s->now) };
}

/* What was opened in a branch that does not go on ends with it. */
static void close_dropped(struct scanner *s, size_t kept, size_t line)
{
	if (s->now.open != NONE && s->now.open != kept && !s->out->v[s->now.open].last)
		s->out->v[s->now.open].last = line;
}

static void next_branch(struct scanner *s, size_t line)
{
	struct branch *b = s->n_branches ? &s->branches[s->n_branches - 1] : NULL;

	if (!b)
		return;
	if (!b->has_first) {
		b->first = copy_state(&s->now);
		b->has_first = true;
	} else {
		close_dropped(s, b->first.open, line);
	}
	set_state(&s->now, copy_state(&b->before));
}

static void branch_ends(struct scanner *s, size_t line)
{
	struct branch *b = s->n_branches ? &s->branches[--s->n_branches] : NULL;

	if (!b)
		return;
	if (b->has_first) {
		close_dropped(s, b->first.open, line);
		set_state(&s->now, b->first);
	}
	free(b->before.v);
}

static void directive(struct scanner *s, const struct clex_token *t)
{
	struct clex x;
	struct clex_token word;

	clex_start(&x, t->text + 1, t->len - 1);
	x.fresh = false;
	if (!clex_next(&x, &word))
		return;
	if (clex_is(&word, "define"))
		add_macro(s, t, &x);
	else if (clex_is(&word, "if") || clex_is(&word, "ifdef") || clex_is(&word, "ifndef"))
		branch_begins(s);
	else if (clex_is(&word, "else") || clex_is(&word, "elif"))
		next_branch(s, t->line);
	else if (clex_is(&word, "endif"))
		branch_ends(s, t->line);
}

/* --- the whole --- */

static void take(struct scanner *s, const struct clex_token *t)
{
	for (size_t line = t->line; line <= t->last_line; line++)
		s->out->code[line] = true;
	if (t->type == CLEX_DIRECTIVE)
		directive(s, t);
	else
		settle(s, t);
	if (t->type == CLEX_DIRECTIVE)
		return;
	if (!s->now.braces)
		at_top(s, t);
	else if (clex_sign(t, '{'))
		s->now.braces++;
	else if (clex_sign(t, '}'))
		close_brace(s, t);
}

static void finish(struct scanner *s)
{
	struct cscan *out = s->out;

	while (s->n_branches) {
		struct branch *b = &s->branches[--s->n_branches];

		free(b->before.v);
		free(b->first.v);
	}
	free(s->branches);
	free(s->now.v);
	for (size_t i = 0; i < out->n; i++) {
		if (!out->v[i].last)
			out->v[i].last = out->n_lines;
		if (!out->v[i].name)
			out->v[i].name = xstrdup("(without a name)");
	}
}

void cscan_text(struct cscan *out, const char *text, size_t len)
{
	struct scanner s = { .out = out, .now.open = NONE };
	struct clex_token t;
	struct clex x;

	*out = (struct cscan){ .text = xmalloc(len + 1), .len = len, .n_lines = 1 };
	memcpy(out->text, len ? text : "", len);
	out->text[len] = '\0';
	for (size_t i = 0; i < len; i++)
		out->n_lines += out->text[i] == '\n';
	out->code = xcalloc(out->n_lines + 1, sizeof(*out->code));
	clex_start(&x, out->text, len);
	while (clex_next(&x, &t))
		take(&s, &t);
	finish(&s);
}

void cscan_release(struct cscan *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].name);
	free(s->v);
	free(s->code);
	free(s->text);
	*s = (struct cscan)CSCAN_INIT;
}
