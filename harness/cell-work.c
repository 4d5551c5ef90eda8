// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/cell-work.h"

#include "harness/host.h"
#include "harness/superblock.h"
#include "lib/clock.h"
#include "lib/mem.h"
#include "lib/mounts.h"
#include "lib/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/statvfs.h>

#define DEFAULT_TIMEOUT_S 300
#define STRAGGLER_NS (10 * NSEC_PER_SEC)

void work_fail(struct work *w, enum outcome o, const char *fmt, ...)
{
	__cleanup_free char *reason = NULL;
	va_list ap;

	if (kv_get(w->facts, "outcome"))
		return;
	va_start(ap, fmt);
	reason = xvasprintf(fmt, ap);
	va_end(ap);
	kv_set(w->facts, "outcome", outcome_str(o));
	kv_set(w->facts, "reason", reason);
}

int work_broken(struct work *w, int ret)
{
	if (ret)
		work_fail(w, OUTCOME_BROKEN, "%s", w->env.error.len ? w->env.error.buf : strerror(-ret));
	return ret;
}

uint64_t cell_timeout_ns(const struct cell *cell)
{
	unsigned int s = cell->plan->opt->timeout_s;

	if (!s)
		s = cell->plan->jobs[cell->step->job]->timeout_s;
	return (s ? s : DEFAULT_TIMEOUT_S) * NSEC_PER_SEC;
}

