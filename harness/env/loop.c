// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/internal.h"

#include "lib/clock.h"
#include "lib/mem.h"
#include "lib/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

/* How long the race for a free device goes on. */
#define RACE_NS (5 * NSEC_PER_SEC)

/* In a container /dev may hold fewer devices than the kernel; only attaching may change that. */
static int open_node(const char *sys_name, int flags, bool make)
{
	__cleanup_free char *node = xasprintf("/dev/%s", sys_name);
	__cleanup_free char *dev = NULL;
	unsigned int major, minor;
	int fd = open(node, flags | O_CLOEXEC);

	if (fd >= 0 || errno != ENOENT || !make)
		return fd >= 0 ? fd : -errno;
	dev = proc_read_line("", "/sys/class/block/%s/dev", sys_name);
	if (!dev || sscanf(dev, "%u:%u", &major, &minor) != 2)
		return -ENOENT;
	if (mknod(node, S_IFBLK | 0600, makedev(major, minor)) && errno != EEXIST)
		return -errno;
	fd = open(node, flags | O_CLOEXEC);
	return fd >= 0 ? fd : -errno;
}

static bool is_attached(const char *root, const char *sys_name)
{
	__cleanup_free char *path = xasprintf("%s/sys/block/%s/loop/backing_file", root, sys_name);

	return access(path, F_OK) == 0;
}

/* Is what the loop device @fd is attached to the file, or the block device, @st? */
static bool is_backed_by(int fd, const struct stat *st)
{
	struct loop_info64 info;

	if (ioctl(fd, LOOP_GET_STATUS64, &info))
		return false;
	if (S_ISBLK(st->st_mode))
		return info.lo_rdevice && info.lo_rdevice == st->st_rdev;
	return info.lo_device == st->st_dev && info.lo_inode == st->st_ino;
}

/* As is_backed_by(), by name; where the device may not be opened, the name of the file counts. */
static bool backs(const char *root, const char *sys_name, const struct stat *st)
{
	__cleanup_free char *file = proc_read_line(root, "/sys/block/%s/loop/backing_file",
						   sys_name);
	struct stat other;
	int fd;
	bool yes;

	if (!file)
		return false;
	if (*root == '\0' && (fd = open_node(sys_name, O_RDONLY, false)) >= 0) {
		yes = is_backed_by(fd, st);
		close(fd);
		return yes;
	}
	if (stat(file, &other))
		return false;
	if (S_ISBLK(st->st_mode))
		return S_ISBLK(other.st_mode) && other.st_rdev == st->st_rdev;
	return other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

void env_loop_backed_by(const char *root, const struct stat *st, struct strvec *names)
{
	__cleanup_free char *path = xasprintf("%s/sys/block", root);
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (str_starts(e->d_name, "loop") && backs(root, e->d_name, st))
			strvec_push(names, e->d_name);
	if (dir)
		closedir(dir);
	strvec_sort(names);
}

struct attempt {
	int control;
	struct loop_config config;
	int fd;
	int number;
	int error;
};

/* Between asking for a free device and taking it, another may take it: then once more. */
static int try_attach(void *arg)
{
	struct attempt *a = arg;
	char name[32];

	a->number = ioctl(a->control, LOOP_CTL_GET_FREE);
	if (a->number < 0) {
		a->error = errno;
		return 1;
	}
	snprintf(name, sizeof(name), "loop%d", a->number);
	a->fd = open_node(name, O_RDWR, true);
	if (a->fd < 0) {
		a->error = -a->fd;
		return a->error != ENXIO && a->error != EBUSY;
	}
	a->error = ioctl(a->fd, LOOP_CONFIGURE, &a->config) ? errno : 0;
	if (!a->error)
		return 1;
	close(a->fd);
	a->fd = -1;
	return a->error != EBUSY;
}

static int attach(struct env *env, struct attempt *a, const char *name)
{
	a->control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (a->control < 0)
		return env_fail(env, errno, "/dev/loop-control: %s", strerror(errno));
	clock_wait_until(try_attach, a, RACE_NS);
	close(a->control);
	if (!a->error)
		return 0;
	return env_fail(env, a->error, "%s cannot be attached to a loop device: %s%s", name,
			strerror(a->error),
			a->error == EINVAL ? " (LOOP_CONFIGURE needs Linux 5.8)" : "");
}

/* A device of another size than asked for would be measured without anybody noticing. */
static int check_size(struct env *env, const struct env_disk *disk, uint64_t want)
{
	uint64_t size;

	if (ioctl(disk->fd, BLKGETSIZE64, &size))
		return env_fail(env, errno, "%s: %s", disk->node, strerror(errno));
	/* Whole sectors only. */
	if (size != want / 512 * 512)
		return env_fail(env, EIO, "%s has %" PRIu64 " bytes instead of %" PRIu64,
				disk->node, size, want);
	return 0;
}

int env_loop_attach(struct env *env, struct env_disk *disk, const char *name, uint64_t limit)
{
	struct attempt a = { .fd = -1 };
	struct stat st;
	int ret;

	a.config.fd = (unsigned int)disk->backing_fd;
	a.config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
	a.config.info.lo_sizelimit = limit;
	snprintf((char *)a.config.info.lo_file_name, LO_NAME_SIZE, "%s", name);
	ret = attach(env, &a, name);
	if (ret)
		return ret;
	disk->fd = a.fd;
	disk->loop = true;
	disk->sys_name = xasprintf("loop%d", a.number);
	disk->node = xasprintf("/dev/%s", disk->sys_name);
	if (fstat(disk->fd, &st))
		return env_fail(env, errno, "%s: %s", disk->node, strerror(errno));
	disk->major = major(st.st_rdev);
	disk->minor = minor(st.st_rdev);
	return check_size(env, disk, limit);
}

struct detached {
	const char *sys_name;
	struct stat backing;
};

/* Free, or taken by somebody else meanwhile. */
static int is_detached(void *arg)
{
	const struct detached *d = arg;
	int fd;
	bool ours;

	if (!is_attached("", d->sys_name))
		return 1;
	fd = open_node(d->sys_name, O_RDONLY, false);
	if (fd < 0)
		return fd == -ENXIO;
	ours = is_backed_by(fd, &d->backing);
	close(fd);
	return !ours;
}

int env_loop_detach(struct env *env, struct env_disk *disk)
{
	struct detached d = { .sys_name = disk->sys_name };
	__cleanup_strbuf struct strbuf who = STRBUF_INIT;

	if (fstat(disk->backing_fd, &d.backing) || !is_backed_by(disk->fd, &d.backing))
		return env_fail(env, ENXIO, "%s is no longer attached to what fsdelta attached it "
				"to", disk->node);
	close(disk->fd);
	disk->fd = -1;
	if (!clock_wait_until(is_detached, &d, env_patience_ns(env))) {
		env_holders_of_device(makedev(disk->major, disk->minor), &who);
		return env_fail(env, EBUSY, "%s is still in use: %s", disk->node,
				who.len ? who.buf : "nobody here holds it");
	}
	/* The lock on the image goes last: the next one finds it free and detached. */
	close(disk->backing_fd);
	disk->backing_fd = -1;
	return 0;
}

static int is_free(void *arg)
{
	return !is_attached("", arg);
}

int env_wait_loop_free(const char *sys_name, uint64_t timeout_ns)
{
	__cleanup_free char *name = xstrdup(sys_name);

	return clock_wait_until(is_free, name, timeout_ns) ? 0 : -ETIME;
}
