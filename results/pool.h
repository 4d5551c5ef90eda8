/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several sessions of the same arms and the same plan as one analysis. Whoever measures again
 * because the first session was not clear has looked in between: the later session is more
 * blocks of one experiment, never a second chance.
 *
 * Only what was measured on the same machine, with the same kernel, settings, job files and
 * targets is pooled. Blocks of different sessions stay different blocks, and each session keeps
 * its place in time: in a pooled run seq and block are counted on from session to session.
 * Sessions that only one arm has carry no information once there is one that several arms
 * have; they are left out, and a note says so.
 *
 * Pure.
 */
#ifndef FSDELTA_RESULTS_POOL_H
#define FSDELTA_RESULTS_POOL_H

#include "results/run.h"

struct pool_session {
	char *id, *started;
	uint64_t first_seq, first_block; /* in the pooled runs */
};

struct pool {
	struct run **runs; /* one an arm; owned */
	struct strvec *ids; /* one an arm: of the runs in it, the oldest first */
	size_t n;
	struct pool_session *sessions; /* the oldest first; none when nothing was pooled */
	size_t n_sessions;
	struct strvec notes; /* what was left out and why, what changed: sentences */
	struct pool_reject {
		char *label, *reason;
		size_t n;
	} *rejects;
	size_t n_rejects;
};

#define POOL_INIT { NULL, NULL, 0, NULL, 0, { NULL, 0 }, NULL, 0 }

/* The runs of one arm, the oldest first; the last is what the others must be like. */
struct pool_arm {
	struct run **runs;
	size_t n;
};

/*
 * What forbids that @b is further blocks of @a ("another machine"); NULL: nothing. The headers
 * of the runs are enough.
 */
const char *pool_obstacle(const struct run *a, const struct run *b);

/* For a note: a run of @label was not taken because of @reason. */
void pool_reject(struct pool *p, const char *label, const char *reason);

/*
 * Fills p->runs from @n arms with a run or more each, which it takes over. Runs that cannot be
 * pooled with the last one of their arm are rejected.
 */
void pool_make(struct pool *p, struct pool_arm *arms, size_t n);
void pool_release(struct pool *p);

/* Do the sessions of two runs, pooled or not, have one in common? */
bool pool_share_session(const struct run *a, const struct run *b);

#endif
