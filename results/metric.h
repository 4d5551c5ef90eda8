/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a number is: its name, unit, direction and kind. Declared where the number
 * is made (a tool's parser, the harness' own measures), stored with the result,
 * and never guessed from a name later.
 */
#ifndef FSDELTA_RESULTS_METRIC_H
#define FSDELTA_RESULTS_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum direction {
	BETTER_NEUTRAL, /* reported, neither way is good */
	BETTER_LOWER,
	BETTER_HIGHER,
};

enum metric_kind {
	KIND_TIME,	/* a duration or a cost in time: centre = median */
	KIND_RATE_WORK, /* units per second at fixed work: centre = harmonic mean */
	KIND_RATE_TIME, /* units per second at fixed time: centre = arithmetic mean */
	KIND_COUNT,	/* how many, how much: centre = median */
	KIND_QUANTILE,	/* a latency quantile of one iteration: centre = median */
	KIND_MAX,	/* the largest seen; grows with the number of operations: centre = median */
	KIND_RATIO,	/* dimensionless or per cent: centre = median */
};

/* A declaration. Strings are borrowed here (usually literals); the store copies them. */
struct metric {
	const char *name;    /* "fsync.p99": [a-z0-9._-]+ (operation names in lower case) */
	const char *unit;    /* "ns", "s", "1/s", "B", "B/s", "MB/s", "%", "1" for pure numbers */
	enum direction better;
	enum metric_kind kind;
	bool primary;	     /* decided before the run by the job; set by the harness */
	const char *text;    /* what it means, one short sentence; may be NULL */
};

/* Copies with strings of its own, which metric_release() frees. */
void metric_copy(struct metric *to, const struct metric *from);
/* The same of a copy, with which it shares the strings; each has to be released. */
void metric_share(struct metric *to, const struct metric *from);
void metric_release(struct metric *m);
/* Gives a copy another unit. */
void metric_set_unit(struct metric *m, const char *unit);

/* One spelling of each enum, used by the store, the reports and the tests. */
const char *direction_str(enum direction d);   /* "neutral" "lower" "higher" */
int direction_parse(const char *s, enum direction *out);   /* 0 or -EINVAL */
/* "time" "rate-work" "rate-time" "count" "quantile" "max" "ratio" */
const char *metric_kind_str(enum metric_kind k);
int metric_kind_parse(const char *s, enum metric_kind *out);

/*
 * A sample: whole numbers keep all 64 bits, everything else is a double.
 * A value that was not measured has no sample at all.
 */
struct value {
	bool whole;
	union {
		uint64_t u; /* when whole */
		double d;   /* finite */
	};
};

static inline struct value value_u64(uint64_t u)
{
	return (struct value){ .whole = true, .u = u };
}

static inline struct value value_double(double d)
{
	return (struct value){ .whole = false, .d = d };
}

static inline double value_as_double(struct value v)
{
	return v.whole ? (double)v.u : v.d;
}

struct hist;

/*
 * What one iteration gave: samples with their declarations, and whole latency
 * histograms by operation class. Everything is owned by the list, strings included.
 */
struct sample {
	struct metric metric; /* owned copies */
	struct value value;
};

struct named_hist {
	char *name; /* operation class: "fsync" */
	char *unit; /* "ns" */
	struct hist *hist;
};

struct samples {
	struct sample *v;
	size_t n, room;
	struct named_hist *hists;
	size_t n_hists;
};

#define SAMPLES_INIT { NULL, 0, 0, NULL, 0 }

void samples_release(struct samples *s);
/*
 * Adds a copy. A value that is not finite is not added (returns false): not
 * measured is absent. A name that is there already is replaced.
 */
bool samples_add(struct samples *s, const struct metric *m, struct value v);
/*
 * The same for a name that is known not to be there (it is not looked for), and for @m from
 * metric_copy(), whose strings it shares.
 */
bool samples_append(struct samples *s, const struct metric *m, struct value v);
/* Makes room for @n samples in all. */
void samples_reserve(struct samples *s, size_t n);
/* Takes @hist over. */
void samples_add_hist(struct samples *s, const char *name, const char *unit, struct hist *hist);
/* NULL when absent. */
const struct sample *samples_get(const struct samples *s, const char *name);
const struct hist *samples_get_hist(const struct samples *s, const char *name);
/* Makes the sample called @name the only primary one; false when there is none. */
bool samples_set_primary(struct samples *s, const char *name);
/* Moves everything from @from to the end of @to. */
void samples_move(struct samples *to, struct samples *from);

#define __cleanup_samples __attribute__((cleanup(samples_release)))

#endif
