// SPDX-License-Identifier: GPL-2.0-or-later
/* Supervisors, with and without privileges, and what becomes of their processes. */
#include "tests/unit/envtest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/mem.h"

#define NOBODY 65534
#define WAIT_NS (10 * NSEC_PER_SEC)

/* A process of a session of its own, that ignores what can be ignored, and its child. */
static pid_t start_daemon(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	setsid();
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	if (fork() == 0)
		setsid();
	for (;;)
		pause();
}

/* --- what the supervised process finds --- */

static int first_process(void *arg)
{
	sigset_t blocked;
	char link[16] = "";

	CHECK(getpid() == 1 && getppid() == 0);
	CHECK(getsid(0) == 1);
	CHECK(readlink("/proc/self", link, sizeof(link) - 1) == 1 && !strcmp(link, "1"));
	CHECK(sigprocmask(SIG_BLOCK, NULL, &blocked) == 0);
	CHECK(!sigismember(&blocked, SIGTERM));
	return *(int *)arg;
}

static void a_supervisor_is_the_first_process(void **state)
{
	sigset_t block, old;
	int want = 0;

	(void)state;
	envtest_need_root();
	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &old);
	envtest_supervised(first_process, &want);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void its_status_is_the_functions(void **state)
{
	int want = 42, status;
	pid_t pid;

	(void)state;
	envtest_need_root();
	pid = env_supervise(true, first_process, &want);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
}

static int kill_them(void *arg)
{
	__cleanup_strbuf struct strbuf stuck = STRBUF_INIT;

	(void)arg;
	for (int i = 0; i < 5; i++)
		CHECK(start_daemon() > 0);
	CHECK(env_kill_stragglers(WAIT_NS, &stuck) == 0);
	CHECK(stuck.len == 0);
	/* Nobody is left, grandchildren included. */
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	return 0;
}

static void stragglers_are_killed(void **state)
{
	(void)state;
	envtest_need_root();
	envtest_supervised(kill_them, NULL);
}

/* --- without privileges --- */

/* Clears everything that root has; new namespaces can be forbidden as a container does it. */
static int become_nobody(bool forbid)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER | CLONE_NEWPID, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = ARRAY_SIZE(code), .filter = code };

	if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
		return -errno;
	prctl(PR_SET_DUMPABLE, 1);
	if (!forbid)
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return -errno;
	return 0;
}

static int unprivileged(void *arg)
{
	uid_t uid = *(uid_t *)arg;

	CHECK(getuid() == uid && geteuid() == uid);
	return kill_them(NULL);
}

static pid_t start_bystander(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

/* In a child of the test, since there is no way back from nobody. */
static int supervise_as_nobody(bool forbid)
{
	pid_t pid, bystander;
	int status;
	uid_t uid;

	CHECK(become_nobody(forbid) == 0);
	uid = geteuid();
	bystander = start_bystander();
	CHECK(bystander > 0);
	pid = env_supervise(false, unprivileged, &uid);
	CHECK(pid > 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	if (forbid)
		CHECK(env_supervise(true, unprivileged, &uid) == -EPERM);
	/* Whatever else this user runs was no straggler. */
	CHECK(waitpid(bystander, NULL, WNOHANG) == 0);
	kill(bystander, SIGKILL);
	return 0;
}

static void assert_as_nobody(bool forbid)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(supervise_as_nobody(forbid));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void it_works_without_privileges(void **state)
{
	(void)state;
	assert_as_nobody(false);
}

static void it_works_where_namespaces_are_forbidden(void **state)
{
	(void)state;
	assert_as_nobody(true);
}

/* --- a kill --- */

/* How many processes other than ourselves have the folder open? */
static size_t users_of(const char *dir)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	struct stat want, st;
	size_t n = 0;

	assert_int_equal(stat(dir, &want), 0);
	while (proc && (e = readdir(proc))) {
		__cleanup_free char *cwd = xasprintf("/proc/%s/cwd", e->d_name);

		n += e->d_name[0] >= '0' && e->d_name[0] <= '9' && stat(cwd, &st) == 0 &&
		     st.st_ino == want.st_ino && st.st_dev == want.st_dev;
	}
	if (proc)
		closedir(proc);
	return n;
}

static int nobody_is_there(void *arg)
{
	return users_of(arg) == 0;
}

struct there {
	const char *dir;
	int ready;
};

static int stay_there(void *arg)
{
	const struct there *t = arg;

	CHECK(chdir(t->dir) == 0);
	CHECK(start_daemon() > 0);
	CHECK(write(t->ready, "", 1) == 1);
	for (;;)
		pause();
}

static void a_kill_takes_daemons_along(void **state)
{
	struct there t = { 0 };
	char *dir;
	int fds[2];
	char c;
	pid_t pid;

	(void)state;
	envtest_need_root();
	t.dir = dir = envtest_folder();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	t.ready = fds[1];
	pid = env_supervise(true, stay_there, &t);
	assert_true(pid > 0);
	assert_int_equal(read(fds[0], &c, 1), 1);
	assert_true(users_of(dir) >= 2);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(clock_wait_until(nobody_is_there, dir, WAIT_NS));
	close(fds[0]);
	close(fds[1]);
	envtest_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_supervisor_is_the_first_process),
		cmocka_unit_test(its_status_is_the_functions),
		cmocka_unit_test(stragglers_are_killed),
		cmocka_unit_test(it_works_without_privileges),
		cmocka_unit_test(it_works_where_namespaces_are_forbidden),
		cmocka_unit_test(a_kill_takes_daemons_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
