// SPDX-License-Identifier: GPL-2.0-or-later
/* Which devices may be overwritten, on machines replayed from a folder. */
#include "harness/env/env.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"

/* The reasons against @path on @machine, one a line. */
static char *reasons_on(const char *machine, const char *path, const char *force)
{
	const char *top = getenv("top_srcdir");
	__cleanup_free char *root = xasprintf("%s/tests/machines/%s", top ? top : ".", machine);
	__cleanup_strvec struct strvec problems = STRVEC_INIT;
	struct env_disk_spec spec = { .kind = ENV_DISK_BLOCK, .path = path, .force = force };

	env_device_check(root, &spec, &problems);
	return strvec_join(&problems, "\n");
}

static char *reasons(const char *path, const char *force)
{
	return reasons_on("server", path, force);
}

static void assert_reasons(const char *path, const char *force, const char *want)
{
	__cleanup_free char *got = reasons(path, force);

	assert_string_equal(got, want);
}

/* With the name repeated, so that only what force cannot lift is left. */
static void assert_forced(const char *path, const char *want)
{
	assert_reasons(path, path, want);
}

static void a_free_disk_is_fine(void **state)
{
	(void)state;
	assert_forced("/dev/sdd", "");
	assert_reasons("/dev/mapper/../dm-2", NULL, "");
}

/* sda2 is a prefix of sda21, which is mounted. */
static void a_prefix_of_a_mounted_one_is_free(void **state)
{
	(void)state;
	assert_forced("/dev/sda2", "");
	assert_forced("/dev/sda21", "/dev/sda21 is mounted on /mnt/a b");
}

static void what_is_mounted_is_refused(void **state)
{
	(void)state;
	assert_forced("/dev/sda1", "/dev/sda1 is mounted on /boot");
	assert_forced("/dev/sde", "/dev/sde is mounted on /mnt/t-old");
	assert_forced("/dev/dm-0", "/dev/dm-0 is mounted on /");
	assert_forced("/dev/dm-1", "/dev/dm-1 is mounted on /srv");
}

static void all_members_of_a_btrfs_are_refused(void **state)
{
	(void)state;
	assert_forced("/dev/sdb", "/dev/sdb is mounted on /mnt/t");
	assert_forced("/dev/sdc", "/dev/sdc is part of the btrfs "
		      "4b3cbc0c-7f44-4b2c-8a54-0b6f3d6f7e01, which is mounted");
}

static void other_uses_are_refused(void **state)
{
	(void)state;
	assert_forced("/dev/sda3", "/dev/sda3 is swap space in use");
	assert_forced("/dev/sda4", "/dev/sda4 is part of md0");
	assert_forced("/dev/nvme0n1p2", "/dev/nvme0n1p2 is part of dm-0 (vg-root)\n"
		      "/dev/nvme0n1p2 is part of dm-1 (vg-data)\n"
		      "/dev/nvme0n1p2 is part of dm-2 (vg-scratch)");
	assert_forced("/dev/sdf", "/dev/sdf is what loop0 is attached to");
	assert_forced("/dev/sdg", "/dev/sdg is read-only");
	assert_forced("/dev/sdh", "/dev/sdh has no size");
}

static void a_disk_with_partitions_is_refused(void **state)
{
	__cleanup_free char *got = reasons("/dev/sda", "/dev/sda");

	(void)state;
	assert_non_null(strstr(got, "/dev/sda has a partition sda2\n"));
	assert_non_null(strstr(got, "/dev/sda: its partition sda1 is mounted on /boot\n"));
	assert_non_null(strstr(got, "/dev/sda: its partition sda3 is swap space in use\n"));
	assert_forced("/dev/sdi", "/dev/sdi has a partition sdi1\n"
		      "/dev/sdi: its partition sdi1 is mounted on /mnt/over/below");
}

static void an_unknown_one_is_refused(void **state)
{
	(void)state;
	assert_forced("/dev/sdz", "/dev/sdz cannot be looked up in /sys/class/block");
}

