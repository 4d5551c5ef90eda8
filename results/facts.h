/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts that can explain a difference between two results: how they are called, how serious they
 * are, and how their values are compared. To know of one more, add a line to a table in facts.c.
 */
#ifndef FSDELTA_RESULTS_FACTS_H
#define FSDELTA_RESULTS_FACTS_H

#include "results/run.h"

#include <stdbool.h>

/* Where sessions or iterations of one arm do not agree: "4200 | not known". */
#define FACT_OR " | "
#define FACT_UNKNOWN "not known"

enum fact_shape {
	FACT_PLAIN,
	FACT_NEAR,	/* a number; less than 2 % is no difference */
	FACT_SEEN,	/* a number that varies by itself: of its median, 5 % */
	FACT_COMMAS,	/* a set, separated by commas */
	FACT_WORDS,	/* a set of words, but for paths of boot images */
	FACT_COMMAND,	/* words in order, but for device names */
};

struct fact_kind {
	const char *key;
	const char *name;	/* for people */
	const char *varied_by;	/* the setting that changes it; NULL: never planned */
	const char *group;	/* one major difference of a group is enough */
	enum fact_shape shape;
	bool minor;		/* does not explain much by itself */
	bool must_differ;	/* if it does not, varying the setting had no effect */
	bool lists_asked;	/* the setting's value has the same form */
};

/* Of a target: what was in force there. Ends with key NULL. */
extern const struct fact_kind fact_target_kinds[];
/* Of an arm: what its iterations saw, whatever their target. Ends with key NULL. */
extern const struct fact_kind fact_iteration_kinds[];

/* Keys of a host in the order of importance; NULL behind the last. */
const char *fact_host_key(size_t i);
/* Never NULL: a key that no table knows is a plain, minor fact. */
const struct fact_kind *fact_kind_of_host(const char *key);
/* "version of fio"; the caller frees. */
char *fact_name_of_host(const char *key);
/* What the plan says of a target, where no iteration recorded it. NULL: nothing. */
const char *fact_of_target(const struct run_target *t, const struct fact_kind *kind);

bool fact_is_set(enum fact_shape shape);
/* NULL (unknown) equals nothing, not even itself. */
bool fact_equal(enum fact_shape shape, const char *a, const char *b);
/* Adds the elements of @a that @b does not have to @out; @shape is that of a set. */
void fact_subtract(enum fact_shape shape, const char *a, const char *b, struct strvec *out);
/*
 * Takes out of @elements what the comma-separated options @asked (NULL: none) explain: the
 * option itself, another value of it ("compress" and "compress=zstd:3"), its negation.
 */
void fact_drop_asked(struct strvec *elements, const char *asked);

#endif
