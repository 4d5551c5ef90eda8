// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/env/env.h"
#include "harness/fs.h"
#include "lib/mem.h"

#include <errno.h>

static void mkfs_is(const char *fs, const char *options, bool fresh, const char *want)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	__cleanup_free char *got = NULL;

	assert_int_equal(fs_mkfs_argv(fs_find(fs), options, fresh, "/dev/loop3", &argv), 0);
	got = strvec_shell(&argv);
	assert_string_equal(got, want);
}

static void plain_commands(void **state)
{
	(void)state;
	mkfs_is("btrfs", NULL, false, "mkfs.btrfs -q -f -L fsdelta /dev/loop3");
	mkfs_is("btrfs", NULL, true, "mkfs.btrfs -q -f -L fsdelta -K /dev/loop3");
	mkfs_is("xfs", NULL, false, "mkfs.xfs -q -f -L fsdelta /dev/loop3");
	mkfs_is("xfs", "", true, "mkfs.xfs -q -f -L fsdelta -K /dev/loop3");
	mkfs_is("ext4", NULL, false, "mkfs.ext4 -q -F -L fsdelta "
		"-E lazy_itable_init=0,lazy_journal_init=0 /dev/loop3");
	mkfs_is("ext4", NULL, true, "mkfs.ext4 -q -F -L fsdelta "
		"-E lazy_itable_init=0,lazy_journal_init=0,nodiscard /dev/loop3");
}

static void user_words(void **state)
{
	(void)state;
	mkfs_is("btrfs", "-m single  -O 'a b'", false,
		"mkfs.btrfs -q -f -L fsdelta -m single -O 'a b' /dev/loop3");
	mkfs_is("btrfs", "-O \"x y\" c\\ d ''", true,
		"mkfs.btrfs -q -f -L fsdelta -K -O 'x y' 'c d' '' /dev/loop3");
	mkfs_is("xfs", "-E stride=4", false, "mkfs.xfs -q -f -L fsdelta -E stride=4 /dev/loop3");
}

/* mkfs.ext4 obeys the last -E only: all of them must be in it, and the user's win. */
static void extended_options_are_merged(void **state)
{
	static const char ours[] = "lazy_itable_init=0,lazy_journal_init=0";
	static const struct {
		const char *options, *words, *extended;
	} rows[] = {
		{ "-b 4096 -E stride=4", "-b 4096 ", ",stride=4" },
		{ "-E stride=4 -b 4096", "-b 4096 ", ",stride=4" },
		{ "-Estride=4", "", ",stride=4" },
		{ "-E lazy_itable_init=1", "", ",lazy_itable_init=1" },
		{ "-E stride=4,discard -E num_backup_sb=1", "",
		  ",stride=4,discard,num_backup_sb=1" },
		{ "-O ^has_journal", "-O ^has_journal ", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		__cleanup_free char *want =
			xasprintf("mkfs.ext4 -q -F -L fsdelta %s-E %s%s /dev/loop3", rows[i].words,
				  ours, rows[i].extended);

		mkfs_is("ext4", rows[i].options, false, want);
	}
}

/* A flag without its value is left for mkfs to complain about. */
static void extended_flag_alone(void **state)
{
	(void)state;
	mkfs_is("ext4", "-E", false, "mkfs.ext4 -q -F -L fsdelta -E "
		"-E lazy_itable_init=0,lazy_journal_init=0 /dev/loop3");
}

static void open_quote(void **state)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;

	(void)state;
	assert_int_equal(fs_mkfs_argv(fs_find("xfs"), "-m 'x", false, "/dev/loop3", &argv),
			 -EINVAL);
	assert_int_equal(argv.n, 0);
}

/* What the rest of the harness relies on, for every entry. */
static void table(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct fs_type *fs = fs_types; fs->name; fs++, n++) {
		__cleanup_strvec struct strvec argv = STRVEC_INIT;

		if (n)
			assert_true(strcmp(fs[-1].name, fs->name) < 0);
		assert_ptr_equal(fs_find(fs->name), fs);
		assert_non_null(fs->package);
		assert_true(fs->min_size >= 1 << 20);
		assert_true(!fs->extended || fs->extended_flag);
		assert_int_equal(fs_mkfs_argv(fs, NULL, true, "/dev/x", &argv), 0);
		assert_string_equal(argv.v[0], fs->mkfs);
		assert_string_equal(argv.v[argv.n - 1], "/dev/x");
		/* By its label a disk is known to be ours. */
		assert_true(strvec_has(&argv, ENV_LABEL));
	}
	assert_true(n >= 3);
	assert_null(fs_find("ext5"));
	assert_null(fs_find(""));
	assert_null(fs_find("btrf"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_commands),
		cmocka_unit_test(user_words),
		cmocka_unit_test(extended_options_are_merged),
		cmocka_unit_test(extended_flag_alone),
		cmocka_unit_test(open_quote),
		cmocka_unit_test(table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
