// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/cell-work.h"

#include "harness/counters.h"
#include "harness/host.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/mounts.h"
#include "lib/spawn.h"
#include "lib/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#define DEFAULT_TIMEOUT_S 300
#define STRAGGLER_NS (10 * NSEC_PER_SEC)

struct work {
	const struct cell *cell;
	const struct plan_target *target;
	const struct job *job;
	struct kv *facts;
	FILE *dry;
	int life_fd;
	struct env env;
	struct env_disk disk;
	struct undo undo;
	char *dir;  /* folder under test */
	int lock;   /* of a dir: target */
	struct tool_call call;
};

static void fail(struct work *w, enum outcome o, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The first failure is the one that counts. */
static void fail(struct work *w, enum outcome o, const char *fmt, ...)
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

/* An env call failed: its own sentence is the reason. */
static int broken(struct work *w, int ret)
{
	if (ret)
		fail(w, OUTCOME_BROKEN, "%s", w->env.error.len ? w->env.error.buf : strerror(-ret));
	return ret;
}

uint64_t cell_timeout_ns(const struct cell *cell)
{
	unsigned int s = cell->plan->opt->timeout_s;

	if (!s)
		s = cell->plan->jobs[cell->step->job]->timeout_s;
	return (s ? s : DEFAULT_TIMEOUT_S) * NSEC_PER_SEC;
}

static int stage_open(const struct work *w, const char *name)
{
	__cleanup_free char *path = xasprintf("%s/%s", w->cell->stage, name);

	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

/* --- undo --- */

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

/* --- set-up --- */

static int make_fs(struct work *w)
{
	const struct plan *p = w->cell->plan;
	size_t arm = w->cell->step->arm;
	__cleanup_free char *options = plan_mkfs_options(p, arm);
	__cleanup_strvec struct strvec argv = STRVEC_INIT, shown = STRVEC_INIT;
	__cleanup_close int log = w->dry ? -1 : stage_open(w, "mkfs.log");
	__cleanup_free char *text = NULL;
	bool fresh = p->disk.kind == ENV_DISK_MEMORY;

	/* Which loop device it is differs from one iteration to the next and means nothing. */
	if (fs_mkfs_argv(w->target->fs, options, fresh, w->disk.node, &argv) ||
	    fs_mkfs_argv(w->target->fs, options, fresh, "DEVICE", &shown)) {
		fail(w, OUTCOME_BROKEN, "mkfs options '%s': a quote is not closed", options);
		return -EINVAL;
	}
	text = strvec_shell(&shown);
	kv_set(w->facts, "env.mkfs.command", text);
	return broken(w, w->env.ops->mkfs(&w->env, &argv, log));
}

static int set_up_fs(struct work *w)
{
	const struct plan *p = w->cell->plan;
	__cleanup_free char *options = plan_mount_options(p, w->cell->step->arm);

	if (broken(w, w->env.ops->attach(&w->env, &p->disk, &w->disk)))
		return -EIO;
	undo_push(&w->undo, "detach", undo_detach, w);
	if (make_fs(w))
		return -EIO;
	if (broken(w, w->env.ops->mount(&w->env, &w->disk, ENV_MOUNT_POINT, w->target->fs->name,
					options)))
		return -EIO;
	undo_push(&w->undo, "umount", undo_umount, w);
	w->dir = xstrdup(ENV_MOUNT_POINT "/work");
	if (!w->dry && mkdir(w->dir, 0755)) {
		fail(w, OUTCOME_BROKEN, "%s: %s", w->dir, strerror(errno));
		return -EIO;
	}
	return 0;
}

/* One fixed name below the user's folder: the same path for every arm, and ours to remove. */
static int set_up_dir(struct work *w)
{
	int ret;

	w->dir = xasprintf("%s/" CELL_WORK_DIR, w->target->dir);
	if (w->dry)
		return 0;
	w->lock = open(w->target->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->lock < 0 || flock(w->lock, LOCK_EX | LOCK_NB)) {
		fail(w, OUTCOME_BROKEN, "%s: %s", w->target->dir,
		     errno == EWOULDBLOCK ? "another fsdelta is using it" : strerror(errno));
		return -EIO;
	}
	ret = file_remove_tree(w->dir);
	if (!ret && mkdir(w->dir, 0755))
		ret = -errno;
	if (ret) {
		fail(w, OUTCOME_BROKEN, "%s: %s", w->dir, strerror(-ret));
		return ret;
	}
	undo_push(&w->undo, "remove", undo_work_dir, w);
	return 0;
}

/* Untimed commands around the window, their output into one log. */
static int run_commands(struct work *w, const char *what,
			int (*list)(const struct tool_call *, struct strvec **, size_t *))
{
	__cleanup_close int log = w->dry || !list ? -1 : stage_open(w, "commands.log");
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
		s.abort_fd = w->life_fd;
		ret = spawn_run(&s);
		if (!ret && s.status)
			ret = -EIO;
		if (ret)
			fail(w, OUTCOME_BROKEN, "%s: %s: %s", what, shown,
			     ret == -EIO ? "failed (see commands.log)" : strerror(-ret));
	}
	for (size_t i = 0; i < n; i++)
		strvec_release(&cmds[i]);
	free(cmds);
	return ret;
}

static void set_fill(struct work *w, const char *bytes_key, const char *inodes_key)
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

static void describe(struct work *w)
{
	__cleanup_kv struct kv disk = KV_INIT;
	__cleanup_free char *options = NULL, *type = NULL;

	if (w->dry)
		return;
	if (!mounts_describe(w->cell->sysroot, w->dir, &type, &options)) {
		kv_set(w->facts, "env.mount.options", options);
		kv_set(w->facts, "env.fs.type", type);
	}
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
	int ret = w->target->fs ? set_up_fs(w) : set_up_dir(w);

	if (ret)
		return ret;
	w->call = (struct tool_call){
		.job = w->job, .dir = w->dir, .out_dir = c->stage, .libexec = c->libexec,
		.seed = plan_step_seed(c->plan, c->step), .version = c->version,
	};
	ret = run_commands(w, "setup", w->job->tool->setup);
	if (ret)
		return ret;
	describe(w);
	set_fill(w, "fill.bytes-before", NULL);
	if (!w->target->fs)
		return 0;
	ret = w->env.ops->sync(&w->env, w->dir);
	if (!ret)
		ret = w->env.ops->settle(&w->env, &w->disk, w->dir);
	if (!ret)
		ret = w->env.ops->drop_caches(&w->env);
	return broken(w, ret);
}

/* --- the timed window --- */

static void set_usage(struct work *w, const struct spawn *s)
{
	const struct rusage *ru = &s->ru;

	kv_setf(w->facts, "tool.status", "%d", s->status);
	kv_setf(w->facts, "wall", "%.9f", (double)(s->end_ns - s->start_ns) / NSEC_PER_SEC);
	kv_setf(w->facts, "cpu.user", "%lld.%06ld", (long long)ru->ru_utime.tv_sec,
		(long)ru->ru_utime.tv_usec);
	kv_setf(w->facts, "cpu.sys", "%lld.%06ld", (long long)ru->ru_stime.tv_sec,
		(long)ru->ru_stime.tv_usec);
	kv_setf(w->facts, "csw.voluntary", "%ld", ru->ru_nvcsw);
	kv_setf(w->facts, "csw.involuntary", "%ld", ru->ru_nivcsw);
}

/* The kernel's last words, for whoever has to find out why. */
static void save_kernel_log(struct work *w)
{
	__cleanup_close int in = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	__cleanup_close int out = stage_open(w, "kmsg");
	char buf[8192];
	ssize_t n;

	/* One record a read; EPIPE: some were overwritten meanwhile. */
	while (in >= 0 && ((n = read(in, buf, sizeof(buf))) > 0 || errno == EPIPE))
		if (n > 0 && write(out, buf, (size_t)n) != n)
			return;
}

static void judge_spawn(struct work *w, const struct spawn *s, int ret)
{
	const char *prog = s->argv->v[0];

	if (ret == -ETIME || ret == -EBUSY) {
		fail(w, OUTCOME_TIMEOUT, "%s did not end within %llu s", prog,
		     (unsigned long long)(s->timeout_ns / NSEC_PER_SEC));
		save_kernel_log(w);
	} else if (ret == -ECANCELED) {
		fail(w, OUTCOME_BROKEN, "cancelled");
	} else if (ret) {
		fail(w, OUTCOME_BROKEN, "%s: %s", prog, strerror(-ret));
	}
}

static int timed_sync(struct work *w)
{
	uint64_t start = clock_mono_ns();
	int ret = w->env.ops->sync(&w->env, w->dir);

	if (!ret && !w->dry)
		kv_setf(w->facts, "sync", "%.9f", (double)(clock_mono_ns() - start) / NSEC_PER_SEC);
	return broken(w, ret);
}

static void start_facts(struct work *w)
{
	__cleanup_free char *utc = clock_utc();

	kv_set(w->facts, "started", utc);
	kv_setf(w->facts, "mono_ns", "%" PRIu64, clock_mono_ns());
}

static int spawn_tool(struct work *w, const struct strvec *argv, struct spawn *s)
{
	__cleanup_strvec struct strvec env = STRVEC_INIT;
	__cleanup_close int out = stage_open(w, "stdout");
	__cleanup_close int err = stage_open(w, "stderr");

	strvec_push(&env, "LC_ALL=C");
	*s = (struct spawn)SPAWN_INIT;
	s->argv = argv;
	s->cwd = w->dir;
	s->env = &env;
	s->stdout_fd = out;
	s->stderr_fd = err;
	s->timeout_ns = cell_timeout_ns(w->cell);
	s->abort_fd = w->life_fd;
	return spawn_run(s);
}

static int window(struct work *w)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	const char *disk = w->disk.sys_name;
	struct counters before, after, synced;
	struct spawn s;
	int ret = w->job->tool->argv(&w->call, &argv);

	if (ret) {
		fail(w, OUTCOME_BROKEN, "%s: the command cannot be built: %s", w->job->name,
		     strerror(-ret));
		return ret;
	}
	if (w->dry) {
		__cleanup_free char *shown = strvec_shell(&argv);

		fprintf(w->dry, "%s\n", shown);
		return timed_sync(w);
	}
	start_facts(w);
	counters_read(w->cell->sysroot, disk, &before);
	ret = spawn_tool(w, &argv, &s);
	counters_read(w->cell->sysroot, disk, &after);
	judge_spawn(w, &s, ret);
	if (ret)
		return ret;
	set_usage(w, &s);
	counters_cpu(&before, &after, w->facts);
	set_fill(w, "fill.bytes", "fill.inodes");
	ret = timed_sync(w);
	counters_read(w->cell->sysroot, disk, &synced);
	counters_disk(&before, &synced, w->facts);
	return ret;
}

/* --- the end --- */

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
		run_commands(w, "cleanup", w->job->tool->cleanup);
	if (!w->dry && env_kill_stragglers(STRAGGLER_NS, &stuck)) {
		fail(w, OUTCOME_TIMEOUT, "a process cannot be killed: %s", strbuf_str(&stuck));
		/* "unkillable" makes the driver stop: the machine is not well. */
		kv_set(w->facts, "unkillable", strbuf_str(&stuck));
		save_kernel_log(w);
	}
	/* Detaching is the first thing that was pushed: undo all but that before the copy. */
	while (w->undo.n > 1)
		broken(w, undo_pop(&w->undo));
	if (memory && w->cell->keep && !w->dry && w->disk.backing_fd >= 0) {
		ret = keep_memory(w);
		if (ret)
			kv_setf(w->facts, "warning.keep", "the file system was not kept: %s",
				strerror(-ret));
	}
	strbuf_reset(&w->env.error);
	broken(w, undo_all(&w->undo));
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
		window(&w);
	clean_up(&w);
	if (!kv_get(facts, "outcome"))
		kv_set(facts, "outcome", outcome_str(OUTCOME_OK));
	env_disk_release(&w.disk);
	env_release(&w.env);
	free(w.dir);
}
