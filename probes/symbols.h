/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Can the calls of a function be counted on this kernel? Answered from what the kernel says
 * before anything is attached, since bpftrace reports probes as attached that never fire.
 *
 * A compiler makes copies of a function (foo.constprop.0, foo.isra.0), splits it (foo.part.0,
 * foo.cold), or puts it into its callers so that nothing is left. A function without a
 * probe point has not been called 0 times: nobody knows how often.
 */
#ifndef FSDELTA_PROBES_SYMBOLS_H
#define FSDELTA_PROBES_SYMBOLS_H

#include "lib/strvec.h"

#include <stdbool.h>
#include <stddef.h>

enum probeable {
	PROBEABLE,		/* one symbol */
	PROBEABLE_COPIES,	/* several: all are probed, and their hits added */
	PROBEABLE_NO_SYMBOL,	/* inlined, renamed, or not built */
	PROBEABLE_ONLY_COLD,	/* what is left is the unlikely part of an inlined function */
	PROBEABLE_AMBIGUOUS,	/* different functions share the name */
	PROBEABLE_NOT_LOADED,	/* its module is not loaded */
	PROBEABLE_BLACKLISTED,	/* the kernel refuses kprobes there */
	PROBEABLE_NOTRACE,	/* not open to the function tracer: most kernels refuse */
	PROBEABLE_NO_KPROBES,	/* nothing can be probed by name on this kernel */
	PROBEABLE_UNKNOWN,	/* the kernel's lists could not be read */
};

struct symbol {
	char *name;   /* as in kallsyms */
	char *base;   /* without what the compiler appended */
	char *module; /* NULL: built in */
	bool part;    /* .part: the calls that end early do not come here */
	bool cold;    /* .cold: no entry of a function */
};

/* What one kernel says; made once, asked often. */
struct symbols {
	struct symbol *v; /* code only, by base name */
	size_t n;
	struct strvec traceable; /* available_filter_functions, sorted; empty when it cannot be read */
	struct strvec blacklist; /* sorted */
	struct strvec not_loaded; /* modules on disk that are not loaded, with '_' for '-'; sorted */
	bool has_kprobes;	 /* meaningful when n > 0 */
	bool locked_down;	 /* mode "confidentiality", which forbids kprobes; "integrity" does not */
	char *trouble;		 /* a sentence when n is 0 */
};

/*
 * Reads proc/kallsyms, the tracer's files and module lists below @root ("": this machine).
 * Without kallsyms, everything is PROBEABLE_UNKNOWN.
 */
void symbols_load(struct symbols *s, const char *root);
void symbols_release(struct symbols *s);

struct probe_answer {
	enum probeable result;
	struct strvec probe; /* symbols whose hits are to be added */
	/*
	 * The hits of these are a lower bound: a .part is not reached by calls that end before it,
	 * and calls that do may be seen twice when the whole function is there too.
	 */
	bool inexact;
	char *sentence; /* for people, with the function's name in it; no full stop */
};

/*
 * @module: of the function's file, as the file's folder suggests ("btrfs"); NULL: not known.
 * @callers: functions that could stand in, for the sentence; NULL: none known.
 * A name "sys_X" is a system call: the architecture's entry point is meant.
 */
void symbols_check(const struct symbols *s, const char *function, const char *module,
		   const struct strvec *callers, struct probe_answer *out);
void probe_answer_release(struct probe_answer *a);

/* Can hits be counted, in principle? */
bool probeable_counts(enum probeable p);
/* "probeable", "several copies", "no symbol", ... */
const char *probeable_str(enum probeable p);

#endif
