// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta probe: which functions does a patch touch, and can their calls be counted here? */
#include "harness/cmd-probe.h"

#include "lib/file.h"
#include "lib/log.h"
#include "lib/mem.h"
#include "probes/probe.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#define PATCH_MAX (256U << 20)

static const char help[] =
	"Usage: fsdelta probe [--patch FILE [--tree DIR]] [--check | --script] [FUNC]...\n"
	"       fsdelta probe NAME\n"
	"\n"
	"Says which functions of the kernel a patch touches, and whether their calls can\n"
	"be counted on this machine; or explains a probe of `fsdelta list probes`.\n"
	"\n"
	"  fsdelta probe --patch 0001-btrfs-foo.patch --tree ~/linux\n"
	"  fsdelta probe --check btrfs_dirty_inode touch_atime\n"
	"  fsdelta probe --patch series.mbox --tree ~/linux --script > touched.bt\n"
	"  fsdelta probe fsync-latency\n"
	"\n"
	"      --patch FILE     a diff, a patch, or a mailbox with a series of them; -:\n"
	"                       read it from standard input\n"
	"      --tree DIR       the sources that the patch is for, applied or not.\n"
	"                       Without them functions are guessed from the hunks\n"
	"      --check          for each function: can it be probed by name, and if not,\n"
	"                       why, and what could stand in\n"
	"      --script         a bpftrace script that counts the hits of those that can\n"
	"                       be\n"
	"      --stacks         ... with the stacks they come from (dear)\n"
	"      --cgroup ID      ... in this cgroup, with machine-wide totals beside it;\n"
	"                       its ID is the inode number of its folder\n"
	"  -h, --help\n"
	"\n"
	"Exit status: 0 answered; 2 something cannot be read, or it touches no function;\n"
	"3 with --check or --script: a function cannot be counted.\n";

enum { OPT_PATCH = 256, OPT_TREE, OPT_CHECK, OPT_SCRIPT, OPT_STACKS, OPT_CGROUP };

static const struct option longs[] = {
	{ "cgroup", required_argument, NULL, OPT_CGROUP },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "help", no_argument, NULL, 'h' },
	{ "patch", required_argument, NULL, OPT_PATCH },
	{ "script", no_argument, NULL, OPT_SCRIPT },
	{ "stacks", no_argument, NULL, OPT_STACKS },
	{ "tree", required_argument, NULL, OPT_TREE },
	{ 0 },
};

static int set_cgroup(struct probe_args *a, const char *s)
{
	unsigned long long id;

	if (str_to_u64(s, &id) || !id) {
		log_error("probe: --cgroup %s: not the id of a cgroup", s);
		return -EINVAL;
	}
	a->cgroup = id;
	return 0;
}

static int set_option(struct probe_args *a, int c)
{
	switch (c) {
	case OPT_PATCH:
		a->patch = optarg;
		return 0;
	case OPT_TREE:
		a->tree = optarg;
		return 0;
	case OPT_CHECK:
		a->check = true;
		return 0;
	case OPT_SCRIPT:
		a->script = true;
		return 0;
	case OPT_STACKS:
		a->stacks = true;
		return 0;
	case OPT_CGROUP:
		return set_cgroup(a, optarg);
	case 'h':
		a->help = true;
		return 0;
	default:
		return -EINVAL;
	}
}

static const char *contradiction(const struct probe_args *a)
{
	if (a->check && a->script)
		return "--check or --script, not both";
	if ((a->stacks || a->cgroup) && !a->script)
		return "--stacks and --cgroup belong to --script";
	if (a->tree && !a->patch)
		return "--tree belongs to --patch";
	if (!a->patch && !a->n_names)
		return "which function, probe or patch?";
	if (a->patch && a->n_names && !a->check && !a->script)
		return "functions beside a patch need --check or --script";
	if (!a->patch && !a->check && !a->script && a->n_names > 1)
		return "one probe at a time; functions need --check or --script";
	return NULL;
}

static int parse_args(struct probe_args *a, int argc, char **argv)
{
	const char *wrong;
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1)
		if (set_option(a, c))
			return -EINVAL;
	a->names = argv + optind;
	a->n_names = argc - optind;
	wrong = a->help ? NULL : contradiction(a);
	if (wrong)
		log_error("probe: %s", wrong);
	return wrong ? -EINVAL : 0;
}

