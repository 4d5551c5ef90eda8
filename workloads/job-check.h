/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job file may say: keys, types, spelling. Inside workloads/ only. */
#ifndef FSDELTA_WORKLOADS_JOB_CHECK_H
#define FSDELTA_WORKLOADS_JOB_CHECK_H

#include "workloads/job-ini.h"
#include "workloads/tool.h"

/*
 * Each of these adds one sentence "@where:LINE: ..." per mistake to @errors.
 */

/* Are the sections, and the keys of [params] and [TOOL.NAME], as @tool's table has them? */
void job_check_params(const struct job_ini *ini, const char *where, const struct tool *tool,
		      struct strvec *errors);
/* Sections that no tool can have, sections given twice, keys outside a section. */
void job_check_sections(const struct job_ini *ini, const char *where, const struct tool *tool,
			struct strvec *errors);
/* The same key twice in a section; @tool may be NULL. */
void job_check_repeats(const struct job_ini *ini, const char *where, const struct tool *tool,
		       struct strvec *errors);

/* The entry of @tool's table; NULL when there is none. */
const struct tool_param *job_known_param(const struct tool *tool, const char *key);

/*
 * The name in @known that @word was probably meant to be; NULL when none is near. Borrowed
 * from @known.
 */
const char *job_nearest(const struct strvec *known, const char *word);
/* ", did you mean 'X'?" or ""; the caller frees. */
char *job_hint(const struct strvec *known, const char *word);

#endif
