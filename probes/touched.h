/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a patch touches: functions, and what is no function but changes some (macros, inline
 * functions, types, data).
 *
 * The name behind the "@@" of a hunk is that of the function *before* its first line, so it is
 * wrong whenever a hunk begins between two functions or reaches into the next. With the tree
 * that the patch is for, applied or not, each changed line is looked up in the file as it was
 * and as it will be; a series is applied step by step. Without a tree (or when the patch does
 * not fit it) the hunk alone is scanned, which starts from that name: a guess, and marked so.
 *
 * Lines that hold nothing but comments touch nothing.
 */
#ifndef FSDELTA_PROBES_TOUCHED_H
#define FSDELTA_PROBES_TOUCHED_H

#include "lib/strvec.h"
#include "probes/cscan.h"
#include "probes/patch.h"

#include <stdbool.h>
#include <stddef.h>

enum touched_change {
	TOUCHED_CHANGED,
	TOUCHED_NEW,	 /* not there before the patch */
	TOUCHED_REMOVED, /* not there after it */
};

enum touched_how {
	TOUCHED_KNOWN, /* from whole files */
	TOUCHED_GUESS, /* from hunks alone */
};

struct touched {
	enum cscan_kind kind;
	enum touched_change change;
	enum touched_how how;
	char *name;
	char *file; /* as the tree calls it */
	struct strvec members; /* of a type: those whose lines changed, as far as they can be told */
	/*
	 * For all but functions, with a tree: functions that use it, also through macros and inline
	 * functions. Looked for in the folders of the files that the patch changes; sorted.
	 */
	struct strvec users;
};

struct touched_list {
	struct touched *v; /* by file, then by name */
	size_t n;
	struct strvec warnings; /* sentences */
};

#define TOUCHED_LIST_INIT { .v = NULL }

/* @tree: root of the sources, or NULL. Reads files below it and nothing else. */
void touched_find(struct touched_list *out, const struct patch *p, const char *tree);
void touched_list_release(struct touched_list *l);

/* "changed", "new", "removed" */
const char *touched_change_str(enum touched_change c);

#define __cleanup_touched __attribute__((cleanup(touched_list_release)))

#endif
