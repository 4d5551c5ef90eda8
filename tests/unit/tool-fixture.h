/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captured output of the tools, tests/fixtures/NAME.expected beside it. To add one, put the
 * files there: no code is needed. Lines of NAME.expected ('#' starts a comment):
 *
 *   tool NAME
 *   out FILE, err FILE, file FILE     what was captured; files of the same folder
 *   param [SECTION:]KEY VALUE         of the job; without any, there is no job (an import)
 *   job NAME                          a job without parameters, or its name
 *   primary METRIC                    named by the job
 *   exit STATUS, signal NUMBER        default: exit 0
 *   wall SECONDS
 *   outcome WORD                      default: OK
 *   reason WORDS                      part of the reason
 *   warning WORDS                     part of a warning; each warning must be expected by one
 *   metric NAME UNIT VALUE BETTER KIND [primary]      all there are, no others
 *   hist NAME COUNT
 *   uncut                             a shorter output is a valid one, with other numbers
 */
#ifndef FSDELTA_TESTS_TOOL_FIXTURE_H
#define FSDELTA_TESTS_TOOL_FIXTURE_H

#include "lib/strbuf.h"
#include "lib/strvec.h"
#include "workloads/tool.h"

struct wanted_metric {
	char *name, *unit, *value, *better, *kind;
	bool primary;
};

struct wanted_hist {
	char *name;
	uint64_t count;
};

struct tool_fixture {
	const struct tool *tool;
	struct job job;
	bool have_job;
	bool have_file, uncut;
	struct strbuf out, err, file;
	int status;
	double wall_s;
	enum outcome outcome;
	char *reason;
	struct strvec warnings;
	struct wanted_metric *metrics;
	size_t n_metrics;
	struct wanted_hist *hists;
	size_t n_hists;
};

/* tests/fixtures below the source folder; the caller frees. */
char *tool_fixture_dir(void);
/* NULL with a sentence in *@error (the caller frees). */
struct tool_fixture *tool_fixture_load(const char *dir, const char *name, char **error);
void tool_fixture_free(struct tool_fixture *f);
/* What the tool's parser makes of it. */
void tool_fixture_parse(const struct tool_fixture *f, struct tool_result *r);
/* Names of all fixtures of @dir, sorted, without ".expected". */
void tool_fixture_names(const char *dir, struct strvec *names);

#endif
