// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/mounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "lib/mem.h"

static char *machine(void)
{
	const char *top = getenv("top_srcdir");

	return xasprintf("%s/tests/machines/server", top ? top : ".");
}

static void assert_shown_by(const char *path, const char *dir, const char *source)
{
	__cleanup_mount_info struct mount_info m = MOUNT_INFO_INIT;
	__cleanup_free char *root = machine();

	assert_int_equal(mounts_find(root, path, &m), 0);
	assert_string_equal(m.dir, dir);
	assert_string_equal(m.source, source);
}

static void assert_dirs(unsigned int major, unsigned int minor, const char *want)
{
	__cleanup_strvec struct strvec dirs = STRVEC_INIT;
	__cleanup_free char *root = machine();
	__cleanup_free char *got = NULL;

	assert_int_equal(mounts_of_device(root, major, minor, &dirs), 0);
	got = strvec_join(&dirs, "|");
	assert_string_equal(got, want);
}

static void paths_are_compared_by_component(void **state)
{
	(void)state;
	assert_shown_by("/mnt/t-old/f", "/mnt/t-old", "/dev/sde");
	assert_shown_by("/mnt/t", "/mnt/t", "/dev/sdb");
	assert_shown_by("/mnt/t/", "/mnt/t", "/dev/sdb");
	assert_shown_by("/mnt/t/x/y", "/mnt/t", "/dev/sdb");
	assert_true(path_is_below("/a/b", "/a"));
	assert_true(path_is_below("/a", "/a/"));
	assert_true(path_is_below("/a", "/"));
	assert_false(path_is_below("/ab", "/a"));
	assert_false(path_is_below("/a", "/a/b"));
}

/* A forgotten mount: what looks like the test disk is the root file system. */
static void a_plain_folder_is_on_the_root(void **state)
{
	(void)state;
	assert_shown_by("/mnt/test", "/", "/dev/mapper/vg-root");
	assert_shown_by("/mnt", "/", "/dev/mapper/vg-root");
	assert_shown_by("/", "/", "/dev/mapper/vg-root");
}

static void names_are_decoded(void **state)
{
	(void)state;
	assert_shown_by("/mnt/a b", "/mnt/a b", "/dev/sda21");
	assert_shown_by("/mnt/a b/c", "/mnt/a b", "/dev/sda21");
	assert_shown_by("/mnt/a\\040b", "/", "/dev/mapper/vg-root");
	assert_shown_by("/mnt/t/tab\tand\\slash/x", "/mnt/t/tab\tand\\slash", "inner");
}

/* /mnt/over/below was mounted before /mnt/over, and on that lies another one. */
static void what_is_mounted_over_counts(void **state)
{
	(void)state;
	assert_shown_by("/mnt/over", "/mnt/over", "top");
	assert_shown_by("/mnt/over/below", "/mnt/over", "top");
	assert_shown_by("/mnt/over/below/x", "/mnt/over", "top");
}

static void a_path_must_be_absolute(void **state)
{
	__cleanup_mount_info struct mount_info m = MOUNT_INFO_INIT;
	__cleanup_free char *root = machine();

	(void)state;
	assert_int_equal(mounts_find(root, "mnt/t", &m), -EINVAL);
	assert_int_equal(mounts_find("/nonexistent", "/", &m), -ENOENT);
}

static void devices_are_found_by_number(void **state)
{
	(void)state;
	assert_dirs(8, 1, "/boot");
	/* sda2 is free, though sda21 is mounted; so is the whole sda. */
	assert_dirs(8, 2, "");
	assert_dirs(259, 5, "/mnt/a b");
	assert_dirs(8, 0, "");
	assert_dirs(259, 1, "/boot/efi");
}

static void an_anonymous_number_is_found_by_its_source(void **state)
{
	(void)state;
	assert_dirs(8, 16, "/mnt/t");
	assert_dirs(254, 1, "/srv");
	assert_dirs(254, 2, "");
	/* The second member of the btrfs on sdb is not shown here. */
	assert_dirs(8, 32, "");
	/* Not the number of a device: /proc has 0:20. */
	assert_dirs(0, 99, "");
}

static void options_in_force_are_one_string(void **state)
{
	__cleanup_free char *root = machine();
	__cleanup_free char *type = NULL, *options = NULL;

	(void)state;
	assert_int_equal(mounts_describe(root, "/mnt/t/work", &type, &options), 0);
	assert_string_equal(type, "btrfs");
	assert_string_equal(options, "rw,noatime,ssd,discard=async,space_cache=v2,subvolid=5,"
				     "subvol=/");
}

static void mounts_below_a_folder(void **state)
{
	__cleanup_strvec struct strvec dirs = STRVEC_INIT;
	__cleanup_free char *root = machine();

	(void)state;
	assert_int_equal(mounts_below(root, "/mnt/t", &dirs), 0);
	assert_int_equal(dirs.n, 1);
	assert_string_equal(dirs.v[0], "/mnt/t/tab\tand\\slash");
}

/* On this machine: what the kernel says of the path itself must agree. */
static void the_real_machine_agrees_with_stat(void **state)
{
	__cleanup_mount_info struct mount_info m = MOUNT_INFO_INIT;
	__cleanup_mount_info struct mount_info here = MOUNT_INFO_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(mounts_find("", "/proc/self/status", &m), 0);
	assert_string_equal(m.type, "proc");
	assert_int_equal(stat("/proc", &st), 0);
	assert_int_equal(makedev(m.major, m.minor), st.st_dev);
	/* Through a symbolic link. */
	assert_int_equal(mounts_find("", "/proc/self/cwd", &here), 0);
	assert_string_not_equal(here.type, "proc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_compared_by_component),
		cmocka_unit_test(a_plain_folder_is_on_the_root),
		cmocka_unit_test(names_are_decoded),
		cmocka_unit_test(what_is_mounted_over_counts),
		cmocka_unit_test(a_path_must_be_absolute),
		cmocka_unit_test(devices_are_found_by_number),
		cmocka_unit_test(an_anonymous_number_is_found_by_its_source),
		cmocka_unit_test(options_in_force_are_one_string),
		cmocka_unit_test(mounts_below_a_folder),
		cmocka_unit_test(the_real_machine_agrees_with_stat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
