// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/session.h"

#include "harness/cell.h"
#include "harness/forecast.h"
#include "harness/harvest.h"
#include "harness/progress.h"
#include "harness/until.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/mem.h"

#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

static int block_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, old);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int pending_signal(int fd)
{
	struct signalfd_siginfo si;

	return read(fd, &si, sizeof(si)) == sizeof(si) ? (int)si.ssi_signo : 0;
}

static void describe_targets(struct run *r, const struct plan *p, size_t arm)
{
	for (size_t i = 0; i < p->n_targets; i++) {
		const struct plan_target *t = &p->targets[i];
		__cleanup_free char *mkfs = plan_mkfs_options(p, arm);
		__cleanup_free char *mount = plan_mount_options(p, arm);
		__cleanup_free char *device = plan_disk_text(p);
		__cleanup_strvec struct strvec argv = STRVEC_INIT;
		struct run_target *rt = run_add_target(r);

		rt->name = xstrdup(t->name);
		rt->fs = xstrdup(t->fs ? t->fs->name : "");
		if (t->fs)
			fs_mkfs_argv(t->fs, mkfs, p->disk.kind == ENV_DISK_MEMORY, "DEVICE", &argv);
		rt->mkfs = strvec_shell(&argv);
		rt->mount = xstrdup(t->fs && mount ? mount : "");
		rt->device = xstrdup(t->fs ? device : t->dir);
	}
}

static void describe_workloads(struct run *r, const struct plan *p)
{
	for (size_t i = 0; i < p->n_jobs; i++) {
		struct run_workload *w = run_add_workload(r);

		w->name = xstrdup(p->jobs[i]->name);
		w->digest = xstrdup(p->jobs[i]->digest);
		w->text = xstrdup(p->jobs[i]->text);
	}
}

struct run *session_describe(const struct session *s, size_t arm, const char *session_id)
{
	const struct plan *p = s->plan;
	struct run *r = run_new();

	r->label = plan_label(p, arm);
	r->session = xstrdup(session_id);
	r->role = xstrdup(p->n_arms == 1 ? "" : arm ? "arm" : "base");
	r->started = clock_utc();
	r->version = xstrdup(PACKAGE_VERSION);
	for (int i = 0; i < s->app->argc; i++)
		strvec_push(&r->command, s->app->argv[i]);
	r->seed = p->seed;
	r->planned = plan_count(p, arm);
	r->aa = p->opt->aa;
	r->stopping = p->stopping;
	strvec_push_all(&r->varied, &p->varied);
	kv_copy(&r->settings, &p->arms[arm].settings);
	kv_copy(&r->host, s->host);
	describe_workloads(r, p);
	describe_targets(r, p, arm);
	return r;
}

static int open_stage(struct session *s)
{
	int ret = stage_open(&s->stage, s->app->store);

	if (ret)
		log_error("%s: no folder for raw output can be made: %s", s->app->store,
			  strerror(-ret));
	return ret;
}

static int open_results(struct session *s)
{
	__cleanup_free char *now = clock_utc_compact();
	__cleanup_free char *id = xasprintf("%s-%08x", now, (unsigned int)
					    (clock_mono_ns() ^ (uint64_t)getpid() << 20));

	s->arms = xcalloc(s->plan->n_arms, sizeof(*s->arms));
	for (size_t i = 0; i < s->plan->n_arms; i++) {
		struct session_arm *a = &s->arms[i];
		int ret;

		a->run = session_describe(s, i, id);
		ret = store_create(s->app->store, a->run, &a->writer, &a->dir);
		if (ret) {
			log_error("%s: the result cannot be created: %s", s->app->store,
				  strerror(-ret));
			return ret;
		}
	}
	return open_stage(s);
}

static int write_facts(const char *dir, const struct kv *facts)
{
	__cleanup_free char *path = xasprintf("%s/" RAW_FACTS, dir);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	kv_format(facts, &text);
	return file_write(path, strbuf_str(&text), text.len);
}

static void identify(const struct session *s, const struct plan_step *st, struct kv *facts)
{
	const char *boot = kv_get(s->host, "boot.id");

	kv_setf(facts, "seq", "%" PRIu64, st->seq);
	kv_setf(facts, "block", "%" PRIu64, st->block);
	kv_setf(facts, "number", "%" PRIu64, st->number);
	kv_set(facts, "warmup", st->warmup ? "1" : "0");
	kv_set(facts, "workload", s->plan->jobs[st->job]->name);
	kv_set(facts, "target", s->plan->targets[st->target].name);
	if (boot)
		kv_set(facts, "boot.id", boot);
}

/* Facts into the stage, the stage to its place, one line into the journal. */
static int keep(struct session *s, const struct plan_step *st, const struct kv *facts,
		struct iteration *it)
{
	struct session_arm *a = &s->arms[st->arm];
	__cleanup_free char *raw = xasprintf("%s/raw", a->dir);
	__cleanup_free char *dir = xasprintf("%s/raw/%06" PRIu64, a->dir, st->seq);
	int ret = write_facts(s->stage.path, facts);

