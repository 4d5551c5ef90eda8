/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stage: the folder in the store where the raw output of the running iteration is
 * written, and from where it is moved to its result.
 *
 * One path for all arms and of one length for all labels: the length of a path in a
 * command line can change what is measured. Absolute, since tools run elsewhere.
 */
#ifndef FSDELTA_HARNESS_STAGE_H
#define FSDELTA_HARNESS_STAGE_H

struct stage {
	char *path;
	int lock; /* held while the stage is in use, so that one left by a kill is known */
};

#define STAGE_INIT { NULL, -1 }

/* Makes the folder that holds the stage, and removes those that killed runs left. 0 or -errno. */
int stage_open(struct stage *s, const char *store);
/* Makes the empty stage of an iteration. 0 or -errno. */
int stage_make(const struct stage *s);
/* Makes its content durable and moves it to @dir. 0 or -errno. */
int stage_move(const struct stage *s, const char *dir);
void stage_close(struct stage *s);

#endif