int work_open(const struct work *w, const char *name)
{
	__cleanup_free char *path = xasprintf("%s/%s", w->cell->stage, name);

	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

void work_save_kernel_log(struct work *w)
{
	__cleanup_close int in = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	__cleanup_close int out = work_open(w, "kmsg");
	char buf[8192];
	ssize_t n;

	/* One record a read; EPIPE: some were overwritten meanwhile. */
	while (in >= 0 && ((n = read(in, buf, sizeof(buf))) > 0 || errno == EPIPE))
		if (n > 0 && write(out, buf, (size_t)n) != n)
			return;
}

void work_set_fill(struct work *w, const char *bytes_key, const char *inodes_key)
{
	struct statvfs v;

	if (w->dry || statvfs(w->dir, &v))
		return;
	if (v.f_blocks)
		kv_setf(w->facts, bytes_key, "%.2f",
			100.0 * (double)(v.f_blocks - v.f_bfree) / (double)v.f_blocks);
	/* btrfs has no inode limit and says 0. */
	if (v.f_files && inodes_key)
		kv_setf(w->facts, inodes_key, "%.2f",
			100.0 * (double)(v.f_files - v.f_ffree) / (double)v.f_files);
}

/* Untimed commands around the window, their output into one log. */
static int run_commands(struct work *w, const char *what, int abort_fd,
			int (*list)(const struct tool_call *, struct strvec **, size_t *))
{
	__cleanup_close int log = w->dry || !list ? -1 : work_open(w, "commands.log");
	struct strvec *cmds = NULL;
	size_t n = 0;
	int ret = list ? list(&w->call, &cmds, &n) : 0;

	for (size_t i = 0; i < n && !ret; i++) {
		struct spawn s = SPAWN_INIT;
		__cleanup_free char *shown = strvec_shell(&cmds[i]);

		if (w->dry) {
			fprintf(w->dry, "%s\n", shown);
			continue;
		}
		s.argv = &cmds[i];
		s.cwd = w->dir;
		s.stdout_fd = s.stderr_fd = log;
		s.timeout_ns = cell_timeout_ns(w->cell);
		s.abort_fd = abort_fd;
		ret = spawn_run(&s);
		if (!ret && s.status)
			ret = -EIO;
		if (ret)
			work_fail(w, OUTCOME_BROKEN, "%s: %s: %s", what, shown,
			     ret == -EIO ? "failed (see commands.log)" : strerror(-ret));
	}
	for (size_t i = 0; i < n; i++)
		strvec_release(&cmds[i]);
	free(cmds);
	return ret;
}

static void describe(struct work *w)
{
	__cleanup_kv struct kv disk = KV_INIT;
	__cleanup_free char *options = NULL, *type = NULL, *features = NULL;
	__cleanup_free char *governor = NULL;

	if (w->dry)
		return;
	if (!mounts_describe(w->cell->sysroot, w->dir, &type, &options)) {
		kv_set(w->facts, "env.mount.options", options);
		kv_set(w->facts, "env.fs.type", type);
	}
	if (w->target->fs && w->disk.node)
		features = superblock_read(w->target->fs->name, w->disk.node);
	governor = host_governor(w->cell->sysroot);
	if (governor)
		kv_set(w->facts, "env.cpu.governor", governor);
	if (features)
		kv_set(w->facts, "env.fs.features", features);
	if (w->disk.sys_name)
		host_disk(w->cell->sysroot, w->disk.sys_name, &disk);
	for (size_t i = 0; i < disk.n; i++) {
		__cleanup_free char *key = xasprintf("env.%s", disk.v[i].key);

		kv_set(w->facts, key, disk.v[i].value);
	}
}

static int set_up(struct work *w)
{
	const struct cell *c = w->cell;
	int ret = work_place(w);

	if (ret)
		return ret;
	w->call = (struct tool_call){
		.job = w->job, .dir = w->dir, .out_dir = c->stage, .libexec = c->libexec,
		.seed = plan_step_seed(c->plan, c->step), .version = c->version,
	};
	ret = run_commands(w, "setup", w->life_fd, w->job->tool->setup);
	if (ret)
		return ret;
	describe(w);
	work_set_fill(w, "fill.bytes-before", NULL);
	/* What set-up left dirty, and what the iteration before left in a folder, is not ours. */
	ret = w->env.ops->sync(&w->env, w->dir);
	if (!ret && w->target->fs)
		ret = w->env.ops->settle(&w->env, &w->disk, w->dir);
	if (!ret && w->target->fs)
		ret = w->env.ops->drop_caches(&w->env);
	return work_broken(w, ret);
}

/* A sparse copy of the memory that held the file system. */
static int keep_memory(struct work *w)
{
	__cleanup_free char *path = xasprintf("%s/filesystem.img", w->cell->stage);
	__cleanup_close int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int in = w->disk.backing_fd;
	off_t size = lseek(in, 0, SEEK_END), at = 0;

	if (out < 0 || ftruncate(out, size))
		return -errno;
	while ((at = lseek(in, at, SEEK_DATA)) >= 0) {
		off_t end = lseek(in, at, SEEK_HOLE);

		if (lseek(out, at, SEEK_SET) < 0)
			return -errno;
		while (at < end)
			if (sendfile(out, in, &at, (size_t)(end - at)) <= 0)
				return errno ? -errno : -EIO;
	}
	return errno == ENXIO ? 0 : -errno;
}

static void clean_up(struct work *w)
{
	__cleanup_strbuf struct strbuf stuck = STRBUF_INIT;
	bool memory = w->target->fs && w->cell->plan->disk.kind == ENV_DISK_MEMORY;
	int ret;

	if (w->call.dir)
		run_commands(w, "cleanup", -1, w->job->tool->cleanup); /* also when cancelled */
	if (!w->dry && env_kill_stragglers(STRAGGLER_NS, &stuck)) {
		work_fail(w, OUTCOME_TIMEOUT, "a process cannot be killed: %s", strbuf_str(&stuck));
		/* "unkillable" makes the driver stop: the machine is not well. */
		kv_set(w->facts, "unkillable", strbuf_str(&stuck));
		work_save_kernel_log(w);
	}
	/* Detaching is the first thing that was pushed: undo all but that before the copy. */
	while (w->undo.n > 1)
		work_broken(w, undo_pop(&w->undo));
	if (memory && w->cell->keep && !w->dry && w->disk.backing_fd >= 0) {
		ret = keep_memory(w);
		if (ret)
			kv_setf(w->facts, "warning.keep", "the file system was not kept: %s",
				strerror(-ret));
	}
	strbuf_reset(&w->env.error);
	work_broken(w, undo_all(&w->undo));
}

void cell_work(const struct cell *cell, int life_fd, FILE *dry, struct kv *facts)
{
	struct work w = {
		.cell = cell, .facts = facts, .dry = dry, .life_fd = life_fd,
		.target = &cell->plan->targets[cell->step->target],
		.job = cell->plan->jobs[cell->step->job],
		.env = *cell->env, .disk = ENV_DISK_INIT, .lock = -1,
	};

	if (dry) {
		w.env.ops = &env_dry;
		w.env.out = dry;
	}
	if (!set_up(&w))
		work_window(&w);
	clean_up(&w);
	if (!kv_get(facts, "outcome"))
		kv_set(facts, "outcome", outcome_str(OUTCOME_OK));
	env_disk_release(&w.disk);
	env_release(&w.env);
	free(w.dir);
}
