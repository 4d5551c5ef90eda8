// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/internal.h"

#include "lib/clock.h"
#include "lib/mem.h"
#include "lib/mounts.h"
#include "lib/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define DEADLINE_NS (30 * NSEC_PER_SEC)
/* So long nothing may happen to the device until it counts as idle. */
#define QUIET_NS (200 * NSEC_PER_MSEC)

struct watch {
	const char *sys_name;
	int fd;		/* of an ext4 whose inode tables may not be done; else -1 */
	char *last;	/* the counters, and since when they have been so */
	uint64_t since;
	bool lazy;
	int error;
};

/* The counters of /sys/block/X/stat, the 9th of which is the requests in flight. */
static bool in_flight(const char *stat)
{
	unsigned long n;

	return sscanf(stat, "%*s %*s %*s %*s %*s %*s %*s %*s %lu", &n) == 1 && n != 0;
}

static int is_settled(void *arg)
{
	struct watch *w = arg;
	uint64_t now = clock_mono_ns();
	char *stat;

	w->lazy = w->fd >= 0 && env_ext4_lazy(w->fd) == 1;
	if (w->lazy)
		return 0;
	stat = proc_read_line("", "/sys/class/block/%s/stat", w->sys_name);
	if (!stat) {
		w->error = errno;
		return 1;
	}
	if (!str_eq(stat, w->last) || in_flight(stat)) {
		w->since = now;
		free(w->last);
		w->last = stat;
		return 0;
	}
	free(stat);
	return now - w->since >= QUIET_NS;
}

/* Looking at the descriptors reads them, which the counters show: only while there is a reason. */
static int open_if_lazy(const struct env_disk *disk, const char *dir)
{
	__cleanup_mount_info struct mount_info m = MOUNT_INFO_INIT;
	int fd;

	if (mounts_find("", dir, &m) || strcmp(m.type, "ext4") != 0)
		return -1;
	fd = open(disk->node, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && env_ext4_lazy(fd) != 1) {
		close(fd);
		return -1;
	}
	return fd;
}

int env_settle(struct env *env, const struct env_disk *disk, const char *dir)
{
	struct watch w = { .sys_name = disk->sys_name, .since = clock_mono_ns() };
	int ret = env_sync(env, dir);
	int settled;

	if (ret)
		return ret;
	w.fd = open_if_lazy(disk, dir);
	settled = clock_wait_until(is_settled, &w, DEADLINE_NS);
	if (w.error)
		ret = env_fail(env, w.error, "/sys/class/block/%s/stat: %s", disk->sys_name,
			       strerror(w.error));
	else if (!settled && w.lazy)
		ret = env_fail(env, ETIME, "%s: ext4 still initialises inode tables after 30 s; "
			       "mkfs with -E lazy_itable_init=0", disk->node);
	else if (!settled)
		ret = env_fail(env, ETIME, "%s does not come to rest within 30 s", disk->node);
	if (w.fd >= 0)
		close(w.fd);
	free(w.last);
	return ret;
}
