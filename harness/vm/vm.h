/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One command in a guest: what is wanted goes in as struct vm_spec, vm_prepare() finds out once
 * whether the kernel can do it, vm_run() boots it, as often as wanted, and says how it went.
 *
 * The guest sees the whole file tree of this machine; what it writes lands in memory and is gone
 * with it. Its output comes back through files in the folder for results, in which is, after
 * vm_run():
 *
 *   out/stdout, out/stderr   of the command, as it wrote them
 *   out/rc                   how the command ended (see protocol.h)
 *   console                  what the kernel printed
 *   qemu.cmd, qemu.err       how QEMU was called, and what it had to say
 */
#ifndef FSDELTA_HARNESS_VM_VM_H
#define FSDELTA_HARNESS_VM_VM_H

#include "harness/vm/console.h"
#include "harness/vm/kernel.h"
#include "harness/vm/modules.h"
#include "lib/strbuf.h"
#include "lib/strvec.h"

#include <stdbool.h>
#include <stdint.h>

enum vm_accel {
	VM_ACCEL_AUTO, /* KVM where it works */
	VM_ACCEL_KVM,
	VM_ACCEL_TCG,
};

/* All borrowed. */
struct vm_spec {
	const struct vm_kernel *kernel;
	const char *modules_dir;	    /* with kernel/, see modules_find_dir(); NULL: none */
	const struct strvec *extra_modules; /* names, loaded first of all; NULL: none */
	const char *initrd;		    /* an archive unpacked before ours; NULL: none */
	const char *append;		    /* added to the kernel's command line; NULL: nothing */
	uint64_t memory;		    /* bytes; 0: 2 GiB, of an exact guest 4 GiB */
	unsigned int cpus;		    /* 0: as many as here, at most 2 */
	enum vm_accel accel;
	bool probes;			    /* the command wants kprobes and BPF */

	const struct strvec *argv; /* the command; empty or NULL: none, with shell only */
	const struct strvec *env;  /* all of its environment; NULL: vm_default_env() */
	const char *cwd;	   /* NULL: "/" */
	uint64_t disk_size;	   /* of an empty test disk, /dev/vda; 0: none */
	bool shell;		   /* on standard input and output, when the command has ended */

	/*
	 * Exact: everything the command needs is in its memory, one processor's instructions are
	 * counted, and that is its clock: 1 ns each. Output comes at the end.
	 */
	bool exact;
	const struct strvec *files; /* exact: to be there too; programs with their libraries; NULL */
	unsigned int seed;	    /* exact: of the guest's random numbers */

	const char *dir;	   /* for results; must exist, absolute */
	uint64_t timeout_ns;	   /* of the command, from its start; 0: none */
	/* Without a sign of life for so long, while the command runs, the guest counts as dead. */
	uint64_t silence_ns;	   /* 0: 60 s, of an exact guest 600 s */
	unsigned int patience;	   /* all other deadlines are this many times longer; 0: 1 */
	int stdout_fd, stderr_fd;  /* get the command's output as it comes; -1: not */
	int abort_fd;		   /* when readable, the guest is killed; -1: none */
};

#define VM_SPEC_INIT { .stdout_fd = -1, .stderr_fd = -1, .abort_fd = -1 }

/* What is the same in every boot; of an exact guest the command and its files too. */
struct vm_ready {
	struct strbuf initrd;
	bool kvm;
	char *no_kvm; /* why KVM is not used; NULL: it is, or was not wanted */
};

#define VM_READY_INIT { .initrd = STRBUF_INIT }

enum vm_outcome {
	VM_OK,	    /* the command ran and ended; vm_result.status says how */
	VM_CRASHED, /* the kernel did not survive it, or reported that it is damaged */
	VM_TIMEOUT, /* the command did not end in time */
	VM_BROKEN,  /* the command was not run, or its result is lost, for no fault of the kernel's */
	VM_ABORTED, /* because of abort_fd */
};

struct vm_result {
	enum vm_outcome outcome;
	int status;		/* VM_OK: exit status of the command, or 128 + N for signal N */
	char *reason;		/* a sentence; NULL for VM_OK */
	char *note;		/* something odd that changed nothing; NULL: nothing */
	struct console console; /* what the kernel reported */
	uint64_t boot_ns;	/* from the start of QEMU to that of the command; 0: not started */
	uint64_t total_ns;	/* until QEMU had ended */
};

#define VM_RESULT_INIT { .outcome = VM_BROKEN }

/*
 * 0, or -EINVAL after adding one sentence to @problems for everything that is missing: of the
 * kernel, of its modules, of this machine.
 */
int vm_prepare(const struct vm_spec *s, struct vm_ready *r, struct strvec *problems);
void vm_ready_release(struct vm_ready *r);

/*
 * Boots, runs, waits for the end. QEMU dies with the calling process, however that ends. 0 with
 * @res filled, or -errno when the folder for results cannot be written, a sentence in
 * res->reason.
 */
int vm_run(const struct vm_spec *s, const struct vm_ready *r, struct vm_result *res);
void vm_result_release(struct vm_result *res);

/* What a command gets of our environment: PATH, HOME, TERM, the language, and the like. */
void vm_default_env(struct strvec *env);

/* The command of @s as it is given to the guest. */
struct vm_command;
void vm_make_command(const struct vm_spec *s, struct vm_command *c);

const char *vm_outcome_name(enum vm_outcome o); /* "CRASHED" */

#endif
