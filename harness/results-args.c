// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/results-args.h"

#include "lib/log.h"
#include "lib/mem.h"
#include "results/store.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <string.h>

enum { OPT_ALLOW = 256, OPT_BOOT_NOISE, OPT_DELTA, OPT_NEWEST, OPT_ROLES, OPT_WELCH };

static const struct option compare_longs[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "allow", required_argument, NULL, OPT_ALLOW },
	{ "boot-noise", required_argument, NULL, OPT_BOOT_NOISE },
	{ "delta", required_argument, NULL, OPT_DELTA },
	{ "format", required_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "newest", no_argument, NULL, OPT_NEWEST },
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

static int set_boot_noise(struct compare_options *o, const char *text)
{
	size_t len = strlen(text);
	__cleanup_free char *number = xstrndup(text, len && text[len - 1] == '%' ? len - 1 : len);

	if (!str_to_double(number, &o->boot_noise_pct) && o->boot_noise_pct > 0 &&
	    isfinite(o->boot_noise_pct))
		return 0;
	log_error("--boot-noise %s: needs a percentage above 0", text);
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
	case OPT_BOOT_NOISE:
		return set_boot_noise(&a->compare, optarg);
	case OPT_NEWEST:
		a->newest = true;
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

/* --- arms --- */

static void keep_last(struct strvec *sv)
{
	struct strvec one = STRVEC_INIT;

	strvec_push(&one, sv->v[sv->n - 1]);
	strvec_release(sv);
	*sv = one;
}

/* The folders of an arm, the newest last. */
static int find_arm(const struct app *app, const char *name, bool newest, struct strvec *dirs)
{
	__cleanup_free char *error = NULL;

	if (!store_resolve_all(app->store, name, dirs, &error)) {
		if (newest)
			keep_last(dirs);
		return 0;
	}
	log_error("%s", error);
	return -EINVAL;
}

static const char *last(const struct strvec *dirs)
{
	return dirs->v[dirs->n - 1];
}

/* The newest as a whole; of the others the headers decide, before much is read. */
static int load_arm(const struct app *app, const struct strvec *dirs, const struct strvec *named,
		    struct pool_arm *arm, struct pool *pool)
{
	struct run *newest = results_load(app, last(dirs));

	if (!newest)
		return -EINVAL;
	arm->runs = xcalloc(dirs->n, sizeof(*arm->runs));
	for (size_t i = 0; i + 1 < dirs->n; i++) {
		__cleanup_free char *error = NULL;
		__cleanup_run struct run *head = store_load_header(dirs->v[i], &error);
		const char *why = head ? pool_obstacle(newest, head) : "it cannot be read";
		struct run *r;

		/* An arm by itself is no part of another one. */
		if (strvec_has(named, dirs->v[i]))
			why = "it is compared by itself";
		r = why ? NULL : results_load(app, dirs->v[i]);
		if (r)
			arm->runs[arm->n++] = r;
		else
			pool_reject(pool, newest->label, why ? why : "it cannot be read");
	}
	arm->runs[arm->n++] = newest;
	return 0;
}

static void release_arms(struct pool_arm *arms, size_t n)
{
	for (size_t a = 0; a < n; a++) {
		while (arms[a].n)
			run_free(arms[a].runs[--arms[a].n]);
		free(arms[a].runs);
	}
}

int results_load_arms(const struct app *app, const struct results_args *a, struct pool *pool)
{
	size_t n = (size_t)a->n_names;
	__cleanup_free struct strvec *dirs = xcalloc(n, sizeof(*dirs));
	__cleanup_free struct pool_arm *arms = xcalloc(n, sizeof(*arms));
	__cleanup_strvec struct strvec named = STRVEC_INIT;
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		ret = find_arm(app, a->names[i], a->newest, &dirs[i]);
		if (!ret && strvec_has(&named, last(&dirs[i]))) {
			log_error("%s: is %s, which is there already: a result is not compared with "
				  "itself", a->names[i], last(&dirs[i]));
			ret = -EINVAL;
		}
		if (!ret)
			strvec_push(&named, last(&dirs[i]));
	}
	for (size_t i = 0; i < n && !ret; i++)
		ret = load_arm(app, &dirs[i], &named, &arms[i], pool);
	if (!ret)
		pool_make(pool, arms, n);
	release_arms(arms, n);
	for (size_t i = 0; i < n; i++)
		strvec_release(&dirs[i]);
	return ret;
}
