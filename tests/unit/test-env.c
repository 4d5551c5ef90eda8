// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a disk, for real; what the dry run prints; how a failure is planted. */
#include "tests/unit/envtest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/mounts.h"

#define MIB (1024 * 1024ULL)

/* --- dry and fault: no root --- */

static int all_steps(struct env *env, const struct env_disk_spec *spec, const char *options)
{
	struct env_disk disk = ENV_DISK_INIT;
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	uint64_t ns = 0;
	int ret;

	strvec_push(&argv, "mkfs.x");
	strvec_push(&argv, "-L");
	strvec_push(&argv, "a b");
	ret = env->ops->attach(env, spec, &disk);
	if (!ret)
		ret = env->ops->mkfs(env, &argv, -1);
	if (!ret)
		ret = env->ops->mount(env, &disk, "/run/my mnt", "x", options);
	if (!ret)
		ret = env->ops->sync(env, "/run/my mnt");
	if (!ret)
		ret = env->ops->settle(env, &disk, "/run/my mnt");
	if (!ret)
		ret = env->ops->drop_caches(env);
	if (!ret)
		ret = env->ops->umount(env, "/run/my mnt", &ns);
	if (!ret)
		ret = env->ops->detach(env, &disk);
	env_disk_release(&disk);
	return ret;
}

static void assert_dry(const struct env_disk_spec *spec, const char *options, const char *want)
{
	struct env env = { .ops = &env_dry };
	char *got = NULL;
	size_t len;

	env.out = open_memstream(&got, &len);
	assert_int_equal(all_steps(&env, spec, options), 0);
	fclose(env.out);
	assert_string_equal(got, want);
	free(got);
	env_release(&env);
}

static void a_dry_run_prints_commands(void **state)
{
	struct env_disk_spec memory = { .kind = ENV_DISK_MEMORY, .size = 512 * MIB };
	struct env_disk_spec image = { .kind = ENV_DISK_IMAGE, .size = MIB, .path = "/srv/a b" };
	struct env_disk_spec block = { .kind = ENV_DISK_BLOCK, .path = "/dev/disk/by-id/x" };

	(void)state;
	assert_dry(&memory, "noatime,commit=60",
		   "# attach /dev/loopN to 512 MiB of memory\n"
		   "mkfs.x -L 'a b'\n"
		   "mkdir -p '/run/my mnt'\n"
		   "mount -t x -o noatime,commit=60 /dev/loopN '/run/my mnt'\n"
		   "sync --file-system '/run/my mnt'\n"
		   "# wait until /dev/loopN is idle\n"
		   "sysctl -q vm.drop_caches=3\n"
		   "umount '/run/my mnt'\n"
		   "losetup --detach /dev/loopN\n");
	assert_dry(&image, NULL,
		   "truncate --size '>1048576' '/srv/a b'\n"
		   "losetup --find --show '/srv/a b'\n"
		   "mkfs.x -L 'a b'\n"
		   "mkdir -p '/run/my mnt'\n"
		   "mount -t x /dev/loopN '/run/my mnt'\n"
		   "sync --file-system '/run/my mnt'\n"
		   "# wait until /dev/loopN is idle\n"
		   "sysctl -q vm.drop_caches=3\n"
		   "umount '/run/my mnt'\n"
		   "losetup --detach /dev/loopN\n");
	assert_dry(&block, "",
		   "flock --exclusive --nonblock /dev/disk/by-id/x true\n"
		   "mkfs.x -L 'a b'\n"
		   "mkdir -p '/run/my mnt'\n"
		   "mount -t x /dev/disk/by-id/x '/run/my mnt'\n"
		   "sync --file-system '/run/my mnt'\n"
		   "# wait until /dev/disk/by-id/x is idle\n"
		   "sysctl -q vm.drop_caches=3\n"
		   "umount '/run/my mnt'\n"
		   "# wait until /dev/disk/by-id/x is free\n");
}

