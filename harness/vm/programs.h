/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program needs to run elsewhere: itself, its loader, its libraries. */
#ifndef FSDELTA_HARNESS_VM_PROGRAMS_H
#define FSDELTA_HARNESS_VM_PROGRAMS_H

#include "lib/strvec.h"

/*
 * Adds @path, and if it is a dynamically linked program its loader and libraries, to @files, each
 * once. The loader itself says what they are; the program is not run. 0 or -errno; *@why is then
 * a sentence, the caller frees.
 */
int programs_add(const char *path, struct strvec *files, char **why);

/* The paths in the output of `ld.so --list PROGRAM`. Pure. */
void programs_parse_list(const char *text, struct strvec *files);

#endif
