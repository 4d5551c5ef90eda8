// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fio: any job it can describe. [params] are its global options, each [fio.NAME] is one job;
 * without such a section there is one job, called like the workload.
 */
#include "workloads/tools/fio.h"

#include "lib/mem.h"
#include "workloads/tools/parse.h"
#include "workloads/tools/tools.h"

#include <errno.h>
#include <string.h>

#define SECTION "fio."
/* fio reads a seed as a signed number. */
#define SEED_MAX 0x7fffffffffffffffULL

/* What the harness sets itself, and what would make fio do something else than measure. */
static const char *const reserved[] = {
	"append-terse", "client", "create_only", "daemonize", "directory", "max-jobs", "minimal",
	"name",	 "output", "output-format", "parse-only", "server", "showcmd", "trigger-file",
};

static const struct tool_param fio_params[] = {
	{ "rw", PARAM_STRING, false, NULL, "read, write, randread, randwrite, randrw, ..." },
	{ "bs", PARAM_STRING, false, NULL, "block size" },
	{ "size", PARAM_STRING, false, NULL, "bytes per worker" },
	{ "runtime", PARAM_SECONDS, false, NULL, "longest duration" },
	{ "time_based", PARAM_BOOL, false, NULL, "run for the whole runtime" },
	{ "numjobs", PARAM_U64, false, NULL, "workers per job" },
	{ "group_reporting", PARAM_BOOL, false, NULL, "add the workers up by group" },
	{ "ioengine", PARAM_STRING, false, NULL, "how to do I/O" },
	{ "iodepth", PARAM_U64, false, NULL, "requests in flight" },
	{ "fsync", PARAM_U64, false, NULL, "fsync after this many writes" },
	{ "fdatasync", PARAM_U64, false, NULL, "fdatasync after this many writes" },
	{ "layout", PARAM_BOOL, false, NULL,
	  "make the files of jobs that read before the timed window (default 1)" },
	{ .name = NULL },
};

const char *fio_param(const struct job *job, const char *section, const char *key)
{
	const char *found = NULL;

	for (size_t i = 0; job && i < job->n_params; i++) {
		const struct job_param *p = &job->params[i];
		bool own = section && str_starts(p->section, SECTION) &&
			   str_eq(p->section + strlen(SECTION), section);

		if (!str_eq(p->key, key))
			continue;
		if (own)
			return p->value;
		if (str_eq(p->section, "params"))
			found = p->value;
	}
	return found;
}

/* Names of the [fio.NAME] sections, in the order of the file. */
static void section_names(const struct job *job, struct strvec *names)
{
	for (size_t i = 0; i < job->n_params; i++) {
		const char *s = job->params[i].section;

		if (str_starts(s, SECTION) && !strvec_has(names, s + strlen(SECTION)))
			strvec_push(names, s + strlen(SECTION));
	}
	if (!names->n)
		strvec_push(names, job->name ? job->name : "job");
}

static bool is_set(const struct job *job, const char *section, const char *key)
{
	const char *v = fio_param(job, section, key);

	return v && !str_eq(v, "0");
}

uint64_t fio_workers(const struct job *job, bool *grouped)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT;
	uint64_t workers = 0, n;

	section_names(job, &names);
	*grouped = false;
	for (size_t i = 0; i < names.n; i++) {
		const char *numjobs = fio_param(job, names.v[i], "numjobs");
		const char *stats = fio_param(job, names.v[i], "stats");

		*grouped |= is_set(job, names.v[i], "group_reporting");
		if (stats && str_eq(stats, "0"))
			continue;
		if (!numjobs || !text_u64(numjobs, &n))
			n = 1;
		workers += n;
	}
	return workers;
}

/* fio splits its paths at colons. */
static void push_directory(struct strvec *argv, const char *dir)
{
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;

	for (; *dir; dir++) {
		if (*dir == ':' || *dir == '\\')
			strbuf_addc(&sb, '\\');
		strbuf_addc(&sb, *dir);
	}
	strvec_pushf(argv, "--directory=%s", strbuf_str(&sb));
}

