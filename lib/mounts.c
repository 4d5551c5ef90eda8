// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/mounts.h"

#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <libmount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static void cleanup_tablep(struct libmnt_table **t)
{
	mnt_unref_table(*t);
}

static void cleanup_iterp(struct libmnt_iter **i)
{
	mnt_free_iter(*i);
}

#define __cleanup_table __attribute__((cleanup(cleanup_tablep)))
#define __cleanup_iter __attribute__((cleanup(cleanup_iterp)))

static int table_open(const char *root, struct libmnt_table **table, struct libmnt_iter **iter)
{
	__cleanup_free char *path = xasprintf("%s/proc/self/mountinfo", root);

	errno = 0;
	*table = mnt_new_table_from_file(path);
	if (!*table)
		return errno ? -errno : -EIO;
	*iter = mnt_new_iter(MNT_ITER_FORWARD);
	return *iter ? 0 : -ENOMEM;
}

void mount_info_release(struct mount_info *m)
{
	free(m->dir);
	free(m->source);
	free(m->type);
	free(m->options);
	*m = (struct mount_info)MOUNT_INFO_INIT;
}

static void fill(struct mount_info *m, struct libmnt_fs *fs)
{
	const char *source = mnt_fs_get_srcpath(fs);
	const char *type = mnt_fs_get_fstype(fs);
	dev_t dev = mnt_fs_get_devno(fs);

	if (!source)
		source = mnt_fs_get_source(fs);
	*m = (struct mount_info){
		.id = mnt_fs_get_id(fs),
		.dir = xstrdup(mnt_fs_get_target(fs)),
		.source = xstrdup(source ? source : ""),
		.type = xstrdup(type ? type : ""),
		.options = mnt_fs_strdup_options(fs),
		.major = major(dev),
		.minor = minor(dev),
	};
	if (!m->options)
		m->options = xstrdup("");
}

bool path_is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	while (len && dir[len - 1] == '/')
		len--;
	return !strncmp(path, dir, len) && (path[len] == '/' || path[len] == '\0');
}

/*
 * The step that path resolution takes from mount @from (NULL: from nowhere) on the way to
 * @path: among the mounts made in it, the one met first, which is the one with the shortest
 * name. A mount on top of another's root is made in that one.
 */
static struct libmnt_fs *next_mount(struct libmnt_table *table, struct libmnt_iter *iter,
				    struct libmnt_fs *from, const char *path)
{
	struct libmnt_fs *fs, *best = NULL;

	mnt_reset_iter(iter, MNT_ITER_FORWARD);
	while (mnt_table_next_fs(table, iter, &fs) == 0) {
		const char *dir = mnt_fs_get_target(fs);

		if (!dir || !path_is_below(path, dir) || fs == from)
			continue;
		if (from && mnt_fs_get_parent_id(fs) != mnt_fs_get_id(from))
			continue;
		if (!best || strlen(dir) < strlen(mnt_fs_get_target(best)))
			best = fs;
	}
	return best;
}

static char *resolve(const char *root, const char *path)
{
	char *real = *root ? NULL : realpath(path, NULL);

	return real ? real : xstrdup(path);
}

int mounts_find(const char *root, const char *path, struct mount_info *m)
{
	__cleanup_free char *real = resolve(root, path);
	__cleanup_table struct libmnt_table *table = NULL;
	__cleanup_iter struct libmnt_iter *iter = NULL;
	struct libmnt_fs *fs = NULL, *next;
	int ret;

	if (real[0] != '/')
		return -EINVAL;
	ret = table_open(root, &table, &iter);
	if (ret)
		return ret;
	while ((next = next_mount(table, iter, fs, real)))
		fs = next;
	if (!fs)
		return -ENOENT;
	fill(m, fs);
	return 0;
}

int mounts_describe(const char *root, const char *path, char **type, char **options)
{
	__cleanup_mount_info struct mount_info m = MOUNT_INFO_INIT;
	int ret = mounts_find(root, path, &m);

	if (ret)
		return ret;
	*type = xstrdup(m.type);
	*options = xstrdup(m.options);
	return 0;
}

/* Is @source (a path of /dev) block device @major:@minor? */
static bool source_is(const char *root, const char *source, unsigned int major,
		      unsigned int minor)
{
	const char *slash = strrchr(source, '/');
	__cleanup_free char *number = NULL, *mapped = NULL;
	char want[32];
	struct stat st;

	if (!slash || !str_starts(source, "/dev/"))
		return false;
	if (!*root && stat(source, &st) == 0 && S_ISBLK(st.st_mode))
		return st.st_rdev == makedev(major, minor);
	snprintf(want, sizeof(want), "%u:%u", major, minor);
	number = proc_read_line(root, "/sys/class/block/%s/dev", slash + 1);
	if (number)
		return !strcmp(number, want);
	mapped = proc_read_line(root, "/sys/dev/block/%s/dm/name", want);
	return mapped && !strcmp(mapped, slash + 1);
}

bool mounts_is_device(const char *root, const struct mount_info *m, unsigned int major,
		      unsigned int minor)
{
	__cleanup_strvec struct strvec sources = STRVEC_INIT;

	if (m->major == major && m->minor == minor)
		return true;
	if (m->major != 0)
		return false;
	/* bcachefs shows all of its devices, with colons between. */
	strvec_push(&sources, m->source);
	strvec_split(&sources, m->source, ':');
	for (size_t i = 0; i < sources.n; i++)
		if (source_is(root, sources.v[i], major, minor))
			return true;
	return false;
}

static int each_dir(const char *root, bool (*want)(const struct mount_info *m, void *arg),
		    void *arg, struct strvec *dirs)
{
	__cleanup_table struct libmnt_table *table = NULL;
	__cleanup_iter struct libmnt_iter *iter = NULL;
	struct libmnt_fs *fs;
	int ret = table_open(root, &table, &iter);

	if (ret)
		return ret;
	while (mnt_table_next_fs(table, iter, &fs) == 0) {
		__cleanup_mount_info struct mount_info m = MOUNT_INFO_INIT;

		if (!mnt_fs_get_target(fs))
			continue;
		fill(&m, fs);
		if (want(&m, arg))
			strvec_push(dirs, m.dir);
	}
	return 0;
}

struct device {
	const char *root;
	unsigned int major, minor;
};

static bool is_device(const struct mount_info *m, void *arg)
{
	const struct device *d = arg;

	return mounts_is_device(d->root, m, d->major, d->minor);
}

int mounts_of_device(const char *root, unsigned int major, unsigned int minor,
		     struct strvec *dirs)
{
	return each_dir(root, is_device, &(struct device){ root, major, minor }, dirs);
}

static bool is_below(const struct mount_info *m, void *arg)
{
	const char *dir = arg;

	return path_is_below(m->dir, dir) && !path_is_below(dir, m->dir);
}

int mounts_below(const char *root, const char *dir, struct strvec *dirs)
{
	__cleanup_free char *real = resolve(root, dir);

	return each_dir(root, is_below, real, dirs);
}
