/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patches as text: unified diffs (git's or not), `git format-patch`, and mailboxes with a
 * series of them. Any bytes can be read; what cannot be used is named in the warnings.
 */
#ifndef FSDELTA_PROBES_PATCH_H
#define FSDELTA_PROBES_PATCH_H

#include "lib/strvec.h"

#include <stdbool.h>
#include <stddef.h>

struct patch_line {
	char sign;	  /* ' ', '+' or '-' */
	const char *text; /* without sign, CR and line end; borrowed from the patch */
};

/* Line numbers from 1; of an empty side 0. */
struct patch_hunk {
	size_t old_first, old_count;
	size_t new_first, new_count;
	const char *section; /* behind the second "@@"; "" when there is none */
	struct patch_line *v;
	size_t n;
};

/* What one patch does to one file. */
struct patch_file {
	char *old_path, *new_path; /* without a/ and b/; NULL: the file is new, or is removed */
	bool binary;
	struct patch_hunk *hunks;
	size_t n_hunks;
};

struct patch {
	char *text; /* everything borrowed points in here */
	struct strvec subjects; /* of mails, without "[PATCH n/m]" */
	struct patch_file *files; /* in the order of the text: a series names a file more than once */
	size_t n_files;
	struct strvec warnings; /* sentences */
};

#define PATCH_INIT { .text = NULL }

/* No files: it was no patch, or nothing of it can be used (the warnings say which). */
void patch_parse(struct patch *p, const char *text, size_t len);
void patch_release(struct patch *p);
/* new_path, or old_path of a file that is removed. */
const char *patch_path(const struct patch_file *f);

#define __cleanup_patch __attribute__((cleanup(patch_release)))

#endif
