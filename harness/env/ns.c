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
#include <sys/socket.h>
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
	int gate[2];	/* [0] is the parent's, [1] the child's */
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
	default_signals();
	return ret;
}

/*
 * The parent opens the gate after the child has told that it will die with it. Should the
 * parent die before, the child reads the end of file: at no moment is there an orphan.
 */
static void child(const struct start *s, int (*fn)(void *arg), void *arg)
{
	int ret;
	char go;

	close(s->gate[0]);
	ret = set_up(s);
	if (write(s->gate[1], &ret, sizeof(ret)) != sizeof(ret) || ret)
		_exit(127);
	if (read(s->gate[1], &go, 1) != 1)
		_exit(127);
	close(s->gate[1]);
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

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->gate))
		return -errno;
	pid = fork_into(s->flags);
	if (pid == 0)
		child(s, fn, arg);
	if (pid < 0)
		ret = -errno;
	close(s->gate[1]);
	if (pid > 0) {
		if (read_status(s->gate[0], &ret) != sizeof(ret))
			ret = -ECHILD;
		/* A child that died meanwhile is the caller's to find out. */
		if (!ret)
			send(s->gate[0], "", 1, MSG_NOSIGNAL);
		else
			reap(pid);
	}
	close(s->gate[0]);
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
