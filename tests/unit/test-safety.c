// SPDX-License-Identifier: GPL-2.0-or-later
/* What env_device_check() says of real devices, and what it lets happen to them. */
#include "tests/unit/envtest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "harness/env/internal.h"
#include "lib/file.h"
#include "lib/mem.h"

#define MIB (1024 * 1024ULL)

static int foreign_signature(void *arg)
{
	struct env env = { .ops = &env_real };
	struct env_disk disk = ENV_DISK_INIT, again = ENV_DISK_INIT;
	struct env_disk_spec spec = { .kind = ENV_DISK_BLOCK };

	(void)arg;
	CHECK_ENV(&env, envtest_attach_memory(&env, &disk, 64 * MIB));
	CHECK(envtest_says(ENV_DISK_BLOCK, disk.node, false, "can be another device after the next boot"));
	CHECK(envtest_says(ENV_DISK_BLOCK, disk.node, true, ""));
	CHECK_ENV(&env, envtest_format(&env, "ext4", "backup", disk.node));
	CHECK(envtest_says(ENV_DISK_BLOCK, disk.node, false,
		   "holds ext4 labelled 'backup', which fsdelta did not make"));
	CHECK(envtest_says(ENV_DISK_BLOCK, disk.node, true, ""));
	/* What the check refuses, attach refuses: the check is not only advice. */
	spec.path = disk.node;
	CHECK(env.ops->attach(&env, &spec, &again) == -EPERM);
	CHECK(strstr(env.error.buf, "labelled 'backup'"));
	CHECK_ENV(&env, envtest_format(&env, "ext4", NULL, disk.node));
	CHECK(envtest_says(ENV_DISK_BLOCK, disk.node, false, "holds ext4, which"));
	CHECK_ENV(&env, envtest_format(&env, "ext4", ENV_LABEL, disk.node));
	CHECK(envtest_says(ENV_DISK_BLOCK, disk.node, true, ""));
	spec.force = disk.node;
	CHECK_ENV(&env, env.ops->attach(&env, &spec, &again));
	/* The other one of two at the same time. */
	CHECK(envtest_says(ENV_DISK_BLOCK, disk.node, true, "is in use by another fsdelta"));
	CHECK_ENV(&env, env.ops->detach(&env, &again));
	env_disk_release(&again);
	env_disk_release(&disk);
	env_release(&env);
	return 0;
}

/* A sector as DOS and after it everybody wrote it: one partition of Linux. */
static int partition_table(void *arg)
{
	static const unsigned char entry[16] = {
		0, 0, 2, 0, 0x83, 0, 0, 0, 0x00, 0x08, 0, 0, 0x00, 0x40, 0, 0,
	};
	unsigned char sector[512] = { 0 };
	struct env env = { .ops = &env_real };
	struct env_disk disk = ENV_DISK_INIT;

	(void)arg;
	CHECK_ENV(&env, envtest_attach_memory(&env, &disk, 64 * MIB));
	memcpy(sector + 446, entry, sizeof(entry));
	sector[510] = 0x55;
	sector[511] = 0xaa;
	CHECK(pwrite(disk.fd, sector, sizeof(sector), 0) == sizeof(sector));
	CHECK(envtest_says(ENV_DISK_BLOCK, disk.node, true, "holds a partition table (dos)"));
	env_disk_release(&disk);
	return 0;
}

/* @n MiB of no file system at all, from MiB @from. */
static int scribble(int fd, unsigned int from, unsigned int n)
{
	__cleanup_free char *data = xmalloc(MIB);
	uint64_t x = 88172645463325252ULL;

	for (; n--; from++) {
		for (size_t i = 0; i < MIB; i += sizeof(x)) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			memcpy(data + i, &x, sizeof(x));
		}
		if (pwrite(fd, data, MIB, (off_t)(from * MIB)) != (ssize_t)MIB)
			return -1;
	}
	return 0;
}

