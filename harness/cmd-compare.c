// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta compare: every arm against the first, metric by metric. */
#include "harness/results-args.h"

#include "lib/log.h"
#include "lib/mem.h"

static const char help[] =
	"Usage: fsdelta compare [OPTION]... BASE ARM...\n"
	"\n"
	"Compares results, metric by metric: every ARM against BASE. A result is named by\n"
	"its label (the newest one with it), by its id, or by its folder or file.\n"
	"\n"
	"  fsdelta compare before after\n"
	"  fsdelta compare base patch1 patch2 --all\n"
	"  fsdelta compare ./results-of-a/2026... ./results-of-b/2026... --format json\n"
	"\n"
	"      --format FORMAT   text (default) or json\n"
	"      --all             every metric, not only the primary and the notable ones\n"
	"      --store DIR       where labels are looked up; default ./fsdelta-results, or\n"
	"                        $FSDELTA_STORE\n"
	"  -h, --help\n"
	"\n"
	"The difference is 100 * (B - A) / A, A the base. Nothing is said yet about\n"
	"whether it could be chance: the table says \"no verdict\".\n"
	"\n"
	"Exit status: 0 compared; 2 a result cannot be read.\n";

static int compare_all(struct app *app, const struct results_args *a)
{
	size_t n = (size_t)a->n_names, loaded = 0;
	__cleanup_free struct run **runs = xcalloc(n, sizeof(struct run *));
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	int ret = EXIT_TROUBLE;

	while (loaded < n && (runs[loaded] = results_load(app, a->names[loaded])))
		loaded++;
	if (loaded == n) {
		__cleanup_comparison struct comparison *c = compare_runs(runs, n);

		a->format->comparison(c, &a->report, &out);
		ret = command_print(strbuf_str(&out));
	}
	while (loaded)
		run_free(runs[--loaded]);
	return ret;
}

static int compare_main(struct app *app, int argc, char **argv)
{
	struct results_args a;

	if (results_args_parse(&a, app, argc, argv, true))
		return command_usage_error(&cmd_compare);
	if (a.help)
		return command_help(&cmd_compare);
	if (a.n_names < 2) {
		log_error("compare: needs at least two results; `fsdelta list results` shows them");
		return command_usage_error(&cmd_compare);
	}
	return compare_all(app, &a);
}

const struct command cmd_compare = {
	.name = "compare",
	.summary = "compare results, metric by metric",
	.help = help,
	.main = compare_main,
};
