/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words that describe a run, as options of `fsdelta run` and, spelled the same, as keys
 * of a plan file:
 *
 *   [run]
 *   workload = fsync-new,unlink-many
 *   target = btrfs
 *   iterations = 10
 *   [arm base]
 *   [arm notreelog]
 *   mount = notreelog
 *
 * One table (options.c) serves both. What the command line says wins over the file.
 */
#ifndef FSDELTA_HARNESS_OPTIONS_H
#define FSDELTA_HARNESS_OPTIONS_H

#include "lib/kv.h"
#include "lib/strvec.h"

#include <stdbool.h>
#include <stdint.h>

struct option_arm {
	char *label;
	struct kv settings; /* keys of option_arm_keys */
};

struct run_options {
	char *label;
	struct strvec workloads, targets;
	struct option_arm *arms;
	size_t n_arms;
	uint64_t iterations, blocks; /* 0: not given; only one of them */
	bool aa;		/* one arm under two names */
	double until_width_pct; /* 0: not given */
	bool until_decided;
	struct strvec looks;	/* as given */
	unsigned int max_time_s; /* 0: not given */
	char *device, *image, *force_device;
	bool memory;
	uint64_t size; /* bytes; 0: not given */
	char *mkfs, *mount;
	char *governor; /* NULL: whatever there is */
	uint64_t seed;
	bool have_seed;
	unsigned int timeout_s; /* 0: not given */
	bool dry_run, keep, quiet, help;
	char *config; /* plan file; NULL: ./fsdelta.conf if there is one */
	char *store;
	uint64_t given; /* which words were given, by index in the table */
};

/* Settings that an arm may have; NULL-terminated. */
extern const char *const option_arm_keys[];

/*
 * Reads the command line, then the plan file. Every mistake is a sentence in @errors. Returns 0 or
 * -EINVAL.
 */
int options_parse(struct run_options *o, int argc, char **argv, struct strvec *errors);
/* The same from a plan file's text; @name is used in messages. Words in o->given are left alone. */
int options_parse_file(struct run_options *o, const char *name, const char *text,
		       struct strvec *errors);
void options_release(struct run_options *o);

/* "LABEL:key=value,..." into the list of arms. 0 or -EINVAL with a sentence in @errors. */
int options_add_arm(struct run_options *o, const char *spec, struct strvec *errors);

#endif
