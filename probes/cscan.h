/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which function of a C file does a line belong to? A scanner of tokens at brace depth 0, not
 * a parser: nothing is preprocessed, so it works on one file alone. It survives attributes and
 * macros before and behind the declarator, K&R definitions, SYSCALL_DEFINEn() and its like,
 * branches of #if with braces that only together are balanced, and files that are no C.
 *
 * Not seen: functions that a macro makes from nothing but its arguments (no body in braces).
 */
#ifndef FSDELTA_PROBES_CSCAN_H
#define FSDELTA_PROBES_CSCAN_H

#include "lib/strvec.h"

#include <stdbool.h>
#include <stddef.h>

enum cscan_kind {
	CSCAN_FUNCTION,
	CSCAN_INLINE, /* a function declared inline: its code is where it is called */
	CSCAN_MACRO,  /* #define */
	CSCAN_TYPE,   /* struct, union or enum with members */
	CSCAN_DATA,   /* a variable with an initialiser in braces */
};

struct cscan_item {
	enum cscan_kind kind;
	char *name;	  /* of a system call: "sys_NAME" or "compat_sys_NAME" */
	size_t first, last; /* lines, from 1: from the start of the declaration to its end */
	bool is_static;
};

/* A file, scanned. Items are in the order of their first line; a macro may lie in a function. */
struct cscan {
	char *text;
	size_t len;
	struct cscan_item *v;
	size_t n;
	bool *code; /* code[line]: something else than blanks and comments is on it */
	size_t n_lines;
};

#define CSCAN_INIT { .text = NULL }

void cscan_text(struct cscan *s, const char *text, size_t len);
void cscan_release(struct cscan *s);
/* The innermost item that holds the line; NULL: none. */
const struct cscan_item *cscan_at(const struct cscan *s, size_t line);
/* Equal, or both functions. */
bool cscan_same_kind(enum cscan_kind a, enum cscan_kind b);
/* The first one of that kind (in the sense of cscan_same_kind) and name; NULL: none. */
const struct cscan_item *cscan_find(const struct cscan *s, enum cscan_kind kind, const char *name);
/*
 * Calls @found once for each item whose code names @word, except the one called so. With @member,
 * only where it stands behind '.' or '->'.
 */
void cscan_users(const struct cscan *s, const char *word, bool member,
		 void (*found)(const struct cscan_item *item, void *arg), void *arg);

/* "function", "inline function", "macro", "type", "data" */
const char *cscan_kind_str(enum cscan_kind k);

#define __cleanup_cscan __attribute__((cleanup(cscan_release)))

#endif
