/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule of a plan, applied between two blocks to what a session has measured so far. */
#ifndef FSDELTA_HARNESS_UNTIL_H
#define FSDELTA_HARNESS_UNTIL_H

#include "harness/session.h"

/*
 * After step @i: does the run end here? Then s->stopped says how. Needs the iterations of every
 * arm in s->arms[].run.
 */
bool until_ends(struct session *s, size_t i);
/* What s->stopped means, for people; the caller frees. NULL: the run did not end by its rule. */
char *until_text(const struct session *s);

#endif
