// SPDX-License-Identifier: GPL-2.0-or-later
/* The place where the work is done: a fresh file system, or a folder as it is. */
#include "harness/cell-work.h"

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

static int undo_detach(void *arg)
{
	struct work *w = arg;

	return w->env.ops->detach(&w->env, &w->disk);
}

static int undo_umount(void *arg)
{
	struct work *w = arg;
	uint64_t ns = 0;
	int ret = w->env.ops->umount(&w->env, ENV_MOUNT_POINT, &ns);

	if (!ret && !w->dry)
		kv_setf(w->facts, "umount", "%.9f", (double)ns / NSEC_PER_SEC);
	return ret;
}

static int undo_work_dir(void *arg)
{
	struct work *w = arg;
	int ret = w->cell->keep ? 0 : file_remove_tree(w->dir);

	close(w->lock);
	if (ret)
		strbuf_addf(&w->env.error, "%s: %s", w->dir, strerror(-ret));
	return ret;
}

static int make_fs(struct work *w)
{
	const struct plan *p = w->cell->plan;
	size_t arm = w->cell->step->arm;
	__cleanup_free char *options = plan_mkfs_options(p, arm);
	__cleanup_strvec struct strvec argv = STRVEC_INIT, shown = STRVEC_INIT;
	__cleanup_close int log = w->dry ? -1 : work_open(w, "mkfs.log");
	__cleanup_free char *text = NULL;
	bool fresh = p->disk.kind == ENV_DISK_MEMORY;

	/* Which loop device it is differs from one iteration to the next and means nothing. */
	if (fs_mkfs_argv(w->target->fs, options, fresh, w->disk.node, &argv) ||
	    fs_mkfs_argv(w->target->fs, options, fresh, "DEVICE", &shown)) {
		work_fail(w, OUTCOME_BROKEN, "mkfs options '%s': a quote is not closed", options);
		return -EINVAL;
	}
	text = strvec_shell(&shown);
	kv_set(w->facts, "env.mkfs.command", text);
	return work_broken(w, w->env.ops->mkfs(&w->env, &argv, log));
}

static int set_up_fs(struct work *w)
{
	const struct plan *p = w->cell->plan;
	__cleanup_free char *options = plan_mount_options(p, w->cell->step->arm);

	if (work_broken(w, w->env.ops->attach(&w->env, &p->disk, &w->disk)))
		return -EIO;
	undo_push(&w->undo, "detach", undo_detach, w);
	if (make_fs(w))
		return -EIO;
	if (work_broken(w, w->env.ops->mount(&w->env, &w->disk, ENV_MOUNT_POINT, w->target->fs->name,
					options)))
		return -EIO;
	undo_push(&w->undo, "umount", undo_umount, w);
	w->dir = xstrdup(ENV_MOUNT_POINT "/work");
	if (w->dry)
		fprintf(w->dry, "mkdir %s\n", w->dir);
	else if (mkdir(w->dir, 0755)) {
		work_fail(w, OUTCOME_BROKEN, "%s: %s", w->dir, strerror(errno));
		return -EIO;
	}
	return 0;
}

/* One fixed name below the user's folder: the same path for every arm, and ours to remove. */
static int set_up_dir(struct work *w)
{
	int ret;

	w->dir = xasprintf("%s/" CELL_WORK_DIR, w->target->dir);
	if (w->dry) {
		fprintf(w->dry, "mkdir %s\n", w->dir);
		return 0;
	}
	w->lock = open(w->target->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->lock < 0 || flock(w->lock, LOCK_EX | LOCK_NB)) {
		work_fail(w, OUTCOME_BROKEN, "%s: %s", w->target->dir,
		     errno == EWOULDBLOCK ? "another fsdelta is using it" : strerror(errno));
		return -EIO;
	}
	ret = file_remove_tree(w->dir);
	if (!ret && mkdir(w->dir, 0755))
		ret = -errno;
	if (ret) {
		work_fail(w, OUTCOME_BROKEN, "%s: %s", w->dir, strerror(-ret));
		return ret;
	}
	undo_push(&w->undo, "remove", undo_work_dir, w);
	return 0;
}

int work_place(struct work *w)
{
	return w->target->fs ? set_up_fs(w) : set_up_dir(w);
}
