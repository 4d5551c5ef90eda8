// SPDX-License-Identifier: GPL-2.0-or-later
/* harness/plan: what is run, and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "tests/unit/plan-fixture.h"
#include "tests/unit/scratch.h"

#include <sys/utsname.h>

static void random_seed(void **state)
{
	__cleanup_planned struct planned a = { 0 }, b = { 0 };

	plan_test_ok(state, &a, "-w a");
	plan_test_ok(state, &b, "-w a");
	/* Short enough to be typed again. */
	assert_true(a.p.seed <= UINT32_MAX && b.p.seed <= UINT32_MAX);
	assert_true(a.p.seed != b.p.seed);
}

static bool same_round(const struct plan_step *a, const struct plan_step *b)
{
	return a->job == b->job && a->target == b->target && a->warmup == b->warmup &&
	       a->number == b->number;
}

static void step_seeds(void **state)
{
	static const char *const lines[] = {
		"-w a,b -t btrfs,xfs --arm x --arm y --size 1G --seed 1",
		"-w a,b -t btrfs,xfs --arm x --arm y --size 1G --seed 4294967295",
		"-w a,c -t btrfs,xfs --arm x --arm y --size 1G --seed 3 -n 7",
	};

	for (size_t l = 0; l < ARRAY_SIZE(lines); l++) {
		__cleanup_planned struct planned t = { 0 };

		plan_test_ok(state, &t, lines[l]);
		for (size_t i = 0; i < t.p.n_steps; i++) {
			uint64_t seed = plan_step_seed(&t.p, &t.p.steps[i]);

			assert_in_range(seed, 1, INT32_MAX);
			/* Equal for one iteration of one cell in all arms, and for nothing else. */
			for (size_t k = 0; k < i; k++)
				assert_int_equal(seed == plan_step_seed(&t.p, &t.p.steps[k]),
						 same_round(&t.p.steps[i], &t.p.steps[k]));
		}
	}
}

static void default_suite(void **state)
{
	static const char *const suite[] = {
		"fsync-new", "rename-replace", "unlink-many", "stress-utime",
	};
	__cleanup_planned struct planned t = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(suite); i++)
		plan_test_add_job(state, suite[i], "");
	plan_test_ok(state, &t, "");
	assert_int_equal(t.p.n_jobs, ARRAY_SIZE(suite));
	for (size_t i = 0; i < ARRAY_SIZE(suite); i++)
		assert_string_equal(t.p.jobs[i]->name, suite[i]);
	assert_int_equal(t.p.n_targets, 1);
	assert_string_equal(t.p.targets[0].name, "btrfs");
	assert_ptr_equal(t.p.targets[0].fs, fs_find("btrfs"));
	assert_true(plan_needs_root(&t.p));
}

static void label_is(const struct plan *p, size_t arm, const char *want)
{
	__cleanup_free char *label = plan_label(p, arm);

	assert_string_equal(label, want);
}

static void labels(void **state)
{
	__cleanup_planned struct planned none = { 0 }, label = { 0 }, arms = { 0 }, both = { 0 };
	struct utsname u;

	assert_int_equal(uname(&u), 0);
	plan_test_ok(state, &none, "-w a");
	label_is(&none.p, 0, u.release);
	plan_test_ok(state, &label, "-w a -l before");
	label_is(&label.p, 0, "before");
	plan_test_ok(state, &arms, "-w a --arm x --arm y");
	label_is(&arms.p, 1, "y");
	plan_test_ok(state, &both, "-w a -l before --arm x --arm y");
	label_is(&both.p, 0, "before.x");
}

static void options_are(const struct plan *p, size_t arm, const char *mkfs, const char *mount)
{
	__cleanup_free char *got_mkfs = plan_mkfs_options(p, arm);
	__cleanup_free char *got_mount = plan_mount_options(p, arm);

	if (!str_eq(got_mkfs, mkfs) || !str_eq(got_mount, mount))
		fail_msg("arm %zu: mkfs '%s', mount '%s'", arm, got_mkfs ? got_mkfs : "(none)",
			 got_mount ? got_mount : "(none)");
}

