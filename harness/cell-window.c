// SPDX-License-Identifier: GPL-2.0-or-later
/* The timed window: the tool, and what the machine did meanwhile. */
#include "harness/cell-work.h"

#include "harness/counters.h"
#include "harness/host.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#define WARM_UP_NS (10 * NSEC_PER_SEC)

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

static void judge_spawn(struct work *w, const struct spawn *s, int ret)
{
	const char *prog = s->argv->v[0];

	if (ret == -ETIME || ret == -EBUSY) {
		work_fail(w, OUTCOME_TIMEOUT, "%s did not end within %llu s", prog,
		     (unsigned long long)(s->timeout_ns / NSEC_PER_SEC));
		work_save_kernel_log(w);
	} else if (ret == -ECANCELED) {
		work_fail(w, OUTCOME_BROKEN, "cancelled");
	} else if (ret) {
		work_fail(w, OUTCOME_BROKEN, "%s: %s", prog, strerror(-ret));
	}
}

static int timed_sync(struct work *w)
{
	uint64_t start = clock_mono_ns();
	int ret = w->env.ops->sync(&w->env, w->dir);

	if (!ret && !w->dry)
		kv_setf(w->facts, "sync", "%.9f", (double)(clock_mono_ns() - start) / NSEC_PER_SEC);
	return work_broken(w, ret);
}

static void start_facts(struct work *w)
{
	__cleanup_free char *utc = clock_utc();

	kv_set(w->facts, "started", utc);
	kv_setf(w->facts, "mono_ns", "%" PRIu64, clock_mono_ns());
}

/* What the governor really does, and whether heat slows the CPU down. */
static void note_frequency(struct work *w, const char *key)
{
	double mhz = host_frequency(w->cell->sysroot);

	if (mhz > 0)
		kv_setf(w->facts, key, "%.0f", mhz);
}

/* Dropping the caches took the program too: its loading is not what is measured. */
static void load_program(const char *name)
{
	__cleanup_free char *path = file_find_program(name);
	__cleanup_strbuf struct strbuf content = STRBUF_INIT;

	if (path)
		file_read(path, &content, 0);
}

/* Printing its version makes a tool load its libraries as well. */
static void warm_up(const struct tool *tool)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;

	for (const char *const *word = tool->version_argv; word && *word; word++)
		strvec_push(&argv, *word);
	if (argv.n)
		spawn_capture(&argv, true, WARM_UP_NS, &out);
}

static int spawn_tool(struct work *w, const struct strvec *argv, struct spawn *s)
{
	__cleanup_strvec struct strvec env = STRVEC_INIT;
	__cleanup_close int out = work_open(w, "stdout");
	__cleanup_close int err = work_open(w, "stderr");

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

int work_window(struct work *w)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	const char *disk = w->disk.sys_name;
	struct counters before, after, synced;
	struct spawn s;
	int ret = w->job->tool->argv(&w->call, &argv);

	if (ret) {
		work_fail(w, OUTCOME_BROKEN, "%s: the command cannot be built: %s", w->job->name,
		     strerror(-ret));
		return ret;
	}
	if (w->dry) {
		__cleanup_free char *shown = strvec_shell(&argv);

		fprintf(w->dry, "%s\n", shown);
		return timed_sync(w);
	}
	load_program(argv.v[0]);
	warm_up(w->job->tool);
	note_frequency(w, "env.cpu.frequency-before");
	start_facts(w);
	counters_read(w->cell->sysroot, disk, &before);
	ret = spawn_tool(w, &argv, &s);
	counters_read(w->cell->sysroot, disk, &after);
	note_frequency(w, "env.cpu.frequency");
	judge_spawn(w, &s, ret);
	if (ret)
		return ret;
	set_usage(w, &s);
	counters_cpu(&before, &after, w->facts);
	work_set_fill(w, "fill.bytes", "fill.inodes");
	ret = timed_sync(w);
	counters_read(w->cell->sysroot, disk, &synced);
	counters_disk(&before, &synced, w->facts);
	/* Delayed allocation takes its space only now. */
	work_set_fill(w, "fill.synced", "fill.inodes");
	return ret;
}
