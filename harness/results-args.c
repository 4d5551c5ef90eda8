// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/results-args.h"

#include "lib/log.h"
#include "lib/mem.h"
#include "results/store.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <string.h>

enum { OPT_ALLOW = 256, OPT_DELTA, OPT_ROLES, OPT_WELCH };

static const struct option compare_longs[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "allow", required_argument, NULL, OPT_ALLOW },
	{ "delta", required_argument, NULL, OPT_DELTA },
	{ "format", required_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "roles", required_argument, NULL, OPT_ROLES },
	{ "store", required_argument, NULL, 's' },
	{ "welch", no_argument, NULL, OPT_WELCH },
	{ NULL, 0, NULL, 0 },
};

/* The first two are for commands that make reports. */
static const struct option plain_longs[] = {
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

static int set_delta(struct compare_options *o, const char *text)
{
	o->delta_given = true;
	if (!str_to_double(text, &o->delta_pct) && o->delta_pct >= 0 && isfinite(o->delta_pct))
		return 0;
	log_error("--delta %s: needs a percentage, 0 or more", text);
	return -EINVAL;
}

/* "base,patch,fix": what each arm is. */
static int set_roles(struct compare_options *o, const char *text)
{
	static const char *const known[] = { "arm", "base", "fix", "patch" };

	strvec_release(&o->roles);
	strvec_split(&o->roles, text, ',');
	for (size_t i = 0; i < o->roles.n; i++) {
		bool found = false;

		for (size_t k = 0; k < ARRAY_SIZE(known); k++)
			found |= !strcmp(known[k], o->roles.v[i]);
		if (found && !strcmp(o->roles.v[i], "base") == !i)
			continue;
		log_error("--roles %s: base comes first and once; then patch, fix or arm", text);
		return -EINVAL;
	}
	return 0;
}

static int set_option(struct results_args *a, struct app *app, int c)
{
	switch (c) {
	case 'a':
		a->report.all = true;
		return 0;
	case 'f':
		return set_format(a, optarg);
	case 'h':
		a->help = true;
		return 0;
	case 's':
		str_replace(&app->store, optarg);
		return 0;
	case OPT_ALLOW:
		strvec_push(&a->compare.allow, optarg);
		return 0;
	case OPT_DELTA:
		return set_delta(&a->compare, optarg);
	case OPT_ROLES:
		return set_roles(&a->compare, optarg);
	case OPT_WELCH:
		a->compare.welch = true;
		return 0;
	default:
		return -EINVAL;
	}
}

static int parse(struct results_args *a, struct app *app, const struct option *longs,
		 const char *letters, int argc, char **argv)
{
	int c;

	*a = (struct results_args){
		.format = report_find("text"), .compare = COMPARE_OPTIONS_INIT,
	};
	a->report.colour = log_colour_ok(stdout);
	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == ':' || c == '?') {
			log_error(c == ':' ? "%s: needs a value" : "%s: unknown option",
				  argv[optind - 1]);
			return -EINVAL;
		}
		if (set_option(a, app, c))
			return -EINVAL;
	}
	a->names = argv + optind;
	a->n_names = argc - optind;
	return 0;
}

int results_args_parse(struct results_args *a, struct app *app, int argc, char **argv,
		       bool reports)
{
	return parse(a, app, reports ? plain_longs : plain_longs + 2, reports ? ":af:h" : ":h",
		     argc, argv);
}

int results_args_parse_compare(struct results_args *a, struct app *app, int argc, char **argv)
{
	if (parse(a, app, compare_longs, ":af:h", argc, argv))
		return -EINVAL;
	if (!a->help && a->compare.roles.n && a->compare.roles.n != (size_t)a->n_names) {
		log_error("--roles: %zu roles for %d results", a->compare.roles.n, a->n_names);
		return -EINVAL;
	}
	return 0;
}

void results_args_release(struct results_args *a)
{
	strvec_release(&a->compare.allow);
	strvec_release(&a->compare.roles);
}

struct run *results_load(const struct app *app, const char *name)
{
	__cleanup_free char *error = NULL, *dir = NULL;
	struct run *r;

	dir = store_resolve(app->store, name, &error);
	r = dir ? store_load(dir, &error) : NULL;
	if (!r) {
		log_error("%s", error);
		return NULL;
	}
	for (size_t i = 0; i < r->load_warnings.n; i++)
		log_warn("%s", r->load_warnings.v[i]);
	return r;
}
