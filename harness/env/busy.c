// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/internal.h"

#include "lib/mem.h"
#include "lib/mounts.h"
#include "lib/proc.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

/* The plain names in folder @rel below @root, sorted; none when there is no such folder. */
static void list(const char *root, const char *rel, struct strvec *names)
{
	__cleanup_free char *path = xasprintf("%s%s", root, rel);
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			strvec_push(names, e->d_name);
	if (dir)
		closedir(dir);
	strvec_sort(names);
}

static bool exists(const char *root, const char *rel)
{
	__cleanup_free char *path = xasprintf("%s%s", root, rel);

	return access(path, F_OK) == 0;
}

/* Blanks are shown as \040 in /proc/swaps. */
static char *decode(const char *s)
{
	struct strbuf out = STRBUF_INIT;

	for (; *s; s++) {
		unsigned int c;
		int used = 0;

		if (*s == '\\' && sscanf(s + 1, "%3o%n", &c, &used) == 1 && used == 3) {
			strbuf_addc(&out, (char)c);
			s += 3;
		} else {
			strbuf_addc(&out, *s);
		}
	}
	return strbuf_detach(&out);
}

/* Calls @same for the path of each active swap until it says yes. */
static bool any_swap(const char *root, bool (*same)(const char *path, const void *arg),
		     const void *arg)
{
	__cleanup_free char *text = proc_read(root, "/proc/swaps");
	__cleanup_strvec struct strvec lines = STRVEC_INIT;

	strvec_split(&lines, text ? text : "", '\n');
	/* The first line is a heading. */
	for (size_t i = 1; i < lines.n; i++) {
		__cleanup_free char *word = xstrndup(lines.v[i], strcspn(lines.v[i], " \t"));
		__cleanup_free char *path = decode(word);

		if (same(path, arg))
			return true;
	}
	return false;
}

struct disk {
	const char *root, *name;
	unsigned int major, minor;
};

static bool same_disk(const char *path, const void *arg)
{
	const struct disk *d = arg;
	const char *slash = strrchr(path, '/');
	struct stat st;

	if (!*d->root && stat(path, &st) == 0)
		return S_ISBLK(st.st_mode) && st.st_rdev == makedev(d->major, d->minor);
	return str_starts(path, "/dev/") && slash && !strcmp(slash + 1, d->name);
}

static bool same_file(const char *path, const void *arg)
{
	const struct stat *want = arg;
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == want->st_dev && st.st_ino == want->st_ino;
}

bool env_is_swap_file(const char *root, const struct stat *st)
{
	return any_swap(root, same_file, st);
}

/* Names of device mapper devices say more than dm-3. */
static void check_holders(const struct disk *d, const char *who, struct strvec *problems)
{
	__cleanup_free char *dir = xasprintf("/sys/class/block/%s/holders", d->name);
	__cleanup_strvec struct strvec names = STRVEC_INIT;

	list(d->root, dir, &names);
	for (size_t i = 0; i < names.n; i++) {
		__cleanup_free char *dm = proc_read_line(d->root, "/sys/class/block/%s/dm/name",
							 names.v[i]);

		strvec_pushf(problems, "%s is part of %s%s%s%s", who, names.v[i], dm ? " (" : "",
			     dm ? dm : "", dm ? ")" : "");
	}
}

/* A member of a mounted btrfs need not be the device that mountinfo shows. */
static void check_btrfs(const struct disk *d, const char *who, struct strvec *problems)
{
	__cleanup_strvec struct strvec uuids = STRVEC_INIT;

	list(d->root, "/sys/fs/btrfs", &uuids);
	for (size_t i = 0; i < uuids.n; i++) {
		__cleanup_free char *member = xasprintf("/sys/fs/btrfs/%s/devices/%s", uuids.v[i],
							d->name);

		if (exists(d->root, member))
			strvec_pushf(problems, "%s is part of the btrfs %s, which is mounted", who,
				     uuids.v[i]);
	}
}

