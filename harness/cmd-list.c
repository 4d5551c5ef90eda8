// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta list: what there is. */
#include "harness/command.h"

#include "harness/fs.h"
#include "harness/preflight.h"
#include "harness/results-args.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/mem.h"
#include "probes/probe.h"
#include "results/store-noise.h"
#include "results/store.h"
#include "workloads/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char help[] =
	"Usage: fsdelta list [workloads | tools | targets | probes | results | noise]\n"
	"                    [--store DIR]\n"
	"\n"
	"Lists what can be run, and what was measured. Without a word: all of it.\n"
	"\n"
	"  fsdelta list workloads    names for `fsdelta run -w`, with what they stress\n"
	"  fsdelta list tools        programs that do the work, and whether they are here\n"
	"  fsdelta list targets      names for `fsdelta run -t`\n"
	"  fsdelta list probes       what bpftrace can watch in the kernel; `fsdelta\n"
	"                            probe NAME` explains one\n"
	"  fsdelta list results      what is in the store, oldest first: iterations that\n"
	"                            are OK, of those planned\n"
	"  fsdelta list noise        what A/A sessions (`run --aa`) found on each\n"
	"                            machine: 95 % of changes that were noise alone are\n"
	"                            smaller\n"
	"\n"
	"Workloads and probes are NAME.job and NAME.bt files in ./fsdelta.d,\n"
	"~/.config/fsdelta, /etc/fsdelta and the installed set; the first of equal names\n"
	"wins.\n"
	"\n"
	"Exit status: 0 listed; 2 something could not be read.\n";

static int list_workloads(struct app *app, struct strbuf *out)
{
	__cleanup_strvec struct strvec dirs = STRVEC_INIT, names = STRVEC_INIT;
	int ret = EXIT_OK;

	job_dirs(&dirs, app->datadir);
	job_list(&dirs, &names);
	for (size_t i = 0; i < names.n; i++) {
		__cleanup_strvec struct strvec errors = STRVEC_INIT;
		struct job *job = job_load(&dirs, names.v[i], &errors);

		for (size_t e = 0; e < errors.n; e++)
			log_error("%s", errors.v[e]);
		if (!job) {
			ret = EXIT_TROUBLE;
			continue;
		}
		strbuf_addf(out, "  %-16s %-10s ", job->name, job->tool->name);
		strbuf_add_printable(out, job->summary ? job->summary : "");
		strbuf_addc(out, '\n');
		job_free(job);
	}
	return ret;
}

static int list_tools(struct app *app, struct strbuf *out)
{
	(void)app;
	for (const struct tool *const *t = tools; *t; t++) {
		__cleanup_free char *prog = (*t)->program ? file_find_program((*t)->program) : NULL;

		strbuf_addf(out, "  %-10s %s", (*t)->name, (*t)->summary);
		if ((*t)->program && !prog)
			strbuf_addf(out, " (not here: install the package %s)", (*t)->package);
		strbuf_addc(out, '\n');
	}
	return EXIT_OK;
}

static int list_targets(struct app *app, struct strbuf *out)
{
	(void)app;
	for (const struct fs_type *fs = fs_types; fs->name; fs++) {
		__cleanup_free char *prog = file_find_program(fs->mkfs);

		strbuf_addf(out, "  %-16s made with %s", fs->name, fs->mkfs);
		if (!prog)
			strbuf_addf(out, " (not here: install the package %s)", fs->package);
		strbuf_addc(out, '\n');
	}
	strbuf_addf(out, "  %-16s a folder as it is: no mkfs, no root\n", "dir:/some/folder");
	return EXIT_OK;
}

static int list_probes(struct app *app, struct strbuf *out)
{
	__cleanup_strvec struct strvec dirs = STRVEC_INIT, names = STRVEC_INIT;
	int ret = EXIT_OK;

	probe_dirs(&dirs, app->datadir);
	probe_list(&dirs, &names);
	for (size_t i = 0; i < names.n; i++) {
		__cleanup_strvec struct strvec errors = STRVEC_INIT;
		struct probe *p = probe_load(&dirs, names.v[i], &errors);

		for (size_t e = 0; e < errors.n; e++)
			log_error("%s", errors.v[e]);
		if (!p) {
			ret = EXIT_TROUBLE;
			continue;
		}
		strbuf_addf(out, "  %-16s ", p->name);
		strbuf_add_printable(out, p->summary);
		strbuf_addc(out, '\n');
		probe_free(p);
	}
	return ret;
}

static const char *state_of(const struct store_entry *e)
{
	if (!e->finished)
		return "unfinished";
	if (!e->complete)
		return "ended early";
	return e->ok == e->done ? "" : "not all OK";
}

