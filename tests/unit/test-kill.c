// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SIGKILL at random moments of a run, to the supervisor and to its parent: no process, no
 * loop device and so no mount may be left, and the image must be free again.
 *
 * FSDELTA_KILLS: how many of each (default 10); FSDELTA_SEED: of the moments.
 */
#include "tests/unit/envtest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/proc.h"

#define MIB (1024 * 1024ULL)
#define LONGEST_MS 400
#define GONE_NS (20 * NSEC_PER_SEC)

struct victim {
	char *dir, *mnt, *image;
	pid_t parent, supervisor;
	ino_t pid_ns; /* of the supervisor; processes in it are its own */
	struct stat image_st;
};

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *s = getenv(name);

	return s ? strtoul(s, NULL, 10) : otherwise;
}

/* --- what is killed --- */

static int one_life(struct env *env, const struct victim *v, const char *type, bool memory)
{
	struct env_disk_spec spec = { .kind = memory ? ENV_DISK_MEMORY : ENV_DISK_IMAGE,
				      .path = v->image, .size = 512 * MIB };
	__cleanup_free char *path = xasprintf("%s/file", v->mnt);
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct env_disk disk = ENV_DISK_INIT;
	uint64_t ns;

	CHECK_ENV(env, env->ops->attach(env, &spec, &disk));
	if (envtest_mkfs_argv(type, ENV_LABEL, disk.node, &argv)) {
		CHECK_ENV(env, env->ops->mkfs(env, &argv, -1));
		CHECK_ENV(env, env->ops->mount(env, &disk, v->mnt, type, NULL));
		CHECK(file_write(path, argv.v[0], strlen(argv.v[0])) == 0);
		CHECK_ENV(env, env->ops->sync(env, v->mnt));
		CHECK_ENV(env, env->ops->umount(env, v->mnt, &ns));
	}
	CHECK_ENV(env, env->ops->detach(env, &disk));
	env_disk_release(&disk);
	return 0;
}

static int live_on(void *arg)
{
	static const char *const types[] = { "btrfs", "xfs", "ext4" };
	struct env env = { .ops = &env_real };
	pid_t pid = fork();

	/* Something that only the end of the namespace can reach. */
	if (pid == 0) {
		setsid();
		for (;;)
			pause();
	}
	for (size_t i = 0;; i++)
		if (one_life(&env, arg, types[i % ARRAY_SIZE(types)], i % 4 == 3))
			return 1;
}