static void options_join(void **state)
{
	__cleanup_planned struct planned t = { 0 }, bare = { 0 };

	plan_test_ok(state, &t, "-w a --mkfs '-m single' --mount noatime,compress=zstd:3 --arm base "
		 "--arm 'x:mkfs=-O no-holes,mount=ssd' --arm y:mount=");
	options_are(&t.p, 0, "-m single", "noatime,compress=zstd:3");
	options_are(&t.p, 1, "-m single -O no-holes", "noatime,compress=zstd:3,ssd");
	options_are(&t.p, 2, "-m single", "noatime,compress=zstd:3");
	plan_test_ok(state, &bare, "-w a --mount '' --arm base --arm x:mount=ssd --arm y:mount=");
	options_are(&bare.p, 0, NULL, NULL);
	options_are(&bare.p, 1, NULL, "ssd");
	options_are(&bare.p, 2, NULL, NULL);
}

static void varied_settings(void **state)
{
	__cleanup_planned struct planned none = { 0 }, one = { 0 }, both = { 0 };

	plan_test_ok(state, &none, "-w a --mount noatime --arm x:mount=ssd --arm y:mount=ssd");
	assert_int_equal(none.p.varied.n, 0);
	plan_test_ok(state, &one, "-w a --arm x:mkfs=-K --arm y:mkfs=-K,mount=ssd");
	assert_int_equal(one.p.varied.n, 1);
	assert_string_equal(one.p.varied.v[0], "mount");
	plan_test_ok(state, &both, "-w a --arm x --arm y:mount=a --arm z:mkfs=b");
	assert_int_equal(both.p.varied.n, 2);
}

static void folder_target(void **state)
{
	__cleanup_planned struct planned t = { 0 };
	__cleanup_free char *real = NULL;

	scratch_write(state, "work/x", "");
	plan_test_ok(state, &t, "-w a -t dir:work/../work");
	__cleanup_free char *dir = scratch_path(state, "work");

	real = realpath(dir, NULL);
	assert_string_equal(t.p.targets[0].name, "dir:work/../work");
	assert_string_equal(t.p.targets[0].dir, real);
	assert_null(t.p.targets[0].fs);
	assert_false(plan_needs_root(&t.p));
}

static void disk_is(void **state, const char *line, enum env_disk_kind kind, const char *path,
		    const char *text)
{
	__cleanup_planned struct planned t = { 0 };
	__cleanup_free char *got = NULL;

	plan_test_ok(state, &t, line);
	got = plan_disk_text(&t.p);
	assert_int_equal(t.p.disk.kind, kind);
	assert_true(str_eq(t.p.disk.path, path));
	assert_string_equal(got, text);
}

static void disks(void **state)
{
	disk_is(state, "-w a --size 3G", ENV_DISK_MEMORY, NULL, "memory 3 GiB");
	disk_is(state, "-w a --memory --size 700M", ENV_DISK_MEMORY, NULL, "memory 700 MiB");
	disk_is(state, "-w a --image i", ENV_DISK_IMAGE, "i", "image i 8 GiB");
	disk_is(state, "-w a --image i --size 1T", ENV_DISK_IMAGE, "i", "image i 1024 GiB");
	disk_is(state, "-w a --device /dev/x --force-device /dev/x", ENV_DISK_BLOCK, "/dev/x",
		"/dev/x");
}

