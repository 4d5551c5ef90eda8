/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules, fixed before a run, that end it by what was measured so far. Pure. A unit is an
 * iteration of each arm of every cell.
 *
 * Width: from the first possible end on, after every block, when the 95 % interval of every
 * primary row is at most 2 * width_pct wide. It looks at widths alone, never at p, so the
 * level stays what it is (simulated: 5.1 to 6.1 % false claims with ten pairs at the least;
 * with fewer, 7.6 %).
 *
 * Decided: looks at fixed numbers of units, each with its share of the level of 5 % (union
 * bound: valid for any test and any dependence). The run ends at the first look at which p,
 * under Holm over all primary rows, is at most the look's share in every one of them; SAME
 * does not end it. What is claimed is then judged at that look's share.
 */
#ifndef FSDELTA_RESULTS_STOPPING_H
#define FSDELTA_RESULTS_STOPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STOPPING_FIRST 10 /* pairs without which a width does not count */
#define STOPPING_MOST 40
#define STOPPING_LOOKS_MAX 16

enum stopping_rule {
	STOPPING_FIXED, /* all that was planned */
	STOPPING_WIDTH,
	STOPPING_DECIDED,
};

const char *stopping_rule_str(enum stopping_rule rule); /* "fixed" "width" "decided" */
int stopping_rule_parse(const char *s, enum stopping_rule *out); /* 0 or -EINVAL */

struct stopping_look {
	uint64_t units;
	double alpha;
};

struct stopping {
	enum stopping_rule rule;
	double width_pct;     /* STOPPING_WIDTH: half of the interval, per cent, > 0 */
	uint64_t first, most; /* STOPPING_WIDTH: units; first <= most */
	struct stopping_look looks[STOPPING_LOOKS_MAX]; /* STOPPING_DECIDED: by units */
	size_t n_looks;
	uint64_t max_time_s; /* the run ends with the block in which they pass; 0: no limit */
};

enum stopped_why {
	STOPPED_NOT,	 /* by the rule: it was killed, cut off, or goes on */
	STOPPED_REACHED, /* narrow enough, or decided */
	STOPPED_BUDGET,	 /* all units were spent */
	STOPPED_TIME,
};

const char *stopped_why_str(enum stopped_why why); /* "" "reached" "budget" "time" */
int stopped_why_parse(const char *s, enum stopped_why *out); /* 0 or -EINVAL */

struct stopped {
	enum stopped_why why;
	uint64_t units;
	size_t look; /* STOPPING_DECIDED: the last look taken, from 1; 0: none */
};

/* A primary row so far. */
struct stopping_row {
	double p;	       /* NaN: there was no test, so it is not decided */
	double pct_lo, pct_hi; /* 95 % interval; NaN or infinite: no width yet */
};

/* Shares 5 % among the looks of @s: the k-th of n gets k / (1 + ... + n) of it. */
void stopping_share(struct stopping *s);
/* The most units that the rule lets happen; 0: STOPPING_FIXED. */
uint64_t stopping_most(const struct stopping *s);
/* Is something to be judged after @units? Where not, nobody needs to make the rows. */
bool stopping_is_look(const struct stopping *s, uint64_t units);
/*
 * After @units, with the @n primary rows of all arms: does the run end? Fills @out, whose look
 * is carried from call to call. False: it goes on.
 */
bool stopping_judge(const struct stopping *s, uint64_t units, const struct stopping_row *rows,
		    size_t n, struct stopped *out);

/*
 * The level at which a run with @units in the end is to be judged: the share of the look that
 * ended it. One that was cut off, or ran out of time, spends the share of the next look that
 * it had not taken.
 */
double stopping_level(const struct stopping *s, const struct stopped *end, uint64_t units);
/* What the looks that were taken have spent of the level, 0 without looks. */
double stopping_spent(const struct stopping *s, const struct stopped *end);
/*
 * "until decided, looks after 8, 12, 20, 40 of each arm: ended at look 2, after 12"; the caller
 * frees. NULL: STOPPING_FIXED.
 */
char *stopping_text(const struct stopping *s, const struct stopped *end, uint64_t units);

#endif