static void push_section(struct strvec *argv, const struct job *job, const char *section)
{
	for (size_t i = 0; i < job->n_params; i++) {
		const struct job_param *p = &job->params[i];

		if (str_eq(p->section, section) && !str_eq(p->key, "layout"))
			strvec_pushf(argv, "--%s=%s", p->key, p->value);
	}
}

/* The command, with its results in @file. */
static void build(const struct tool_call *call, const char *file, struct strvec *argv)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT;

	strvec_push(argv, "fio");
	/* First of all: behind a --name it would come too late. */
	strvec_push(argv, "--output-format=json+");
	strvec_pushf(argv, "--output=%s/%s", call->out_dir, file);
	push_directory(argv, call->dir);
	if (!fio_param(call->job, NULL, "randseed"))
		strvec_pushf(argv, "--randseed=%llu",
			     (unsigned long long)(call->seed & SEED_MAX));
	push_section(argv, call->job, "params");
	section_names(call->job, &names);
	for (size_t i = 0; i < names.n; i++) {
		__cleanup_free char *section = xasprintf("%s%s", SECTION, names.v[i]);

		strvec_pushf(argv, "--name=%s", names.v[i]);
		push_section(argv, call->job, section);
	}
}

static int fio_argv(const struct tool_call *call, struct strvec *argv)
{
	build(call, tool_fio.output_file, argv);
	return 0;
}

/* fio makes missing files when it starts: for a job that reads, that must not be timed. */
static int fio_setup(const struct tool_call *call, struct strvec **cmds, size_t *n)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT;
	const char *layout = fio_param(call->job, NULL, "layout");
	bool reads = false;

	*cmds = NULL;
	*n = 0;
	section_names(call->job, &names);
	for (size_t i = 0; i < names.n; i++) {
		const char *rw = fio_param(call->job, names.v[i], "rw");

		if (!rw)
			rw = fio_param(call->job, names.v[i], "readwrite");
		reads |= !rw || strstr(rw, "read") || str_starts(rw, "rw") || strstr(rw, "randrw");
	}
	if (!reads || (layout && str_eq(layout, "0")))
		return 0;
	*cmds = xcalloc(1, sizeof(**cmds));
	*n = 1;
	build(call, "fio-layout.json", &(*cmds)[0]);
	strvec_push(&(*cmds)[0], "--create_only=1");
	return 0;
}

/* A file name that leaves the folder under test measures, or overwrites, something else. */
static bool leaves_folder(const char *path)
{
	return path[0] == '/' || str_starts(path, "../") || strstr(path, "/../") ||
	       strstr(path, ":/") || strstr(path, ":../") || str_eq(path, "..") ||
	       str_ends(path, "/..");
}

static void fio_check(const struct job *job, struct strvec *errors)
{
	static const char *const paths[] = { "filename", "filename_format", "opendir" };

	for (size_t i = 0; i < job->n_params; i++) {
		const struct job_param *p = &job->params[i];

		if (p->key[0] == '-' || p->key[strspn(p->key, "abcdefghijklmnopqrstuvwxyz"
							       "0123456789_-")])
			strvec_pushf(errors, "line %d: \"%s\" is no name of a fio option", p->line,
				     p->key);
		for (size_t k = 0; k < ARRAY_SIZE(reserved); k++)
			if (str_eq(p->key, reserved[k]))
				strvec_pushf(errors, "line %d: \"%s\" is not a job's to set",
					     p->line, p->key);
		for (size_t k = 0; k < ARRAY_SIZE(paths); k++)
			if (str_eq(p->key, paths[k]) && leaves_folder(p->value))
				strvec_pushf(errors, "line %d: %s \"%s\" leaves the folder under test",
					     p->line, p->key, p->value);
		if (str_eq(p->key, "layout") && !str_eq(p->section, "params"))
			strvec_pushf(errors, "line %d: \"layout\" belongs into [params]", p->line);
	}
}

static const char *const version_argv[] = { "fio", "--version", NULL };

const struct tool tool_fio = {
	.name = "fio",
	.program = "fio",
	.package = "fio",
	.summary = "fio jobs: reads, writes and fsyncs in any mix",
	.version_argv = version_argv,
	.output_file = "fio.json",
	.params = fio_params,
	.any_param = true,
	.check = fio_check,
	.argv = fio_argv,
	.setup = fio_setup,
	.parse = fio_parse,
};
