/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a guest's run is to be called, from the traces that it left. Pure. */
#ifndef FSDELTA_HARNESS_VM_VERDICT_H
#define FSDELTA_HARNESS_VM_VERDICT_H

#include "harness/vm/vm.h"

enum vm_killed { /* by us, and why */
	KILLED_NOT,
	KILLED_SILENT,	/* nothing on the console */
	KILLED_SLOW,	/* the command did not start */
	KILLED_TIMEOUT, /* the command did not end */
	KILLED_STILL,	/* no sign of life while the command ran */
	KILLED_LATE,	/* the command's end is known, but the guest did not power off */
	KILLED_ABORT,
};

struct vm_traces {
	enum vm_killed killed;
	bool kvm;		/* was used */
	unsigned int seconds;	/* the deadline that passed */
	bool started;		/* the command */
	bool expects_rc;	/* there is a command */
	const char *rc;		/* what the guest wrote; NULL: nothing */
	int qemu;		/* exit status, 128 + N for signal N */
	const char *qemu_says;	/* its standard error; may be empty */
	const struct console *console;
};

/* Sets outcome, status, reason and note of @res. */
void vm_verdict(const struct vm_traces *t, struct vm_result *res);

/* "exit 3\n" is 3, "signal 9\n" 137, "exec 2\n" 127 (no such file), else 126. 0 or -EINVAL. */
int vm_parse_rc(const char *text, int *status);

#endif
