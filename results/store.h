/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store: one folder per run below one root.
 *
 *   ROOT/20260131T123456Z-LABEL-1a2b/
 *       journal.jsonl   header line, then one line per metric declared and per finished
 *                       iteration, each fsynced; then an end line
 *       result.json     the same, folded, written in one step when the run ends
 *       raw/SEQ/...     stdout, stderr, facts of each iteration
 *
 * A run without result.json is read from its journal. A last line that was cut
 * is dropped with a warning; so is an unknown line kind of a newer program. Nothing
 * here is ever rewritten in place, and a file that cannot be understood is an error, never
 * "empty".
 *
 * The only code that reads or writes our result JSON (schema/result.schema.json).
 */
#ifndef FSDELTA_RESULTS_STORE_H
#define FSDELTA_RESULTS_STORE_H

#include "results/run.h"

#include <stdio.h>

/* --- writing, by the program that measures --- */

struct store_writer; /* an open journal */

/*
 * Creates ROOT (if needed) and the run's folder, which no other writer gets; its name, the id,
 * is made of r->started (now, when that is NULL), the label (made safe for a file name) and a
 * random part. Sets r->id and writes the header. *@dir gets the folder's path (caller frees).
 * 0, or -errno with nothing left behind.
 */
int store_create(const char *root, struct run *r, struct store_writer **out, char **dir);
/*
 * Opens the journal of an unfinished run for more; a cut last line is ended first, so that
 * nothing is glued to it. 0; -EBUSY: somebody has it open; -EALREADY: the run has ended;
 * -EBADMSG: this is no journal; or another -errno.
 */
int store_reopen(const char *dir, struct store_writer **out);
/*
 * Appends one iteration (and the metrics first seen in it) and makes it durable. The cost
 * does not depend on how many there are. Samples of an iteration that is not OK are left
 * out. 0, or -errno with the journal as it was: -EINVAL when a metric of this workload has
 * another unit, direction or kind than before.
 */
int store_append(struct store_writer *w, const struct iteration *it);
/* Appends how the plan's rule ended the run, which has its end next. 0 or -errno. */
int store_stop(struct store_writer *w, const struct stopped *stopped);
/*
 * Writes the end line, and folds the journal into result.json. Closes and frees @w, whatever
 * happens. @finished and @reason may be NULL. 0 or -errno.
 */
int store_finish(struct store_writer *w, const char *finished, bool complete, const char *reason);
/* Closes without an end, as a crash would. */
void store_abandon(struct store_writer *w);
/* Writes @r as DIR/result.json in one step (used by reparse). 0 or -errno. */
int store_write_result(const char *dir, const struct run *r);

/* --- reading --- */

/*
 * Loads a run from its folder or from a result.json or journal.jsonl file. NULL on
 * error with *@error set to a sentence naming the file (caller frees). What could be read
 * around (a cut last line, lines that are not JSON) is in run->load_warnings, and the run is
 * complete only if nothing is missing because of it. Iterations come sorted by seq, each seq
 * once. Of the strings, finished, end_reason, reason of an OK iteration and text of a metric
 * may be NULL; all others are "" when they were not stored.
 */
struct run *store_load(const char *path, char **error);
/* The same from bytes: @name is used in messages. Pure; for tests and fuzzing. */
struct run *store_parse_result(const char *name, const char *text, size_t len, char **error);
struct run *store_parse_journal(const char *name, const char *text, size_t len, char **error);

/* A line of `list results`, without loading the samples more than needed. */
struct store_entry {
	char *id, *label, *started, *session, *dir;
	uint64_t ok, done, planned; /* iterations */
	bool finished; /* the run has an end ... */
	bool complete; /* ... and did all it had planned */
	char *error; /* not readable: why; the other members may be NULL */
};
/*
 * All runs below @root, oldest first, those whose start is not known before them. The id of one
 * that cannot be read is the name of its folder. Reads one at a time. 0 or -errno
 * (-ENOENT: no such folder).
 */
int store_list(const char *root, struct store_entry **out, size_t *n);
void store_entries_free(struct store_entry *v, size_t n);

/*
 * Loads the newest runs below @root whose header (a run without iterations) @match accepts
 * into @out: at most @most, newest first; returns how many. What cannot be read is left out, and
 * of a very large store what is old. Costs little where nothing matches.
 */
size_t store_recent(const char *root, bool (*match)(const struct run *header, void *arg),
		    void *arg, struct run **out, size_t most);

/*
 * The folder or file that @name means: a folder with a run in it, or a file (its name ends in
 * .json or .jsonl, or there is a '/'), given by path; or else the newest run in @root with
 * that label or id. NULL with *@error set to a sentence (caller frees). A label never
 * reaches the file system as a path.
 */
char *store_resolve(const char *root, const char *name, char **error);
/*
 * The same, but where @name is a label, all runs in @root with it: the oldest first, so that the
 * last one is what store_resolve() finds. 0, or -ENOENT with *@error set.
 */
int store_resolve_all(const char *root, const char *name, struct strvec *dirs, char **error);

/* Loads a run without its iterations, and from a journal without reading these. As store_load(). */
struct run *store_load_header(const char *path, char **error);

#endif
