/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One iteration, run in a supervisor process of its own:
 *
 *   attach - mkfs - mount - set up - settle - drop caches
 *   - [timed window: the tool] - sync (timed) - clean up - umount (timed) - detach
 *
 * The supervisor is PID 1 of its own namespaces: whatever happens to it or to us,
 * the kernel takes mount, loop device and processes away. What it found out
 * comes back as facts (text), which are also kept as raw/SEQ/facts:
 *
 *   outcome, reason         of the set-up and the tool's run, before any parsing
 *   started, mono_ns        start of the timed window
 *   tool.status, tool.wall  wait status and seconds
 *   env.*                   what was in force: env.mount.options, env.device.*, ...
 *   everything in measures.c by its metric's name
 */
#ifndef FSDELTA_HARNESS_CELL_H
#define FSDELTA_HARNESS_CELL_H

#include "harness/plan.h"

struct cell {
	const struct plan *plan;
	const struct plan_step *step;
	const char *stage;   /* existing empty folder for raw output; the same path for every arm */
	const char *libexec; /* native programs */
	const char *sysroot;
	const char *version; /* of the tool; NULL */
	bool keep;	     /* keep the file system: memory is copied to the stage */
	const struct env *env; /* template: real, dry or fault */
};

/*
 * Runs the iteration. @cancel_fd: when readable, it is given up. Returns 0 with @facts filled,
 * -ECANCELED, or -EBUSY when the supervisor cannot be killed (facts say TIMEOUT): the
 * run must stop.
 */
int cell_run(const struct cell *cell, int cancel_fd, struct kv *facts);

/* Goes through the same steps in this process with a dry env, printing them to @out. 0 or -errno. */
int cell_dry_run(const struct cell *cell, FILE *out);

/* Name of the folder used below a dir: target; removed afterwards. */
#define CELL_WORK_DIR "fsdelta.work"

#endif