static void add_entry(const struct store_entry *e, struct strbuf *out)
{
	if (e->error) {
		strbuf_adds(out, "  ");
		strbuf_add_printable(out, e->error);
		strbuf_addc(out, '\n');
		return;
	}
	strbuf_addf(out, "  %s %4" PRIu64 "/%-4" PRIu64 " %-11s ",
		    e->started ? e->started : "?", e->ok, e->planned, state_of(e));
	strbuf_add_printable(out, e->label ? e->label : "?");
	strbuf_adds(out, "  ");
	strbuf_add_printable(out, e->id ? e->id : "?");
	strbuf_addc(out, '\n');
}

static int list_results(struct app *app, struct strbuf *out)
{
	struct store_entry *v = NULL;
	size_t n = 0;
	int ret = store_list(app->store, &v, &n);
	bool bad = false;

	if (ret && ret != -ENOENT) {
		log_error("%s: %s", app->store, strerror(-ret));
		return EXIT_TROUBLE;
	}
	if (!n)
		strbuf_addf(out, "  none in %s\n", app->store);
	else
		strbuf_adds(out, "  start (UTC)          OK/planned         label  id\n");
	for (size_t i = 0; i < n; i++) {
		add_entry(&v[i], out);
		bad |= v[i].error != NULL;
	}
	store_entries_free(v, n);
	return bad ? EXIT_TROUBLE : EXIT_OK;
}

/* Is this session the first of its cell? */
static bool starts_cell(const struct noise *n, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (noise_cell_equal(&n->v[k].cell, &n->v[i].cell))
			return false;
	return true;
}

static void add_floor(const struct noise *n, const struct noise_session *s,
		      const struct noise_row *row, struct strbuf *out)
{
	struct noise_floor f;

	noise_floor(n, &s->cell, row->metric, &f);
	strbuf_adds(out, row->primary ? "  * " : "    ");
	strbuf_add_printable(out, row->metric);
	strbuf_addf(out, ": %.3g %%, %s %zu session%s until %.10s\n", f.pct,
		    f.sessions < NOISE_MIN_VALUES ? "the largest of" : "95 % of", f.sessions,
		    f.sessions == 1 ? "" : "s", f.date ? f.date : "?");
}

static void add_cell(const struct noise *n, const struct noise_session *s, struct strbuf *out)
{
	const struct noise_cell *c = &s->cell;
	__cleanup_free char *where = xasprintf("%s on %s, host %s, %s", c->workload, s->target,
					       c->host, c->device);

	strbuf_adds(out, "  ");
	strbuf_add_printable(out, where);
	if (*c->mount) {
		strbuf_adds(out, ", mount ");
		strbuf_add_printable(out, c->mount);
	}
	strbuf_addc(out, '\n');
	for (size_t i = 0; i < s->n_rows; i++)
		add_floor(n, s, &s->rows[i], out);
}

static int list_noise(struct app *app, struct strbuf *out)
{
	__cleanup_noise struct noise noise = NOISE_INIT;
	__cleanup_free char *error = NULL;

	if (store_noise_load(app->store, &noise, &error)) {
		log_error("%s", error);
		return EXIT_TROUBLE;
	}
	if (!noise.n)
		strbuf_addf(out, "  none in %s (`fsdelta run --aa` finds it)\n", app->store);
	for (size_t i = 0; i < noise.n; i++)
		if (starts_cell(&noise, i))
			add_cell(&noise, &noise.v[i], out);
	return EXIT_OK;
}

static const struct {
	const char *name;
	int (*list)(struct app *app, struct strbuf *out);
} subjects[] = {
	{ "workloads", list_workloads },
	{ "tools", list_tools },
	{ "targets", list_targets },
	{ "probes", list_probes },
	{ "results", list_results },
	{ "noise", list_noise },
};

static int list_some(struct app *app, const char *which)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	int ret = which ? -1 : EXIT_OK, one;

	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		if (which && strcmp(which, subjects[i].name))
			continue;
		if (!which)
			strbuf_addf(&out, "%s%s:\n", i ? "\n" : "", subjects[i].name);
		one = subjects[i].list(app, &out);
		ret = ret > one ? ret : one;
	}
	if (ret < 0) {
		log_error("list: '%s' is not one of workloads, tools, targets, probes, results, noise",
			  which);
		return command_usage_error(&cmd_list);
	}
	one = command_print(strbuf_str(&out));
	return ret > one ? ret : one;
}

static int list_main(struct app *app, int argc, char **argv)
{
	struct results_args a;

	if (results_args_parse(&a, app, argc, argv, false))
		return command_usage_error(&cmd_list);
	if (a.help)
		return command_help(&cmd_list);
	if (a.n_names > 1) {
		log_error("list: one word at the most");
		return command_usage_error(&cmd_list);
	}
	return list_some(app, a.n_names ? a.names[0] : NULL);
}

const struct command cmd_list = {
	.name = "list",
	.summary = "list workloads, tools, targets, probes, results, noise floors",
	.help = help,
	.main = list_main,
};
