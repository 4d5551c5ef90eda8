/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two sides of a guest agree on: names, and the form of the command. Used by the harness
 * and by the guest's first program.
 *
 * A functional guest shares the folder with mount tag VM_TAG_OUT. In it the harness leaves
 * VM_FILE_COMMAND; the guest makes the others. An exact guest has VM_FILE_COMMAND in its root
 * folder, and speaks over the console in frames (see frame.h).
 *
 * The command: strings that end with '\0', each KEY=VALUE. Keys: "arg" and "env" (repeated),
 * "cwd", "modules" (folder to be seen as /lib/modules/RELEASE), "disk" (that device is the test
 * disk), "shell" ("1": one on the console, after the command if there is one).
 */
#ifndef FSDELTA_HARNESS_VM_PROTOCOL_H
#define FSDELTA_HARNESS_VM_PROTOCOL_H

#define VM_TAG_ROOT "vmroot"
#define VM_TAG_OUT "vmout"

#define VM_FILE_COMMAND "command"
#define VM_FILE_STARTED "started" /* made just before the command runs */
#define VM_FILE_ALIVE "alive"	  /* written to every VM_ALIVE_SECONDS from then on */
#define VM_FILE_STDOUT "stdout"
#define VM_FILE_STDERR "stderr"
/* How the command ended: "exit N\n", "signal N\n", or "exec ERRNO\n" when it could not be run. */
#define VM_FILE_RC "rc"

#define VM_ALIVE_SECONDS 5

/* Lines of ours on the console start so; then "start", "ready", or "error: SENTENCE". */
#define VM_SAYS "VMINIT "
#define VM_SAYS_START VM_SAYS "start"
#define VM_SAYS_READY VM_SAYS "ready" /* an exact guest: the command starts now */
#define VM_SAYS_ERROR VM_SAYS "error: "

/* In the initramfs: modules in the order of loading. */
#define VM_DIR_MODULES "modules"

#endif
