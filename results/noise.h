/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What A/A sessions said of the noise of a cell: one arm, measured twice under two names, has
 * changes that are noise alone. Pure; store-noise.h keeps them.
 *
 * The noise floor of a metric in a cell is the 95th percentile (type 7) of |change| over its
 * sessions, from 20 of them on; until then the largest |change|, which is what that percentile
 * would be little less than. Metrics do not stand in for each other: a p99 may be a hundred
 * times as noisy as the rate beside it.
 *
 * Changes belong together when host, workload (by digest), file system, mkfs command, mount
 * options and kind of device are the same. The size of memory or image does not count.
 */
#ifndef FSDELTA_RESULTS_NOISE_H
#define FSDELTA_RESULTS_NOISE_H

#include "results/run.h"

#define NOISE_MIN_VALUES 20 /* sessions, for a percentile */

struct noise_row {
	char *metric;
	bool primary;
	double pct; /* the change, per cent */
};

/* Where noise is of one kind. All strings are owned and not NULL. */
struct noise_cell {
	char *host;   /* machine.id; where that is not known, CPU and memory */
	char *workload, *digest;
	char *fs, *mkfs, *mount; /* as in struct run_target */
	char *device; /* "memory", "image", else the name of the device or folder */
};

/* One cell of one session. */
struct noise_session {
	char *id, *date, *kernel; /* of the session; UTC; release, "" when not known */
	char *target;		  /* as it was called */
	struct noise_cell cell;
	uint64_t units;		  /* iterations of each arm */
	struct noise_row *rows;
	size_t n_rows;
};

struct noise {
	struct noise_session *v;
	size_t n;
};

#define NOISE_INIT { NULL, 0 }

/* Returns an empty session, valid until the next add. */
struct noise_session *noise_add_session(struct noise *n);
struct noise_row *noise_add_row(struct noise_session *s);
void noise_release(struct noise *n);
#define __cleanup_noise __attribute__((cleanup(noise_release)))

/* False (and nothing to release): host, workload or target of the run are not known enough. */
bool noise_cell_of(const struct run *r, const char *workload, const char *target,
		   struct noise_cell *out);
void noise_cell_release(struct noise_cell *c);
bool noise_cell_equal(const struct noise_cell *a, const struct noise_cell *b);

struct noise_floor {
	double pct;	  /* NaN without any session */
	size_t sessions;  /* behind it */
	const char *date; /* of the newest session; borrowed, NULL without any */
};

void noise_floor(const struct noise *n, const struct noise_cell *cell, const char *metric,
		 struct noise_floor *out);

struct comparison;

/* Adds what an A/A comparison says of @base's cells. Returns how many cells were added. */
size_t noise_take(struct noise *n, const struct comparison *c, const struct run *base);

#endif
