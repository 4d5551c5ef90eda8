// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/internal.h"

#include "lib/clock.h"
#include "lib/mem.h"
#include "lib/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>

struct check {
	const char *root;
	const struct env_disk_spec *spec;
	int lock_fd; /* ours; -1: none */
	struct strvec found;
	bool transient;
};

char *env_sys_name(dev_t dev)
{
	__cleanup_free char *link = xasprintf("/sys/dev/block/%u:%u", major(dev), minor(dev));
	__cleanup_free char *real = realpath(link, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;

	return slash ? xstrdup(slash + 1) : NULL;
}

/* An own description of the open file: the lock of another one of ours is in the way too. */
bool env_is_locked(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

static int try_lock(void *arg)
{
	return flock(*(int *)arg, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

int env_lock(struct env *env, int fd, const char *path)
{
	if (!clock_wait_until(try_lock, &fd, ENV_RELEASE_NS))
		return env_fail(env, EBUSY, "%s is in use by another fsdelta", path);
	if (flock(fd, LOCK_EX | LOCK_NB))
		return env_fail(env, errno, "%s cannot be locked: %s", path, strerror(errno));
	return 0;
}

static bool is_forced(const struct env_disk_spec *spec)
{
	return spec->force && !strcmp(spec->force, spec->path);
}

/* Does the name belong to the same device after the next boot? */
static bool is_stable(const char *path, const char *name)
{
	if (str_starts(path, "/dev/disk/by-"))
		return !str_starts(path, "/dev/disk/by-diskseq/");
	if (str_starts(path, "/dev/mapper/"))
		return true;
	/* /dev/GROUP/VOLUME; dm-3 itself is counted in order of appearance. */
	return str_starts(name, "dm-") && !str_starts(path, "/dev/dm-");
}

static void check_name(struct check *c, const char *name)
{
	const char *path = c->spec->path;

	if (str_starts(path, "/dev/disk/by-uuid/") || str_starts(path, "/dev/disk/by-label/"))
		strvec_pushf(&c->found, "%s: this name goes away with the content; give the one "
			     "in /dev/disk/by-id", path);
	else if (!is_stable(path, name) && !is_forced(c->spec))
		strvec_pushf(&c->found, "%s can be another device after the next boot: give its "
			     "name in /dev/disk/by-id, or repeat this one with --force-device",
			     path);
	if (c->spec->force && !is_forced(c->spec))
		strvec_pushf(&c->found, "--force-device %s is not the device that was given, %s",
			     c->spec->force, path);
}

/* A raw database, dm-crypt without header: nothing but the data itself tells. */
static void check_empty(struct check *c, int fd)
{
	const char *path = c->spec->path;
	int ret = env_is_empty(fd);

	if (ret < 0)
		strvec_pushf(&c->found, "%s cannot be read: %s", path, strerror(-ret));
	else if (ret == 0)
		strvec_pushf(&c->found, "%s has data on it that is no file system known here; "
			     "blkdiscard -z empties it, --force-device %s allows to overwrite it",
			     path, path);
}

static void check_signature(struct check *c, int fd)
{
	const char *path = c->spec->path;
	struct env_signature s;
	int ret = env_signature_read(fd, &s);

	if (ret)
		strvec_pushf(&c->found, "%s cannot be read: %s", path, strerror(-ret));
	else if (s.table)
		strvec_pushf(&c->found, "%s holds %s; wipefs(8) removes it", path, s.what);
	else if (s.what && !s.ours && !is_forced(c->spec))
		strvec_pushf(&c->found, "%s holds %s, which fsdelta did not make; --force-device "
			     "%s allows to overwrite it", path, s.what, path);
	else if (!s.what && !is_forced(c->spec))
		check_empty(c, fd);
	free(s.what);
}

static void check_read_only(struct check *c, const char *name)
{
	uint64_t n;

	if (!proc_read_u64(c->root, &n, "/sys/class/block/%s/ro", name) && n)
		strvec_pushf(&c->found, "%s is read-only", c->spec->path);
	if (!proc_read_u64(c->root, &n, "/sys/class/block/%s/size", name) && !n)
		strvec_pushf(&c->found, "%s has no size", c->spec->path);
}

/* A name can become that of another device while it is looked at: udev, or somebody's ln. */
static bool is_locked_one(struct check *c, const struct stat *st)
{
	struct stat locked;

	if (c->lock_fd < 0 || (!fstat(c->lock_fd, &locked) && locked.st_rdev == st->st_rdev))
		return true;
	strvec_pushf(&c->found, "%s is another device than it was a moment ago", c->spec->path);
	return false;
}

/* What only the device itself tells. */
static void check_open(struct check *c, bool busy)
{
	const char *path = c->spec->path;
	__cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		strvec_pushf(&c->found, "%s: %s", path, strerror(errno));
		return;
	}
	if (!is_locked_one(c, &st))
		return;
	check_signature(c, fd);
	if (c->lock_fd < 0 && env_is_locked(fd)) {
		strvec_pushf(&c->found, "%s is in use by another fsdelta", path);
		c->transient = true;
		return;
	}
	/* Says the same as the lists did, if less clearly; but it also knows other namespaces. */
	if (busy)
		return;
	__cleanup_close int excl = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);

	if (excl < 0) {
		c->transient = errno == EBUSY;
		strvec_pushf(&c->found, "%s: %s", path,
			     errno == EBUSY ? "in use by the kernel or another program (mounted in "
					      "a container?)" : strerror(errno));
	}
}

static void check_block(struct check *c)
{
	const char *path = c->spec->path;
	__cleanup_free char *name = NULL;
	struct stat st;
	size_t before;

	if (*c->root) {
		const char *slash = strrchr(path, '/');

		name = xstrdup(slash ? slash + 1 : path);
	} else if (stat(path, &st)) {
		strvec_pushf(&c->found, "%s: %s", path, strerror(errno));
		return;
	} else if (!S_ISBLK(st.st_mode)) {
		strvec_pushf(&c->found, "%s is not a block device", path);
		return;
	} else if (!is_locked_one(c, &st)) {
		return;
	} else {
		name = env_sys_name(st.st_rdev);
	}
	if (!name) {
		strvec_pushf(&c->found, "%s: the kernel has no such device", path);
		return;
	}
	before = c->found.n;
	env_busy_check(c->root, path, name, &c->found);
	bool busy = c->found.n > before;

	check_read_only(c, name);
	if (!*c->root)
		check_open(c, busy);
	check_name(c, name);
}

/* Once more, as long as the reason may be a process that is just dying. */
static int checked(void *arg)
{
	struct check *c = arg;

	strvec_release(&c->found);
	c->transient = false;
	if (c->spec->kind == ENV_DISK_BLOCK)
		check_block(c);
	else if (c->spec->kind == ENV_DISK_IMAGE)
		env_image_check(c->root, c->spec, c->lock_fd >= 0, &c->found, &c->transient);
	return !c->transient;
}

void env_device_check_locked(const char *root, const struct env_disk_spec *spec, int lock_fd,
			     struct strvec *problems)
{
	struct check c = { .root = root, .spec = spec, .lock_fd = lock_fd };

	clock_wait_until(checked, &c, ENV_RELEASE_NS);
	strvec_push_all(problems, &c.found);
	strvec_release(&c.found);
}

void env_device_check(const char *root, const struct env_disk_spec *spec, struct strvec *problems)
{
	env_device_check_locked(root, spec, -1, problems);
}