	if (!ret && mkdir(raw, 0755) && errno != EEXIST)
		ret = -errno;
	if (!ret)
		ret = stage_move(&s->stage, dir);
	if (!ret)
		ret = store_append(a->writer, it);
	if (ret) {
		log_error("%s: the iteration cannot be stored: %s", a->dir, strerror(-ret));
		return ret;
	}
	a->done++;
	a->ok += it->outcome == OUTCOME_OK;
	return 0;
}

static const char *tool_version(const struct session *s, const struct job *job)
{
	__cleanup_free char *key = xasprintf("tool.%s", job->tool->name);

	return kv_get(s->host, key);
}

/* Is this the last time that its cell runs in its arm? */
static bool is_last(const struct plan *p, const struct plan_step *st)
{
	for (size_t i = st->seq + 1; i < p->n_steps; i++)
		if (p->steps[i].arm == st->arm && p->steps[i].job == st->job &&
		    p->steps[i].target == st->target)
			return false;
	return true;
}

static int step(struct session *s, const struct plan_step *st, struct progress *progress)
{
	const struct job *job = s->plan->jobs[st->job];
	struct env env = { .ops = &env_real };
	struct cell cell = {
		.plan = s->plan, .step = st, .stage = s->stage.path, .libexec = s->app->libexec,
		.sysroot = s->app->sysroot, .version = tool_version(s, job),
		.keep = s->plan->opt->keep && is_last(s->plan, st), .env = &env,
	};
	__cleanup_kv struct kv facts = KV_INIT;
	struct iteration it = { 0 };
	int ret;

	ret = stage_make(&s->stage);
	if (ret) {
		log_error("%s: %s", s->stage.path, strerror(-ret));
		return ret;
	}
	identify(s, st, &facts);
	progress_step(progress, st);
	ret = cell_run(&cell, s->signal_fd, &facts);
	if (ret == -ECANCELED)
		return ret;
	if (ret == -EBUSY || kv_get(&facts, "unkillable"))
		str_replace(&s->stop_reason, kv_get(&facts, "reason"));
	harvest(s->stage.path, &facts, job, cell.version, &it);
	ret = keep(s, st, &facts, &it);
	progress_done(progress, st, &it);
	if (s->plan->stopping.rule == STOPPING_FIXED && !st->warmup)
		iteration_release(&it);
	else
		*run_add_iteration(s->arms[st->arm].run) = it;
	return ret;
}

/* After the last warm-up, what they say of noise. */
static void say_after_warmups(const struct session *s, size_t i)
{
	const struct plan_step *step = &s->plan->steps[i];
	__cleanup_strvec struct strvec lines = STRVEC_INIT;

	if (s->plan->opt->quiet || !step->warmup || i + 1 == s->plan->n_steps || step[1].warmup)
		return;
	forecast_warmups(s, &lines);
	for (size_t k = 0; k < lines.n; k++)
		log_info("%s", lines.v[k]);
}

static int run_steps(struct session *s)
{
	struct progress progress;
	int ret = 0;

	progress_start(&progress, s->plan, s->plan->opt->quiet);
	s->start_ns = clock_mono_ns();
	for (size_t i = 0; i < s->plan->n_steps; i++) {
		ret = step(s, &s->plan->steps[i], &progress);
		s->signal = pending_signal(s->signal_fd);
		if (s->signal) {
			s->stop_reason = xasprintf("interrupted by SIG%s", sigabbrev_np(s->signal));
			ret = ret == -ECANCELED ? 0 : ret;
		}
		if (ret || s->stop_reason)
			break;
		say_after_warmups(s, i);
		if (until_ends(s, i))
			break;
	}
	progress_end(&progress);
	return ret;
}

static int close_results(struct session *s, int ret)
{
	__cleanup_free char *now = clock_utc();

	if (ret && !s->stop_reason)
		s->stop_reason = xstrdup(strerror(-ret));
	stage_close(&s->stage);
	for (size_t i = 0; i < s->plan->n_arms; i++) {
		struct session_arm *a = &s->arms[i];
		bool complete = !ret && !s->stop_reason &&
				(s->stopped.why != STOPPED_NOT || a->done == a->run->planned);
		int err = s->stopped.why == STOPPED_NOT ? 0 : store_stop(a->writer, &s->stopped);

		if (!err)
			err = store_finish(a->writer, now, complete, s->stop_reason);
		else
			store_abandon(a->writer);
		a->writer = NULL;
		if (err)
			log_error("%s: result.json cannot be written: %s (the journal holds "
				  "every finished iteration)", a->dir, strerror(-err));
		if (err && !ret)
			ret = err;
	}
	return ret;
}

int session_run(struct session *s, const struct app *app, const struct plan *p,
		const struct kv *host)
{
	sigset_t old;
	int ret;

	*s = (struct session){ .app = app, .plan = p, .host = host, .stage = STAGE_INIT };
	s->signal_fd = block_signals(&old);
	ret = open_results(s);
	if (!ret)
		ret = close_results(s, run_steps(s));
	close(s->signal_fd);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

void session_release(struct session *s)
{
	for (size_t i = 0; s->arms && i < s->plan->n_arms; i++) {
		if (s->arms[i].writer)
			store_abandon(s->arms[i].writer);
		run_free(s->arms[i].run);
		free(s->arms[i].dir);
	}
	free(s->arms);
	stage_close(&s->stage);
	free(s->stop_reason);
	*s = (struct session){ 0 };
}
