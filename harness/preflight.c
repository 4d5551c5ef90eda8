// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/preflight.h"

#include "harness/env/settings.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/spawn.h"

#include "config.h"

#include <errno.h>
#include <string.h>

#define VERSION_NS (10 * NSEC_PER_SEC)

static char *version_of(const struct strvec *argv)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	char *line;

	if (spawn_capture(argv, true, VERSION_NS, &out) < 0)
		return NULL;
	line = str_trim(out.buf);
	*strchrnul(line, '\n') = '\0';
	return *line ? xstrdup(str_trim(line)) : NULL;
}

char *preflight_tool_version(const struct job *job)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;

	for (const char *const *w = job->tool->version_argv; w && *w; w++)
		strvec_push(&argv, *w);
	return argv.n ? version_of(&argv) : NULL;
}

static void check_tool(const struct app *app, const struct job *job, struct kv *host,
		       struct strvec *problems)
{
	struct tool_call call = { .job = job, .dir = "/nonexistent", .out_dir = "/nonexistent",
				  .libexec = app->libexec, .seed = 1 };
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	__cleanup_free char *key = xasprintf("tool.%s", job->tool->name);
	__cleanup_free char *version = NULL, *prog = NULL;

	if (job->tool->argv(&call, &argv) || !argv.n) {
		strvec_pushf(problems, "workload %s: its command cannot be built", job->name);
		return;
	}
	prog = file_find_program(argv.v[0]);
	if (!prog) {
		strvec_pushf(problems, "workload %s: %s: program not found%s%s", job->name,
			     argv.v[0], job->tool->package ? "; install the package " : "",
			     job->tool->package ? job->tool->package : "");
		return;
	}
	if (kv_get(host, key))
		return;
	version = preflight_tool_version(job);
	if (version)
		kv_set(host, key, version);
}

static void check_fs(const struct app *app, const struct fs_type *fs, struct kv *host,
		     struct strvec *problems)
{
	__cleanup_free char *prog = file_find_program(fs->mkfs);
	__cleanup_free char *known = proc_read(app->sysroot, "/proc/filesystems");
	__cleanup_free char *entry = xasprintf("\t%s\n", fs->name);
	__cleanup_free char *modules = NULL, *release = NULL;
	__cleanup_free char *key = xasprintf("mkfs.%s", fs->name);
	__cleanup_free char *version = NULL;
	__cleanup_strvec struct strvec argv = STRVEC_INIT;

	if (!prog)
		strvec_pushf(problems, "target %s: %s: program not found; install the package %s",
			     fs->name, fs->mkfs, fs->package);
	release = proc_read_line(app->sysroot, "/proc/sys/kernel/osrelease");
	modules = xasprintf("%s/lib/modules/%s", app->sysroot, release ? release : "");
	/* With modules around, mount will load what is missing. */
	if (known && !strstr(known, entry) && !file_exists(modules))
		strvec_pushf(problems, "target %s: this kernel has no %s (see /proc/filesystems)",
			     fs->name, fs->name);
	if (!prog || kv_get(host, key))
		return;
	strvec_push(&argv, prog);
	strvec_push(&argv, "-V");
	version = version_of(&argv);
	if (version)
		kv_set(host, key, version);
}

/* The file is sparse, but a workload may fill it. */
static void check_memory(const struct app *app, const struct plan *p, struct strvec *problems)
{
	__cleanup_free char *info = proc_read(app->sysroot, "/proc/meminfo");
	__cleanup_free char *avail = info ? proc_field(info, "MemAvailable") : NULL;
	uint64_t have = avail ? strtoull(avail, NULL, 10) * 1024 : 0;

	if (avail && p->disk.size > have / 10 * 9)
		strvec_pushf(problems, "--memory: %llu MiB asked for, but only %llu MiB are free: "
			     "use a smaller --size, --image or --device",
			     (unsigned long long)(p->disk.size >> 20),
			     (unsigned long long)(have >> 20));
}

/* The store, or the nearest folder above it that exists, must be writable. */
static void check_store(const struct app *app, struct strvec *problems)
{
	__cleanup_free char *path = xstrdup(app->store);
	char *slash;

	while (!file_exists(path)) {
		slash = strrchr(path, '/');
		if (!slash) {
			str_replace(&path, ".");
			break;
		}
		slash[slash == path] = '\0';
	}
	if (access(path, W_OK | X_OK))
		strvec_pushf(problems, "results cannot be stored in %s: %s: %s; --store names "
			     "another folder", app->store, path, strerror(errno));
}

/* Others' work is in every figure: worth knowing before an hour is spent. */
void preflight_warn_load(const struct app *app)
{
	__cleanup_free char *line = proc_read_line(app->sysroot, "/proc/loadavg");
	double load = line ? strtod(line, NULL) : 0;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (load > 0.5 * (double)cpus)
		log_warn("the machine is busy (load average %.1f on %ld CPUs): expect noise", load,
			 cpus);
}

void preflight(const struct app *app, const struct plan *p, struct kv *host,
	       struct strvec *problems)
{
	kv_set(host, "fsdelta.version", PACKAGE_VERSION);
	if (!p->opt->dry_run)
		check_store(app, problems);
	for (size_t i = 0; i < p->n_jobs; i++)
		check_tool(app, p->jobs[i], host, problems);
	for (size_t i = 0; i < p->n_targets; i++)
		if (p->targets[i].fs)
			check_fs(app, p->targets[i].fs, host, problems);
	if (p->opt->governor)
		settings_check(app->sysroot, p->opt->governor, !p->opt->dry_run, problems);
	if (!plan_needs_root(p))
		return;
	if (!p->opt->dry_run)
		env_preflight(app->sysroot, problems);
	if (p->disk.kind == ENV_DISK_MEMORY)
		check_memory(app, p, problems);
	else
		env_device_check(app->sysroot, &p->disk, problems);
}
