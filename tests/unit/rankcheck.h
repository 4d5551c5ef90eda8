/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FSDELTA_TESTS_RANKCHECK_H
#define FSDELTA_TESTS_RANKCHECK_H

#include <stdint.h>

#include "results/ranktest.h"

/*
 * Fail with @id unless, at seven confidences, the interval holds the estimate and leaves
 * out 0 exactly when the test rejects "no difference".
 */
void rank_check_agreement(const char *id, const struct ranktest_input *in);

/* Uniform in 0 .. 1: the same numbers on every machine. */
double rank_draw(uint64_t *seed);

#endif
