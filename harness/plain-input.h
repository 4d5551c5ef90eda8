/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of plain numbers, for `fsdelta stats`: read, and laid out as samples to compare. */
#ifndef FSDELTA_HARNESS_PLAIN_INPUT_H
#define FSDELTA_HARNESS_PLAIN_INPUT_H

#include "lib/strvec.h"
#include "results/plain.h"

struct plain_input {
	char **files;		/* "-" is standard input; borrowed */
	size_t n_files;
	struct strvec columns;	/* names or positions; empty: all series */
	struct strvec labels;	/* of the samples; empty: from the names of files or series */
};

/*
 * Reads the files and adds rows of samples to @p: with one file, a row for each series, or one
 * row whose samples are the columns asked for; with several files, a row for each series (or
 * column), whose samples are the files. 0, or -EINVAL with the messages printed.
 */
int plain_input_read(const struct plain_input *in, struct plain *p);

#endif
