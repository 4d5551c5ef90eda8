// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/spawn.h"
#include "tests/unit/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define LONG (30 * NSEC_PER_SEC)

static void sh(struct strvec *argv, const char *script)
{
	strvec_push(argv, "sh");
	strvec_push(argv, "-c");
	strvec_push(argv, script);
}

/* Runs @script with all else as in @s. */
static int run(struct spawn *s, const char *script)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	int ret;

	sh(&argv, script);
	s->argv = &argv;
	ret = spawn_run(s);
	s->argv = NULL;
	return ret;
}

/* Exit status of @script; what it printed is in @out. */
static int capture(const char *script, bool both, struct strbuf *out)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;

	sh(&argv, script);
	return spawn_capture(&argv, both, LONG, out);
}

static void exit_status(void **state)
{
	struct spawn s = SPAWN_INIT;

	(void)state;
	assert_int_equal(run(&s, "exit 0"), 0);
	assert_true(WIFEXITED(s.status) && WEXITSTATUS(s.status) == 0);
	assert_int_equal(run(&s, "exit 255"), 0);
	assert_true(WIFEXITED(s.status) && WEXITSTATUS(s.status) == 255);
	assert_int_equal(run(&s, "kill -TERM $$"), 0);
	assert_true(WIFSIGNALED(s.status) && WTERMSIG(s.status) == SIGTERM);
	assert_int_equal(s.error, 0);
	assert_false(s.timed_out || s.aborted || s.unkillable);
	assert_true(s.pid > 1);
	assert_int_equal(kill(s.pid, 0), -1); /* reaped */
}

static void status_text(void **state)
{
	__cleanup_free char *exited = spawn_status_text(3 << 8);
	__cleanup_free char *killed = spawn_status_text(SIGKILL);

	(void)state;
	assert_string_equal(exited, "exited with status 3");
	assert_string_equal(killed, "was killed by signal 9 (Killed)");
}

