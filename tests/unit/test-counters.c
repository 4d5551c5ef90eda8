// SPDX-License-Identifier: GPL-2.0-or-later
/* harness/counters, on the machines in tests/hosts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/counters.h"
#include "lib/mem.h"
#include "tests/unit/scratch.h"

static void read_host(const char *name, const char *disk, struct counters *c)
{
	const char *src = getenv("srcdir");
	__cleanup_free char *root = xasprintf("%s/tests/hosts/%s", src ? src : ".", name);

	memset(c, 0xa5, sizeof(*c));
	counters_read(root, disk, c);
}

static void fact_is(const struct kv *kv, const char *key, const char *want)
{
	const char *value = kv_get(kv, key);

	if (!want && value)
		fail_msg("%s is '%s', should be absent", key, value);
	if (want && !value)
		fail_msg("%s is absent, should be '%s'", key, want);
	if (want)
		assert_string_equal(value, want);
}

static void new_kernel(void **state)
{
	struct counters c;

	(void)state;
	read_host("vm", "loop0", &c);
	assert_true(c.have_cpu);
	assert_int_equal(c.cpu_total, 159247 + 1031 + 128386 + 489182 + 1754 + 992);
	assert_int_equal(c.cpu_busy, 159247 + 1031 + 128386 + 992);
	assert_int_equal(c.disk_fields, 17);
	assert_int_equal(c.disk[DISK_READ_IOS], 120);
	assert_int_equal(c.disk[DISK_WRITE_SECTORS], 360000);
	assert_int_equal(c.disk[DISK_DISCARD_SECTORS], 524288);
	assert_int_equal(c.disk[DISK_FLUSH_IOS], 700);
	assert_int_equal(c.disk[DISK_FLUSH_TICKS], 800);
	/* That of loop0, not the copy of it with the same uuid inside, on loop1. */
	assert_true(c.have_btrfs);
	assert_int_equal(c.btrfs_commits, 41);
	assert_int_equal(c.btrfs_commit_ms, 250);
	read_host("vm", "loop1", &c);
	assert_int_equal(c.btrfs_commits, 999);
}

static void older_kernels(void **state)
{
	struct counters c;

	(void)state;
	read_host("debug", "nvme0n1", &c);
	assert_int_equal(c.disk_fields, 15);
	assert_false(c.have_cpu || c.have_btrfs);
	read_host("debug", "nvme0n1p2", &c);
	assert_int_equal(c.disk[DISK_READ_SECTORS], 8);
	read_host("old", "sda", &c);
	assert_int_equal(c.disk_fields, 11);
	assert_int_equal(c.disk[DISK_QUEUE_TICKS], 50);
	assert_true(c.have_cpu);
	assert_int_equal(c.cpu_total, 118);
	assert_int_equal(c.cpu_busy, 16);
	/* A btrfs without commit_stats. */
	assert_false(c.have_btrfs);
}

static void no_disk(void **state)
{
	struct counters c;

	(void)state;
	read_host("vm", NULL, &c);
	assert_true(c.have_cpu);
	assert_int_equal(c.disk_fields, 0);
	assert_false(c.have_btrfs);
	read_host("vm", "sdz", &c);
	assert_int_equal(c.disk_fields, 0);
	read_host("none", "sdz", &c);
	assert_false(c.have_cpu || c.disk_fields || c.have_btrfs);
}

static void differences(void **state)
{
	__cleanup_kv struct kv facts = KV_INIT;
	struct counters before, after;

	(void)state;
	read_host("vm", "loop0", &before);
	after = before;
	after.disk[DISK_READ_SECTORS] += 8;
	after.disk[DISK_READ_IOS] += 1;
	after.disk[DISK_WRITE_SECTORS] += 2000;
	after.disk[DISK_WRITE_IOS] += 20;
	after.disk[DISK_FLUSH_IOS] += 3;
	after.btrfs_commits += 2;
	after.btrfs_commit_ms += 1234;
	after.cpu_total += 300;
	after.cpu_busy += 100;
	counters_disk(&before, &after, &facts);
	counters_cpu(&before, &after, &facts);
	assert_int_equal(facts.n, 9);
	fact_is(&facts, "disk.read", "4096");
	fact_is(&facts, "disk.reads", "1");
	fact_is(&facts, "disk.written", "1024000");
	fact_is(&facts, "disk.writes", "20");
	fact_is(&facts, "disk.discards", "0");
	fact_is(&facts, "disk.flushes", "3");
	fact_is(&facts, "btrfs.commits", "2");
	fact_is(&facts, "btrfs.commit-time", "1.234");
	fact_is(&facts, "cpu.busy", "33.33");
}

