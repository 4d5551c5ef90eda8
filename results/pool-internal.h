/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What results/pool*.c share. */
#ifndef FSDELTA_RESULTS_POOL_INTERNAL_H
#define FSDELTA_RESULTS_POOL_INTERNAL_H

#include "results/pool.h"

/* Between the sessions of a pooled run; no session id has one. */
#define POOL_GLUE "+"

/* Of one that is not pooled; "" when it is not known. */
const char *pool_session_of(const struct run *r);

/* --- results/pool-join.c --- */

/* Fills p->sessions, with their places in the pooled runs. */
void pool_list_sessions(struct pool *p, const struct pool_arm *arms, size_t n);
/*
 * All runs of @arm become one, which the caller owns: the newest, with the iterations of all.
 * Their ids go to @ids, the oldest first. Needs p->sessions.
 */
struct run *pool_join_arm(struct pool *p, struct pool_arm *arm, struct strvec *ids);

#endif
