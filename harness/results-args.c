// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/results-args.h"

#include "lib/log.h"
#include "lib/mem.h"
#include "results/store.h"

#include <errno.h>
#include <getopt.h>

/* The first two are for commands that make reports. */
static const struct option longs[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "format", required_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "store", required_argument, NULL, 's' },
	{ NULL, 0, NULL, 0 },
};

static int set_format(struct results_args *a, const char *name)
{
	__cleanup_strbuf struct strbuf known = STRBUF_INIT;

	a->format = report_find(name);
	if (a->format)
		return 0;
	for (const struct report_format *f = report_formats; f->name; f++)
		strbuf_addf(&known, " %s", f->name);
	log_error("--format %s: unknown (known:%s)", name, strbuf_str(&known));
	return -EINVAL;
}

int results_args_parse(struct results_args *a, struct app *app, int argc, char **argv,
		       bool reports)
{
	const struct option *known = reports ? longs : longs + 2;
	const char *letters = reports ? ":af:h" : ":h";
	int c;

	*a = (struct results_args){ .format = report_find("text") };
	a->report.colour = log_colour_ok(stdout);
	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, letters, known, NULL)) != -1) {
		switch (c) {
		case 'a':
			a->report.all = true;
			break;
		case 'f':
			if (set_format(a, optarg))
				return -EINVAL;
			break;
		case 'h':
			a->help = true;
			break;
		case 's':
			str_replace(&app->store, optarg);
			break;
		default:
			log_error(c == ':' ? "%s: needs a value" : "%s: unknown option",
				  argv[optind - 1]);
			return -EINVAL;
		}
	}
	a->names = argv + optind;
	a->n_names = argc - optind;
	return 0;
}

struct run *results_load(const struct app *app, const char *name)
{
	__cleanup_free char *error = NULL, *dir = NULL;
	struct run *r;

	dir = store_resolve(app->store, name, &error);
	r = dir ? store_load(dir, &error) : NULL;
	if (!r) {
		log_error("%s", error);
		if (dir)
			log_info("`fsdelta reparse %s` rebuilds a result from its raw output", name);
		else
			log_info("`fsdelta list results` shows what there is; --store says where");
		return NULL;
	}
	for (size_t i = 0; i < r->load_warnings.n; i++)
		log_warn("%s", r->load_warnings.v[i]);
	return r;
}
