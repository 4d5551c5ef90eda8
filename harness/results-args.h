/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that read results have in common: options, and labels turned into runs. */
#ifndef FSDELTA_HARNESS_RESULTS_ARGS_H
#define FSDELTA_HARNESS_RESULTS_ARGS_H

#include "harness/command.h"
#include "reports/report.h"

struct results_args {
	const struct report_format *format;
	struct report_options report;
	struct compare_options compare;
	bool newest; /* of the sessions of an arm, the latest only */
	bool help;
	char **names; /* borrowed from argv */
	int n_names;
};

/*
 * Options --store, --help and, for commands that make @reports, --format and --all; and
 * names of results. 0, or -EINVAL with the message printed.
 */
int results_args_parse(struct results_args *a, struct app *app, int argc, char **argv,
		       bool reports);
/* All of these, and --allow, --boot-noise, --delta, --newest, --roles, --welch. */
int results_args_parse_compare(struct results_args *a, struct app *app, int argc, char **argv);
/* Only needed after results_args_parse_compare(), whatever that returned. */
void results_args_release(struct results_args *a);

/*
 * The arms that the names mean, with all sessions of each, or a->newest ones only. 0, or -EINVAL
 * with the message printed; then @pool is empty.
 */
int results_load_arms(const struct app *app, const struct results_args *a, struct pool *pool);

/* The run that @name (label, id or path) means; NULL with the message printed. */
struct run *results_load(const struct app *app, const char *name);

#endif
