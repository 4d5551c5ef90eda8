// SPDX-License-Identifier: GPL-2.0-or-later
/* From changed lines to what holds them. */
#include "lib/mem.h"
#include "probes/clex.h"
#include "probes/touched-internal.h"

#include <ctype.h>
#include <string.h>

void side_release(struct side *s)
{
	strbuf_release(&s->text);
	free(s->changed);
	*s = (struct side)SIDE_INIT;
}

void side_add_changed(struct side *s, size_t line)
{
	GROW(s->changed, s->n_changed);
	s->changed[s->n_changed++] = line;
}

static struct touched *get(struct touched_list *l, const struct cscan_item *item, const char *file)
{
	for (size_t i = 0; i < l->n; i++)
		if (cscan_same_kind(l->v[i].kind, item->kind) &&
		    !strcmp(l->v[i].name, item->name) &&
		    !strcmp(l->v[i].file, file))
			return &l->v[i];
	return NULL;
}

/* What two steps of a series do together, in whatever order they are looked at. */
static enum touched_change joined(enum touched_change a, enum touched_change b)
{
	if (a == TOUCHED_CHANGED)
		return b;
	return b == TOUCHED_CHANGED || a == b ? a : TOUCHED_CHANGED;
}

static struct touched *add(struct touched_list *l, const struct cscan_item *item, const char *file,
			   enum touched_change change, enum touched_how how)
{
	struct touched *t = get(l, item, file);

	if (t) {
		t->change = joined(t->change, change);
		t->how = how > t->how ? how : t->how;
		if (item->kind == CSCAN_INLINE)
			t->kind = CSCAN_INLINE;
		return t;
	}
	GROW(l->v, l->n);
	t = &l->v[l->n++];
	*t = (struct touched){ .kind = item->kind, .change = change, .how = how,
			       .name = xstrdup(item->name), .file = xstrdup(file) };
	return t;
}

/* The name that a line inside a struct declares: before ';', '[', ':', ',' or '=', or in "(*name)". */
static void add_member(struct touched *t, const char *line, size_t len)
{
	struct clex x;
	struct clex_token tok, word = { .type = CLEX_END };
	char *name;

	clex_start(&x, line, len);
	while (clex_next(&x, &tok)) {
		if (tok.type == CLEX_WORD)
			word = tok;
		else if (tok.type == CLEX_SIGN && strchr(";[:,=)", *tok.text))
			break;
	}
	if (word.type != CLEX_WORD || tok.type == CLEX_END)
		return;
	name = xstrndup(word.text, word.len);
	if (!strvec_has(&t->members, name))
		strvec_push(&t->members, name);
	free(name);
}

/* Line @number of the text, from 1. */
static const char *line_at(const struct strbuf *text, size_t number, size_t *len)
{
	const char *s = strbuf_str(text), *end = s + text->len, *stop;

	while (--number && s < end) {
		stop = memchr(s, '\n', (size_t)(end - s));
		s = stop ? stop + 1 : end;
	}
	stop = memchr(s, '\n', (size_t)(end - s));
	*len = (size_t)((stop ? stop : end) - s);
	return s;
}

/* One name at one step of the series: it may have changed lines on both sides. */
static void take_side(struct touched_list *step, const struct side *side, const struct cscan *scan,
		      const struct cscan *other, const char *file, enum touched_change alone,
		      enum touched_how how)
{
	for (size_t i = 0; i < side->n_changed; i++) {
		size_t line = side->changed[i], len;
		const struct cscan_item *item = cscan_at(scan, line);
		const char *text;
		struct touched *t;

		if (!item || line > scan->n_lines || !scan->code[line])
			continue;
		t = add(step, item, file,
			cscan_find(other, item->kind, item->name) ? TOUCHED_CHANGED : alone, how);
		text = line_at(&side->text, line, &len);
		if (item->kind == CSCAN_TYPE && line > item->first && line < item->last)
			add_member(t, text, len);
	}
}

static void free_touched(struct touched *t)
{
	free(t->name);
	free(t->file);
	strvec_release(&t->members);
	strvec_release(&t->users);
}

static void merge_step(struct touched_list *l, struct touched_list *step)
{
	for (size_t i = 0; i < step->n; i++) {
		struct touched *from = &step->v[i], *t;
		struct cscan_item item = { .kind = from->kind, .name = from->name };

		t = add(l, &item, from->file, from->change, from->how);
		for (size_t m = 0; m < from->members.n; m++)
			if (!strvec_has(&t->members, from->members.v[m]))
				strvec_push(&t->members, from->members.v[m]);
		free_touched(from);
	}
	free(step->v);
}

void touched_compare(struct touched_list *l, const char *file, enum touched_how how,
		     const struct side *before, const struct side *after)
{
	__cleanup_cscan struct cscan old = CSCAN_INIT, new = CSCAN_INIT;
	struct touched_list step = TOUCHED_LIST_INIT;

	cscan_text(&old, strbuf_str(&before->text), before->text.len);
	cscan_text(&new, strbuf_str(&after->text), after->text.len);
	take_side(&step, before, &old, &new, file, TOUCHED_REMOVED, how);
	take_side(&step, after, &new, &old, file, TOUCHED_NEW, how);
	merge_step(l, &step);
}

/* --- a hunk alone --- */

static bool is_label(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n && s[n] == ':' && s[n + 1] != ':';
}

/* Does the line begin something at depth 0? */
static bool begins_top(const char *s)
{
	return (isalpha((unsigned char)*s) || *s == '_') && !is_label(s);
}

/* Writes one side of the hunk as a text of its own, in which braces match as far as it can be told. */
struct fragment {
	struct side *side;
	size_t line;
	bool inside; /* of a function or a type */
};

static void put(struct fragment *fr, const char *text)
{
	strbuf_adds(&fr->side->text, text);
	strbuf_addc(&fr->side->text, '\n');
	fr->line++;
}

static void put_line(struct fragment *fr, const struct patch_line *l)
{
	const char *text = l->text;

	if (fr->inside && begins_top(text)) {
		put(fr, "}");
		fr->inside = false;
	}
	put(fr, text);
	if (l->sign != ' ')
		side_add_changed(fr->side, fr->line);
	if (*text == '}')
		fr->inside = false;
	else if (*text == '{' || (begins_top(text) && str_ends(text, "{")))
		fr->inside = true;
}

static void fragment(struct side *side, const struct patch_hunk *h, char skip)
{
	struct fragment fr = { .side = side };

	if (begins_top(h->section)) {
		put(&fr, h->section);
		if (!str_ends(h->section, "{"))
			put(&fr, "{");
		fr.inside = true;
	}
	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].sign != skip)
			put_line(&fr, &h->v[i]);
}

void touched_guess(struct touched_list *l, const char *file, const struct patch_hunk *h)
{
	struct side before = SIDE_INIT, after = SIDE_INIT;

	fragment(&before, h, '+');
	fragment(&after, h, '-');
	touched_compare(l, file, TOUCHED_GUESS, &before, &after);
	side_release(&before);
	side_release(&after);
}
