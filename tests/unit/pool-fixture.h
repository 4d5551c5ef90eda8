/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions for tests of results/pool: two arms, one workload, any number of days. */
#ifndef FSDELTA_TESTS_UNIT_POOL_FIXTURE_H
#define FSDELTA_TESTS_UNIT_POOL_FIXTURE_H

#include "results/compare.h"
#include "results/pool.h"

/*
 * An arm of session @s with @n (at most 40) iterations around @centre, all in boot @boot (NULL:
 * not told). The caller owns it.
 */
struct run *pool_fixture_run(const char *label, unsigned int s, const char *boot, double centre,
			     size_t n);
/* Adds @r, which it takes over, to @arm. */
void pool_fixture_give(struct pool_arm *arm, struct run *r);
/* pool_make(), and frees what was given. */
void pool_fixture_pool(struct pool *p, struct pool_arm *arms, size_t n);
struct comparison *pool_fixture_compare(const struct pool *p, double boot_noise);

#endif
