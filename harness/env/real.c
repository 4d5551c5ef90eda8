// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/internal.h"

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#define MKFS_NS (600 * NSEC_PER_SEC)

/*
 * btrfs-progs take two loop devices for one when the files behind them have the same name, and
 * then the second for mounted.
 */
static int attach_memory(struct env *env, const struct env_disk_spec *spec, struct env_disk *disk)
{
	__cleanup_free char *name = xasprintf("fsdelta-%" PRIx64, clock_mono_ns());

	disk->backing_fd = memfd_create(name, MFD_CLOEXEC);
	if (disk->backing_fd < 0)
		return env_fail(env, errno, "a memory file cannot be made: %s", strerror(errno));
	if (ftruncate(disk->backing_fd, (off_t)spec->size))
		return env_fail(env, errno, "a memory file of %" PRIu64 " MiB cannot be made: %s",
				spec->size >> 20, strerror(errno));
	return env_loop_attach(env, disk, "fsdelta memory", spec->size);
}

static int attach_image(struct env *env, const struct env_disk_spec *spec, struct env_disk *disk)
{
	int fd = env_image_open(env, spec);

	if (fd < 0)
		return fd;
	disk->backing_fd = fd;
	return env_loop_attach(env, disk, spec->path, spec->size);
}

/* Not O_EXCL: that would keep mount and mkfs away too. The check has tried it. */
static int attach_block(struct env *env, const struct env_disk_spec *spec, struct env_disk *disk)
{
	__cleanup_strvec struct strvec problems = STRVEC_INIT;
	__cleanup_free char *text = NULL;
	struct stat st, node;
	int ret;

	disk->fd = open(spec->path, O_RDWR | O_CLOEXEC);
	if (disk->fd < 0 || fstat(disk->fd, &st))
		return env_fail(env, errno, "%s: %s", spec->path, strerror(errno));
	if (!S_ISBLK(st.st_mode))
		return env_fail(env, ENOTBLK, "%s is not a block device", spec->path);
	ret = env_lock(env, disk->fd, spec->path);
	if (ret)
		return ret;
	env_device_check_locked("", spec, disk->fd, &problems);
	if (problems.n) {
		text = strvec_join(&problems, "; ");
		return env_fail(env, EPERM, "%s", text);
	}
	disk->major = major(st.st_rdev);
	disk->minor = minor(st.st_rdev);
	disk->sys_name = env_sys_name(st.st_rdev);
	/* The kernel's name, which mountinfo shows too; the given one is only a link to it. */
	disk->node = realpath(spec->path, NULL);
	if (!disk->sys_name || !disk->node || stat(disk->node, &node) ||
	    node.st_rdev != st.st_rdev)
		return env_fail(env, ENODEV, "%s is gone", spec->path);
	return 0;
}

static int real_attach(struct env *env, const struct env_disk_spec *spec, struct env_disk *disk)
{
	int ret;

	switch (spec->kind) {
	case ENV_DISK_MEMORY:
		ret = attach_memory(env, spec, disk);
		break;
	case ENV_DISK_IMAGE:
		ret = attach_image(env, spec, disk);
		break;
	default:
		ret = attach_block(env, spec, disk);
	}
	if (ret)
		env_disk_release(disk);
	return ret;
}

static int try_exclusive(void *arg)
{
	int fd = open(arg, O_RDONLY | O_EXCL | O_CLOEXEC);

	if (fd < 0)
		return errno != EBUSY;
	close(fd);
	return 1;
}

/* A file system that still lives somewhere would go on writing behind the next one's back. */
static int release_block(struct env *env, struct env_disk *disk)
{
	__cleanup_strbuf struct strbuf who = STRBUF_INIT;

	if (clock_wait_until(try_exclusive, disk->node, env_patience_ns(env))) {
		close(disk->fd);
		disk->fd = -1;
		return 0;
	}
	env_holders_of_device(makedev(disk->major, disk->minor), &who);
	return env_fail(env, EBUSY, "%s is still in use: %s", disk->node,
			who.len ? who.buf : "nobody here holds it");
}

static int real_detach(struct env *env, struct env_disk *disk)
{
	if (disk->fd < 0)
		return env_fail(env, EBADF, "nothing is attached");
	return disk->loop ? env_loop_detach(env, disk) : release_block(env, disk);
}

static void save_log(int fd, const struct strbuf *out)
{
	size_t done = 0;
	ssize_t n;

	while (fd >= 0 && done < out->len) {
		n = write(fd, out->buf + done, out->len - done);
		if (n < 0)
			return;
		done += (size_t)n;
	}
}

/* The first line says what went wrong; mkfs goes on with its whole usage. */
static const char *first_line(struct strbuf *out)
{
	char *text = out->len ? str_trim(out->buf) : NULL;

	if (text)
		*strchrnul(text, '\n') = '\0';
	return text;
}

static int real_mkfs(struct env *env, const struct strvec *argv, int log_fd)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT, said = STRBUF_INIT;
	__cleanup_free char *shown = strvec_shell(argv);
	int ret = spawn_capture(argv, true, MKFS_NS, &out);
	const char *line;

	save_log(log_fd, &out);
	if (ret == 0)
		return 0;
	if (ret < 0)
		return env_fail(env, -ret, "%s: %s", shown,
				ret == -ENOENT ? "program not found" : strerror(-ret));
	line = first_line(&out);
	if (line)
		strbuf_add_printable(&said, line);
	return env_fail(env, EIO, "%s: exit status %d%s%s", shown, ret, line ? ": " : "",
			strbuf_str(&said));
}

int env_sync(struct env *env, const char *dir)
{
	__cleanup_close int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || syncfs(fd))
		return env_fail(env, errno, "%s cannot be synced: %s", dir, strerror(errno));
	return 0;
}

static int real_drop_caches(struct env *env)
{
	int ret = file_write("/proc/sys/vm/drop_caches", "3\n", 2);

	if (ret)
		return env_fail(env, -ret, "/proc/sys/vm/drop_caches: %s", strerror(-ret));
	return 0;
}

const struct env_ops env_real = {
	.name = "real",
	.attach = real_attach,
	.detach = real_detach,
	.mkfs = real_mkfs,
	.mount = env_mount,
	.umount = env_umount,
	.sync = env_sync,
	.drop_caches = real_drop_caches,
	.settle = env_settle,
};
