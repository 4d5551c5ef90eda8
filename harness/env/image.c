// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/internal.h"

#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

/* Between the creation of an image and its first mkfs there is no label yet. */
#define MARK "user.fsdelta"

struct image {
	const struct env_disk_spec *spec;
	struct strvec *problems;
	bool *transient;
};

static void check_content(const struct image *i, int fd)
{
	const char *path = i->spec->path;
	struct env_signature s;
	struct stat st;
	int ret;

	/* Nothing in it, and too small to be probed. */
	if (fstat(fd, &st) == 0 && st.st_size == 0)
		return;
	ret = env_signature_read(fd, &s);
	if (ret)
		strvec_pushf(i->problems, "%s cannot be read: %s", path, strerror(-ret));
	else if (s.what && !s.ours)
		strvec_pushf(i->problems, "%s holds %s, which fsdelta did not make: remove it, or "
			     "give another name", path, s.what);
	else if (!s.what && fgetxattr(fd, MARK, NULL, 0) < 0 && env_is_empty(fd) != 1)
		strvec_pushf(i->problems, "%s holds data that fsdelta did not write: remove it, or "
			     "give another name", path);
	free(s.what);
}

static void check_use(const struct image *i, const char *root, const struct stat *st)
{
	__cleanup_strvec struct strvec loops = STRVEC_INIT;

	if (env_is_swap_file(root, st))
		strvec_pushf(i->problems, "%s is swap space in use", i->spec->path);
	env_loop_backed_by(root, st, &loops);
	for (size_t n = 0; n < loops.n; n++) {
		strvec_pushf(i->problems, "%s is attached to %s", i->spec->path, loops.v[n]);
		*i->transient = true;
	}
}

static void check_existing(const struct image *i, const char *root, const struct stat *st,
			   bool own_lock)
{
	const char *path = i->spec->path;
	__cleanup_close int fd = -1;

	if (!S_ISREG(st->st_mode)) {
		strvec_pushf(i->problems, "%s is not a regular file%s", path,
			     S_ISBLK(st->st_mode) ? " but a device: see --device" : "");
		return;
	}
	check_use(i, root, st);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || access(path, W_OK)) {
		strvec_pushf(i->problems, "%s: %s", path, strerror(errno));
		return;
	}
	check_content(i, fd);
	if (!own_lock && env_is_locked(fd)) {
		strvec_pushf(i->problems, "%s is in use by another fsdelta", path);
		*i->transient = true;
	}
}

/* The file is sparse, but a workload may fill it; then the loop device fails its writes. */
static void check_room(const struct image *i, const struct stat *st)
{
	__cleanup_free char *copy = xstrdup(i->spec->path);
	const char *dir = dirname(copy);
	uint64_t have, used = st ? (uint64_t)st->st_blocks * 512 : 0;
	struct statvfs v;

	if (statvfs(dir, &v)) {
		strvec_pushf(i->problems, "%s: %s", dir, strerror(errno));
		return;
	}
	if (!st && access(dir, W_OK)) {
		strvec_pushf(i->problems, "%s: %s", dir, strerror(errno));
		return;
	}
	have = (uint64_t)v.f_bavail * v.f_frsize + used;
	if (i->spec->size > have)
		strvec_pushf(i->problems, "%s: %" PRIu64 " MiB asked for, but only %" PRIu64
			     " MiB are free there", i->spec->path, i->spec->size >> 20, have >> 20);
}

void env_image_check(const char *root, const struct env_disk_spec *spec, bool own_lock,
		     struct strvec *problems, bool *transient)
{
	struct image i = { spec, problems, transient };
	struct stat st;

	if (stat(spec->path, &st) == 0) {
		check_existing(&i, root, &st, own_lock);
		if (S_ISREG(st.st_mode))
			check_room(&i, &st);
	} else if (errno == ENOENT) {
		check_room(&i, NULL);
	} else {
		strvec_pushf(problems, "%s: %s", spec->path, strerror(errno));
	}
}

/* Refuses with all reasons in one sentence. */
static int refuse(struct env *env, const struct env_disk_spec *spec, int fd)
{
	__cleanup_strvec struct strvec problems = STRVEC_INIT;
	__cleanup_free char *text = NULL;

	env_device_check_locked("", spec, fd, &problems);
	if (!problems.n)
		return 0;
	text = strvec_join(&problems, "; ");
	return env_fail(env, EPERM, "%s", text);
}

static int grow(struct env *env, const struct env_disk_spec *spec, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return env_fail(env, errno, "%s: %s", spec->path, strerror(errno));
	if ((uint64_t)st.st_size < spec->size && ftruncate(fd, (off_t)spec->size))
		return env_fail(env, errno, "%s cannot be made %" PRIu64 " MiB long: %s",
				spec->path, spec->size >> 20, strerror(errno));
	return 0;
}

int env_image_open(struct env *env, const struct env_disk_spec *spec)
{
	int fd = open(spec->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool made = fd >= 0;
	int ret = 0;

	if (made)
		/* Not every file system can: then an interrupted first mkfs leaves a stranger. */
		(void)!fsetxattr(fd, MARK, "1", 1, 0);
	else if (errno == EEXIST)
		fd = open(spec->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return env_fail(env, errno, "%s: %s", spec->path, strerror(errno));
	ret = env_lock(env, fd, spec->path);
	if (!ret && !made)
		ret = refuse(env, spec, fd);
	if (!ret)
		ret = grow(env, spec, fd);
	if (!ret)
		return fd;
	if (made)
		unlink(spec->path);
	close(fd);
	return ret;
}
