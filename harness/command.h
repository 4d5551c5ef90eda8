/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Subcommands. To add one: write harness/cmd-NAME.c with a descriptor, add it to
 * the table in main.c (sorted) and to harness/Makemodule.am, and write
 * man/fsdelta-NAME.1: tests/lint-man.sh notices when the page is missing.
 */
#ifndef FSDELTA_HARNESS_COMMAND_H
#define FSDELTA_HARNESS_COMMAND_H

#include "harness/app.h"

/* Exit statuses, the same for every command. */
enum {
	EXIT_OK = 0,
	EXIT_REGRESSION = 1,   /* a comparison found one */
	EXIT_TROUBLE = 2,      /* wrong usage, or the environment does not allow it */
	EXIT_INCONCLUSIVE = 3, /* nothing can be said, or not everything was measured */
};

struct command {
	const char *name;
	const char *summary; /* one line for `fsdelta --help` */
	const char *help;    /* whole text of `fsdelta NAME --help` */
	/* argv[0] is the command's name. Returns the exit status. */
	int (*main)(struct app *app, int argc, char **argv);
};

extern const struct command cmd_cleanup;
extern const struct command cmd_compare;
extern const struct command cmd_explain_percent;
extern const struct command cmd_list;
extern const struct command cmd_probe;
extern const struct command cmd_reparse;
extern const struct command cmd_run;
extern const struct command cmd_show;
extern const struct command cmd_stats;
extern const struct command cmd_vm;

/* After getopt_long() returned '?' or ':': says where help is. Returns EXIT_TROUBLE. */
int command_usage_error(const struct command *cmd);
/* Prints the help text. Returns EXIT_OK, or EXIT_TROUBLE when it cannot be written. */
int command_help(const struct command *cmd);
/* Writes @text to standard output and checks that all of it got there. 0 or EXIT_TROUBLE. */
int command_print(const char *text);

#endif
