// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta show: one result, whole. */
#include "harness/results-args.h"

#include "lib/log.h"

static const char help[] =
	"Usage: fsdelta show [OPTION]... RESULT...\n"
	"\n"
	"Shows what a result holds: how and where it was measured, every metric with n,\n"
	"median, mean and spread, and what went wrong. A result is named by its label\n"
	"(the newest one with it), by its id, or by its folder or file.\n"
	"\n"
	"  fsdelta show before\n"
	"  fsdelta show ./fsdelta-results/20260131T123456Z-before-1a2b --all\n"
	"\n"
	"      --format FORMAT   text (default) or json\n"
	"      --all             every metric, not only the primary and the notable ones\n"
	"      --store DIR       where labels are looked up; default ./fsdelta-results,\n"
	"                        or $FSDELTA_STORE\n"
	"  -h, --help\n"
	"\n"
	"Exit status: 0 shown; 2 a result cannot be read.\n";

static int show_main(struct app *app, int argc, char **argv)
{
	struct results_args a;
	int ret = EXIT_OK;

	if (results_args_parse(&a, app, argc, argv, true))
		return command_usage_error(&cmd_show);
	if (a.help)
		return command_help(&cmd_show);
	if (!a.n_names) {
		log_error("show: which result? `fsdelta list results` shows them");
		return command_usage_error(&cmd_show);
	}
	for (int i = 0; i < a.n_names && ret == EXIT_OK; i++) {
		__cleanup_run struct run *r = results_load(app, a.names[i]);
		__cleanup_strbuf struct strbuf out = STRBUF_INIT;

		if (!r)
			return EXIT_TROUBLE;
		a.format->run(r, &a.report, &out);
		ret = command_print(strbuf_str(&out));
	}
	return ret;
}

const struct command cmd_show = {
	.name = "show",
	.summary = "show one result: how it was measured, and every metric",
	.help = help,
	.main = show_main,
};