static int unknown_data(void *arg)
{
	/* All of it; the last MiB; the middle. */
	static const struct { unsigned int from, n; } at[] = { { 0, 64 }, { 63, 1 }, { 30, 4 } };

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		struct env env = { .ops = &env_real };
		struct env_disk disk = ENV_DISK_INIT, again = ENV_DISK_INIT;
		struct env_disk_spec spec = { .kind = ENV_DISK_BLOCK };

		CHECK_ENV(&env, envtest_attach_memory(&env, &disk, 64 * MIB));
		CHECK(scribble(disk.fd, at[i].from, at[i].n) == 0);
		CHECK(envtest_says(ENV_DISK_BLOCK, disk.node, false, "has data on it that is no "
				   "file system known here"));
		CHECK(envtest_says(ENV_DISK_BLOCK, disk.node, true, ""));
		spec.path = disk.node;
		CHECK(env.ops->attach(&env, &spec, &again) == -EPERM);
		CHECK(strstr(env.error.buf, "has data on it"));
		env_disk_release(&disk);
		env_release(&env);
	}
	return 0;
}

static int mounted_devices(void *arg)
{
	__cleanup_free char *dir = xasprintf("%s/a b", (char *)arg);
	__cleanup_free char *two = xasprintf("%s/two", (char *)arg);
	struct env env = { .ops = &env_real }, other = env;
	struct env_disk disk = ENV_DISK_INIT, a = ENV_DISK_INIT, b = ENV_DISK_INIT;
	__cleanup_free char *want = xasprintf("is mounted on %s", dir);

	CHECK_ENV(&env, envtest_attach_memory(&env, &disk, 64 * MIB));
	CHECK_ENV(&env, envtest_format(&env, "ext4", ENV_LABEL, disk.node));
	CHECK_ENV(&env, env.ops->mount(&env, &disk, dir, "ext4", NULL));
	CHECK(envtest_says(ENV_DISK_BLOCK, disk.node, true, want));
	/* A btrfs of two devices, mounted by the first: mountinfo does not show the second. */
	CHECK_ENV(&env, envtest_attach_memory(&env, &a, 256 * MIB));
	CHECK_ENV(&env, envtest_attach_memory(&env, &b, 256 * MIB));
	CHECK(RUN("mkfs.btrfs", "-q", "-f", "-L", ENV_LABEL, a.node, b.node) == 0);
	CHECK(RUN("btrfs", "device", "scan", b.node) == 0);
	CHECK_ENV(&other, other.ops->mount(&other, &a, two, "btrfs", NULL));
	CHECK(envtest_says(ENV_DISK_BLOCK, a.node, true, "two"));
	CHECK(envtest_says(ENV_DISK_BLOCK, b.node, true, "is part of the btrfs"));
	env_disk_release(&disk);
	env_disk_release(&a);
	env_disk_release(&b);
	return 0;
}

static int loop_on_loop(void *arg)
{
	struct env env = { .ops = &env_real };
	struct env_disk lower = ENV_DISK_INIT, upper = ENV_DISK_INIT;
	__cleanup_free char *want = NULL;

	(void)arg;
	CHECK_ENV(&env, envtest_attach_memory(&env, &lower, 64 * MIB));
	upper.backing_fd = open(lower.node, O_RDWR | O_CLOEXEC);
	CHECK_ENV(&env, env_loop_attach(&env, &upper, "upper", 64 * MIB));
	want = xasprintf("is what %s is attached to", upper.sys_name);
	CHECK(envtest_says(ENV_DISK_BLOCK, lower.node, true, want));
	CHECK_ENV(&env, env.ops->detach(&env, &upper));
	CHECK(envtest_says(ENV_DISK_BLOCK, lower.node, true, ""));
	env_disk_release(&upper);
	env_disk_release(&lower);
	return 0;
}

static int renamed(void *arg)
{
	__cleanup_free char *link = xasprintf("%s/link", (char *)arg);
	__cleanup_strvec struct strvec problems = STRVEC_INIT;
	struct env env = { .ops = &env_real };
	struct env_disk a = ENV_DISK_INIT, b = ENV_DISK_INIT;
	struct env_disk_spec spec = { .kind = ENV_DISK_BLOCK, .path = link, .force = link };

	CHECK_ENV(&env, envtest_attach_memory(&env, &a, 64 * MIB));
	CHECK_ENV(&env, envtest_attach_memory(&env, &b, 64 * MIB));
	CHECK(symlink(a.node, link) == 0);
	env_device_check_locked("", &spec, a.fd, &problems);
	CHECK(problems.n == 0);
	CHECK(unlink(link) == 0 && symlink(b.node, link) == 0);
	env_device_check_locked("", &spec, a.fd, &problems);
	CHECK(problems.n == 1 && strstr(problems.v[0], "is another device than"));
	env_disk_release(&a);
	env_disk_release(&b);
	return 0;
}

