// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/internal.h"

#include "lib/mem.h"
#include "lib/mounts.h"
#include "lib/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Enough to find the culprit. */
#define MOST_NAMED 5

/* What is looked for: a mount point with its file system's number, or a block device. */
struct wanted {
	const char *dir; /* NULL: a block device */
	dev_t dev;
	size_t found;
	struct strbuf *out;
};

static void name_one(struct wanted *w, const char *pid, const char *how)
{
	__cleanup_free char *comm = proc_read_line("", "/proc/%s/comm", pid);

	if (w->found++ >= MOST_NAMED)
		return;
	strbuf_addf(w->out, "%s%s (pid %s, %s)", w->out->len ? ", " : "", comm ? comm : "?", pid,
		    how);
}

/*
 * Is what the link in /proc shows on it? A subvolume of btrfs has another device number than
 * its file system, so the name counts too.
 */
static bool link_is_on_it(const struct wanted *w, const char *link)
{
	char target[4096];
	struct stat st;
	ssize_t n;

	if (stat(link, &st))
		return false;
	if (!w->dir)
		return S_ISBLK(st.st_mode) && st.st_rdev == w->dev;
	if (st.st_dev == w->dev)
		return true;
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return path_is_below(target, w->dir);
}

static bool fd_is_on_it(const struct wanted *w, const char *pid)
{
	__cleanup_free char *path = xasprintf("/proc/%s/fd", pid);
	DIR *dir = opendir(path);
	struct dirent *e;
	bool yes = false;

	while (dir && !yes && (e = readdir(dir))) {
		__cleanup_free char *link = xasprintf("%s/%s", path, e->d_name);

		yes = e->d_name[0] != '.' && link_is_on_it(w, link);
	}
	if (dir)
		closedir(dir);
	return yes;
}

/* A line of maps: address perms offset MAJOR:MINOR inode path. */
static bool map_is_on_it(const struct wanted *w, const char *pid)
{
	__cleanup_free char *maps = proc_read("", "/proc/%s/maps", pid);
	__cleanup_strvec struct strvec lines = STRVEC_INIT;

	if (!w->dir)
		return false;
	strvec_split(&lines, maps ? maps : "", '\n');
	for (size_t i = 0; i < lines.n; i++) {
		const char *path = strchr(lines.v[i], '/');
		unsigned int maj, min;

		if (sscanf(lines.v[i], "%*s %*s %*s %x:%x", &maj, &min) == 2 &&
		    makedev(maj, min) == w->dev && major(w->dev) + minor(w->dev))
			return true;
		if (path && path_is_below(path, w->dir))
			return true;
	}
	return false;
}

static void look_at(struct wanted *w, const char *pid)
{
	static const struct {
		const char *link, *how;
	} links[] = {
		{ "cwd", "its current folder" },
		{ "root", "its root folder" },
		{ "exe", "its program" },
	};

	for (size_t i = 0; w->dir && i < ARRAY_SIZE(links); i++) {
		__cleanup_free char *link = xasprintf("/proc/%s/%s", pid, links[i].link);

		if (link_is_on_it(w, link)) {
			name_one(w, pid, links[i].how);
			return;
		}
	}
	if (fd_is_on_it(w, pid))
		name_one(w, pid, w->dir ? "an open file" : "has it open");
	else if (map_is_on_it(w, pid))
		name_one(w, pid, "a mapped file");
}

static void look_at_all(struct wanted *w)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		unsigned long long pid;

		if (!str_to_u64(e->d_name, &pid))
			look_at(w, e->d_name);
	}
	if (dir)
		closedir(dir);
	if (w->found > MOST_NAMED)
		strbuf_addf(w->out, " and %zu more", w->found - MOST_NAMED);
}

static void name_mounts(const char *what, const struct strvec *dirs, struct strbuf *out)
{
	for (size_t i = 0; i < dirs->n && i < MOST_NAMED; i++)
		strbuf_addf(out, "%s%s %s", out->len ? ", " : "", what, dirs->v[i]);
}

void env_holders_of_mount(const char *dir, struct strbuf *out)
{
	__cleanup_strvec struct strvec below = STRVEC_INIT;
	struct wanted w = { .dir = dir, .out = out };
	struct stat st;

	if (stat(dir, &st))
		return;
	w.dev = st.st_dev;
	look_at_all(&w);
	mounts_below("", dir, &below);
	name_mounts("a mount on", &below, out);
}

void env_holders_of_device(dev_t dev, struct strbuf *out)
{
	__cleanup_strvec struct strvec dirs = STRVEC_INIT;
	struct wanted w = { .dev = dev, .out = out };

	look_at_all(&w);
	mounts_of_device("", major(dev), minor(dev), &dirs);
	name_mounts("mounted on", &dirs, out);
}
