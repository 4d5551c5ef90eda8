/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running a program: argument vector in, wait status and resource use out, with a
 * deadline. No shell. The child is the leader of its own process group, dies with
 * the thread that started it (PR_SET_PDEATHSIG), and starts with default signal
 * dispositions, an empty signal mask, and no descriptors but 0, 1 and 2.
 */
#ifndef FSDELTA_LIB_SPAWN_H
#define FSDELTA_LIB_SPAWN_H

#include "lib/strbuf.h"
#include "lib/strvec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct spawn {
	/* in; all borrowed */
	const struct strvec *argv; /* argv->v[0] is looked up on PATH (and the sbin folders) */
	const char *cwd;	   /* NULL: as it is */
	const struct strvec *env;  /* "KEY=value" added to the environment; NULL: none */
	const char *stdin_path;	   /* NULL: /dev/null */
	int stdout_fd;		   /* -1: /dev/null; not closed here */
	int stderr_fd;		   /* likewise */
	uint64_t timeout_ns;	   /* 0: none */
	int abort_fd;		   /* when readable, the child is killed as at the deadline; -1: none */

	/* out */
	pid_t pid;
	int error;	  /* errno when the program could not be started, else 0 */
	int status;	  /* wait status, valid when error is 0 and !unkillable */
	bool timed_out;	  /* killed at the deadline */
	bool aborted;	  /* killed because of abort_fd */
	bool unkillable;  /* still there 10 s after SIGKILL (uninterruptible sleep) */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC just before exec and just after exit */
	struct rusage ru;	   /* of the child and all it waited for */
};

#define SPAWN_INIT { .stdout_fd = -1, .stderr_fd = -1, .abort_fd = -1 }

/*
 * Starts the program and waits for its end. 0 when it was started and reaped,
 * whatever its status; -errno when it could not be started (also in s->error),
 * -ETIME after the deadline, -ECANCELED after abort_fd, -EBUSY when unkillable.
 */
int spawn_run(struct spawn *s);

/*
 * Runs @argv and collects what it prints on standard output (and on standard
 * error when @both), at most 1 MiB, within @timeout_ns. Returns the exit status 0-255,
 * 128+N for a signal, or -errno.
 */
int spawn_capture(const struct strvec *argv, bool both, uint64_t timeout_ns, struct strbuf *out);

/* "exited with status 3", "was killed by signal 9 (Killed)"; the caller frees. */
char *spawn_status_text(int status);

#endif