static void cannot_start(void **state)
{
	__cleanup_free char *data = scratch_path(state, "data");
	__cleanup_free char *script = scratch_path(state, "script");
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct spawn s = SPAWN_INIT;

	strvec_push(&argv, "fsdelta-no-such-program");
	s.argv = &argv;
	assert_int_equal(spawn_run(&s), -ENOENT);
	assert_int_equal(s.error, ENOENT);
	strvec_release(&argv);
	/* Found, but the kernel will not run it. */
	scratch_write(state, "script", "#!/no/such/interpreter\n");
	assert_int_equal(chmod(script, 0755), 0);
	strvec_push(&argv, script);
	assert_int_equal(spawn_run(&s), -ENOENT);
	scratch_write(state, "data", "data");
	assert_int_equal(chmod(data, 0755), 0);
	strvec_release(&argv);
	strvec_push(&argv, data);
	assert_int_equal(spawn_run(&s), -ENOEXEC);
	assert_int_equal(s.error, ENOEXEC);
	s.cwd = "/no/such/folder";
	assert_int_equal(run(&s, "exit 0"), -ENOENT);
	s.cwd = NULL;
	s.stdin_path = "/no/such/file";
	assert_int_equal(run(&s, "exit 0"), -ENOENT);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void setting(void **state)
{
	__cleanup_free char *real = realpath(*state, NULL);
	__cleanup_free char *in = scratch_path(state, "in");
	__cleanup_free char *out = scratch_path(state, "out");
	__cleanup_free char *want = xasprintf("%s\nv a l\nhello\n", real);
	__cleanup_strbuf struct strbuf got = STRBUF_INIT;
	__cleanup_strvec struct strvec env = STRVEC_INIT;
	__cleanup_close int fd = open(out, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct spawn s = SPAWN_INIT;

	scratch_write(state, "in", "hello\n");
	strvec_push(&env, "FSDELTA_X=v a l");
	s.cwd = *state;
	s.env = &env;
	s.stdin_path = in;
	s.stdout_fd = fd;
	assert_int_equal(run(&s, "pwd -P; echo \"$FSDELTA_X\"; cat; echo lost >&2"), 0);
	assert_int_equal(file_read(out, &got, 0), 0);
	assert_string_equal(got.buf, want);
	assert_null(getenv("FSDELTA_X"));
}

static void resource_use_and_times(void **state)
{
	uint64_t before = clock_mono_ns(), used;
	struct spawn s = SPAWN_INIT;

	(void)state;
	/* Of a grandchild that was waited for. */
	assert_int_equal(
		run(&s, "sh -c 'i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done'; exit 0"), 0);
	used = (uint64_t)(s.ru.ru_utime.tv_sec + s.ru.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (uint64_t)(s.ru.ru_utime.tv_usec + s.ru.ru_stime.tv_usec) * 1000;
	assert_true(used > 0);
	assert_true(s.ru.ru_maxrss > 0 && s.ru.ru_minflt > 0);
	assert_true(before <= s.start_ns && s.start_ns < s.end_ns && s.end_ns <= clock_mono_ns());
}

static void captures(void **state)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(capture("echo out; echo err >&2; exit 3", false, &out), 3);
	assert_string_equal(strbuf_str(&out), "out\n");
	assert_int_equal(capture("echo out; echo err >&2", true, &out), 0);
	assert_string_equal(strbuf_str(&out), "out\nout\nerr\n");
	assert_int_equal(capture("kill -KILL $$", false, &out), 128 + SIGKILL);
	strbuf_reset(&out);
	/* More than a pipe holds, and more than is kept. */
	assert_int_equal(capture("dd if=/dev/zero bs=65536 count=20; exit 5", false, &out), 5);
	assert_int_equal(out.len, 1 << 20);
}

static void capture_fails(void **state)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	__cleanup_strvec struct strvec argv = STRVEC_INIT, late = STRVEC_INIT;

	(void)state;
	strvec_push(&argv, "fsdelta-no-such-program");
	assert_int_equal(spawn_capture(&argv, true, LONG, &out), -ENOENT);
	sh(&late, "while :; do read x; done </dev/zero");
	assert_int_equal(spawn_capture(&late, true, 50 * NSEC_PER_MSEC, &out), -ETIME);
}

/* Is the process gone, or dead and only not reaped by its new parent yet? */
static int is_gone(void *arg)
{
	__cleanup_free char *stat = proc_read("", "/proc/%s/stat", (char *)arg);
	char *state = stat ? strrchr(stat, ')') : NULL;

	return !state || state[2] == 'Z' || state[2] == 'X';
}

static const char family[] =
	"sh -c 'trap \"\" TERM HUP INT; echo $$ >grandchild; exec cat fifo' & echo $! >/dev/null\n"
	"trap '' TERM\nwhile [ ! -s grandchild ]; do :; done\necho ready >&2\nwait\n";

static void family_is_gone(void **state)
{
	__cleanup_free char *path = scratch_path(state, "grandchild");
	__cleanup_strbuf struct strbuf pid = STRBUF_INIT;

	assert_int_equal(file_read(path, &pid, 0), 0);
	pid.buf[strcspn(pid.buf, "\n")] = '\0';
	assert_true(strlen(pid.buf) > 0);
	assert_true(clock_wait_until(is_gone, pid.buf, 5 * NSEC_PER_SEC));
}

/* The grandchild holds a fifo open that nobody writes to: it would stay for ever. */
static void deadline_kills_the_group(void **state)
{
	__cleanup_free char *born = scratch_path(state, "grandchild");
	__cleanup_free char *fifo = scratch_path(state, "fifo");
	struct spawn s = SPAWN_INIT;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	s.cwd = *state;
	/* Until the machine is fast enough to have the family complete by then. */
	s.timeout_ns = 250 * NSEC_PER_MSEC;
	do {
		s.timeout_ns *= 2;
		assert_int_equal(run(&s, family), -ETIME);
	} while (!file_exists(born) && s.timeout_ns < LONG);
	assert_true(s.timed_out);
	assert_false(s.aborted || s.unkillable);
	assert_true(WIFSIGNALED(s.status) && WTERMSIG(s.status) == SIGKILL);
	assert_true(s.end_ns - s.start_ns >= s.timeout_ns);
	family_is_gone(state);
}

static void abort_kills_the_group(void **state)
{
	__cleanup_free char *fifo = scratch_path(state, "fifo");
	struct spawn s = SPAWN_INIT;
	int fds[2];

	/* It says that it is ready through the very pipe that aborts it. */
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	s.cwd = *state;
	s.stderr_fd = fds[1];
	s.abort_fd = fds[0];
	s.timeout_ns = LONG;
	assert_int_equal(run(&s, family), -ECANCELED);
	assert_true(s.aborted);
	assert_false(s.timed_out);
	assert_true(WIFSIGNALED(s.status) && WTERMSIG(s.status) == SIGKILL);
	family_is_gone(state);
	close(fds[0]);
	close(fds[1]);
}

static void deadlines_of_any_length(void **state)
{
	static const uint64_t long_ones[] = { LONG, 30ULL * 24 * 3600 * NSEC_PER_SEC,
					      4294967295ULL * NSEC_PER_SEC, UINT64_MAX };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(long_ones); i++) {
		struct spawn s = SPAWN_INIT;

		s.timeout_ns = long_ones[i];
		assert_int_equal(run(&s, "exit 4"), 0);
		assert_int_equal(WEXITSTATUS(s.status), 4);
	}
}