static void check_loops(const struct disk *d, const char *who, struct strvec *problems)
{
	struct stat st = { .st_mode = S_IFBLK, .st_rdev = makedev(d->major, d->minor) };
	__cleanup_free char *path = xasprintf("/dev/%s", d->name);
	__cleanup_strvec struct strvec loops = STRVEC_INIT, found = STRVEC_INIT;

	list(d->root, "/sys/block", &loops);
	for (size_t i = 0; i < loops.n; i++) {
		__cleanup_free char *file = proc_read_line(
			d->root, "/sys/block/%s/loop/backing_file", loops.v[i]);

		if (str_eq(file, path))
			strvec_push(&found, loops.v[i]);
	}
	if (!found.n)
		env_loop_backed_by(d->root, &st, &found);
	for (size_t i = 0; i < found.n; i++)
		strvec_pushf(problems, "%s is what %s is attached to", who, found.v[i]);
}

static bool read_number(struct disk *d)
{
	__cleanup_free char *dev = proc_read_line(d->root, "/sys/class/block/%s/dev", d->name);

	return dev && sscanf(dev, "%u:%u", &d->major, &d->minor) == 2;
}

static void check_one(const char *root, const char *name, const char *who,
		      struct strvec *problems)
{
	struct disk d = { .root = root, .name = name };
	__cleanup_strvec struct strvec dirs = STRVEC_INIT;
	int ret;

	if (!read_number(&d)) {
		strvec_pushf(problems, "%s cannot be looked up in /sys/class/block", who);
		return;
	}
	ret = mounts_of_device(root, d.major, d.minor, &dirs);
	/* Not knowing is not the same as not mounted. */
	if (ret)
		strvec_pushf(problems, "%s may be mounted: /proc/self/mountinfo: %s", who,
			     strerror(-ret));
	for (size_t i = 0; i < dirs.n; i++)
		strvec_pushf(problems, "%s is mounted on %s", who, dirs.v[i]);
	if (any_swap(root, same_disk, &d))
		strvec_pushf(problems, "%s is swap space in use", who);
	check_holders(&d, who, problems);
	if (!dirs.n)
		check_btrfs(&d, who, problems);
	check_loops(&d, who, problems);
}

static void check_partitions(const char *root, const char *path, const char *name,
			     struct strvec *problems)
{
	__cleanup_free char *dir = xasprintf("/sys/class/block/%s", name);
	__cleanup_strvec struct strvec entries = STRVEC_INIT;

	list(root, dir, &entries);
	for (size_t i = 0; i < entries.n; i++) {
		__cleanup_free char *mark = xasprintf("%s/%s/partition", dir, entries.v[i]);
		__cleanup_free char *who = xasprintf("%s: its partition %s", path, entries.v[i]);

		if (!exists(root, mark))
			continue;
		strvec_pushf(problems, "%s has a partition %s", path, entries.v[i]);
		check_one(root, entries.v[i], who, problems);
	}
}

/* A partition's folder lies in that of its disk. */
static char *whole_disk(const char *root, const char *name)
{
	__cleanup_free char *mark = xasprintf("/sys/class/block/%s/partition", name);
	__cleanup_free char *link = xasprintf("%s/sys/class/block/%s", root, name);
	__cleanup_free char *real = NULL;
	char *slash;

	if (!exists(root, mark))
		return NULL;
	real = realpath(link, NULL);
	slash = real ? strrchr(real, '/') : NULL;
	if (!slash)
		return NULL;
	*slash = '\0';
	slash = strrchr(real, '/');
	return slash ? xstrdup(slash + 1) : NULL;
}

void env_busy_check(const char *root, const char *path, const char *name,
		    struct strvec *problems)
{
	__cleanup_free char *disk = whole_disk(root, name);

	check_one(root, name, path, problems);
	check_partitions(root, path, name, problems);
	if (disk) {
		__cleanup_free char *who = xasprintf("%s: its disk %s", path, disk);

		check_one(root, disk, who, problems);
	}
}