/* What this kernel does not count is absent, not 0. */
static void missing_fields_are_absent(void **state)
{
	__cleanup_kv struct kv facts = KV_INIT, none = KV_INIT;
	struct counters before, after;

	(void)state;
	read_host("old", "sda", &before);
	after = before;
	counters_disk(&before, &after, &facts);
	assert_int_equal(facts.n, 4);
	fact_is(&facts, "disk.written", "0");
	fact_is(&facts, "disk.discards", NULL);
	fact_is(&facts, "disk.flushes", NULL);
	fact_is(&facts, "btrfs.commits", NULL);
	/* On one side only: the file system was made or mounted in between. */
	read_host("none", "sda", &before);
	read_host("vm", "loop0", &after);
	counters_disk(&before, &after, &none);
	counters_disk(&after, &before, &none);
	counters_cpu(&before, &after, &none);
	counters_cpu(&after, &before, &none);
	assert_int_equal(none.n, 0);
}

/* Counters that went backwards are those of something else, or were reset. */
static void backwards_is_absent(void **state)
{
	__cleanup_kv struct kv facts = KV_INIT;
	struct counters before, after;

	(void)state;
	read_host("vm", "loop0", &before);
	after = before;
	after.disk[DISK_WRITE_IOS]--;
	after.disk[DISK_READ_IOS]++;
	after.btrfs_commits = 0;
	after.cpu_total -= 2;
	counters_disk(&before, &after, &facts);
	counters_cpu(&before, &after, &facts);
	fact_is(&facts, "disk.writes", NULL);
	fact_is(&facts, "disk.reads", "1");
	fact_is(&facts, "btrfs.commits", NULL);
	fact_is(&facts, "btrfs.commit-time", NULL);
	fact_is(&facts, "cpu.busy", NULL);
	/* No tick passed: nothing is known about the use. */
	after.cpu_total = before.cpu_total;
	counters_cpu(&before, &after, &facts);
	fact_is(&facts, "cpu.busy", NULL);
	/* Idle stepped back by more than the busy time. */
	after.cpu_total = before.cpu_total + 5;
	after.cpu_busy = before.cpu_busy + 9;
	counters_cpu(&before, &after, &facts);
	fact_is(&facts, "cpu.busy", NULL);
}

static void garbled(void **state)
{
	struct counters c;

	scratch_write(state, "proc/stat", "cpu  1 2 x\nintr 5\n");
	scratch_write(state, "sys/class/block/sda/stat", "1 2 3 x 5\n");
	scratch_write(state, "sys/fs/btrfs/u/devices/sda", "");
	scratch_write(state, "sys/fs/btrfs/u/commit_stats", "commits many\ntotal_commit_ms 5\n");
	counters_read(*state, "sda", &c);
	assert_false(c.have_cpu || c.have_btrfs);
	assert_int_equal(c.disk_fields, 3);
	scratch_write(state, "sys/class/block/sda/stat", "\n");
	scratch_write(state, "sys/fs/btrfs/u/commit_stats", "commits 5\n");
	counters_read(*state, "sda", &c);
	assert_false(c.have_btrfs);
	assert_int_equal(c.disk_fields, 0);
	/* More fields than we know. */
	scratch_write(state, "sys/class/block/sda/stat",
		      "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n");
	counters_read(*state, "sda", &c);
	assert_int_equal(c.disk_fields, DISK_FIELDS);
	assert_int_equal(c.disk[DISK_FLUSH_TICKS], 17);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_kernel),
		cmocka_unit_test(older_kernels),
		cmocka_unit_test(no_disk),
		cmocka_unit_test(differences),
		cmocka_unit_test(missing_fields_are_absent),
		cmocka_unit_test(backwards_is_absent),
		scratch_test(garbled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
