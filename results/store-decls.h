/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics that a run has declared, by workload and name. Inside results/ only.
 * Finding and adding cost the same however many there are.
 */
#ifndef FSDELTA_RESULTS_STORE_DECLS_H
#define FSDELTA_RESULTS_STORE_DECLS_H

#include "results/metric.h"

struct store_decl {
	char *workload;
	struct metric metric; /* owned strings */
};

struct store_decls {
	struct store_decl *v; /* in the order of their declaration */
	size_t n;
	size_t *slots; /* open addressing: 1 + place in v, 0 when free */
	size_t n_slots; /* a power of two, or 0 */
};

#define STORE_DECLS_INIT { NULL, 0, NULL, 0 }

/* NULL when it was not declared. Valid until the next add. */
const struct metric *store_decls_find(const struct store_decls *d, const char *workload,
				      const char *name);
/*
 * Adds a copy of @m. 1 when it is new, 0 when it was declared already, -EINVAL when it was
 * declared with another unit, direction or kind: its numbers do not go together. Of the
 * rest (text, primary) the first declaration counts.
 */
int store_decls_add(struct store_decls *d, const char *workload, const struct metric *m);
/* Forgets what was added since d->n was @n. */
void store_decls_truncate(struct store_decls *d, size_t n);
void store_decls_release(struct store_decls *d);

#define __cleanup_store_decls __attribute__((cleanup(store_decls_release)))

#endif
