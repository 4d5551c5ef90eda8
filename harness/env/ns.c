// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/env.h"

#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* SysV semaphores and shared memory of a workload (dbench) would survive it otherwise. */
#define NAMESPACES (CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC)

/* One way to make a supervisor. */
struct start {
	int flags;	/* namespaces */
	bool lenient;	/* what is only nice to have may fail */
	uid_t uid;	/* ours, outside */
	gid_t gid;
	int report[2];	/* pipe: how the set-up went, from the child */
};

/* fork() into new namespaces: unshare() would change the caller, clone() wants a stack. */
static pid_t fork_into(int flags)
{
#if defined(__s390__) || defined(__CRIS__)
	return (pid_t)syscall(SYS_clone, NULL, flags | SIGCHLD, NULL, NULL, NULL);
#else
	return (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
#endif
}

static void default_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int write_text(const char *path, const char *text)
{
	__cleanup_close int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(text);

	if (fd < 0)
		return -errno;
	return write(fd, text, len) == (ssize_t)len ? 0 : -errno;
}

/* We stay who we are: files made inside belong to the same user outside. */
static int map_user(const struct start *s)
{
	__cleanup_free char *uid = xasprintf("%u %u 1", s->uid, s->uid);
	__cleanup_free char *gid = xasprintf("%u %u 1", s->gid, s->gid);
	int ret = write_text("/proc/self/setgroups", "deny");

	if (!ret)
		ret = write_text("/proc/self/uid_map", uid);
	if (!ret)
		ret = write_text("/proc/self/gid_map", gid);
	return ret;
}

static int set_up_mounts(const struct start *s)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	/* A container that hides parts of /proc does not allow another one. */
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) && !s->lenient)
		return -errno;
	return 0;
}

static int set_up(const struct start *s)
{
	int ret = 0;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || prctl(PR_SET_CHILD_SUBREAPER, 1))
		return -errno;
	if (setsid() < 0)
		return -errno;
	if (s->flags & CLONE_NEWUSER)
		ret = map_user(s);
	if (!ret && (s->flags & CLONE_NEWNS))
		ret = set_up_mounts(s);
	/* dbench takes the first number, 0, for a failure and says so in each run. */
	if (!ret && (s->flags & CLONE_NEWIPC) && semget(IPC_PRIVATE, 1, 0600) < 0)
		ret = -errno;
	default_signals();
	return ret;
}

/*
 * Telling the parent how it went is also what proves that the parent still lives, after the
 * child has arranged to die with it: at no moment is there an orphan.
 */
static void child(const struct start *s, int (*fn)(void *arg), void *arg)
{
	int ret;

	close(s->report[0]);
	ret = set_up(s);
	if (write(s->report[1], &ret, sizeof(ret)) != sizeof(ret) || ret)
		_exit(127);
	close(s->report[1]);
	ret = fn(arg);
	fflush(NULL);
	_exit(ret);
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static ssize_t read_status(int fd, int *status)
{
	ssize_t n;

	do
		n = read(fd, status, sizeof(*status));
	while (n < 0 && errno == EINTR);
	return n;
}

static pid_t start(struct start *s, int (*fn)(void *arg), void *arg)
{
	int ret = 0;
	pid_t pid;

	if (pipe2(s->report, O_CLOEXEC))
		return -errno;
	pid = fork_into(s->flags);
	if (pid == 0)
		child(s, fn, arg);
	if (pid < 0)
		ret = -errno;
	close(s->report[1]);
	if (pid > 0) {
		if (read_status(s->report[0], &ret) != sizeof(ret))
			ret = -ECHILD;
		if (ret)
			reap(pid);
	}
	close(s->report[0]);
	return ret ? ret : pid;
}

pid_t env_supervise(bool privileged, int (*fn)(void *arg), void *arg)
{
	struct start s = { .flags = NAMESPACES, .uid = geteuid(), .gid = getegid() };
	pid_t pid;

	if (privileged)
		return start(&s, fn, arg);
	s.lenient = true;
	if (s.uid != 0)
		s.flags |= CLONE_NEWUSER;
	pid = start(&s, fn, arg);
	if (pid > 0)
		return pid;
	s.flags = 0;
	return start(&s, fn, arg);
}
