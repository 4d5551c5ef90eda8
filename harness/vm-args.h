/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of `fsdelta vm`. */
#ifndef FSDELTA_HARNESS_VM_ARGS_H
#define FSDELTA_HARNESS_VM_ARGS_H

#include "harness/vm/vm.h"
#include "harness/vm/words.h"

struct vm_args {
	struct vm_words words;
	struct strvec command;
	char *results;
	unsigned long long disk;
	unsigned int timeout_s, silence_s;
	unsigned int patience;
	enum vm_accel accel;
	struct strvec files;
	unsigned int seed;
	bool exact, keep, quiet, help;
};

/* 0, or -EINVAL after a message. @a is to be released in both cases. */
int vm_args_parse(struct vm_args *a, int argc, char **argv);
void vm_args_release(struct vm_args *a);

#endif
