/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe: the bpftrace script NAME.bt, which describes itself in its first comment. To add
 * one, write the file; nothing else changes. Up to the first empty line, each line of the
 * comment is "key: value":
 *
 *   summary: one line for `fsdelta list probes`
 *   arg: NAME what it is            (one line each, in the order of $1, $2, ...)
 *   fs: btrfs xfs                   (where it makes sense; absent: anywhere)
 *   needs: kprobe:$2 tracepoint:block:block_rq_issue   (what must be there; may repeat)
 *   metric: MAP NAME UNIT DIRECTION KIND what it means (see below; may repeat)
 *   balance: @began @ended          (both count the same; else what hangs on @ended is not whole)
 *   stacks: @map                    (keys are kernel stacks, to be shown; may repeat)
 *   cost: cheap, some or heavy: why
 *   bpftrace: 0.17                  (the oldest version that runs it)
 *
 * and the rest of the comment says how to read the output.
 *
 * From maps to metrics (DIRECTION and KIND as in results/metric.h):
 *   @map NAME       a count, sum, min or max is NAME (over all keys); stats() gives NAME.mean,
 *                   NAME.total and NAME.n; hist() and lhist() give NAME.p50, .p90, .p99 (the upper
 *                   bound of the bucket, where it has one) and NAME.n
 *   @map NAME.*     one metric per key
 *   @a/@b NAME      the ratio of two sums
 */
#ifndef FSDELTA_PROBES_PROBE_H
#define FSDELTA_PROBES_PROBE_H

#include "probes/bpftrace.h"
#include "results/metric.h"

#define PROBE_SUFFIX ".bt"

struct probe_metric {
	char *map;    /* "@calls" */
	char *divisor; /* "@fsyncs"; NULL: none */
	struct metric metric; /* owned strings; a name that ends in ".*" is one per key */
};

struct probe_balance {
	char *began, *ended; /* maps */
};

struct probe {
	char *name;
	char *path; /* NULL when from bytes */
	char *text; /* the whole file */
	char *summary;
	char *cost;
	char *doc;  /* how to read it; may be "" */
	struct strvec args, fs, needs, stacks; /* args: "NAME what it is" */
	struct probe_metric *metrics;
	size_t n_metrics;
	struct probe_balance *balances;
	size_t n_balances;
	struct bt_version oldest;
};

/* NULL with sentences added to @errors, each naming file and line. */
struct probe *probe_parse(const char *name, const char *path, const char *text,
			  struct strvec *errors);
void probe_free(struct probe *p);

/*
 * ./fsdelta.d, $XDG_CONFIG_HOME/fsdelta (or ~/.config/fsdelta), /etc/fsdelta, then
 * @datadir/probes: as for jobs.
 */
void probe_dirs(struct strvec *dirs, const char *datadir);
/* Names of all probes along the path, sorted, the first of equal names wins. */
void probe_list(const struct strvec *dirs, struct strvec *names);
/* A name never becomes a path; but what holds a '/' and ends in ".bt" is the path of a file. */
struct probe *probe_load(const struct strvec *dirs, const char *name, struct strvec *errors);

/*
 * The metrics of what was printed. Numbers that are lower bounds, and what hangs on an
 * unbalanced map, are left out: @notes gets a sentence for each, and for what was not printed.
 */
void probe_samples(const struct probe *p, struct bt_result *r, struct samples *out,
		   struct strvec *notes);

/* Functions that begin an operation of a file system ("vfs": of all of them). */
struct probe_entry {
	const char *fs, *op; /* op: "fsync", "rename", "unlink", ... */
	const char *function;
};

extern const struct probe_entry probe_entries[]; /* sorted by fs and op; ends with fs NULL */
/* NULL: not known. */
const char *probe_entry(const char *fs, const char *op);

#endif