static void each_call_can_be_made_to_fail(void **state)
{
	static const char *const names[] = {
		"attach", "mkfs", "mount", "sync", "settle", "drop_caches", "umount", "detach",
	};
	struct env_disk_spec memory = { .kind = ENV_DISK_MEMORY, .size = MIB };
	__cleanup_fclose FILE *out = fopen("/dev/null", "w");

	(void)state;
	for (int i = 0; i < (int)ARRAY_SIZE(names); i++) {
		struct env env = { .ops = &env_fault, .fail_at = i, .fail_errno = ENOSPC,
				   .out = out };
		__cleanup_free char *want = xasprintf("%s fails on purpose: %s", names[i],
						      strerror(ENOSPC));

		assert_int_equal(all_steps(&env, &memory, NULL), -ENOSPC);
		assert_int_equal(env.calls, i + 1);
		assert_string_equal(strbuf_str(&env.error), want);
		env_release(&env);
	}
	struct env env = { .ops = &env_fault, .fail_at = -1, .out = out };

	assert_int_equal(all_steps(&env, &memory, NULL), 0);
	assert_int_equal(env.calls, 8);
}

/* --- real --- */

struct life {
	struct env_disk_spec spec;
	const char *type, *options, *dir;
};

static int write_something(const char *dir)
{
	__cleanup_free char *path = xasprintf("%s/file", dir);

	return file_write(path, "some text\n", 10);
}

static int mounted_life(struct env *env, const struct life *l, const struct env_disk *disk)
{
	__cleanup_free char *type = NULL, *options = NULL;
	uint64_t ns = 0;

	CHECK_ENV(env, env->ops->mount(env, disk, l->dir, l->type, l->options));
	CHECK(mounts_describe("", l->dir, &type, &options) == 0);
	CHECK(!strcmp(type, l->type) && strstr(options, "noatime"));
	CHECK(write_something(l->dir) == 0);
	CHECK_ENV(env, env->ops->sync(env, l->dir));
	CHECK_ENV(env, env->ops->settle(env, disk, l->dir));
	CHECK_ENV(env, env->ops->drop_caches(env));
	CHECK_ENV(env, env->ops->umount(env, l->dir, &ns));
	CHECK(ns > 0 && ns < 10 * NSEC_PER_SEC);
	/* Once is enough. */
	CHECK(env->ops->umount(env, l->dir, &ns) == -EINVAL);
	return 0;
}

static int whole_life(void *arg)
{
	const struct life *l = arg;
	struct env env = { .ops = &env_real };
	struct env_disk disk = ENV_DISK_INIT;
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	__cleanup_free char *name = NULL;

	CHECK_ENV(&env, env.ops->attach(&env, &l->spec, &disk));
	name = xstrdup(disk.sys_name);
	CHECK(envtest_mkfs_argv(l->type, ENV_LABEL, disk.node, &argv));
	CHECK_ENV(&env, env.ops->mkfs(&env, &argv, -1));
	if (mounted_life(&env, l, &disk))
		return 1;
	CHECK_ENV(&env, env.ops->detach(&env, &disk));
	CHECK(env_wait_loop_free(name, 0) == 0);
	env_disk_release(&disk);
	env_release(&env);
	return 0;
}

static void live(const char *type, enum env_disk_kind kind)
{
	struct life l = { .spec = { .kind = kind, .size = 512 * MIB }, .type = type,
			  .options = "noatime" };
	__cleanup_free char *image = NULL, *mnt = NULL;
	char *dir;

	envtest_need_fs(type);
	dir = envtest_folder();
	l.spec.path = image = xasprintf("%s/a disk", dir);
	l.dir = mnt = xasprintf("%s/a b", dir);
	envtest_supervised(whole_life, &l);
	/* Once more: the image is ours by its label now. */
	if (kind == ENV_DISK_IMAGE)
		envtest_supervised(whole_life, &l);
	envtest_remove(dir);
}

static void btrfs_lives_in_memory(void **state)
{
	(void)state;
	live("btrfs", ENV_DISK_MEMORY);
}

static void xfs_lives_in_memory(void **state)
{
	(void)state;
	live("xfs", ENV_DISK_MEMORY);
}