/* The parent: reports the supervisor's pid at once, and waits for it. */
static void be_parent(struct victim *v, int report)
{
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pid = env_supervise(true, live_on, v);
	if (write(report, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	_exit(0);
}

/* --- what may be left --- */

static ino_t pid_ns_of(const char *pid)
{
	__cleanup_free char *path = xasprintf("/proc/%s/ns/pid", pid);
	struct stat st;

	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static size_t processes_of(const struct victim *v)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	size_t n = 0;

	while (proc && (e = readdir(proc)))
		if (e->d_name[0] >= '0' && e->d_name[0] <= '9')
			n += v->pid_ns && pid_ns_of(e->d_name) == v->pid_ns;
	if (proc)
		closedir(proc);
	return n;
}

/* By the name of the file, which is only in this test's folder. */
static size_t loops_of(const struct victim *v)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *e;
	size_t n = 0;

	while (dir && (e = readdir(dir))) {
		__cleanup_free char *file = proc_read_line("", "/sys/block/%s/loop/backing_file",
							   e->d_name);

		n += file && str_starts(file, v->image);
	}
	if (dir)
		closedir(dir);
	return n;
}

static bool image_is_free(const struct victim *v)
{
	__cleanup_close int fd = open(v->image, O_RDONLY | O_CLOEXEC);

	return fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static int nothing_left(void *arg)
{
	const struct victim *v = arg;

	return processes_of(v) == 0 && loops_of(v) == 0 && image_is_free(v);
}

static bool is_host_mount(const struct victim *v)
{
	__cleanup_free char *mounts = proc_read("", "/proc/self/mountinfo");

	return strstr(mounts, v->dir) != NULL;
}

/* --- the kills --- */

static void start(struct victim *v)
{
	int fds[2];

	fflush(NULL);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	v->parent = fork();
	if (v->parent == 0)
		be_parent(v, fds[1]);
	assert_true(v->parent > 0);
	close(fds[1]);
	assert_int_equal(read(fds[0], &v->supervisor, sizeof(v->supervisor)),
			 sizeof(v->supervisor));
	close(fds[0]);
	assert_true(v->supervisor > 0);
}

static void kill_at_random(bool parent)
{
	unsigned int seed = (unsigned int)setting("FSDELTA_SEED", (unsigned long)getpid());
	unsigned long kills = setting("FSDELTA_KILLS", 10);
	struct victim v = { 0 };

	envtest_need_root();
	v.dir = envtest_folder();
	v.mnt = xasprintf("%s/mnt", v.dir);
	v.image = xasprintf("%s/image", v.dir);
	print_message("# FSDELTA_SEED=%u\n", seed);
	for (unsigned long i = 0; i < kills; i++) {
		__cleanup_free char *pid = NULL;

		start(&v);
		pid = xasprintf("%d", v.supervisor);
		v.pid_ns = pid_ns_of(pid);
		assert_true(v.pid_ns != 0 && v.pid_ns != pid_ns_of("self"));
		/* The moment is what is random, nothing is waited for. */
		poll(NULL, 0, rand_r(&seed) % LONGEST_MS);
		assert_true(processes_of(&v) >= 1);
		kill(parent ? v.parent : v.supervisor, SIGKILL);
		assert_int_equal(waitpid(v.parent, NULL, 0), v.parent);
		assert_true(clock_wait_until(nothing_left, &v, GONE_NS));
		assert_false(is_host_mount(&v));
	}
	free(v.mnt);
	free(v.image);
	envtest_remove(v.dir);
}

static void a_killed_supervisor_leaves_nothing(void **state)
{
	(void)state;
	kill_at_random(false);
}

static void a_killed_parent_leaves_nothing(void **state)
{
	(void)state;
	kill_at_random(true);
}

/* --- a parent that dies while the supervisor starts --- */

struct starter {
	int trace; /* the write end is in every process of the family */
	int born;
};

static int be_born(void *arg)
{
	const struct starter *s = arg;

	if (write(s->born, "", 1) != 1)
		return 1;
	for (;;)
		pause();
}

/* Killed within the first moments, env_supervise() included. End of file: nobody is left. */
static void a_parent_killed_early_leaves_nothing(void **state)
{
	unsigned int seed = (unsigned int)setting("FSDELTA_SEED", (unsigned long)getpid());
	unsigned long kills = 5 * setting("FSDELTA_KILLS", 10);
	int early = 0;

	(void)state;
	envtest_need_root();
	fflush(NULL);
	for (unsigned long i = 0; i < kills; i++) {
		struct timespec moment = { .tv_nsec = rand_r(&seed) % 20000000 };
		int trace[2], born[2];
		char c;

		assert_int_equal(pipe2(trace, O_CLOEXEC) | pipe2(born, O_CLOEXEC | O_NONBLOCK), 0);
		pid_t pid = fork();

		if (pid == 0) {
			struct starter s = { trace[1], born[1] };

			env_supervise(true, be_born, &s);
			for (;;)
				pause();
		}
		close(trace[1]);
		close(born[1]);
		ppoll(NULL, 0, &moment, NULL);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		struct pollfd p = { .fd = trace[0], .events = POLLIN };

		assert_int_equal(poll(&p, 1, (int)(GONE_NS / NSEC_PER_MSEC)), 1);
		assert_int_equal(read(trace[0], &c, 1), 0);
		early += read(born[0], &c, 1) != 1;
		close(trace[0]);
		close(born[0]);
	}
	print_message("# %d of %lu parents died before the supervisor had begun\n", early, kills);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_parent_killed_early_leaves_nothing),
		cmocka_unit_test(a_killed_supervisor_leaves_nothing),
		cmocka_unit_test(a_killed_parent_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
