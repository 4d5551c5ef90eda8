// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta run: measure workloads on freshly made file systems, in one or more arms. */
#include "harness/command.h"

#include "harness/aa.h"
#include "harness/cell.h"
#include "harness/env/settings.h"
#include "harness/forecast.h"
#include "harness/host.h"
#include "harness/preflight.h"
#include "harness/session.h"
#include "harness/until.h"
#include "lib/log.h"
#include "lib/mem.h"

#include <signal.h>

static const char help[] =
	"Usage: fsdelta run [OPTION]...\n"
	"\n"
	"Runs workloads on freshly made file systems and stores every sample.\n"
	"Without options: the default workloads on btrfs in memory, 10 iterations.\n"
	"\n"
	"  fsdelta run -l before              # then boot the other kernel, and\n"
	"  fsdelta run -l after\n"
	"  fsdelta compare before after\n"
	"\n"
	"  # two mount options against each other, interleaved at random:\n"
	"  fsdelta run --arm default --arm notreelog:mount=notreelog -w fsync-new\n"
	"\n"
	"  fsdelta run -w ./my.job -t xfs,ext4 -n 20    # a job file of your own\n"
	"  fsdelta run -t dir:/mnt/scratch -w utime     # a folder as it is, no root\n"
	"  fsdelta run -w dbench --device /dev/disk/by-id/nvme-... --dry-run\n"
	"\n"
	"What is measured:\n"
	"  -w, --workload NAME,...   workloads (`fsdelta list workloads`), or ./FILE.job\n"
	"  -t, --target NAME,...     btrfs, ext4, xfs, dir:/some/folder; default btrfs\n"
	"  -n, --iterations N        per arm and cell; default 10, or what the job says\n"
	"      --blocks N            instead of -n: as many random blocks, which have\n"
	"                            every arm once from 10 blocks on, else twice\n"
	"      --arm LABEL:KEY=VALUE,...\n"
	"                            one side of a comparison; may be repeated; keys:\n"
	"                            mkfs, mount. A part that is no key continues the\n"
	"                            value:\n"
	"                            --arm b:mount=noatime,commit=60,mkfs='-m single'\n"
	"      --aa                  the arm (--arm, or none) twice, under its name and\n"
	"                            NAME-again: counts false alarms, and keeps the noise\n"
	"                            floor that later comparisons take as their smallest\n"
	"                            effect\n"
	"      --until-width PCT     from 10 blocks on, until the 95% interval of every\n"
	"                            primary metric is within +-PCT; -n blocks at most,\n"
	"                            else 40\n"
	"      --until-decided       until every primary metric is decided, at looks that\n"
	"                            share the level of 5% (blocks have every arm twice)\n"
	"      --looks N,N,...       after how many iterations of each arm; default\n"
	"                            8,12,20,40\n"
	"      --max-time TIME       with either: end with the block in which TIME passes\n"
	"  -l, --label LABEL         name of the result (default: the kernel's release);\n"
	"                            with --arm, results are called LABEL.ARM\n"
	"\n"
	"Where it is measured (default: --memory):\n"
	"      --memory              a loop device on memory: no disk is touched\n"
	"      --image FILE          a loop device on a file, made if it is missing\n"
	"      --device DEV          a block device, empty or made by fsdelta before;\n"
	"                            ITS CONTENT IS LOST\n"
	"      --force-device DEV    the same name again: yes, overwrite what is on it\n"
	"      --size SIZE           of memory or image: 8G (memory: half of what is\n"
	"                            free, if that is less)\n"
	"      --mkfs 'OPTIONS'      for mkfs, in all arms\n"
	"      --mount OPTIONS       for mount, in all arms\n"
	"\n"
	"How:\n"
	"      --seed N              of the random order and of the workloads\n"
	"      --timeout TIME        of one iteration: 90, 90s, 5m; default 5m, or the\n"
	"                            job's\n"
	"      --governor NAME       cpufreq governor of all CPUs while the run lasts;\n"
	"                            without this, nothing on the machine is changed\n"
	"      --dry-run             check everything, print every command, do nothing\n"
	"      --keep                keep the file system of each cell's last iteration\n"
	"  -c, --config FILE         a plan: these words as keys of [run] and [arm\n"
	"                            LABEL]; default ./fsdelta.conf if there is one\n"
	"      --store DIR           where results go; default ./fsdelta-results, or\n"
	"                            $FSDELTA_STORE\n"
	"  -q, --quiet               no progress\n"
	"  -h, --help\n"
	"\n"
	"Exit status: 0 everything was measured; 2 it could not start or store; 3 some\n"
	"iterations failed; 128+N ended by signal N, with what was finished kept.\n";

