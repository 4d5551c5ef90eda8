/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by probes/touched*.c. */
#ifndef FSDELTA_PROBES_TOUCHED_INTERNAL_H
#define FSDELTA_PROBES_TOUCHED_INTERNAL_H

#include "lib/strbuf.h"
#include "probes/touched.h"

/* The files of a tree as they are while a series is applied to it (or taken back). */
struct touched_file {
	char *path;
	struct strvec lines; /* without line ends and CR */
	bool gone;
};

struct touched_image {
	const char *tree;
	struct touched_file *v; /* only those that were looked at */
	size_t n;
};

/* The lines of @path, which is of a patch: its first folders may be missing. NULL: no such file. */
struct touched_file *touched_image_get(struct touched_image *im, const char *path);
/* A file that comes into being, or one that was gone. */
struct touched_file *touched_image_create(struct touched_image *im, const char *path);
void touched_image_release(struct touched_image *im);
/* Appends the whole file @path below @tree. 0 or -errno; -EINVAL for a name that leads out of it. */
int touched_image_read(const char *tree, const char *path, struct strbuf *out);

/*
 * Applies the hunks of @f (takes them back when @reverse) to @lines, giving @out. @at gets, for
 * each hunk, the line before which its first line stands, on both sides. -ESTALE: it does not fit.
 */
struct hunk_place {
	size_t from, to; /* from 0, in @lines and in @out */
};

int touched_image_apply(const struct strvec *lines, const struct patch_file *f, bool reverse,
		struct strvec *out, struct hunk_place *at);

/* One side of a changed file, with the numbers of its changed lines. */
struct side {
	struct strbuf text;
	size_t *changed;
	size_t n_changed;
};

#define SIDE_INIT { STRBUF_INIT, NULL, 0 }

void side_release(struct side *s);
void side_add_changed(struct side *s, size_t line);

/* Takes the touched items of one file. */
void touched_compare(struct touched_list *l, const char *file, enum touched_how how,
		     const struct side *before, const struct side *after);
/* What the hunk alone shows. */
void touched_guess(struct touched_list *l, const char *file, const struct patch_hunk *h);
/* Fills in the users of everything that is no function. */
void touched_users(struct touched_list *l, const char *tree, struct touched_image *im);

#endif
