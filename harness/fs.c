// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/fs.h"

#include "harness/env/env.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <string.h>

#define MiB (1024ULL * 1024)

const struct fs_type fs_types[] = {
	{
		.name = "btrfs",
		.mkfs = "mkfs.btrfs",
		.package = "btrfs-progs",
		.base_options = "-q -f",
		.fresh_options = "-K",
		.min_size = 256 * MiB,
	},
	{
		.name = "ext4",
		.mkfs = "mkfs.ext4",
		.package = "e2fsprogs",
		.base_options = "-q -F",
		.extended_flag = "-E",
		/* Else a kernel thread writes the inode tables during the measurement. */
		.extended = "lazy_itable_init=0,lazy_journal_init=0",
		.extended_fresh = "lazy_itable_init=0,lazy_journal_init=0,nodiscard",
		.min_size = 64 * MiB,
	},
	{
		.name = "xfs",
		.mkfs = "mkfs.xfs",
		.package = "xfsprogs",
		.base_options = "-q -f",
		.fresh_options = "-K",
		.min_size = 300 * MiB,
	},
	{ .name = NULL },
};

const struct fs_type *fs_find(const char *name)
{
	for (const struct fs_type *fs = fs_types; fs->name; fs++)
		if (!strcmp(fs->name, name))
			return fs;
	return NULL;
}

/* Pushes @words, taking what stands behind the extended flag ("-E x", "-Ex") elsewhere. */
static void push_user_words(const struct fs_type *fs, const struct strvec *words,
			    struct strvec *argv, struct strvec *extended)
{
	const char *flag = fs->extended_flag;

	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->v[i];

		if (flag && !strcmp(word, flag) && i + 1 < words->n)
			strvec_push(extended, words->v[++i]);
		else if (flag && str_starts(word, flag) && word[strlen(flag)])
			strvec_push(extended, word + strlen(flag));
		else
			strvec_push(argv, word);
	}
}

int fs_mkfs_argv(const struct fs_type *fs, const char *options, bool fresh, const char *node,
		 struct strvec *argv)
{
	__cleanup_strvec struct strvec words = STRVEC_INIT;
	__cleanup_strvec struct strvec extended = STRVEC_INIT;
	__cleanup_free char *joined = NULL;
	const char *ours = fresh ? fs->extended_fresh : fs->extended;
	int ret;

	ret = strvec_split_words(&words, options ? options : "");
	if (ret)
		return ret;
	strvec_push(argv, fs->mkfs);
	strvec_split(argv, fs->base_options, ' ');
	strvec_push(argv, "-L");
	strvec_push(argv, ENV_LABEL);
	if (fresh && fs->fresh_options)
		strvec_split(argv, fs->fresh_options, ' ');
	if (ours)
		strvec_push(&extended, ours);
	push_user_words(fs, &words, argv, &extended);
	if (extended.n) {
		/* Later words win inside the list too, so the user's stand last. */
		joined = strvec_join(&extended, ",");
		strvec_push(argv, fs->extended_flag);
		strvec_push(argv, joined);
	}
	strvec_push(argv, node);
	return 0;
}
