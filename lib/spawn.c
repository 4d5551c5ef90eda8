// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/spawn.h"

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define KILL_WAIT_NS (10 * NSEC_PER_SEC)

static int redirect(int fd, const char *path, int flags, int target)
{
	if (fd < 0) {
		fd = open(path, flags | O_CLOEXEC);
		if (fd < 0)
			return -errno;
	}
	/* dup2() onto itself would keep O_CLOEXEC. */
	if (fd == target)
		return fcntl(fd, F_SETFD, 0) ? -errno : 0;
	return dup2(fd, target) < 0 ? -errno : 0;
}

/*
 * A caller that was started with 0, 1 or 2 closed may have these for files of its own, and
 * one redirection must not overwrite the source of the next.
 */
static int above_standard(int fd)
{
	return fd < 0 || fd > STDERR_FILENO ? fd : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static void default_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int child_setup(const struct spawn *s, pid_t parent)
{
	const char *in = s->stdin_path ? s->stdin_path : "/dev/null";
	int out = above_standard(s->stdout_fd), err = above_standard(s->stderr_fd);
	int ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		return -ESRCH;
	setpgid(0, 0);
	default_signals();
	ret = redirect(-1, in, O_RDONLY, STDIN_FILENO);
	if (!ret)
		ret = redirect(out, "/dev/null", O_WRONLY, STDOUT_FILENO);
	if (!ret)
		ret = redirect(err, "/dev/null", O_WRONLY, STDERR_FILENO);
	if (!ret && s->cwd && chdir(s->cwd))
		ret = -errno;
	for (size_t i = 0; !ret && s->env && i < s->env->n; i++)
		if (putenv(s->env->v[i]))
			ret = -errno;
	return ret;
}

/* In the child: only returns by exit. @report tells the parent why exec failed. */
static void child_exec(const struct spawn *s, const char *prog, pid_t parent, int report)
{
	int err;

	report = above_standard(report);
	err = -child_setup(s, parent);
	if (!err) {
		/* What we were started with (a terminal, a jobserver) is not the child's. */
		close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
		execv(prog, s->argv->v);
		err = errno;
	}
	if (write(report, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

/* For poll(): up, so that it does not wake too early; a day at the most, so that it fits. */
static int to_ms(uint64_t ns)
{
	const uint64_t day = 24 * 3600 * NSEC_PER_SEC;

	return (int)((ns < day ? ns : day) / NSEC_PER_MSEC) + 1;
}

/* Waits until @pidfd is readable (the child ended), the deadline, or an abort. */
static void wait_end(struct spawn *s, int pidfd)
{
	struct pollfd p[2] = { { .fd = pidfd, .events = POLLIN },
			       { .fd = s->abort_fd, .events = POLLIN } };

	for (;;) {
		uint64_t passed = clock_mono_ns() - s->start_ns;
		int ms = -1;

		if (s->timeout_ns) {
			if (passed >= s->timeout_ns)
				break;
			ms = to_ms(s->timeout_ns - passed);
		}
		if (poll(p, 2, ms) < 0)
			continue;
		if (p[0].revents)
			return;
		if (p[1].revents) {
			s->aborted = true;
			return;
		}
	}
	s->timed_out = true;
}

static int reap(struct spawn *s, int pidfd)
{
	if (s->timed_out || s->aborted) {
		struct pollfd p = { .fd = pidfd, .events = POLLIN };

		kill(-s->pid, SIGKILL);
		kill(s->pid, SIGKILL);
		if (TEMP_FAILURE_RETRY(poll(&p, 1, (int)(KILL_WAIT_NS / NSEC_PER_MSEC))) == 0) {
			s->unkillable = true;
			return -EBUSY;
		}
	}
	while (wait4(s->pid, &s->status, 0, &s->ru) < 0)
		if (errno != EINTR)
			return -errno;
	s->end_ns = clock_mono_ns();
	if (s->timed_out)
		return -ETIME;
	return s->aborted ? -ECANCELED : 0;
}

int spawn_run(struct spawn *s)
{
	__cleanup_free char *prog = file_find_program(s->argv->v[0]);
	__cleanup_close int rd = -1, pidfd = -1;
	pid_t self = getpid();
	int pipefd[2];

	s->error = ENOENT;
	if (!prog)
		return -ENOENT;
	if (pipe2(pipefd, O_CLOEXEC))
		return -(s->error = errno);
	rd = pipefd[0];
	s->start_ns = clock_mono_ns();
	s->pid = fork();
	if (s->pid == 0)
		child_exec(s, prog, self, pipefd[1]);
	s->error = s->pid < 0 ? errno : 0;
	close(pipefd[1]);
	if (s->pid < 0)
		return -s->error;
	/* End of file means that exec closed the pipe: the program runs. */
	if (TEMP_FAILURE_RETRY(read(rd, &s->error, sizeof(s->error))) == sizeof(s->error)) {
		waitpid(s->pid, &s->status, 0);
		return -s->error;
	}
	s->error = 0;
	pidfd = (int)syscall(SYS_pidfd_open, s->pid, 0);
	if (pidfd < 0) {
		s->error = errno;
		kill(-s->pid, SIGKILL);
		waitpid(s->pid, &s->status, 0);
		return -s->error;
	}
	wait_end(s, pidfd);
	return reap(s, pidfd);
}

int spawn_capture(const struct strvec *argv, bool both, uint64_t timeout_ns, struct strbuf *out)
{
	/* A memory file, so that a chatty program never blocks and none is left behind. */
	__cleanup_close int fd = memfd_create("capture", MFD_CLOEXEC);
	struct spawn s = SPAWN_INIT;
	char path[64];
	int ret;

	if (fd < 0)
		return -errno;
	s.argv = argv;
	s.stdout_fd = fd;
	s.stderr_fd = both ? fd : -1;
	s.timeout_ns = timeout_ns;
	ret = spawn_run(&s);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = file_read(path, out, 1 << 20);
	if (ret && ret != -EFBIG)
		return ret;
	return WIFEXITED(s.status) ? WEXITSTATUS(s.status) : 128 + WTERMSIG(s.status);
}

char *spawn_status_text(int status)
{
	if (WIFSIGNALED(status))
		return xasprintf("was killed by signal %d (%s)", WTERMSIG(status),
				 strsignal(WTERMSIG(status)));
	return xasprintf("exited with status %d", WEXITSTATUS(status));
}
