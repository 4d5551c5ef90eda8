// SPDX-License-Identifier: GPL-2.0-or-later
/* Where probes are, and which functions begin an operation. */
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "probes/probe.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define PROBE_FILE_MAX (1U << 20)

/* In .ops of each file system: fs/btrfs/file.c, fs/btrfs/inode.c, and so on. */
const struct probe_entry probe_entries[] = {
	{ "btrfs", "fsync", "btrfs_sync_file" },
	{ "btrfs", "rename", "btrfs_rename2" },
	{ "btrfs", "unlink", "btrfs_unlink" },
	{ "btrfs", "utime", "btrfs_setattr" },
	{ "ext4", "fsync", "ext4_sync_file" },
	{ "ext4", "rename", "ext4_rename2" },
	{ "ext4", "unlink", "ext4_unlink" },
	{ "ext4", "utime", "ext4_setattr" },
	{ "vfs", "fsync", "vfs_fsync_range" },
	{ "vfs", "rename", "vfs_rename" },
	{ "vfs", "unlink", "vfs_unlink" },
	{ "vfs", "utime", "notify_change" },
	{ "xfs", "fsync", "xfs_file_fsync" },
	{ "xfs", "rename", "xfs_vn_rename" },
	{ "xfs", "unlink", "xfs_vn_unlink" },
	{ "xfs", "utime", "xfs_vn_setattr" },
	{ NULL, NULL, NULL },
};

const char *probe_entry(const char *fs, const char *op)
{
	for (const struct probe_entry *e = probe_entries; e->fs; e++)
		if (!strcmp(e->fs, fs) && !strcmp(e->op, op))
			return e->function;
	return NULL;
}

void probe_dirs(struct strvec *dirs, const char *datadir)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	strvec_push(dirs, "./fsdelta.d");
	/* The XDG specification: a path that is not absolute is to be ignored. */
	if (config && *config == '/')
		strvec_pushf(dirs, "%s/fsdelta", config);
	else if (home && *home)
		strvec_pushf(dirs, "%s/.config/fsdelta", home);
	strvec_push(dirs, "/etc/fsdelta");
	if (datadir)
		strvec_pushf(dirs, "%s/probes", datadir);
}

/* "NAME" of "DIR/NAME.bt"; the caller frees. NULL when it is no name of a probe. */
static char *name_of(const char *file)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	char *name;

	if (!str_ends(base, PROBE_SUFFIX))
		return NULL;
	name = xstrndup(base, strlen(base) - strlen(PROBE_SUFFIX));
	if (file_is_plain_name(name))
		return name;
	free(name);
	return NULL;
}

void probe_list(const struct strvec *dirs, struct strvec *names)
{
	for (size_t i = 0; i < dirs->n; i++) {
		DIR *d = opendir(dirs->v[i]);
		struct dirent *entry;

		while (d && (entry = readdir(d))) {
			__cleanup_free char *name = name_of(entry->d_name);

			if (name && !strvec_has(names, name))
				strvec_push(names, name);
		}
		if (d)
			closedir(d);
	}
	strvec_sort(names);
}

static struct probe *load_file(const char *name, const char *path, struct strvec *errors)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	struct stat st;
	int ret = stat(path, &st) ? -errno : 0;

	/* Opening a fifo would wait for its writer. */
	if (!ret && !S_ISREG(st.st_mode))
		ret = -EBADF;
	if (!ret)
		ret = file_read(path, &text, PROBE_FILE_MAX);
	if (ret) {
		strvec_pushf(errors, "%s: %s", path,
			     ret == -EBADF ? "is no regular file" : strerror(-ret));
		return NULL;
	}
	if (strlen(strbuf_str(&text)) != text.len) {
		strvec_pushf(errors, "%s: holds a NUL byte", path);
		return NULL;
	}
	return probe_parse(name, path, strbuf_str(&text), errors);
}

struct probe *probe_load(const struct strvec *dirs, const char *name, struct strvec *errors)
{
	__cleanup_free char *of_path = strchr(name, '/') ? name_of(name) : NULL;
	__cleanup_free char *where = NULL;

	if (of_path)
		return load_file(of_path, name, errors);
	for (size_t i = 0; file_is_plain_name(name) && i < dirs->n; i++) {
		__cleanup_free char *path = xasprintf("%s/%s" PROBE_SUFFIX, dirs->v[i], name);

		if (file_exists(path))
			return load_file(name, path, errors);
	}
	where = strvec_join(dirs, ", ");
	strvec_pushf(errors, "no probe '%s' in %s", name, where);
	return NULL;
}