static int report_problems(const struct strvec *problems)
{
	for (size_t i = 0; i < problems->n; i++)
		log_error("%s", problems->v[i]);
	return EXIT_TROUBLE;
}

static void print_lines(const struct strvec *lines, const char *before)
{
	for (size_t i = 0; i < lines->n; i++)
		printf("%s%s\n", before, lines->v[i]);
}

/* Every command of one iteration of each cell in each arm. */
static int dry_run(const struct app *app, const struct plan *p, const struct kv *host)
{
	__cleanup_strvec struct strvec lines = STRVEC_INIT, warnings = STRVEC_INIT;
	struct env env = { .ops = &env_dry };
	int ret = EXIT_OK;

	printf("# seed %llu, %zu iteration%s in all, results would go below %s\n"
	       "# STAGE stands for a folder there that collects the raw output\n",
	       (unsigned long long)p->seed, p->n_steps, p->n_steps == 1 ? "" : "s", app->store);
	forecast_plan(app, p, host, &lines, &warnings);
	print_lines(&lines, "# ");
	print_lines(&warnings, "# warning: ");
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct plan_step *s = &p->steps[i];
		struct cell cell = { .plan = p, .step = s, .stage = "STAGE",
				     .libexec = app->libexec, .sysroot = app->sysroot,
				     .env = &env };

		if (s->number || (s->warmup && s->block))
			continue;
		printf("\n# %s on %s, arm %s%s\n", p->jobs[s->job]->name,
		       p->targets[s->target].name, p->arms[s->arm].label,
		       s->warmup ? " (warm-up)" : "");
		if (cell_dry_run(&cell, stdout))
			ret = EXIT_TROUBLE;
	}
	return ret;
}

static void announce(const struct app *app, const struct plan *p, const struct kv *host)
{
	__cleanup_strvec struct strvec lines = STRVEC_INIT, warnings = STRVEC_INIT;
	__cleanup_free char *disk = plan_disk_text(p);

	if (p->opt->quiet)
		return;
	if (p->opt->config)
		log_info("plan from %s", p->opt->config);
	log_info("%s%zu iteration%s: %zu arm%s, %zu workload%s, %zu target%s%s%s; seed %llu",
		 p->stopping.rule == STOPPING_FIXED ? "" : "at most ", p->n_steps,
		 p->n_steps == 1 ? "" : "s", p->n_arms, p->n_arms == 1 ? "" : "s", p->n_jobs,
		 p->n_jobs == 1 ? "" : "s", p->n_targets, p->n_targets == 1 ? "" : "s",
		 plan_needs_root(p) ? " on " : "", plan_needs_root(p) ? disk : "",
		 (unsigned long long)p->seed);
	forecast_plan(app, p, host, &lines, &warnings);
	for (size_t i = 0; i < lines.n; i++)
		log_info("%s", lines.v[i]);
	for (size_t i = 0; i < warnings.n; i++)
		log_warn("%s", warnings.v[i]);
}

/* The command that shows what was measured, fit to be pasted. */
static void hint(const struct session *s)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	__cleanup_free char *shown = NULL;
	size_t n = s->plan->n_arms;

	strvec_push(&argv, "fsdelta");
	strvec_push(&argv, n > 1 ? "compare" : "show");
	if (s->plan->opt->store) {
		strvec_push(&argv, "--store");
		strvec_push(&argv, s->plan->opt->store);
	}
	for (size_t i = 0; i < n; i++)
		strvec_push(&argv, s->arms[i].run->label);
	shown = strvec_shell(&argv);
	log_info("next: %s", shown);
}

/* What its rule left of a run was all of it. */
static unsigned long long planned(const struct session *s, const struct session_arm *a)
{
	return s->stopped.why == STOPPED_NOT ? a->run->planned : a->done;
}

