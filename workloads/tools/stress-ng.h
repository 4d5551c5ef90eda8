/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the stress-ng tool: what the two forms of its output say, before it is judged. */
#ifndef FSDELTA_WORKLOADS_TOOLS_STRESS_NG_H
#define FSDELTA_WORKLOADS_TOOLS_STRESS_NG_H

#include "lib/strvec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tool_output;
struct tool_result;

/* How a number was made of those of the instances; versions differ. */
enum stress_mean {
	STRESS_MEAN_UNKNOWN, /* the YAML does not say */
	STRESS_MEAN_GEOMETRIC,
	STRESS_MEAN_HARMONIC,
	STRESS_MEAN_ARITHMETIC,
	STRESS_MEAN_TOTAL,
};

/* A number that only this stressor has: "utime-calls-per-sec". */
struct stress_extra {
	char *key; /* as the YAML spells it: lower case, words joined by '-' */
	double value;
	enum stress_mean mean;
	uint64_t instances; /* 0: not known */
};

/* What one form says of one stressor. Absent numbers are NaN. */
struct stress_row {
	char *name;
	bool have_ops;
	uint64_t ops;
	double real, user, sys; /* s */
	double rate, cpu_rate;	/* 1/s; of real time, of user and system time */
	struct stress_extra *extra;
	size_t n_extra;
};

struct stress_rows {
	struct stress_row *v;
	size_t n;
	bool twice; /* a stressor has two rows: more than one run */
};

struct stress_skip {
	char *name, *why;
};

/* The messages. */
struct stress_text {
	struct stress_rows rows;
	struct stress_skip *skips;
	size_t n_skips;
	struct strvec dispatched; /* stressors that were started */
	struct strvec fails, warns;
	double asked_s;	  /* run time it was set to; NaN: not said */
	bool completed;	  /* "successful run completed" */
	bool lines;	  /* any line of stress-ng at all */
};

struct stress_yaml {
	struct stress_rows rows;
	bool begun;	  /* "---" */
	bool ended;	  /* "...": it is whole */
	bool metrics;	  /* there is a "metrics:" */
};

/* Finds the row of @name ('_' and '-' are the same); NULL. */
struct stress_row *stress_rows_find(const struct stress_rows *rows, const char *name);
/* Adds an empty row. */
struct stress_row *stress_rows_add(struct stress_rows *rows, const char *name);
/* Copies @key. */
void stress_row_extra(struct stress_row *row, const char *key, double value, enum stress_mean mean,
		      uint64_t instances);
const struct stress_extra *stress_row_find_extra(const struct stress_row *row, const char *key);
/* Did it do anything? A row of zeros is a stressor that was skipped, or idle. */
bool stress_row_measured(const struct stress_row *row);
void stress_rows_release(struct stress_rows *rows);

/* Both add to what is there: the text may be on two streams. */
void stress_text_read(struct stress_text *t, const char *s, size_t len);
void stress_text_release(struct stress_text *t);
void stress_yaml_read(struct stress_yaml *y, const char *s, size_t len);

/* Why @name was skipped; NULL: it is not said. */
const char *stress_text_skip(const struct stress_text *t, const char *name);

void stress_parse(const struct tool_output *o, struct tool_result *r);
/* Turns the rows of the run into samples. @by_time: it was ended by a clock. */
void stress_samples(const struct stress_rows *rows, const struct stress_rows *text, bool by_time,
		    const char *primary, struct tool_result *r);

#endif
