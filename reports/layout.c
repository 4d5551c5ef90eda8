// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/layout.h"

#include "lib/mem.h"

#include <string.h>

void layout_release(struct layout *l)
{
	kv_release(&l->legend);
}

void layout_paint(struct layout *l, enum layout_colour colour, const char *s)
{
	static const char *const start[] = { "", "\033[1m", "\033[33m" };
	bool paint = l->colour && colour != LAYOUT_PLAIN && *s;

	if (paint)
		strbuf_adds(l->out, start[colour]);
	strbuf_adds(l->out, s);
	if (paint)
		strbuf_adds(l->out, "\033[0m");
}

char *layout_printable(const char *s)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_add_printable(&sb, s);
	return strbuf_detach(&sb);
}

/* The @n-th way to shorten @s to @width. */
static char *cut(const char *s, size_t width, int n)
{
	__cleanup_free char *gap = n == 1 ? xstrdup("..") : xasprintf(".%d.", n);
	size_t left = width - strlen(gap), head = (left + 1) / 2;

	return xasprintf("%.*s%s%s", (int)head, s, gap, s + strlen(s) - (left - head));
}

char *layout_fit(struct layout *l, const char *s, size_t width)
{
	char *full = layout_printable(s);

	if (strlen(full) <= width)
		return full;
	for (int n = 1;; n++) {
		char *name = cut(full, width, n);
		const char *known = kv_get(&l->legend, name);

		/* 99 cuts of one shape: the legend then lists the last one. */
		if (!known || !strcmp(known, full) || n == 99) {
			kv_set(&l->legend, name, full);
			free(full);
			return name;
		}
		free(name);
	}
}

/* Where the next byte goes: @column, or column @hang of a new line. */
struct pen {
	struct strbuf *out;
	size_t column, hang;
};

static void pen_newline(struct pen *pen)
{
	strbuf_addc(pen->out, '\n');
	strbuf_pad(pen->out, ' ', pen->hang);
	pen->column = pen->hang;
}

static void pen_add(struct pen *pen, const char *s, size_t len)
{
	strbuf_add(pen->out, s, len);
	pen->column += len;
}

/*
 * How much of a word that no line can hold goes on this one, which has @room: up to a comma,
 * as in mount options, or all that fits.
 */
static size_t first_part(const char *word, size_t room)
{
	for (size_t i = room; i > 0; i--)
		if (word[i - 1] == ',')
			return i;
	return room;
}

/* A word, broken only if no line can hold it. */
static void pen_word(struct pen *pen, const char *word, size_t len, bool blank)
{
	if (pen->column + blank + len > LAYOUT_WIDTH && pen->column > pen->hang)
		pen_newline(pen);
	else if (blank)
		pen_add(pen, " ", 1);
	while (pen->column + len > LAYOUT_WIDTH) {
		size_t part = first_part(word, LAYOUT_WIDTH - pen->column);

		pen_add(pen, word, part);
		word += part;
		len -= part;
		pen_newline(pen);
	}
	pen_add(pen, word, len);
}

static void pen_text(struct pen *pen, const char *text, bool blank)
{
	__cleanup_free char *clean = layout_printable(text);
	const char *s = clean + strspn(clean, " ");

	while (*s) {
		size_t len = strcspn(s, " ");

		pen_word(pen, s, len, blank);
		blank = true;
		s += len + strspn(s + len, " ");
	}
}

void layout_wrap(struct layout *l, size_t indent, const char *head, size_t hang,
		 const char *text)
{
	struct pen pen = { l->out, indent, hang };

	strbuf_pad(l->out, ' ', indent);
	pen_text(&pen, head, false);
	if (*text && pen.column < hang) {
		strbuf_pad(l->out, ' ', hang - pen.column);
		pen.column = hang;
		pen_text(&pen, text, false);
	} else {
		pen_text(&pen, text, *head);
	}
	strbuf_addc(l->out, '\n');
}

void layout_heading(struct layout *l, const char *text)
{
	__cleanup_strbuf struct strbuf lines = STRBUF_INIT;
	struct layout inner = { .out = &lines };

	layout_wrap(&inner, 0, text, 2, "");
	lines.buf[lines.len - 1] = '\0';
	layout_paint(l, LAYOUT_BOLD, lines.buf);
	strbuf_addc(l->out, '\n');
}

void layout_legend(struct layout *l)
{
	if (!l->legend.n)
		return;
	strbuf_addc(l->out, '\n');
	layout_heading(l, "Names that were cut");
	for (size_t i = 0; i < l->legend.n; i++)
		layout_wrap(l, 2, l->legend.v[i].key, 24, l->legend.v[i].value);
}