/* Half of what is free, in steps, at most 8 GiB and at least what is of use. */
static void memory_by_default(void **state)
{
	static const struct {
		const char *meminfo, *text;
	} rows[] = {
		{ "MemTotal: 999 kB\nMemAvailable: 67108864 kB\n", "memory 8 GiB" },
		{ "MemAvailable:  8388608 kB\n", "memory 4 GiB" },
		{ "MemAvailable:  3000000 kB\n", "memory 1280 MiB" },
		{ "MemAvailable:   100000 kB\n", "memory 512 MiB" },
		{ "MemTotal: 67108864 kB\n", "memory 2 GiB" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		scratch_write(state, "proc/meminfo", rows[i].meminfo);
		disk_is(state, "-w a", ENV_DISK_MEMORY, NULL, rows[i].text);
	}
}

static void bad_disks(void **state)
{
	static const char one[] = "--device, --image and --memory: only one of them";

	plan_test_refused(state, "-w a --device /dev/x --memory", one);
	plan_test_refused(state, "-w a --device /dev/x --image i", one);
	plan_test_refused(state, "-w a --memory --image i", one);
	plan_test_refused(state, "-w a --device /dev/x --size 1G", "--size: a device has the size it has");
	plan_test_refused(state, "-w a --force-device /dev/x", "--force-device: only together with --device");
	plan_test_refused(state, "-w a --size 100M", "--size: btrfs needs at least 256 MiB");
}

static void bad_plans(void **state)
{
	__cleanup_strvec struct strvec many = STRVEC_INIT;
	__cleanup_free char *line = NULL;

	plan_test_refused(state, "-w a,b,a", "workload a: named twice");
	plan_test_refused(state, "-w a -t xfs,btrfs,xfs", "target xfs: named twice");
	plan_test_refused(state, "-w a -t ntfs", "target ntfs: unknown (known: btrfs, ext4, xfs, "
		"dir:/some/folder; see `fsdelta list targets`)");
	plan_test_refused(state, "-w a -t dir:none", "target dir:none: No such file or directory");
	plan_test_refused(state, "-w a -t dir:jobs/a.job", "target dir:jobs/a.job: Not a directory");
	plan_test_refused(state, "-w a -t dir:jobs,dir:./jobs", "target dir:./jobs: named twice");
	plan_test_refused(state, "-w a --seed 0", "--seed: 1 to 4294967295");
	plan_test_refused(state, "-w a --seed 4294967296", "--seed: 1 to 4294967295");
	plan_test_refused(state, "-w a --mkfs -Lmine", "--mkfs: mkfs option -Lmine: the label is fsdelta's "
		"mark");
	plan_test_refused(state, "-w a -t dir:jobs --mount noatime", "--mount: a folder is used as it is "
		"(-t dir:...)");
	plan_test_refused(state, "-w a -n 100001", "--iterations: 100000 at the most");
	plan_test_refused(state, "-w a --blocks 100001", "--blocks: 100000 at the most");
	plan_test_refused(state, "-w a --blocks 3 -n 6", "--iterations and --blocks: only one of them");
	plan_test_add_job(state, "endless", "iterations = 18446744073709551615\n");
	plan_test_refused(state, "-w endless", "workload endless: 100000 iterations at the most");
	plan_test_add_job(state, "hot", "warmup = 100001\n");
	plan_test_refused(state, "-w hot", "workload hot: 100000 iterations at the most");
	strvec_push(&many, "-w a -n 1");
	for (int i = 0; i < 65; i++)
		strvec_pushf(&many, "--arm arm%d", i);
	line = strvec_join(&many, " ");
	plan_test_refused(state, line, "65 arms: 64 at the most");
	*strrchr(line, '-') = '\0';
	*strrchr(line, '-') = '\0';
	__cleanup_planned struct planned t = { 0 };

	plan_test_ok(state, &t, line);
	assert_int_equal(t.p.n_steps, 64);
}

static void all_problems_at_once(void **state)
{
	__cleanup_planned struct planned t = { 0 };

	plan_test_build(state, &t, "-w none,a,a -t ntfs,xfs --memory --image i --size 1M -n 200000");
	assert_int_equal(t.problems.n, 6);
	assert_int_equal(t.p.n_steps, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(random_seed),
		scratch_test(step_seeds),
		scratch_test(default_suite),
		scratch_test(labels),
		scratch_test(options_join),
		scratch_test(varied_settings),
		scratch_test(folder_target),
		scratch_test(disks),
		scratch_test(memory_by_default),
		scratch_test(bad_disks),
		scratch_test(bad_plans),
		scratch_test(all_problems_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
