/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine that a guest runs on, as QEMU's command line. Pure.
 *
 * Functional: the root folder of this machine over 9p, several processors, any command. Exact: one
 * emulated processor whose clock counts instructions, no device whose timing depends on the
 * host; the same kernel gives the same nanoseconds in every boot.
 */
#ifndef FSDELTA_HARNESS_VM_QEMU_H
#define FSDELTA_HARNESS_VM_QEMU_H

#include "lib/strvec.h"

#include <stdbool.h>
#include <stdint.h>

#define QEMU_PROGRAM "qemu-system-x86_64"
#define QEMU_PACKAGE "qemu-system-x86"

/* Parameters of null_blk, the disk of an exact guest (/dev/nullb0); @p: before each. */
#define QEMU_NULL_BLK(p)                                                                     \
	p "nr_devices=1 " p "memory_backed=1 " p "gb=3 " p "bs=512 " p "irqmode=2 "          \
	p "completion_nsec=20000"

struct qemu_machine {
	bool exact;
	bool kvm;	       /* not for an exact one */
	const char *kernel;    /* bzImage, or vmlinux with a PVH entry */
	const char *initrd;
	const char *console;   /* file that gets what the guest writes to its console */
	bool interactive;      /* console also on standard input and output */
	const char *append;    /* added to the kernel's command line; NULL: nothing */
	uint64_t memory;       /* bytes, rounded down to MiB */
	unsigned int cpus;     /* functional */
	const char *root;      /* functional: folder of this machine that the guest sees, read-only */
	const char *out;       /* functional: folder that it shares */
	const char *disk;      /* functional: file that is its test disk; NULL: none */
	unsigned int seed;     /* exact: of the guest's random numbers */
};

void qemu_argv(const struct qemu_machine *m, struct strvec *argv);

#endif
