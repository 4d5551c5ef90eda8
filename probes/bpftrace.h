/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpftrace: how it is called, and what can be believed of what it prints. Nothing here starts
 * anything.
 *
 * `bpftrace -f json` prints a stream, one JSON object a line, mixed with lines of other
 * programs. A map is printed again and again (the last time counts). The exit status is 0
 * whether or not events, keys or probes were lost on the way; so each map says how far its
 * numbers can be trusted.
 */
#ifndef FSDELTA_PROBES_BPFTRACE_H
#define FSDELTA_PROBES_BPFTRACE_H

#include "lib/strvec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* BPFTRACE_MAP_KEYS_MAX when it is not set. */
#define BT_KEYS_MAX 4096

enum bt_status {
	BT_EXACT,
	BT_LOWER_BOUND, /* something was lost: there was at least that much */
	BT_INVALID,	/* printed, but not readable */
};

enum bt_kind {
	BT_NUMBER,
	BT_TEXT,  /* strings, stacks, tuples (as JSON) */
	BT_HIST,  /* hist() and lhist() */
	BT_STATS, /* stats(); what avg() prints is a BT_NUMBER */
};

/* A bucket, bounds included; the first and the last may be open: they have no bound there. */
struct bt_bucket {
	bool has_min, has_max;
	int64_t min, max;
	uint64_t count;
};

struct bt_value {
	enum bt_kind kind;
	/* BT_NUMBER; BT_STATS: the total */
	uint64_t u;    /* two's complement when negative */
	bool negative;
	char *text;	 /* BT_TEXT */
	uint64_t count;	 /* BT_STATS; BT_HIST: over all buckets */
	int64_t average; /* BT_STATS */
	struct bt_bucket *buckets;
	size_t n_buckets;
};

struct bt_entry {
	char *key; /* as printed: "fio", "fio,123", "\n    do_syscall_64+1\n"; "" without keys */
	struct bt_value value;
};

struct bt_map {
	char *name; /* with the '@' */
	bool keyed;
	struct bt_entry *v;
	size_t n;
	enum bt_status status;
	char *reason; /* why not exact; NULL when it is */
};

struct bt_result {
	/*
	 * The line that says so was there. It is printed before the probes are attached (events of
	 * the first moments were seen to be missed), and also when they never fire. Attached is a
	 * bpftrace that waits for events: "epoll" is in its /proc/PID/wchan.
	 */
	bool attached;
	uint64_t probes; /* how many, as bpftrace counts them */
	struct bt_map *maps; /* in the order in which they were printed first */
	size_t n_maps;
	struct strvec printed; /* printf(), time(), print() of values; lost_events tells how complete */
	uint64_t lost_events;  /* bpftrace itself loses count: at least so many */
	uint64_t helper_errors;
	uint64_t foreign_lines; /* not of bpftrace */
	uint64_t broken_lines;	/* of bpftrace, but no JSON */
};

/*
 * @keys_max: what BPFTRACE_MAP_KEYS_MAX was; 0: not set. A line that is not ended is broken:
 * bpftrace was killed while it wrote.
 */
void bt_parse(struct bt_result *r, const char *text, size_t len, uint64_t keys_max);
void bt_result_release(struct bt_result *r);
/* NULL when it was not printed. */
const struct bt_map *bt_map(const struct bt_result *r, const char *name);
/* NULL when the map has no such key ("" without keys). */
const struct bt_value *bt_get(const struct bt_map *m, const char *key);
/* Sum of the numbers (of counts for stats and hists) over all keys; false: nothing to add up. */
bool bt_total(const struct bt_map *m, uint64_t *out);
/* Lowers the trust in a map; the first reason is kept. */
void bt_distrust(struct bt_map *m, enum bt_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "exact", "lower bound", "invalid" */
const char *bt_status_str(enum bt_status s);

/* --- what standard error and the exit status say --- */

struct bt_verdict {
	char *failure; /* a sentence; NULL: it ran */
	struct strvec not_attached; /* probes that bpftrace left out, although it counts them */
};

/* @status: exit status 0-255, or 128+N. @tracefs: is it mounted? */
void bt_judge(struct bt_verdict *v, const struct bt_result *r, const char *errors, int status,
	      bool tracefs);
void bt_verdict_release(struct bt_verdict *v);

/* --- calling it --- */

struct bt_version {
	unsigned int major, minor, patch;
};

#define BT_OLDEST { 0, 17, 0 }

/* From "bpftrace v0.17.0". 0 or -EINVAL. */
int bt_version_parse(const char *text, struct bt_version *out);
/* From "0.17" or "0.17.1", as probes say it. 0 or -EINVAL. */
int bt_version_read(const char *text, struct bt_version *out);
/* <0, 0, >0 */
int bt_version_cmp(const struct bt_version *a, const struct bt_version *b);

/*
 * `bpftrace -f json -B none -o OUT FILE ARG...`. To end it, send SIGINT once: a second one while
 * it prints its maps kills it. @env gets the variables for @keys_max (0: as it is).
 */
void bt_argv(struct strvec *argv, struct strvec *env, const struct bt_version *version,
	     const char *script, const char *out, const struct strvec *args, uint64_t keys_max);

#define __cleanup_bt_result __attribute__((cleanup(bt_result_release)))

#endif
