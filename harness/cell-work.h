/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of an iteration, inside its supervisor (see cell.h): cell-place.c makes
 * the place where the work is done, cell-window.c has the timed window, cell-work.c
 * what is around them.
 */
#ifndef FSDELTA_HARNESS_CELL_WORK_H
#define FSDELTA_HARNESS_CELL_WORK_H

#include "harness/cell.h"
#include "lib/undo.h"
#include "results/outcome.h"

/*
 * Does all steps and undoes them. @life_fd: readable means stop. @dry: print the
 * commands there instead of running them; NULL otherwise. Always sets the facts
 * "outcome" and, unless OK, "reason".
 */
void cell_work(const struct cell *cell, int life_fd, FILE *dry, struct kv *facts);

/* The deadline of the timed window. */
uint64_t cell_timeout_ns(const struct cell *cell);

/* --- between the three files --- */

struct work {
	const struct cell *cell;
	const struct plan_target *target;
	const struct job *job;
	struct kv *facts;
	FILE *dry;
	int life_fd;
	struct env env;
	struct env_disk disk;
	struct undo undo;
	char *dir; /* folder under test */
	int lock;  /* of a dir: target */
	struct tool_call call;
};

/* Sets outcome and reason; the first failure is the one that counts. */
void work_fail(struct work *w, enum outcome o, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Of what an env call returned: BROKEN, with the env's own sentence as the reason. Returns @ret. */
int work_broken(struct work *w, int ret);
/* Opens a file of the stage for appending; -1 with errno. */
int work_open(const struct work *w, const char *name);
/* Facts about space and inodes in use; @inodes_key may be NULL. */
void work_set_fill(struct work *w, const char *bytes_key, const char *inodes_key);
/* The kernel's last words into the stage, for whoever has to find out why. */
void work_save_kernel_log(struct work *w);

/* Makes and mounts the file system, or the folder of a dir: target; sets w->dir. 0 or -errno. */
int work_place(struct work *w);
/* Runs the tool and syncs. 0 or -errno, with the outcome set. */
int work_window(struct work *w);

#endif
