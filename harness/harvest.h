/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a raw folder to an iteration: the same code after a fresh run and in `fsdelta
 * reparse`, so that a parser fix repairs old data.
 */
#ifndef FSDELTA_HARNESS_HARVEST_H
#define FSDELTA_HARNESS_HARVEST_H

#include "results/run.h"
#include "workloads/job.h"

/* Names in a raw folder. */
#define RAW_STDOUT "stdout"
#define RAW_STDERR "stderr"
#define RAW_FACTS "facts"

/*
 * Fills @it from @facts and, when these say OK, from the tool's output in @dir. An
 * iteration whose output cannot be believed, or that ended on a full file system, becomes FAILED.
 */
void harvest(const char *dir, const struct kv *facts, const struct job *job, const char *version,
	     struct iteration *it);

/* Reads DIR/facts. 0 or -errno. */
int harvest_read_facts(const char *dir, struct kv *facts);

#endif
