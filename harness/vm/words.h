/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "IMAGE[,modules=DIR][,initrd=FILE][,load=NAME:NAME][,append=ARGS][,memory=2G][,cpus=N]". Pure. */
#ifndef FSDELTA_HARNESS_VM_WORDS_H
#define FSDELTA_HARNESS_VM_WORDS_H

#include "lib/strvec.h"

#include <stdint.h>

struct vm_words {
	char *image;
	char *modules, *initrd, *append; /* NULL: not said */
	struct strvec load;		 /* names of modules */
	uint64_t memory;		 /* bytes; 0: not said */
	unsigned int cpus;		 /* likewise */
};

#define VM_WORDS_INIT { 0 }

/*
 * A comma separates only when one of the words above follows: paths and kernel arguments may have
 * commas in them. 0, or -EINVAL with a sentence in *@why, the caller frees.
 */
int vm_words_parse(const char *text, struct vm_words *w, char **why);
void vm_words_release(struct vm_words *w);

#endif
