// SPDX-License-Identifier: GPL-2.0-or-later
/* Mount points: only ours is unmounted, never lazily; and when a file system has settled. */
#include "tests/unit/envtest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "harness/env/internal.h"
#include "lib/clock.h"
#include "lib/mem.h"

#define MIB (1024 * 1024ULL)

static int only_ours_is_unmounted(void *arg)
{
	struct env env = { .ops = &env_real }, other = env;
	struct env_disk disk = ENV_DISK_INIT;
	const char *dir = arg;
	uint64_t ns;

	/* A plain folder: what is mounted "there" is the root file system. */
	CHECK(env.ops->umount(&env, dir, &ns) == -EINVAL);
	CHECK(mount("stranger", dir, "tmpfs", 0, NULL) == 0);
	CHECK(env.ops->umount(&env, dir, &ns) == -EINVAL);
	CHECK_ENV(&env, envtest_attach_memory(&env, &disk, 64 * MIB));
	CHECK_ENV(&env, envtest_format(&env, "ext4", ENV_LABEL, disk.node));
	CHECK(env.ops->mount(&env, &disk, dir, "ext4", NULL) == -EBUSY);
	CHECK(strstr(env.error.buf, "stranger is mounted on"));
	CHECK(umount2(dir, 0) == 0);
	CHECK_ENV(&env, env.ops->mount(&env, &disk, dir, "ext4", NULL));
	/* Something mounted over it later is not ours either. */
	CHECK(mount("stranger", dir, "tmpfs", 0, NULL) == 0);
	CHECK(env.ops->umount(&env, dir, &ns) == -EINVAL);
	CHECK(umount2(dir, 0) == 0);
	CHECK(other.ops->umount(&other, dir, &ns) == -EINVAL);
	CHECK_ENV(&env, env.ops->umount(&env, dir, &ns));
	env_disk_release(&disk);
	env_release(&env);
	env_release(&other);
	return 0;
}

static pid_t sit_in(const char *dir)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (chdir(dir))
		_exit(1);
	for (;;)
		pause();
}

static int is_in(void *arg)
{
	__cleanup_strbuf struct strbuf who = STRBUF_INIT;

	env_holders_of_mount(arg, &who);
	return who.len != 0;
}

static int busy_mount(void *arg)
{
	struct env env = { .ops = &env_real, .patience_ns = NSEC_PER_SEC };
	struct env_disk disk = ENV_DISK_INIT;
	__cleanup_free char *want = NULL;
	uint64_t ns = 0;
	pid_t pid;

	CHECK_ENV(&env, envtest_attach_memory(&env, &disk, 64 * MIB));
	CHECK_ENV(&env, envtest_format(&env, "ext4", ENV_LABEL, disk.node));
	CHECK_ENV(&env, env.ops->mount(&env, &disk, arg, "ext4", NULL));
	pid = sit_in(arg);
	CHECK(clock_wait_until(is_in, arg, NSEC_PER_SEC));
	want = xasprintf("(pid %d, its current folder)", pid);
	CHECK(env.ops->umount(&env, arg, &ns) == -EBUSY);
	CHECK(strstr(env.error.buf, want));
	/* Still there, not only out of sight. */
	CHECK(env.ops->detach(&env, &disk) == -EBUSY);
	CHECK(strstr(env.error.buf, "mounted on"));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	env.patience_ns = 0;
	CHECK_ENV(&env, env.ops->umount(&env, arg, &ns));
	CHECK(ns > 0 && ns < 5 * NSEC_PER_SEC);
	CHECK(env_wait_loop_free(disk.sys_name, 5 * NSEC_PER_SEC) == 0);
	env_disk_release(&disk);
	env_release(&env);
	return 0;
}

static int lazy_tables(void *arg)
{
	struct env env = { .ops = &env_real };
	struct env_disk disk = ENV_DISK_INIT;

	CHECK_ENV(&env, envtest_attach_memory(&env, &disk, 512 * MIB));
	CHECK(RUN("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=1", disk.node) == 0);
	CHECK(env_ext4_lazy(disk.fd) == 1);
	CHECK_ENV(&env, env.ops->mount(&env, &disk, arg, "ext4", NULL));
	CHECK_ENV(&env, env.ops->settle(&env, &disk, arg));
	CHECK(env_ext4_lazy(disk.fd) == 0);
	CHECK(umount2(arg, 0) == 0);
	CHECK_ENV(&env, envtest_format(&env, "ext4", NULL, disk.node));
	CHECK(env_ext4_lazy(disk.fd) == 0);
	CHECK_ENV(&env, envtest_format(&env, "btrfs", NULL, disk.node));
	CHECK(env_ext4_lazy(disk.fd) < 0);
	env_disk_release(&disk);
	return 0;
}

static void only_ours_can_be_unmounted(void **state)
{
	(void)state;
	envtest_in_folder(only_ours_is_unmounted);
}

static void a_busy_mount_is_not_hidden(void **state)
{
	(void)state;
	envtest_in_folder(busy_mount);
}

static void lazy_tables_are_waited_for(void **state)
{
	(void)state;
	envtest_in_folder(lazy_tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_ours_can_be_unmounted),
		cmocka_unit_test(a_busy_mount_is_not_hidden),
		cmocka_unit_test(lazy_tables_are_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
