// SPDX-License-Identifier: GPL-2.0-or-later
/* Which image files may be written to, and what happens to them. */
#include "tests/unit/envtest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>

#include <cmocka.h>

#include "lib/file.h"
#include "lib/mem.h"

#define MIB (1024 * 1024ULL)

static int make_sparse(const char *path, off_t size)
{
	__cleanup_close int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	return fd < 0 || ftruncate(fd, size) ? -errno : 0;
}

static int put_end(const char *path)
{
	__cleanup_close int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	return fd < 0 || write(fd, "end", 3) != 3 ? -1 : 0;
}

static int strange_images(void *arg)
{
	__cleanup_free char *image = xasprintf("%s/image", (char *)arg);
	__cleanup_free char *deep = xasprintf("%s/none/image", (char *)arg);
	struct env_disk_spec spec = { .kind = ENV_DISK_IMAGE, .path = image, .size = 64 * MIB };
	struct env env = { .ops = &env_real };
	struct env_disk disk = ENV_DISK_INIT;
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	CHECK(envtest_says(ENV_DISK_IMAGE, image, false, ""));
	CHECK(envtest_says(ENV_DISK_IMAGE, deep, false, "No such file or directory"));
	CHECK(envtest_says(ENV_DISK_IMAGE, arg, false, "is not a regular file"));
	CHECK(envtest_says(ENV_DISK_IMAGE, "/dev/loop0", false, "a device: see --device"));
	CHECK(file_write(image, "My thesis\n", 10) == 0);
	CHECK(envtest_says(ENV_DISK_IMAGE, image, false, "holds data that fsdelta did not write"));
	CHECK(env.ops->attach(&env, &spec, &disk) == -EPERM);
	CHECK(file_read(image, &text, 0) == 0 && !strcmp(text.buf, "My thesis\n"));
	unlink(image);
	CHECK(make_sparse(image, 64 * MIB) == 0);
	CHECK(envtest_says(ENV_DISK_IMAGE, image, false, ""));
	/* Zeros at the start are not all. */
	CHECK(truncate(image, 0) == 0 && make_sparse(image, 64 * MIB - 3) == 0);
	CHECK(put_end(image) == 0);
	CHECK(envtest_says(ENV_DISK_IMAGE, image, false, "holds data that fsdelta did not write"));
	CHECK(truncate(image, 0) == 0 && make_sparse(image, 64 * MIB) == 0);
	CHECK(envtest_says(ENV_DISK_IMAGE, image, false, ""));
	CHECK_ENV(&env, envtest_format(&env, "ext4", "backup", image));
	CHECK(envtest_says(ENV_DISK_IMAGE, image, false,
		   "holds ext4 labelled 'backup', which fsdelta did not make"));
	CHECK(env.ops->attach(&env, &spec, &disk) == -EPERM);
	CHECK(strstr(env.error.buf, "labelled 'backup'"));
	env_release(&env);
	return 0;
}

static int our_image(void *arg)
{
	__cleanup_free char *image = xasprintf("%s/image", (char *)arg);
	struct env_disk_spec spec = { .kind = ENV_DISK_IMAGE, .path = image, .size = 64 * MIB };
	struct env env = { .ops = &env_real };
	struct env_disk disk = ENV_DISK_INIT, again = ENV_DISK_INIT;
	struct stat st;

	CHECK_ENV(&env, env.ops->attach(&env, &spec, &disk));
	CHECK(stat(image, &st) == 0 && (st.st_mode & 07777) == 0600);
	CHECK(st.st_size == 64 * MIB);
	CHECK(envtest_says(ENV_DISK_IMAGE, image, false, "is in use by another fsdelta"));
	CHECK(envtest_says(ENV_DISK_IMAGE, image, false, disk.sys_name));
	CHECK(env.ops->attach(&env, &spec, &again) == -EBUSY);
	/* Killed in the middle of the first mkfs: data, and no signature. */
	CHECK(pwrite(disk.fd, "x", 1, 0) == 1 && fsync(disk.fd) == 0);
	CHECK_ENV(&env, env.ops->detach(&env, &disk));
	CHECK(envtest_says(ENV_DISK_IMAGE, image, false, ""));
	/* It grows, but is never cut: the device then is smaller than the file. */
	spec.size = 96 * MIB;
	CHECK_ENV(&env, env.ops->attach(&env, &spec, &disk));
	CHECK_ENV(&env, env.ops->detach(&env, &disk));
	spec.size = 32 * MIB;
	CHECK_ENV(&env, env.ops->attach(&env, &spec, &disk));
	CHECK(lseek(disk.fd, 0, SEEK_END) == 32 * MIB);
	CHECK_ENV(&env, env.ops->detach(&env, &disk));
	CHECK(stat(image, &st) == 0 && st.st_size == 96 * MIB);
	spec.size = 1ULL << 60;
	CHECK(env.ops->attach(&env, &spec, &disk) == -EPERM);
	CHECK(strstr(env.error.buf, "MiB are free there"));
	env_release(&env);
	return 0;
}

/* A check, and so a dry run, only looks: a node that /dev lacks stays away. */
static int missing_node(void *arg)
{
	__cleanup_free char *image = xasprintf("%s/image", (char *)arg);
	struct env_disk_spec spec = { .kind = ENV_DISK_IMAGE, .path = image, .size = 64 * MIB };
	struct env env = { .ops = &env_real };
	struct env_disk disk = ENV_DISK_INIT;

	CHECK_ENV(&env, env.ops->attach(&env, &spec, &disk));
	/* In the supervisor's own mount namespace. */
	CHECK(mount("none", "/dev", "tmpfs", 0, NULL) == 0);
	CHECK(envtest_says(ENV_DISK_IMAGE, image, false, disk.sys_name));
	CHECK(access(disk.node, F_OK) == -1 && errno == ENOENT);
	CHECK(umount("/dev") == 0);
	CHECK_ENV(&env, env.ops->detach(&env, &disk));
	env_disk_release(&disk);
	env_release(&env);
	return 0;
}

static int swap_file(void *arg)
{
	__cleanup_free char *file = xasprintf("%s/swap file", (char *)arg);
	__cleanup_free char *zeros = xcalloc(1, MIB);
	bool ok;

	CHECK(file_write(file, zeros, MIB) == 0 && chmod(file, 0600) == 0);
	CHECK(RUN("sync", file) == 0);
	CHECK(RUN("mkswap", file) == 0);
	CHECK(envtest_says(ENV_DISK_IMAGE, file, false, "holds swap, which fsdelta did not make"));
	/* Not every file system can. */
	if (swapon(file, 0)) {
		fprintf(stderr, "# swapon: %s\n", strerror(errno));
		return 0;
	}
	ok = envtest_says(ENV_DISK_IMAGE, file, false, "is swap space in use");
	CHECK(swapoff(file) == 0);
	CHECK(ok);
	return 0;
}

static void strange_images_are_refused_and_kept(void **state)
{
	(void)state;
	envtest_in_folder(strange_images);
}

static void our_image_is_used_again(void **state)
{
	(void)state;
	envtest_in_folder(our_image);
}

static void a_check_makes_no_node(void **state)
{
	(void)state;
	envtest_in_folder(missing_node);
}

static void a_swap_file_is_refused(void **state)
{
	(void)state;
	envtest_in_folder(swap_file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strange_images_are_refused_and_kept),
		cmocka_unit_test(our_image_is_used_again),
		cmocka_unit_test(a_check_makes_no_node),
		cmocka_unit_test(a_swap_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
