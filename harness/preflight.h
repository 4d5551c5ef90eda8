/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be known before anything is touched: all problems at once, and the tools' versions. */
#ifndef FSDELTA_HARNESS_PREFLIGHT_H
#define FSDELTA_HARNESS_PREFLIGHT_H

#include "harness/app.h"
#include "harness/plan.h"

/*
 * Adds a sentence to @problems for everything that would make the run fail, and sets
 * "tool.NAME" and "mkfs.NAME" version facts in @host.
 */
void preflight(const struct app *app, const struct plan *p, struct kv *host,
	       struct strvec *problems);

/* Warns when others keep the machine busy. */
void preflight_warn_load(const struct app *app);

/* First line that the tool of @job prints about its version; NULL. The caller frees. */
char *preflight_tool_version(const struct job *job);

#endif
