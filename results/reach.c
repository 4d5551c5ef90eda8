// SPDX-License-Identifier: GPL-2.0-or-later
/* The document in memory. As JSON: store-reach.c. */
#include "results/reach.h"

#include "lib/mem.h"

#include <math.h>

struct reach *reach_add(struct reach_list *l, const char *function, const char *workload,
			const char *arm)
{
	struct reach *r;

	GROW(l->v, l->n);
	r = &l->v[l->n++];
	*r = (struct reach){ .function = xstrdup(function), .workload = xstrdup(workload),
			     .arm = xstrdup(arm), .per_op = NAN, .share = NAN };
	return r;
}

void reach_add_stack(struct reach *r, const char *stack, uint64_t hits)
{
	GROW(r->stacks, r->n_stacks);
	r->stacks[r->n_stacks++] = (struct reach_stack){ xstrdup(stack), hits };
}

void reach_list_release(struct reach_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct reach *r = &l->v[i];

		for (size_t k = 0; k < r->n_stacks; k++)
			free(r->stacks[k].stack);
		free(r->stacks);
		free(r->function);
		free(r->workload);
		free(r->arm);
		free(r->reason);
	}
	free(l->v);
	*l = (struct reach_list)REACH_LIST_INIT;
}
