/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that needs privilege, behind one table. The real implementation does
 * it, the dry one prints it, the fault one fails where a test says.
 *
 * All functions return 0 or -errno and, on error, leave one sentence in env->error
 * that names the path, device or command. They are called in a supervisor process
 * (env_supervise()), whose namespaces make the kernel undo everything should it die.
 */
#ifndef FSDELTA_HARNESS_ENV_ENV_H
#define FSDELTA_HARNESS_ENV_ENV_H

#include "lib/strbuf.h"
#include "lib/strvec.h"


#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum env_disk_kind {
	ENV_DISK_MEMORY, /* a loop device on anonymous memory (memfd): nothing is left on any disk */
	ENV_DISK_IMAGE,	 /* a loop device on a file that we make and mark, or that is ours */
	ENV_DISK_BLOCK,	 /* a block device named by the user */
};

struct env_disk_spec {
	enum env_disk_kind kind;
	const char *path; /* image file or block device; NULL for memory */
	uint64_t size;	  /* bytes; memory and image */
	const char *force; /* value of --force-device; NULL */
};

struct env_disk {
	char *node;	     /* "/dev/loop3"; in a dry run "/dev/loopN" */
	char *sys_name;	     /* "loop3": name below /sys/block or /sys/class/block */
	unsigned int major, minor;
	int fd;		     /* loop device, held open: autoclear works on its last close; -1 */
	int backing_fd;	     /* memory or image; holds the lock; -1 */
	bool loop;	     /* we attached it */
};

#define ENV_DISK_INIT { .fd = -1, .backing_fd = -1 }

struct env;

struct env_ops {
	const char *name;
	/* Checks (env_device_check), locks, and attaches. */
	int (*attach)(struct env *env, const struct env_disk_spec *spec, struct env_disk *disk);
	/* Detaches what attach() attached and waits until the kernel is done with it. */
	int (*detach)(struct env *env, struct env_disk *disk);
	/* Runs mkfs; what it prints goes to @log_fd (-1: nowhere). */
	int (*mkfs)(struct env *env, const struct strvec *argv, int log_fd);
	/* Mounts and then verifies by device number and type that @dir shows this disk. */
	int (*mount)(struct env *env, const struct env_disk *disk, const char *dir,
		     const char *fstype, const char *options);
	/* Unmounts. EBUSY is retried until a deadline; the last, successful call alone is timed into *@ns. Never lazy. */
	int (*umount)(struct env *env, const char *dir, uint64_t *ns);
	/* syncfs of @dir. */
	int (*sync)(struct env *env, const char *dir);
	int (*drop_caches)(struct env *env);
	/*
	 * Waits until nothing is going on behind the file system's back: device idle (no
	 * request in flight, counters at rest), ext4 lazy init done, dirty pages written. Deadline 30 s: then -ETIME.
	 */
	int (*settle)(struct env *env, const struct env_disk *disk, const char *dir);
};

struct env {
	const struct env_ops *ops;
	struct strbuf error; /* sentence about the last failure, no trailing newline */
	FILE *out;	     /* where the dry run prints; NULL: standard output */
	int fail_at;	     /* fault implementation: the Nth call fails (from 0) ... */
	int fail_errno;	     /* ... with this errno */
	int calls;
	const struct env *inner; /* fault: whose ops are called otherwise */
};

extern const struct env_ops env_real;
extern const struct env_ops env_dry;
extern const struct env_ops env_fault;

void env_release(struct env *env);
void env_disk_release(struct env_disk *disk); /* frees memory and closes; no waiting */

/*
 * May @spec's device or image be written to? Adds a sentence per reason against it to
 * @problems: not a block device, mounted (anywhere, any member of a multi-device btrfs), swap, held
 * by md/dm/another loop device, backing a loop device, partitioned, a signature that is not
 * ours (file system label ENV_LABEL), a name that can change between boots (/dev/sdX, nvme, vd...: give /dev/disk/by-id/, or force). --force-device=EXACT-NAME
 * lifts the last two kinds only, never a mount or a holder. Images: a missing file is fine; one that
 * exists must be a regular file, ours by label or empty of signatures, and not attached or in use. @root: prefix of /proc and /sys.
 */
void env_device_check(const char *root, const struct env_disk_spec *spec, struct strvec *problems);

/* Label that every file system we make carries: how a device is known to be ours. */
#define ENV_LABEL "fsdelta"

/* Where the file system under test is mounted: the same path for every arm. */
#define ENV_MOUNT_POINT "/run/fsdelta/mnt"

/*
 * Forks a process that runs @fn(@arg) as PID 1 of new pid and mount namespaces (mounts
 * private, /proc of its own) and is killed with the calling thread; everything in
 * it dies with it. Own session, so that a terminal's Ctrl-C reaches only the
 * caller. @privileged false: no root needed; a user namespace is tried so that stragglers still die,
 * else a plain child subreaper. Returns the pid, or -errno.
 */
pid_t env_supervise(bool privileged, int (*fn)(void *arg), void *arg);

/*
 * In a supervisor: kills every other process of it and reaps them. Within @timeout_ns, else
 * -EBUSY with the stuck process and its kernel stack appended to @stuck.
 */
int env_kill_stragglers(uint64_t timeout_ns, struct strbuf *stuck);

/* Waits until no loop device is backed by memory or files of a supervisor that is gone: @disk_node free, or -ETIME. */
int env_wait_loop_free(const char *sys_name, uint64_t timeout_ns);

/* Does this kernel and user allow what a privileged run needs? One sentence per lack: not root, no loop-control, ... */
void env_preflight(const char *root, struct strvec *problems);

#endif
