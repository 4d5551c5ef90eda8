// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta: did this change make fsync, rename, unlink faster or slower? */
#include "harness/command.h"

#include "lib/file.h"
#include "lib/log.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include "config.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_STORE "fsdelta-results"

static const struct command *const commands[] = {
	&cmd_cleanup, &cmd_compare, &cmd_explain_percent, &cmd_list, &cmd_probe,
	&cmd_reparse, &cmd_run, &cmd_show, &cmd_stats, &cmd_vm,
};

static void print_help(void)
{
	printf("Usage: fsdelta COMMAND [OPTION]...\n"
	       "\n"
	       "Did this change make fsync, rename, unlink faster or slower? fsdelta runs\n"
	       "workloads on freshly made file systems, keeps every sample, and compares.\n"
	       "\n"
	       "Commands:\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-15s %s\n", commands[i]->name, commands[i]->summary);
	printf("\n"
	       "  fsdelta help COMMAND      explains one, with examples\n"
	       "  fsdelta --version\n"
	       "\n"
	       "A first measurement, as root; no disk is touched:\n"
	       "  fsdelta run --arm default --arm notreelog:mount=notreelog -w fsync-new -n 10\n"
	       "  fsdelta compare default notreelog\n"
	       "\n"
	       "Results are kept in ./fsdelta-results, or where $FSDELTA_STORE or --store says.\n"
	       "Exit status: 0 fine; 1 a regression; 2 wrong usage or it cannot be done here;\n"
	       "3 inconclusive, or not everything was measured.\n");
}

int command_usage_error(const struct command *cmd)
{
	fprintf(stderr, "Try `fsdelta %s --help`.\n", cmd->name);
	return EXIT_TROUBLE;
}

int command_print(const char *text)
{
	if (fputs(text, stdout) != EOF && !fflush(stdout))
		return EXIT_OK;
	/* The reader has seen enough, as `head` does. */
	if (errno == EPIPE)
		return 128 + SIGPIPE;
	log_error("standard output: %s", strerror(errno));
	return EXIT_TROUBLE;
}

int command_help(const struct command *cmd)
{
	return command_print(cmd->help);
}

/* The folder of this program; the caller frees. */
static char *own_folder(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	return xstrdup(dirname(path));
}

/*
 * $@env, else below the build folder when the program runs from there uninstalled, else
 * the installed place.
 */
static char *find_folder(const char *env, const char *marker, const char *sub,
			 const char *installed)
{
	const char *said = getenv(env);
	__cleanup_free char *own = own_folder();
	__cleanup_free char *mark = own ? xasprintf("%s/%s", own, marker) : NULL;

	if (said && *said)
		return xstrdup(said);
	if (mark && file_exists(mark))
		return xasprintf("%s%s", own, sub);
	return xstrdup(installed);
}

/* Tools run in other folders, so a relative path would lead them astray. */
static char *absolute(char *path)
{
	char *real = realpath(path, NULL);

	if (!real)
		return path;
	free(path);
	return real;
}

static void app_init(struct app *app, int argc, char **argv)
{
	const char *store = getenv("FSDELTA_STORE");

	app->store = xstrdup(store && *store ? store : DEFAULT_STORE);
	app->datadir = find_folder("FSDELTA_DATADIR", "workloads/native/native.h", "", PKGDATADIR);
	app->libexec = absolute(find_folder("FSDELTA_LIBEXECDIR", "workloads/native/fsync-new",
					    "/workloads/native", PKGLIBEXECDIR));
	app->sysroot = "";
	app->argc = argc;
	app->argv = argv;
}

static int run_command(const struct command *cmd, int argc, char **argv)
{
	struct app app;
	int ret;

	app_init(&app, argc, argv);
	ret = cmd->main(&app, argc - 1, argv + 1);
	free(app.store);
	free(app.datadir);
	free(app.libexec);
	return ret;
}

/* After a signal, end by it, so that a shell loop around us ends too. */
static int leave(int status)
{
	if (status <= 128)
		return status;
	sigaction(status - 128, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	raise(status - 128);
	return status;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	log_error("'%s' is not a command; see `fsdelta --help`", name);
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *cmd;


	/* A pipe that is closed must not kill a run: command_print() deals with it. */
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	/* Whoever started us may have ignored it, and then no child could be waited for. */
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	if (argc > 2 && !strcmp(argv[1], "help")) {
		cmd = find_command(argv[2]);
		return cmd ? command_help(cmd) : EXIT_TROUBLE;
	}
	if (argc < 2 || !strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
	    !strcmp(argv[1], "-h")) {
		print_help();
		return argc < 2 ? EXIT_TROUBLE : EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("fsdelta %s\n", PACKAGE_VERSION);
		return EXIT_OK;
	}
	cmd = find_command(argv[1]);
	return cmd ? leave(run_command(cmd, argc, argv)) : EXIT_TROUBLE;
}
