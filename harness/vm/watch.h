/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching a guest from outside: its files, its console, the clock. */
#ifndef FSDELTA_HARNESS_VM_WATCH_H
#define FSDELTA_HARNESS_VM_WATCH_H

#include "harness/vm/verdict.h"
#include "harness/vm/vm.h"

#include <sys/types.h>

struct watch {
	/* in */
	const struct vm_spec *spec;
	const char *console;  /* path */
	const char *out;      /* folder */
	uint64_t launched_ns; /* CLOCK_MONOTONIC */
	bool expects_rc;

	/* out */
	enum vm_killed killed; /* KILLED_NOT: it ended by itself */
	unsigned int seconds;  /* the deadline that passed, if one did */
	bool started, ended;   /* the command */
	uint64_t started_ns;
};

/*
 * Returns when @pid, the guest's supervisor, has ended or must be killed, for the reason in
 * w->killed. Until then what comes in out/stdout and out/stderr is passed on. 0 or -errno.
 */
int watch_guest(struct watch *w, pid_t pid);

#endif
