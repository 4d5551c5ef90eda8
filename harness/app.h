/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every subcommand is given: where things are. Made once, in main.c. */
#ifndef FSDELTA_HARNESS_APP_H
#define FSDELTA_HARNESS_APP_H

struct app {
	char *store;   /* root of the results: --store, FSDELTA_STORE, ./fsdelta-results */
	char *datadir; /* holds workloads/NAME.job */
	char *libexec; /* holds the native programs */
	const char *sysroot; /* prefix of /proc and /sys: "" */
	int argc;      /* the whole command line, for the record */
	char **argv;
};

#endif
