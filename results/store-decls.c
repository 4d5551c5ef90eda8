// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/store-decls.h"

#include "lib/hash.h"
#include "lib/mem.h"

#include <errno.h>
#include <string.h>

#define FIRST_SLOTS 64

/* The slot of the metric, or the free one where it belongs. */
static size_t *find_slot(const struct store_decls *d, const char *workload, const char *name)
{
	struct hash64 h = HASH64_INIT;
	size_t i;

	hash64_add(&h, workload, strlen(workload) + 1);
	hash64_add(&h, name, strlen(name));
	for (i = h.value & (d->n_slots - 1); d->slots[i]; i = (i + 1) & (d->n_slots - 1)) {
		const struct store_decl *decl = &d->v[d->slots[i] - 1];

		if (!strcmp(decl->metric.name, name) && !strcmp(decl->workload, workload))
			break;
	}
	return &d->slots[i];
}

static void fill_slots(struct store_decls *d)
{
	memset(d->slots, 0, d->n_slots * sizeof(*d->slots));
	for (size_t i = 0; i < d->n; i++)
		*find_slot(d, d->v[i].workload, d->v[i].metric.name) = i + 1;
}

static void make_room(struct store_decls *d)
{
	/* Half of the slots stay free, so that there are few collisions. */
	if (2 * (d->n + 1) <= d->n_slots)
		return;
	d->n_slots = d->n_slots ? 2 * d->n_slots : FIRST_SLOTS;
	d->slots = xreallocarray(d->slots, d->n_slots, sizeof(*d->slots));
	fill_slots(d);
}

const struct metric *store_decls_find(const struct store_decls *d, const char *workload,
				      const char *name)
{
	size_t place = d->n_slots ? *find_slot(d, workload, name) : 0;

	return place ? &d->v[place - 1].metric : NULL;
}

static bool go_together(const struct metric *a, const struct metric *b)
{
	return !strcmp(a->unit, b->unit) && a->better == b->better && a->kind == b->kind;
}

int store_decls_add(struct store_decls *d, const char *workload, const struct metric *m)
{
	const struct metric *old = store_decls_find(d, workload, m->name);

	if (old)
		return go_together(old, m) ? 0 : -EINVAL;
	make_room(d);
	*find_slot(d, workload, m->name) = d->n + 1;
	GROW(d->v, d->n);
	d->v[d->n].workload = xstrdup(workload);
	metric_copy(&d->v[d->n].metric, m);
	d->n++;
	return 1;
}

void store_decls_truncate(struct store_decls *d, size_t n)
{
	if (n >= d->n)
		return;
	while (d->n > n) {
		d->n--;
		free(d->v[d->n].workload);
		metric_release(&d->v[d->n].metric);
	}
	fill_slots(d);
}

void store_decls_release(struct store_decls *d)
{
	store_decls_truncate(d, 0);
	free(d->v);
	free(d->slots);
	*d = (struct store_decls)STORE_DECLS_INIT;
}
