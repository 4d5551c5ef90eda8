/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest needs of its kernel, held against what the kernel has. */
#ifndef FSDELTA_HARNESS_VM_NEEDS_H
#define FSDELTA_HARNESS_VM_NEEDS_H

#include "harness/vm/modules.h"
#include "lib/strvec.h"

/* For what; one bit each. */
enum {
	NEED_FUNCTIONAL = 1, /* the machine's root folder over 9p, below an overlay */
	NEED_EXACT = 2,	     /* all in the initramfs */
	NEED_DISK = 4,	     /* the test disk of a functional guest */
	NEED_PROBES = 8,     /* bpftrace with kprobes */
};

/*
 * Adds the modules that must be loaded first to @list, and one sentence for everything that is
 * missing to @problems. @config: its text, or NULL when it is unknown; then what is no module
 * counts as built in. @extra: modules that the user wants in addition; NULL: none.
 */
void needs_check(unsigned int needs, const char *config, const struct modules *m,
		 const struct strvec *extra, struct module_list *list, struct strvec *problems);

#endif
