/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reach: how often the functions that a change touches ran while a workload was measured. A
 * difference in a workload that never ran them cannot come from the change, whatever the
 * statistics say. A function that could not be counted is unknown, which is not 0.
 */
#ifndef FSDELTA_RESULTS_REACH_H
#define FSDELTA_RESULTS_REACH_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REACH_SCHEMA "fsdelta-reach/1"

struct reach_stack {
	char *stack; /* frames, innermost first, a '\n' behind each */
	uint64_t hits;
};

/* One function, in one workload, on one arm. */
struct reach {
	char *function, *workload, *arm;
	bool known;
	uint64_t hits;	   /* when known: in the tasks of the workload */
	bool has_all;
	uint64_t all;	   /* on the whole machine, kernel threads included */
	bool lower_bound;  /* something was lost: there were at least so many */
	char *reason;	   /* why unknown, or only a lower bound; else NULL */
	double per_op;	   /* hits per operation; NaN: not known */
	double share;	   /* of operations that come there at all, 0..1; NaN: not known */
	struct reach_stack *stacks; /* most hits first */
	size_t n_stacks;
};

struct reach_list {
	struct reach *v;
	size_t n;
};

#define REACH_LIST_INIT { NULL, 0 }

/* A new one: unknown, without a reason; valid until the next is added. */
struct reach *reach_add(struct reach_list *l, const char *function, const char *workload,
			const char *arm);
void reach_add_stack(struct reach *r, const char *stack, uint64_t hits);
void reach_list_release(struct reach_list *l);

/* As JSON, schema/reach.schema.json; what is not UTF-8 becomes U+FFFD. */
void reach_encode(const struct reach_list *l, struct strbuf *out);
/* 0, or -EINVAL with a sentence in *@error, which the caller frees; @out is empty then. */
int reach_decode(const char *text, size_t len, struct reach_list *out, char **error);

enum reach_word {
	REACH_RUNS,		/* some touched function ran */
	REACH_WORK_DIFFERS,	/* ... and not equally often per operation on all arms */
	REACH_UNKNOWN,		/* nothing was counted that would decide it */
	REACH_NOT_ATTRIBUTABLE, /* all were counted, on some arm, and none ran anywhere */
};

struct reach_claim {
	enum reach_word word;
	char *sentence; /* no full stop */
};

/*
 * What can be said of @workload. @tolerance: by how much, relative to the larger one, hits per
 * operation may differ between arms (0.01: one per cent).
 */
void reach_judge(const struct reach_list *l, const char *workload, double tolerance,
		 struct reach_claim *out);
/* "runs", "the amount of work differs", "attribution unknown", "NOT ATTRIBUTABLE" */
const char *reach_word_str(enum reach_word w);

#define __cleanup_reach __attribute__((cleanup(reach_list_release)))

#endif
