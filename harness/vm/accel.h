/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does KVM work here? Having /dev/kvm is no answer: on some hosts a guest hangs or QEMU aborts.
 * So a boot sector of ours is run under it, which says by QEMU's exit status that it ran.
 */
#ifndef FSDELTA_HARNESS_VM_ACCEL_H
#define FSDELTA_HARNESS_VM_ACCEL_H

#include <stdbool.h>

/*
 * The answer is kept in the cache until the machine boots again. *@why, when the answer is no, is
 * why ("there is no /dev/kvm"); the caller frees. May take 10 s the first time.
 */
bool accel_kvm_works(char **why);

/*
 * Runs the boot sector with QEMU's accelerator @accel ("kvm", "tcg") and processor @cpu. NULL: it
 * ran; else why not, the caller frees. At most 10 s.
 */
char *accel_try(const char *accel, const char *cpu);

/* What the exit of QEMU with the boot sector means; pure. @status: see spawn.h; NULL: it ran. */
char *accel_verdict(int ret, int status);

#endif