struct elsewhere {
	char *dir;
	int node, release;
};

static int mounted_elsewhere(void *arg)
{
	const struct elsewhere *e = arg;
	struct env env = { .ops = &env_real };
	struct env_disk disk = ENV_DISK_INIT;
	char c;

	CHECK_ENV(&env, envtest_attach_memory(&env, &disk, 64 * MIB));
	CHECK_ENV(&env, envtest_format(&env, "ext4", ENV_LABEL, disk.node));
	CHECK_ENV(&env, env.ops->mount(&env, &disk, e->dir, "ext4", NULL));
	CHECK(write(e->node, disk.node, strlen(disk.node)) > 0);
	CHECK(read(e->release, &c, 1) == 0);
	return 0;
}

/* A container's mount is not in our mountinfo. */
static void a_mount_in_another_namespace_is_noticed(void **state)
{
	struct elsewhere e = { 0 };
	char node[64] = "";
	int to[2], from[2], status;
	pid_t pid;
	bool ok;

	(void)state;
	envtest_need_root();
	e.dir = envtest_folder();
	assert_int_equal(pipe2(to, O_CLOEXEC) | pipe2(from, O_CLOEXEC), 0);
	e.node = from[1];
	e.release = to[0];
	pid = fork();
	if (pid == 0) {
		/* Else the child would keep its own release from coming. */
		close(to[1]);
		pid = env_supervise(true, mounted_elsewhere, &e);
		close(from[1]);
		waitpid(pid, &status, 0);
		_exit(status != 0);
	}
	close(from[1]);
	assert_true(read(from[0], node, sizeof(node) - 1) > 0);
	ok = envtest_says(ENV_DISK_BLOCK, node, true, "in use by the kernel or another program");
	close(to[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(to[0]);
	close(from[0]);
	assert_int_equal(status, 0);
	assert_true(ok);
	envtest_remove(e.dir);
}

static int not_devices(void *arg)
{
	__cleanup_free char *file = xasprintf("%s/file", (char *)arg);

	CHECK(file_write(file, "x", 1) == 0);
	CHECK(envtest_says(ENV_DISK_BLOCK, file, true, "is not a block device"));
	CHECK(envtest_says(ENV_DISK_BLOCK, "/dev/null", true, "is not a block device"));
	CHECK(envtest_says(ENV_DISK_BLOCK, "/dev/nonexistent", true, "No such file or directory"));
	return 0;
}

static void a_foreign_signature_is_refused(void **state)
{
	(void)state;
	envtest_in_folder(foreign_signature);
}

static void unknown_data_is_refused(void **state)
{
	(void)state;
	envtest_in_folder(unknown_data);
}

static void a_partition_table_is_refused(void **state)
{
	(void)state;
	envtest_in_folder(partition_table);
}

static void mounted_devices_are_refused(void **state)
{
	(void)state;
	envtest_in_folder(mounted_devices);
}

static void what_backs_a_loop_device_is_refused(void **state)
{
	(void)state;
	envtest_in_folder(loop_on_loop);
}

static void a_name_that_moves_is_noticed(void **state)
{
	(void)state;
	envtest_in_folder(renamed);
}

static void what_is_no_device_is_refused(void **state)
{
	(void)state;
	envtest_in_folder(not_devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_foreign_signature_is_refused),
		cmocka_unit_test(unknown_data_is_refused),
		cmocka_unit_test(a_partition_table_is_refused),
		cmocka_unit_test(mounted_devices_are_refused),
		cmocka_unit_test(what_backs_a_loop_device_is_refused),
		cmocka_unit_test(a_name_that_moves_is_noticed),
		cmocka_unit_test(a_mount_in_another_namespace_is_noticed),
		cmocka_unit_test(what_is_no_device_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
