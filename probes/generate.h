/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe for functions that are only known when a patch is: text of a bpftrace script that
 * counts their hits, and the way back from its maps to the functions. Pure.
 *
 * Maps, by the index of the function: @all[i] machine-wide, @mine[i] in the cgroup of the
 * workload, and with stacks @stack[i, kstack]. @canary counts a function that the caller of
 * bpftrace makes run (fstat() does): 0 there means that nothing was counted at all, although
 * bpftrace says that it attached everything.
 */
#ifndef FSDELTA_PROBES_GENERATE_H
#define FSDELTA_PROBES_GENERATE_H

#include "lib/strbuf.h"
#include "lib/strvec.h"
#include "probes/bpftrace.h"

#include <stdbool.h>
#include <stdint.h>

#define GENERATE_CANARY "vfs_getattr"
/* BPFTRACE_MAX_PROBES is 512 in the oldest version; some are ours. */
#define GENERATE_MAX_PROBES 500

struct generate_function {
	const char *name;
	const struct strvec *symbols; /* its copies, as kallsyms has them: at least one */
};

struct generate {
	const struct generate_function *v;
	size_t n;
	uint64_t cgroup; /* id (inode number) of a cgroup v2; 0: no restriction, @mine is not there */
	bool stacks;	 /* ten times as dear per hit */
};

/* 0; -EINVAL: a name that is no symbol; -E2BIG: more than GENERATE_MAX_PROBES symbols. */
int generate_script(const struct generate *g, struct strbuf *out);

struct generate_stack {
	char *text; /* one frame a line, innermost first, without offsets */
	uint64_t hits;
};

struct generate_hits {
	bool known;
	uint64_t hits;	   /* in the cgroup; machine-wide when there is none */
	uint64_t all;	   /* machine-wide */
	bool lower_bound;
	char *reason;	   /* why unknown, or only a lower bound; else NULL */
	struct generate_stack *stacks; /* most hits first, at most 5 */
	size_t n_stacks;
};

/* Hits of function @i of @g. */
void generate_read(const struct generate *g, const struct bt_result *r, size_t i,
		   struct generate_hits *out);
void generate_hits_release(struct generate_hits *h);

#endif