/* Where the results are, and what to do with them. */
static void conclude(const struct session *s)
{
	__cleanup_free char *end = until_text(s);
	uint64_t done = 0;

	if (end)
		log_info("%s", end);
	if (s->stop_reason)
		log_warn("stopped early: %s; what was finished is kept", s->stop_reason);
	for (size_t i = 0; i < s->plan->n_arms; i++) {
		const struct session_arm *a = &s->arms[i];

		if (!a->dir)
			return;
		log_info("%s: %llu of %llu iteration%s OK, in %s", a->run->label,
			 (unsigned long long)a->ok, planned(s, a), planned(s, a) == 1 ? "" : "s",
			 a->dir);
		done += a->done;
	}
	if (done && !s->plan->opt->quiet)
		hint(s);
}

static int exit_status(const struct session *s, int ret)
{
	if (s->signal)
		return 128 + s->signal;
	if (ret)
		return EXIT_TROUBLE;
	for (size_t i = 0; i < s->plan->n_arms; i++)
		if (s->arms[i].ok != planned(s, &s->arms[i]))
			return EXIT_INCONCLUSIVE;
	return EXIT_OK;
}

static int run_plan(const struct app *app, const struct plan *p, const struct kv *host)
{
	struct session s;
	int ret;

	announce(app, p, host);
	if (!p->opt->quiet)
		preflight_warn_load(app);
	ret = session_run(&s, app, p, host);
	conclude(&s);
	if (p->opt->aa && !ret && !s.stop_reason)
		ret = aa_conclude(&s);
	ret = exit_status(&s, ret);
	session_release(&s);
	return ret;
}

static void print_notes(struct strvec *notes, bool trouble)
{
	for (size_t i = 0; i < notes->n; i++) {
		if (trouble)
			log_error("%s", notes->v[i]);
		else
			log_info("%s", notes->v[i]);
	}
	strvec_release(notes);
	*notes = (struct strvec)STRVEC_INIT;
}

static int run_with_governor(const struct app *app, const struct plan *p, struct kv *host)
{
	const char *governor = p->opt->governor;
	__cleanup_strvec struct strvec notes = STRVEC_INIT;
	struct settings settings;
	int ret, err;

	ret = settings_open(&settings, app->sysroot, governor, &notes);
	print_notes(&notes, ret);
	if (ret)
		return EXIT_TROUBLE;
	ret = settings_apply(&settings, &notes);
	print_notes(&notes, ret);
	kv_set(host, "cpu.governor", governor);
	ret = ret ? EXIT_TROUBLE : run_plan(app, p, host);
	err = settings_close(&settings, &notes);
	print_notes(&notes, err);
	return err && ret < 128 ? EXIT_TROUBLE : ret;
}

/* A signal that comes while settings are changed must not end us before they are restored. */
static int execute(const struct app *app, const struct plan *p, struct kv *host)
{
	sigset_t set, old;
	int ret;

	if (!p->opt->governor)
		return run_plan(app, p, host);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &old);
	ret = run_with_governor(app, p, host);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}

/* What a killed run left is restored, unless it is no business of ours or beyond our reach. */
static void recover_settings(const struct app *app)
{
	__cleanup_strvec struct strvec notes = STRVEC_INIT;

	settings_recover(app->sysroot, &notes);
	for (size_t i = 0; i < notes.n; i++)
		log_warn("%s", notes.v[i]);
}

static int run_with(struct app *app, const struct run_options *opt)
{
	__cleanup_strvec struct strvec dirs = STRVEC_INIT, problems = STRVEC_INIT;
	__cleanup_kv struct kv host = KV_INIT;
	struct plan plan;
	int ret;

	if (opt->store)
		str_replace(&app->store, opt->store);
	job_dirs(&dirs, app->datadir);
	if (!opt->dry_run)
		recover_settings(app);
	host_fingerprint(app->sysroot, &host);
	plan_build(&plan, opt, &dirs, app->sysroot, &problems);
	preflight(app, &plan, &host, &problems);
	if (problems.n)
		ret = report_problems(&problems);
	else if (opt->dry_run)
		ret = dry_run(app, &plan, &host);
	else
		ret = execute(app, &plan, &host);
	plan_release(&plan);
	return ret;
}

static int run_main(struct app *app, int argc, char **argv)
{
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	struct run_options opt = { 0 };
	int ret;

	if (options_parse(&opt, argc, argv, &errors)) {
		report_problems(&errors);
		ret = command_usage_error(&cmd_run);
	} else if (opt.help) {
		ret = command_help(&cmd_run);
	} else {
		ret = run_with(app, &opt);
	}
	options_release(&opt);
	return ret;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "run workloads on fresh file systems and store the samples",
	.help = help,
	.main = run_main,
};
