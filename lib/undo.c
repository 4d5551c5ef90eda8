// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/undo.h"

#include "lib/mem.h"

void undo_push(struct undo *u, const char *what, int (*fn)(void *arg), void *arg)
{
	GROW(u->v, u->n);
	u->v[u->n++] = (struct undo_item){ what, fn, arg };
}

int undo_pop(struct undo *u)
{
	struct undo_item it;

	if (!u->n)
		return 0;
	it = u->v[--u->n];
	return it.fn(it.arg);
}

int undo_all(struct undo *u)
{
	int first = 0, ret;

	while (u->n) {
		ret = undo_pop(u);
		if (ret && !first)
			first = ret;
	}
	free(u->v);
	*u = (struct undo)UNDO_INIT;
	return first;
}
