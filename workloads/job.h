/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job: the text file NAME.job that names a tool and its parameters.
 *
 *   # Creates small files and makes each durable.        <- comment: which path it stresses
 *   [job]
 *   summary = create, write 4 KiB, fsync
 *   tool = native
 *   primary = fsync.p50
 *   iterations = 10        ; default for -n
 *   warmup = 0
 *   timeout = 120s
 *   [params]
 *   program = fsync-new    ; keys as the tool's parameter table has them
 *   files = 2000
 *
 * fio takes further sections [fio.NAME], one fio job each. Values that are argument lists,
 * and the summary, are continued by a line that begins with white space. The rest of the
 * syntax is in job-ini.h.
 */
#ifndef FSDELTA_WORKLOADS_JOB_H
#define FSDELTA_WORKLOADS_JOB_H

#include "lib/kv.h"
#include "lib/strbuf.h"
#include "lib/strvec.h"

#include <stdint.h>

struct tool;

/*
 * Parameters in the order of the file; a key that may repeat (argv lists) is kept more than
 * once.
 */
struct job_param {
	char *section; /* "params" or "fio.NAME" */
	char *key, *value;
	int line;
};

struct job {
	char *name;	/* file name without .job */
	char *path;	/* where it was read; NULL when from bytes */
	char *text;	/* whole file */
	char *digest;	/* 16 hex digits over sections, keys and values: spacing and comments
			 * do not count */
	char *summary;
	char *doc;	/* leading comment, without '#'; may be "" */
	char *primary;	/* metric name; NULL: the tool's default */
	const struct tool *tool;
	uint64_t iterations; /* 0: not said */
	uint64_t warmup;
	unsigned int timeout_s; /* 0: not said */
	struct job_param *params;
	size_t n_params;
};

/*
 * Reads a job and checks every key against the tool's table. NULL with sentences added to
 * @errors: one per mistake, each naming file, line and key (and the nearest known key).
 */
struct job *job_parse(const char *name, const char *path, const char *text, struct strvec *errors);
/*
 * Looks for NAME.job along the search path (see job_dirs) and parses it. A name with a '/'
 * or a leading '.' or '-' is refused, since a name never becomes a path; but what holds a '/'
 * and ends in ".job" is the path of a file.
 */
struct job *job_load(const struct strvec *dirs, const char *name, struct strvec *errors);
void job_free(struct job *j);

/*
 * ./fsdelta.d, $XDG_CONFIG_HOME/fsdelta (or ~/.config/fsdelta), /etc/fsdelta, then
 * @datadir/workloads.
 */
void job_dirs(struct strvec *dirs, const char *datadir);
/* Names of all jobs along the path, sorted, the first of equal names wins. */
void job_list(const struct strvec *dirs, struct strvec *names);

/* First value of @key in section "params"; NULL when absent. */
const char *job_param(const struct job *j, const char *key);
/* The same as a number; @fallback when absent (the loader has checked the syntax). */
uint64_t job_param_u64(const struct job *j, const char *key, uint64_t fallback);

#endif
