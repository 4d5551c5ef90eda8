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
	/*
	 * The device, held open; of a loop device the last close detaches it (autoclear). Of a
	 * device that the user named it holds the lock.
	 */
	int fd;
	int backing_fd;	     /* memory or image; holds the lock; -1 */
	bool loop;	     /* we attached it */
};

#define ENV_DISK_INIT { .fd = -1, .backing_fd = -1 }

struct env;

struct env_ops {
	const char *name;
	/* Checks (env_device_check), locks, and attaches. */
	int (*attach)(struct env *env, const struct env_disk_spec *spec, struct env_disk *disk);
	/*
	 * Detaches what attach() attached, after making sure that it still is ours, and waits
	 * until the kernel is done with it: at most env->patience_ns, then -EBUSY and the
	 * error names who holds it. @disk can then only be released.
	 */
	int (*detach)(struct env *env, struct env_disk *disk);
	/* Runs mkfs, 10 min at most; what it prints goes to @log_fd (-1: nowhere). */
	int (*mkfs)(struct env *env, const struct strvec *argv, int log_fd);
	/*
	 * Mounts and then verifies by device number and type that @dir shows this disk. @dir
	 * is made when it is missing; nothing may be mounted there. @options as for mount(8)
	 * (NULL: none), but only those of the kernel: no "loop", no "bind" or "remount".
	 */
	int (*mount)(struct env *env, const struct env_disk *disk, const char *dir,
		     const char *fstype, const char *options);
	/*
	 * Unmounts what mount() mounted at @dir, nothing else. EBUSY is retried for
	 * env->patience_ns; then the error names the processes that hold it. The last,
	 * successful call alone is timed into *@ns. Never lazy.
	 */
	int (*umount)(struct env *env, const char *dir, uint64_t *ns);
	/* syncfs of @dir. */
	int (*sync)(struct env *env, const char *dir);
	int (*drop_caches)(struct env *env);
	/*
	 * Waits until nothing is going on behind the file system's back: dirty pages written,
	 * ext4 lazy init done, device idle (no request in flight, counters at rest). Deadline
	 * 30 s: then -ETIME.
	 */
	int (*settle)(struct env *env, const struct env_disk *disk, const char *dir);
};

struct env {
	const struct env_ops *ops;
	struct strbuf error; /* sentence about the last failure, no trailing newline */
	FILE *out;	     /* where the dry run prints; NULL: standard output */
	int fail_at;	     /* fault implementation: the Nth call fails (from 0; -1: none) ... */
	int fail_errno;	     /* ... with this errno */
	int calls;	     /* ... of so many until now */
	const struct env *inner; /* fault: whose ops are called otherwise; NULL: the dry ones */
	int mount_id;	     /* real: of what mount() mounted, as in mountinfo; 0: nothing */
	uint64_t patience_ns; /* real: how long umount and detach retry; 0: 10 s */
};

extern const struct env_ops env_real;
extern const struct env_ops env_dry;
extern const struct env_ops env_fault;

void env_release(struct env *env);
/* Frees memory and closes, which detaches a loop device in the end; no waiting. */
void env_disk_release(struct env_disk *disk);

/*
 * May @spec's device or image be written to? Adds a sentence per reason against it to
 * @problems. Against a device speak:
 *
 *  - it is not a block device, or read-only;
 *  - it, a partition of it, or the disk that it is a partition of, is mounted (a
 *    multi-device btrfs: any member), swap, held by md, dm or another program, or backs a
 *    loop device; another fsdelta is using it;
 *  - it has a partition table;
 *  - its name follows the content that mkfs replaces (by-uuid, by-label);
 *  - it has a signature that is not ours (a file system labelled ENV_LABEL), or none
 *    and yet data (env_is_empty() in internal.h says where that is looked for);
 *  - its name can mean another device after the next boot (/dev/sdX, nvme, loop, ...).
 *
 * @spec->force, the name once more, lifts the last two, and nothing else. Against an image:
 *
 *  - there is no room for it (a missing file is fine, a missing folder is not);
 *  - it exists, and is not a regular file, is attached to a loop device, swap, or used by
 *    another fsdelta, has a signature that is not ours, or none and yet content that is not
 *    ours (an image made by us and not yet formatted is known by an extended attribute).
 *
 * @root: prefix of /proc and /sys. With another than "", the device is only looked up there,
 * by the last part of its name, and not opened. What a process that is just dying may still
 * hold is waited for, for 3 s.
 */
void env_device_check(const char *root, const struct env_disk_spec *spec, struct strvec *problems);

/* Label that every file system we make carries: how a device is known to be ours. */
#define ENV_LABEL "fsdelta"

/* Where the file system under test is mounted: the same path for every arm. */
#define ENV_MOUNT_POINT "/run/fsdelta/mnt"

/*
 * Forks a process that runs @fn(@arg) as PID 1 of new pid, mount and IPC namespaces (mounts
 * private, /proc of its own) and is killed with the calling thread; everything in
 * it dies with it. Own session, so that a terminal's Ctrl-C reaches only the
 * caller; default signal dispositions, none blocked. Its exit status is what @fn returned.
 *
 * @privileged false: no root needed. For other users than root a user namespace is tried, so
 * that stragglers still die; where namespaces are forbidden, the process is a plain child
 * that becomes the reaper of its descendants (those are then killed only by
 * env_kill_stragglers()).
 *
 * Returns the pid once the process is set up and @fn is about to run, or -errno. As with
 * fork(), the caller flushes its streams before. No other thread may be running.
 */
pid_t env_supervise(bool privileged, int (*fn)(void *arg), void *arg);

/*
 * In a supervisor: kills every other process of it and reaps them. Within @timeout_ns, else
 * -EBUSY with the stuck processes and their kernel stacks appended to @stuck.
 */
int env_kill_stragglers(uint64_t timeout_ns, struct strbuf *stuck);

/*
 * Waits until nothing is attached to loop device @sys_name ("loop3") any more, as after the
 * end of the supervisor that attached it. 0, or -ETIME.
 */
int env_wait_loop_free(const char *sys_name, uint64_t timeout_ns);

/*
 * Does this kernel and user allow what a privileged run needs? One sentence per lack: not
 * root, no namespaces, no loop devices. @root as in env_device_check(): with another than "",
 * nothing is tried.
 */
void env_preflight(const char *root, struct strvec *problems);

#endif
