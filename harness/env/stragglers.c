// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/env.h"

#include "lib/clock.h"
#include "lib/mem.h"
#include "lib/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

/* Calls @fn for each process that /proc shows, except ourselves. */
static void each_process(void (*fn)(pid_t pid, void *arg), void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		unsigned long long pid;

		if (!str_to_u64(e->d_name, &pid) && (pid_t)pid != getpid())
			fn((pid_t)pid, arg);
	}
	if (dir)
		closedir(dir);
}

/* The parent stands behind the name, which is in parentheses and may hold any byte. */
static pid_t parent_of(pid_t pid, char *state)
{
	__cleanup_free char *stat = proc_read("", "/proc/%d/stat", pid);
	const char *p = stat ? strrchr(stat, ')') : NULL;
	int parent;

	if (!p || sscanf(p + 1, " %c %d", state, &parent) != 2)
		return -1;
	return parent;
}

static void kill_child(pid_t pid, void *arg)
{
	char state;

	(void)arg;
	if (parent_of(pid, &state) == getpid())
		kill(pid, SIGKILL);
}

/* PID 1 of its own namespace may kill "everyone"; for others that means the whole user. */
static bool own_namespace(void)
{
	return getpid() == 1;
}

/*
 * Children of a process killed here become ours, since we are their reaper, and are met in
 * the next round.
 */
static int all_gone(void *arg)
{
	pid_t pid;

	(void)arg;
	if (own_namespace())
		kill(-1, SIGKILL);
	else
		each_process(kill_child, NULL);
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		;
	return pid < 0 && errno == ECHILD;
}

static void describe(pid_t pid, void *arg)
{
	__cleanup_free char *comm = NULL, *stack = NULL;
	struct strbuf *out = arg;
	char state = '?';
	pid_t parent = parent_of(pid, &state);

	if (parent < 0 || (!own_namespace() && parent != getpid()))
		return;
	comm = proc_read_line("", "/proc/%d/comm", pid);
	stack = proc_read("", "/proc/%d/stack", pid);
	strbuf_addf(out, "%s%s (pid %d, state %c)", out->len ? "\n" : "", comm ? comm : "?", pid,
		    state);
	if (stack && *str_trim(stack))
		strbuf_addf(out, ":\n%s", str_trim(stack));
}

/* Without a /proc of our own, the numbers in it are other processes. */
static bool proc_is_ours(void)
{
	char buf[32] = "";
	unsigned long long pid;

	return readlink("/proc/self", buf, sizeof(buf) - 1) > 0 && !str_to_u64(buf, &pid) &&
	       (pid_t)pid == getpid();
}

int env_kill_stragglers(uint64_t timeout_ns, struct strbuf *stuck)
{
	if (clock_wait_until(all_gone, NULL, timeout_ns))
		return 0;
	if (proc_is_ours())
		each_process(describe, stuck);
	if (!stuck->len)
		strbuf_adds(stuck, "a process that cannot be named");
	return -EBUSY;
}
