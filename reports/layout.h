/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain text for mail: printable ASCII, never wider than LAYOUT_WIDTH columns whatever the
 * names in it are, no tabs, no blanks at the end of lines.
 */
#ifndef FSDELTA_REPORTS_LAYOUT_H
#define FSDELTA_REPORTS_LAYOUT_H

#include "lib/kv.h"
#include "lib/strbuf.h"

#define LAYOUT_WIDTH 75

enum layout_colour { LAYOUT_PLAIN, LAYOUT_BOLD, LAYOUT_ALERT };

struct layout {
	struct strbuf *out;
	bool colour;
	struct kv legend; /* what a cut name stands for */
};

void layout_release(struct layout *l);

/* Adds @s, which needs no escaping, as it is, in a colour if there are colours. */
void layout_paint(struct layout *l, enum layout_colour colour, const char *s);

/* @s with every byte that is not printable ASCII as \xNN; the caller frees. */
char *layout_printable(const char *s);

/*
 * @s made printable and at most @width (>= 5) columns wide; what does not fit is cut in the middle
 * and remembered for the legend. Different names never look the same. The caller frees.
 */
char *layout_fit(struct layout *l, const char *s, size_t width);

/*
 * A paragraph: @head starts the first line, indented by @indent; @text goes on from column @hang (at
 * least one blank behind @head) and is wrapped there. Both are made printable; words that are too
 * long are broken.
 */
void layout_wrap(struct layout *l, size_t indent, const char *head, size_t hang,
		 const char *text);

/* A heading on its own line, wrapped, bold if there are colours. */
void layout_heading(struct layout *l, const char *text);

/* The names that were cut, if any. */
void layout_legend(struct layout *l);

#endif
