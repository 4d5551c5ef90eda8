// SPDX-License-Identifier: GPL-2.0-or-later
/* Questions to a scanned file. */
#include "lib/mem.h"
#include "probes/clex.h"
#include "probes/cscan.h"

#include <string.h>

static const char *const kinds[] = {
	[CSCAN_FUNCTION] = "function",
	[CSCAN_INLINE] = "inline function",
	[CSCAN_MACRO] = "macro",
	[CSCAN_TYPE] = "type",
	[CSCAN_DATA] = "data",
};

const char *cscan_kind_str(enum cscan_kind k)
{
	return (size_t)k < ARRAY_SIZE(kinds) ? kinds[k] : "?";
}

bool cscan_same_kind(enum cscan_kind a, enum cscan_kind b)
{
	return (a == CSCAN_INLINE ? CSCAN_FUNCTION : a) == (b == CSCAN_INLINE ? CSCAN_FUNCTION : b);
}

const struct cscan_item *cscan_at(const struct cscan *s, size_t line)
{
	const struct cscan_item *best = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].first <= line && line <= s->v[i].last &&
		    (!best || s->v[i].first >= best->first))
			best = &s->v[i];
	return best;
}

const struct cscan_item *cscan_find(const struct cscan *s, enum cscan_kind kind, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (cscan_same_kind(s->v[i].kind, kind) && !strcmp(s->v[i].name, name))
			return &s->v[i];
	return NULL;
}

struct search {
	const struct cscan *s;
	const char *word;
	bool member;
	bool *seen; /* of each item */
	char before[2]; /* the two signs before the token; '\0' for what is no sign */
	void (*found)(const struct cscan_item *item, void *arg);
	void *arg;
};

static void look_at(struct search *f, const struct clex_token *t, size_t line)
{
	const struct cscan_item *item;
	bool member = f->before[1] == '.' || (f->before[0] == '-' && f->before[1] == '>');

	if (!clex_is(t, f->word) || (f->member && !member))
		return;
	item = cscan_at(f->s, line);
	if (!item || f->seen[item - f->s->v] || !strcmp(item->name, f->word))
		return;
	f->seen[item - f->s->v] = true;
	f->found(item, f->arg);
}

static void search(struct search *f, struct clex *x, size_t lines_before)
{
	struct clex_token t;

	while (clex_next(x, &t)) {
		if (t.type == CLEX_DIRECTIVE && t.len > 1) {
			struct clex inner;

			clex_start(&inner, t.text + 1, t.len - 1);
			inner.fresh = false;
			search(f, &inner, lines_before + t.line - 1);
		}
		look_at(f, &t, lines_before + t.line);
		f->before[0] = f->before[1];
		f->before[1] = t.type == CLEX_SIGN ? *t.text : '\0';
	}
}

void cscan_users(const struct cscan *s, const char *word, bool member,
		 void (*found)(const struct cscan_item *item, void *arg), void *arg)
{
	struct search f = { .s = s, .word = word, .member = member, .found = found, .arg = arg };
	struct clex x;

	f.seen = xcalloc(s->n + 1, sizeof(*f.seen));
	clex_start(&x, s->text, s->len);
	search(&f, &x, 0);
	free(f.seen);
}
