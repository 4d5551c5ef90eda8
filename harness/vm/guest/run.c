// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/guest/guest.h"

#include "harness/vm/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void redirect(const char *path, int flags, int target)
{
	int fd = open(path, flags, 0644);

	if (fd < 0 || dup2(fd, target) < 0)
		die(true, "%s", path);
	if (fd != target)
		close(fd);
}

static void block_child_signal(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigprocmask(SIG_BLOCK, set, NULL);
}

static void unblock(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child; @report tells why there was no exec. */
static void exec_command(const struct order *o, int report)
{
	int error = 0;

	unblock();
	if (o->cwd && chdir(o->cwd))
		error = errno;
	if (!error) {
		static char *nothing[] = { NULL };

		environ = o->env ? o->env : nothing;
		execvp(o->argv[0], o->argv);
		error = errno;
	}
	if (write(report, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

/* So that those outside can tell a guest that works from one that stands still. */
static void touch(const char *alive, unsigned int *turn)
{
	char text[16];
	int fd, n;

	if (!alive)
		return;
	fd = open(alive, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	n = snprintf(text, sizeof(text), "%u\n", ++*turn);
	if (fd >= 0 && write(fd, text, (size_t)n) < 0)
		say("%s: %s", alive, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Reaps until @pid has ended; orphans come to PID 1 as well. */
static int wait_for(pid_t pid, const sigset_t *set, const char *alive)
{
	const struct timespec interval = { .tv_sec = VM_ALIVE_SECONDS };
	unsigned int turn = 0;
	time_t due = seconds() + VM_ALIVE_SECONDS;
	int status;
	pid_t got;

	for (;;) {
		while ((got = waitpid(-1, &status, WNOHANG)) > 0)
			if (got == pid)
				return status;
		/* Orphans that end one after another must not keep it from being touched. */
		sigtimedwait(set, NULL, &interval);
		if (seconds() < due)
			continue;
		touch(alive, &turn);
		due = seconds() + VM_ALIVE_SECONDS;
	}
}

static void kill_rest(void)
{
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

void run_command(const struct order *o, const char *out, const char *err, const char *alive,
		 struct ending *e)
{
	int report[2], status, error = 0;
	sigset_t set;
	pid_t pid;

	block_child_signal(&set);
	if (pipe2(report, O_CLOEXEC))
		die(true, "pipe");
	pid = fork();
	if (pid == 0) {
		setsid();
		redirect("/dev/null", O_RDONLY, STDIN_FILENO);
		redirect(err, O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
		redirect(out, O_WRONLY | O_CREAT | O_APPEND, STDOUT_FILENO);
		exec_command(o, report[1]);
	}
	if (pid < 0)
		die(true, "fork");
	close(report[1]);
	if (read(report[0], &error, sizeof(error)) != sizeof(error))
		error = 0;
	close(report[0]);
	status = wait_for(pid, &set, alive);
	kill_rest();
	if (error)
		*e = (struct ending){ "exec", error };
	else if (WIFSIGNALED(status))
		*e = (struct ending){ "signal", WTERMSIG(status) };
	else
		*e = (struct ending){ "exit", WEXITSTATUS(status) };
}

void run_shell(const struct order *o)
{
	static char *argv[] = { (char *)"/bin/sh", (char *)"-i", NULL };
	sigset_t set;
	pid_t pid;

	block_child_signal(&set);
	pid = fork();
	if (pid == 0) {
		setsid();
		/* /dev/console cannot be a controlling terminal; what is behind it can. */
		redirect("/dev/ttyS0", O_RDWR, STDIN_FILENO);
		ioctl(STDIN_FILENO, TIOCSCTTY, 1);
		dup2(STDIN_FILENO, STDOUT_FILENO);
		dup2(STDIN_FILENO, STDERR_FILENO);
		unblock();
		if (o->cwd && chdir(o->cwd))
			say("%s: %s", o->cwd, strerror(errno));
		if (o->env)
			environ = o->env;
		execv(argv[0], argv);
		die(true, "%s", argv[0]);
	}
	if (pid < 0)
		die(true, "fork");
	wait_for(pid, &set, NULL);
}
