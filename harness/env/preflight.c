// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/env.h"

#include "lib/mem.h"
#include "lib/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* capabilities(7): mount, namespaces, loop devices */
#define CAP_SYS_ADMIN_BIT 21

static bool has_admin(const char *root)
{
	__cleanup_free char *status = proc_read(root, "/proc/self/status");
	__cleanup_free char *caps = status ? proc_field(status, "CapEff") : NULL;

	return caps && (strtoull(caps, NULL, 16) >> CAP_SYS_ADMIN_BIT & 1);
}

static int nothing(void *arg)
{
	(void)arg;
	return 0;
}

static void try_namespaces(struct strvec *problems)
{
	pid_t pid = env_supervise(true, nothing, NULL);

	if (pid < 0)
		strvec_pushf(problems, "a process with namespaces of its own (pid, mount, ipc) cannot "
			     "be made: %s", strerror(-pid));
	else
		waitpid(pid, NULL, 0);
}

static void check_loop(const char *root, struct strvec *problems)
{
	__cleanup_free char *devices = proc_read(root, "/proc/devices");

	if (*root) {
		if (!devices || !strstr(devices, " loop\n"))
			strvec_push(problems, "the kernel has no loop devices");
	} else if (access("/dev/loop-control", R_OK | W_OK)) {
		strvec_pushf(problems, "/dev/loop-control: %s%s", strerror(errno),
			     errno == ENOENT ? " (modprobe loop?)" : "");
	}
}

void env_preflight(const char *root, struct strvec *problems)
{
	if (!*root && geteuid() != 0) {
		strvec_push(problems, "not root: making and mounting file systems needs it (a folder "
			    "as target, dir:/some/folder, does not)");
		return;
	}
	if (!has_admin(root))
		strvec_push(problems, "the capability CAP_SYS_ADMIN is missing, as in an unprivileged "
			    "container: file systems cannot be mounted");
	else if (!*root)
		try_namespaces(problems);
	check_loop(root, problems);
}
