/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a job file, before anything is known about their meaning. Inside
 * workloads/ only.
 *
 * The syntax is that of inih:
 *   - [section], key = value or key: value; white space around each is dropped;
 *   - a line whose first other byte is '#' or ';' is a comment; a ';' after white space
 *     ends a value, quoted or not;
 *   - a line that begins with white space continues the value of the line before it, and
 *     is joined to it by one blank;
 *   - a line has at most 199 bytes (comments have no limit), a section name 49.
 * What inih would pass over in silence (longer lines, sections without keys, the second
 * and further bad lines) is noticed here.
 */
#ifndef FSDELTA_WORKLOADS_JOB_INI_H
#define FSDELTA_WORKLOADS_JOB_INI_H

#include "lib/strvec.h"

struct job_ini_entry {
	char *section, *key, *value;
	int line;
	int continued; /* line of the first continuation; 0: none */
};

struct job_ini_section {
	char *name;
	int line;
	size_t n_entries;
};

struct job_ini {
	struct job_ini_entry *entries; /* in the order of the file */
	size_t n_entries;
	struct job_ini_section *sections;
	size_t n_sections;
};

#define JOB_INI_INIT { NULL, 0, NULL, 0 }

/* One sentence "@where:LINE: ..." for each line that is none of the above goes to @errors. */
void job_ini_split(struct job_ini *ini, const char *where, const char *text,
		   struct strvec *errors);
void job_ini_release(struct job_ini *ini);

#define __cleanup_job_ini __attribute__((cleanup(job_ini_release)))

#endif
