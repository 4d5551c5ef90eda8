/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The undo stack: what must be undone in the system at a normal end, an error or a signal,
 * in reverse order. (A SIGKILL is the kernel's business: namespaces, autoclear.)
 */
#ifndef FSDELTA_LIB_UNDO_H
#define FSDELTA_LIB_UNDO_H

#include <stddef.h>

struct undo_item {
	const char *what; /* for messages: "unmount" */
	int (*fn)(void *arg);
	void *arg;
};

struct undo {
	struct undo_item *v;
	size_t n;
};

#define UNDO_INIT { NULL, 0 }

void undo_push(struct undo *u, const char *what, int (*fn)(void *arg), void *arg);
/* Undoes the last item and drops it. Returns what its function returned (0 when empty). */
int undo_pop(struct undo *u);
/* Undoes all, going on after failures; the first error is returned. */
int undo_all(struct undo *u);

#endif
