// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/stage.h"

#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define PREFIX ".stage-"
#define INNER "/out"

static int lock_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void remove_left(const char *store)
{
	struct dirent *e;
	DIR *d = opendir(store);

	while (d && (e = readdir(d))) {
		__cleanup_free char *path = xasprintf("%s/%s", store, e->d_name);
		__cleanup_close int fd = str_starts(e->d_name, PREFIX) ? lock_folder(path) : -1;

		if (fd >= 0)
			file_remove_tree(path);
	}
	if (d)
		closedir(d);
}

int stage_open(struct stage *s, const char *store)
{
	__cleanup_free char *root = realpath(store, NULL);
	__cleanup_free char *dir = NULL;

	if (!root)
		return -errno;
	remove_left(root);
	dir = xasprintf("%s/" PREFIX "XXXXXX", root);
	if (!mkdtemp(dir) || (s->lock = lock_folder(dir)) < 0)
		return -errno;
	s->path = xasprintf("%s" INNER, dir);
	return 0;
}

int stage_make(const struct stage *s)
{
	return mkdir(s->path, 0755) ? -errno : 0;
}

int stage_move(const struct stage *s, const char *dir)
{
	__cleanup_free char *copy = xstrdup(dir);
	int ret = file_sync_tree(s->path);

	if (!ret && rename(s->path, dir))
		ret = -errno;
	return ret ? ret : file_sync_dir(dirname(copy));
}

void stage_close(struct stage *s)
{
	if (s->path) {
		s->path[strlen(s->path) - strlen(INNER)] = '\0';
		file_remove_tree(s->path);
	}
	if (s->lock >= 0)
		close(s->lock);
	free(s->path);
	*s = (struct stage)STAGE_INIT;
}
