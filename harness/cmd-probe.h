/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by harness/cmd-probe*.c: what `fsdelta probe` is asked, and its parts. */
#ifndef FSDELTA_HARNESS_CMD_PROBE_H
#define FSDELTA_HARNESS_CMD_PROBE_H

#include "harness/command.h"
#include "lib/strbuf.h"
#include "probes/symbols.h"
#include "probes/touched.h"

#include <stdbool.h>
#include <stdint.h>

struct probe_args {
	const char *patch; /* file, or "-" */
	const char *tree;
	bool check, script, stacks, help;
	uint64_t cgroup;
	char **names;
	int n_names;
};

/*
 * Each appends to @out and returns the exit status. @l: what the patch touches, or NULL;
 * the functions of @a->names count besides.
 */
int probe_show_touched(const struct touched_list *l, struct strbuf *out);
int probe_check(const struct app *app, const struct probe_args *a, const struct touched_list *l,
		struct strbuf *out);
int probe_script(const struct app *app, const struct probe_args *a, const struct touched_list *l,
		 struct strbuf *out);

#endif
