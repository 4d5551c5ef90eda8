// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/internal.h"

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>

/* Flags that make mount(2) do something else than to mount a device. */
#define OTHER_FLAGS (MS_REMOUNT | MS_BIND | MS_MOVE | MS_REC | MS_SHARED | MS_PRIVATE | MS_SLAVE | \
		     MS_UNBINDABLE)

/* As mount(8) has them: flags, and the text that is the file system's. */
static int parse_options(struct env *env, const char *options, unsigned long *flags, char **data)
{
	__cleanup_free char *user = NULL, *vfs = NULL;

	*flags = 0;
	if (!options || !*options)
		return 0;
	if (mnt_split_optstr(options, &user, &vfs, data, 0, 0) ||
	    (vfs && mnt_optstr_get_flags(vfs, flags, mnt_get_builtin_optmap(MNT_LINUX_MAP))))
		return env_fail(env, EINVAL, "mount options '%s' cannot be read", options);
	if (user && strcmp(user, "defaults") != 0)
		return env_fail(env, EINVAL, "mount options '%s': '%s' is not for the kernel",
				options, user);
	if (*flags & OTHER_FLAGS)
		return env_fail(env, EINVAL, "mount options '%s': only what goes with a new mount of "
				"a device", options);
	return 0;
}

/*
 * The kernel's own words about a mount that failed, which the errno does not tell: lines that
 * name the file system or the device, since others write there too.
 */
static void add_kernel_log(int kmsg, const char *fstype, const char *device, struct strbuf *out)
{
	char record[8192];
	ssize_t n;

	while (kmsg >= 0 && (n = read(kmsg, record, sizeof(record) - 1)) > 0) {
		char *text;

		record[n] = '\0';
		text = strchr(record, ';');
		if (!text)
			continue;
		*strchrnul(text, '\n') = '\0';
		if (!strcasestr(text, fstype) && !strstr(text, device))
			continue;
		strbuf_adds(out, "; kernel: ");
		strbuf_add_printable(out, text + 1);
	}
}

static int open_kernel_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

static bool is_mount_point(const char *dir, struct mount_info *m)
{
	return mounts_find("", dir, m) == 0 && path_is_below(dir, m->dir) &&
	       path_is_below(m->dir, dir);
}

/* The folder is there, and nothing is mounted on it. */
static int make_mount_point(struct env *env, const char *dir)
{
	__cleanup_mount_info struct mount_info m = MOUNT_INFO_INIT;
	int ret = file_mkdir_p(dir);

	if (ret)
		return env_fail(env, -ret, "%s: %s", dir, strerror(-ret));
	if (is_mount_point(dir, &m))
		return env_fail(env, EBUSY, "%s is mounted on %s: unmount it first", m.source, dir);
	return 0;
}

/* Else the workload would write to, and measure, some other file system. */
static int verify(struct env *env, const struct env_disk *disk, const char *dir,
		  const char *fstype)
{
	__cleanup_mount_info struct mount_info m = MOUNT_INFO_INIT;

	if (!is_mount_point(dir, &m) || strcmp(m.type, fstype) != 0 ||
	    !mounts_is_device("", &m, disk->major, disk->minor))
		return env_fail(env, EIO, "%s should show the %s on %s, but shows the %s on %s", dir,
				fstype, disk->node, m.type ? m.type : "nothing",
				m.source ? m.source : "nothing");
	env->mount_id = m.id;
	return 0;
}

int env_mount(struct env *env, const struct env_disk *disk, const char *dir, const char *fstype,
	      const char *options)
{
	__cleanup_strbuf struct strbuf log = STRBUF_INIT;
	__cleanup_close int kmsg = open_kernel_log();
	__cleanup_free char *data = NULL;
	unsigned long flags;
	int ret;

	ret = parse_options(env, options, &flags, &data);
	if (!ret)
		ret = make_mount_point(env, dir);
	if (ret)
		return ret;
	if (mount(disk->node, dir, fstype, flags, data)) {
		ret = errno;
		add_kernel_log(kmsg, fstype, disk->sys_name, &log);
		return env_fail(env, ret, "%s (%s) cannot be mounted on %s%s%s: %s%s", disk->node,
				fstype, dir, options && *options ? " with " : "",
				options ? options : "", strerror(ret), strbuf_str(&log));
	}
	ret = verify(env, disk, dir, fstype);
	if (ret)
		umount2(dir, UMOUNT_NOFOLLOW);
	return ret;
}

struct attempt {
	const char *dir;
	int error;
	uint64_t ns;
};

static int try_umount(void *arg)
{
	struct attempt *a = arg;
	uint64_t start = clock_mono_ns();

	a->error = umount2(a->dir, UMOUNT_NOFOLLOW) ? errno : 0;
	a->ns = clock_mono_ns() - start;
	return a->error != EBUSY;
}

int env_umount(struct env *env, const char *dir, uint64_t *ns)
{
	__cleanup_mount_info struct mount_info m = MOUNT_INFO_INIT;
	__cleanup_strbuf struct strbuf who = STRBUF_INIT;
	struct attempt a = { .dir = dir };

	if (!env->mount_id || !is_mount_point(dir, &m) || m.id != env->mount_id)
		return env_fail(env, EINVAL, "%s: what is mounted there is not ours", dir);
	clock_wait_until(try_umount, &a, env_patience_ns(env));
	if (a.error == EBUSY) {
		env_holders_of_mount(dir, &who);
		return env_fail(env, EBUSY, "%s cannot be unmounted, it is in use by %s", dir,
				who.len ? who.buf : "nobody who could be found");
	}
	if (a.error)
		return env_fail(env, a.error, "%s cannot be unmounted: %s", dir,
				strerror(a.error));
	env->mount_id = 0;
	*ns = a.ns;
	return 0;
}