/* Even those that were opened without O_CLOEXEC. */
static void no_descriptors_leak(void **state)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	__cleanup_close int plain = open("/dev/null", O_RDONLY);
	__cleanup_close int high = fcntl(plain, F_DUPFD, 200);

	(void)state;
	assert_true(plain > 2 && high >= 200);
	strvec_push(&argv, "ls");
	strvec_push(&argv, "/proc/self/fd");
	assert_int_equal(spawn_capture(&argv, true, LONG, &out), 0);
	/* 3 is the folder that ls reads. */
	assert_string_equal(strbuf_str(&out), "0\n1\n2\n3\n");
}

static void signals_are_default(void **state)
{
	static const char *const masks[] = { "SigBlk", "SigIgn", "SigCgt" };
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	struct sigaction old_pipe, old_usr;
	sigset_t all, old;
	int ret;

	(void)state;
	sigfillset(&all);
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, &old_pipe);
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = SIG_IGN }, &old_usr);
	sigprocmask(SIG_SETMASK, &all, &old);
	ret = capture("exec cat /proc/self/status", false, &out);
	sigprocmask(SIG_SETMASK, &old, NULL);
	sigaction(SIGPIPE, &old_pipe, NULL);
	sigaction(SIGUSR1, &old_usr, NULL);
	assert_int_equal(ret, 0);
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		__cleanup_free char *mask = proc_field(strbuf_str(&out), masks[i]);

		assert_non_null(mask);
		/* 32 and 33 are the C library's own: whoever started us may have ignored them. */
		assert_int_equal(strtoull(mask, NULL, 16) & ~(3ULL << 31), 0);
	}
}

static void leads_its_group(void **state)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	int pid = 0, ppid = 0, pgrp = 0;

	(void)state;
	assert_int_equal(capture("exec cat /proc/self/stat", false, &out), 0);
	assert_int_equal(sscanf(strrchr(strbuf_str(&out), ')'), ") %*c %d %d", &ppid, &pgrp), 2);
	assert_int_equal(sscanf(strbuf_str(&out), "%d", &pid), 1);
	assert_int_equal(pgrp, pid);
	assert_int_equal(ppid, getpid());
}

/* In a child, since it takes our own descriptors away; its exit status is what is wrong. */
static int without_standard_files(const char *dir)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	__cleanup_strbuf struct strbuf got = STRBUF_INIT;
	struct spawn s = SPAWN_INIT;
	int err;

	sh(&argv, "echo out; echo err >&2");
	if (chdir(dir))
		return 1;
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	/* These are 0 and 1 now: each where the other is to go, or in its way. */
	s.stderr_fd = open("err", O_RDWR | O_CREAT, 0600);
	s.stdout_fd = open("out", O_RDWR | O_CREAT, 0600);
	err = s.stderr_fd;
	if (err != 0 || s.stdout_fd != 1)
		return 2;
	s.argv = &argv;
	if (spawn_run(&s) || s.status)
		return 3;
	s.stdout_fd = err;
	s.stderr_fd = 1;
	if (spawn_run(&s) || s.status)
		return 4;
	if (file_read("out", &got, 0) || strcmp(strbuf_str(&got), "out\nerr\n"))
		return 5;
	strbuf_reset(&got);
	if (file_read("err", &got, 0) || strcmp(strbuf_str(&got), "err\nout\n"))
		return 6;
	strvec_release(&argv);
	strvec_push(&argv, "no-such-program");
	return spawn_run(&s) == -ENOENT ? 0 : 7;
}

static void low_descriptors(void **state)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(without_standard_files(*state));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_status),
		cmocka_unit_test(status_text),
		scratch_test(cannot_start),
		scratch_test(setting),
		cmocka_unit_test(resource_use_and_times),
		cmocka_unit_test(captures),
		cmocka_unit_test(capture_fails),
		scratch_test(deadline_kills_the_group),
		scratch_test(abort_kills_the_group),
		cmocka_unit_test(deadlines_of_any_length),
		cmocka_unit_test(no_descriptors_leak),
		cmocka_unit_test(signals_are_default),
		cmocka_unit_test(leads_its_group),
		scratch_test(low_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