static void assert_unstable(const char *path)
{
	__cleanup_free char *got = reasons(path, NULL);
	__cleanup_free char *want = xasprintf("%s can be another device after the next boot: ",
					      path);

	assert_int_equal(strncmp(got, want, strlen(want)), 0);
	assert_null(strchr(got, '\n'));
}

static void a_name_must_mean_the_same_after_a_boot(void **state)
{
	(void)state;
	assert_unstable("/dev/sdd");
	assert_unstable("/dev/sda2");
	assert_unstable("/dev/dm-2");
	assert_unstable("/dev/disk/by-diskseq/sdd");
	assert_unstable("/srv/link/sdd");
	assert_reasons("/dev/disk/by-id/sdd", NULL, "");
	assert_reasons("/dev/disk/by-path/sdd", NULL, "");
	assert_reasons("/dev/disk/by-partuuid/sda2", NULL, "");
	/* /dev/GROUP/VOLUME */
	assert_reasons("/dev/vg/dm-2", NULL, "");
}

/* mkfs gives the file system another UUID: the second iteration would find nothing. */
static void a_name_must_outlive_mkfs(void **state)
{
	__cleanup_free char *uuid = reasons("/dev/disk/by-uuid/sdd", "/dev/disk/by-uuid/sdd");
	__cleanup_free char *label = reasons("/dev/disk/by-label/sdd", "/dev/disk/by-label/sdd");

	(void)state;
	assert_non_null(strstr(uuid, "goes away with the content"));
	assert_non_null(strstr(label, "goes away with the content"));
}

static void force_lifts_nothing_but_the_name(void **state)
{
	__cleanup_free char *other = reasons("/dev/sdd", "/dev/sdc");
	__cleanup_free char *mounted = reasons("/dev/sda1", "/dev/sda1");

	(void)state;
	assert_non_null(strstr(other, "--force-device /dev/sdc is not the device that was given"));
	assert_non_null(strstr(other, "can be another device after the next boot"));
	assert_string_equal(mounted, "/dev/sda1 is mounted on /boot");
}

/* Not knowing what is mounted must never look like nothing is. */
static void without_mountinfo_all_is_refused(void **state)
{
	__cleanup_free char *got = reasons_on("blind", "/dev/sdd", "/dev/sdd");

	(void)state;
	assert_string_equal(got, "/dev/sdd may be mounted: /proc/self/mountinfo: "
				 "No such file or directory");
}

static char *lacks_of(const char *machine)
{
	const char *top = getenv("top_srcdir");
	__cleanup_free char *root = xasprintf("%s/tests/machines/%s", top ? top : ".", machine);
	__cleanup_strvec struct strvec problems = STRVEC_INIT;

	env_preflight(root, &problems);
	return strvec_join(&problems, "\n");
}

static void a_machine_may_lack_what_is_needed(void **state)
{
	__cleanup_free char *server = lacks_of("server");
	__cleanup_free char *blind = lacks_of("blind");

	(void)state;
	assert_string_equal(server, "");
	assert_string_equal(blind, "the capability CAP_SYS_ADMIN is missing, as in an unprivileged "
				   "container: file systems cannot be mounted\n"
				   "the kernel has no loop devices");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_free_disk_is_fine),
		cmocka_unit_test(a_prefix_of_a_mounted_one_is_free),
		cmocka_unit_test(what_is_mounted_is_refused),
		cmocka_unit_test(all_members_of_a_btrfs_are_refused),
		cmocka_unit_test(other_uses_are_refused),
		cmocka_unit_test(a_disk_with_partitions_is_refused),
		cmocka_unit_test(an_unknown_one_is_refused),
		cmocka_unit_test(a_name_must_mean_the_same_after_a_boot),
		cmocka_unit_test(a_name_must_outlive_mkfs),
		cmocka_unit_test(force_lifts_nothing_but_the_name),
		cmocka_unit_test(without_mountinfo_all_is_refused),
		cmocka_unit_test(a_machine_may_lack_what_is_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
