/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the harness itself measures of every iteration, as metrics. */
#ifndef FSDELTA_HARNESS_MEASURES_H
#define FSDELTA_HARNESS_MEASURES_H

#include "lib/kv.h"
#include "results/metric.h"

/*
 * A file system fuller than this at the end of an iteration, in bytes or inodes (per cent), makes
 * the iteration invalid: tools go on with plausible rates when space is out.
 */
#define FILL_LIMIT 95.0

/*
 * Adds a sample for every fact that is a measure (measures.c has the table). With
 * @fixed_time, of a tool that works for a given time, the measures have no good side: the
 * faster arm does more work and uses more for it.
 */
void measures_add(const struct kv *facts, bool fixed_time, struct samples *samples);

#endif