/* --- a probe --- */

static void add_words(struct strbuf *out, const char *title, const struct strvec *words)
{
	if (!words->n)
		return;
	strbuf_addf(out, "%s:\n", title);
	for (size_t i = 0; i < words->n; i++)
		strbuf_addf(out, "  %s\n", words->v[i]);
}

static int explain(const struct app *app, const char *name)
{
	__cleanup_strvec struct strvec dirs = STRVEC_INIT, errors = STRVEC_INIT;
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	struct probe *p;

	probe_dirs(&dirs, app->datadir);
	p = probe_load(&dirs, name, &errors);
	for (size_t i = 0; i < errors.n; i++)
		log_error("%s", errors.v[i]);
	if (!p)
		return EXIT_TROUBLE;
	strbuf_addf(&out, "%s: %s\n(%s)\n\n", p->name, p->summary, p->path);
	add_words(&out, "arguments", &p->args);
	add_words(&out, "file systems", &p->fs);
	add_words(&out, "needs", &p->needs);
	if (p->n_metrics)
		strbuf_adds(&out, "metrics:\n");
	for (size_t i = 0; i < p->n_metrics; i++)
		strbuf_addf(&out, "  %-24s %-3s %-8s %s\n", p->metrics[i].metric.name,
			    p->metrics[i].metric.unit,
			    direction_str(p->metrics[i].metric.better),
			    p->metrics[i].metric.text ? p->metrics[i].metric.text : "");
	strbuf_addf(&out, "cost: %s\nbpftrace: %u.%u or newer\n\n%s", p->cost, p->oldest.major,
		    p->oldest.minor, p->doc);
	probe_free(p);
	return command_print(strbuf_str(&out));
}

/* --- a patch --- */

static int read_patch(const char *path, struct strbuf *text)
{
	int ret = file_read(strcmp(path, "-") ? path : "/dev/stdin", text, PATCH_MAX);

	if (ret)
		log_error("%s: %s", path, strerror(-ret));
	return ret;
}

/* 0, or -errno with the message printed. */
static int find_touched(const struct probe_args *a, struct touched_list *l)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	__cleanup_patch struct patch p = PATCH_INIT;
	int ret = read_patch(a->patch, &text);

	if (!ret && a->tree && !file_exists(a->tree)) {
		ret = -ENOENT;
		log_error("%s: %s", a->tree, strerror(-ret));
	}
	if (ret)
		return ret;
	patch_parse(&p, strbuf_str(&text), text.len);
	for (size_t i = 0; i < p.warnings.n; i++)
		log_warn("%s: %s", a->patch, p.warnings.v[i]);
	if (!p.n_files) {
		log_error("%s: no patch in it", a->patch);
		return -EINVAL;
	}
	touched_find(l, &p, a->tree);
	for (size_t i = 0; i < l->warnings.n; i++)
		log_warn("%s", l->warnings.v[i]);
	if (!l->n)
		log_error("%s: it touches no function", a->patch);
	return l->n ? 0 : -ENOENT;
}

static int probe_main(struct app *app, int argc, char **argv)
{
	__cleanup_touched struct touched_list l = TOUCHED_LIST_INIT;
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	struct probe_args a = { .patch = NULL };
	int ret, printed;

	if (parse_args(&a, argc, argv))
		return command_usage_error(&cmd_probe);
	if (a.help)
		return command_help(&cmd_probe);
	if (!a.patch && !a.check && !a.script)
		return explain(app, a.names[0]);
	if (a.patch && find_touched(&a, &l))
		return EXIT_TROUBLE;
	if (a.check)
		ret = probe_check(app, &a, &l, &out);
	else if (a.script)
		ret = probe_script(app, &a, &l, &out);
	else
		ret = probe_show_touched(&l, &out);
	printed = command_print(strbuf_str(&out));
	return ret > printed ? ret : printed;
}

const struct command cmd_probe = {
	.name = "probe",
	.summary = "functions that a patch touches; can they be counted here?",
	.help = help,
	.main = probe_main,
};
