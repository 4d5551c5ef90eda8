/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first root folder of a guest: our PID 1, modules and, for an exact guest, everything else. */
#ifndef FSDELTA_HARNESS_VM_INITRAMFS_H
#define FSDELTA_HARNESS_VM_INITRAMFS_H

#include "harness/vm/modules.h"
#include "lib/strbuf.h"
#include "lib/strvec.h"

struct vm_command {
	struct strvec argv; /* empty: none */
	struct strvec env;  /* all of its environment: "KEY=VALUE" */
	char *cwd;	    /* NULL: "/" */
	char *modules;	    /* see protocol.h; NULL: not */
	char *disk;	    /* likewise */
	bool shell;
};

#define VM_COMMAND_INIT { 0 }

void vm_command_release(struct vm_command *c);
/* In the form of protocol.h. */
void vm_command_encode(const struct vm_command *c, struct strbuf *out);

/*
 * Appends the archive. @command: for an exact guest; NULL for a functional one. @files: paths on
 * this machine to be in the guest at the same place (NULL: none); symbolic links are followed. 0
 * or -errno, with a sentence in *@why, the caller frees.
 */
int initramfs_build(const struct module_list *modules, const struct vm_command *command,
		    const struct strvec *files, struct strbuf *out, char **why);

#endif
