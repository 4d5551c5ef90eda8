// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta cleanup: restore what a killed run changed on this machine. */
#include "harness/command.h"

#include "harness/env/settings.h"
#include "lib/log.h"

#include <getopt.h>
#include <string.h>

static const char help[] =
	"Usage: fsdelta cleanup\n"
	"\n"
	"Restores the settings of this machine that a run changed (run --governor) and\n"
	"could not restore because it was killed. The next `fsdelta run` does the same.\n"
	"Mounts and loop devices need no cleanup: they end with the run.\n"
	"\n"
	"  -h, --help\n"
	"\n"
	"Exit status: 0 restored, or there was nothing to restore; 2 it could not be\n"
	"done, or the settings are held by a run that is alive.\n";

static int cleanup(const struct app *app)
{
	__cleanup_strvec struct strvec notes = STRVEC_INIT;
	int ret = settings_recover(app->sysroot, &notes);

	for (size_t i = 0; i < notes.n; i++) {
		if (ret)
			log_error("%s", notes.v[i]);
		else
			log_info("%s", notes.v[i]);
	}
	if (!ret && !notes.n)
		log_info("nothing to restore");
	return ret ? EXIT_TROUBLE : EXIT_OK;
}

static int cleanup_main(struct app *app, int argc, char **argv)
{
	static const struct option longs[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	int c;

	c = getopt_long(argc, argv, "h", longs, NULL);
	if (c != -1)
		return c == 'h' ? command_help(&cmd_cleanup) : command_usage_error(&cmd_cleanup);
	if (optind < argc) {
		log_error("cleanup: '%s': there is nothing to be named", argv[optind]);
		return command_usage_error(&cmd_cleanup);
	}
	return cleanup(app);
}

const struct command cmd_cleanup = {
	.name = "cleanup",
	.summary = "restore settings that a killed run left behind",
	.help = help,
	.main = cleanup_main,
};