static void ext4_lives_in_memory(void **state)
{
	(void)state;
	live("ext4", ENV_DISK_MEMORY);
}

static void an_image_lives_twice(void **state)
{
	(void)state;
	live("ext4", ENV_DISK_IMAGE);
}

/* A second file system over the first must not leave an image that looks like a stranger's. */
static int types_in_turn(void *arg)
{
	static const char *const types[] = { "ext4", "btrfs", "xfs", "ext4", "xfs", "btrfs",
					     "ext4" };
	struct life l = { .spec = { .kind = ENV_DISK_IMAGE, .size = 512 * MIB },
			  .options = "noatime" };
	__cleanup_free char *image = xasprintf("%s/image", (char *)arg);
	__cleanup_free char *mnt = xasprintf("%s/mnt", (char *)arg);

	l.spec.path = image;
	l.dir = mnt;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		l.type = types[i];
		if (whole_life(&l))
			return 1;
	}
	return 0;
}

static void one_image_takes_all_types_in_turn(void **state)
{
	char *dir;

	(void)state;
	envtest_need_root();
	dir = envtest_folder();
	envtest_supervised(types_in_turn, dir);
	envtest_remove(dir);
}

static int failures(void *arg)
{
	struct env env = { .ops = &env_real };
	struct env_disk_spec spec = { .kind = ENV_DISK_MEMORY, .size = 64 * MIB };
	struct env_disk disk = ENV_DISK_INIT;
	__cleanup_strvec struct strvec argv = STRVEC_INIT, none = STRVEC_INIT, bad = STRVEC_INIT;
	const char *dir = arg;

	CHECK_ENV(&env, env.ops->attach(&env, &spec, &disk));
	strvec_push(&none, "mkfs.nonexistent");
	CHECK(env.ops->mkfs(&env, &none, -1) == -ENOENT);
	CHECK(!strcmp(env.error.buf, "mkfs.nonexistent: program not found"));
	strvec_push(&bad, "mkfs.ext4");
	strvec_push(&bad, "-b");
	strvec_push(&bad, "17");
	strvec_push(&bad, disk.node);
	CHECK(env.ops->mkfs(&env, &bad, -1) == -EIO);
	CHECK(strstr(env.error.buf, "exit status 1: mkfs.ext4: invalid block size - 17"));
	CHECK(env.ops->mount(&env, &disk, dir, "ext4", NULL) < 0);
	CHECK(envtest_mkfs_argv("ext4", ENV_LABEL, disk.node, &argv));
	CHECK_ENV(&env, env.ops->mkfs(&env, &argv, -1));
	CHECK(env.ops->mount(&env, &disk, dir, "ext4", "loop,ro") == -EINVAL);
	CHECK(strstr(env.error.buf, "'loop' is not for the kernel"));
	CHECK(env.ops->mount(&env, &disk, dir, "ext4", "remount") == -EINVAL);
	CHECK(env.ops->mount(&env, &disk, dir, "ext4", "nosuchoption") == -EINVAL);
	CHECK(strstr(env.error.buf, "nosuchoption"));
	CHECK_ENV(&env, env.ops->mount(&env, &disk, dir, "ext4", "defaults"));
	CHECK(env.ops->mount(&env, &disk, dir, "ext4", NULL) == -EBUSY);
	env_disk_release(&disk);
	env_release(&env);
	return 0;
}

static void failures_are_told_with_the_cause(void **state)
{
	char *dir;

	(void)state;
	envtest_need_root();
	dir = envtest_folder();
	envtest_supervised(failures, dir);
	envtest_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dry_run_prints_commands),
		cmocka_unit_test(each_call_can_be_made_to_fail),
		cmocka_unit_test(btrfs_lives_in_memory),
		cmocka_unit_test(xfs_lives_in_memory),
		cmocka_unit_test(ext4_lives_in_memory),
		cmocka_unit_test(an_image_lives_twice),
		cmocka_unit_test(one_image_takes_all_types_in_turn),
		cmocka_unit_test(failures_are_told_with_the_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
