/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A store of its own for each test of the store, and a run that is worth checking. */
#ifndef FSDELTA_TESTS_STORE_FIXTURE_H
#define FSDELTA_TESTS_STORE_FIXTURE_H

#include "results/store.h"

struct hist;

/* The metrics of the run. */
extern const struct metric store_rate, store_written;

/*
 * Set-up and tear-down: *state is the path of an empty folder. The results and journals of
 * finished runs are copied to $FSDELTA_TEST_KEEP, when that is set, before the folder goes.
 */
int store_make_root(void **state);
int store_remove_root(void **state);

/* All of these fail the test when something goes wrong; strings are for the caller to free. */

struct run *store_new_run(const char *label);
struct hist *store_new_hist(void);
/* Iteration number @seq of that run. */
void store_fill_iteration(struct iteration *it, uint64_t seq);
void store_append_seq(struct store_writer *w, uint64_t seq);
/* A run with iterations 0 ... @n - 1, and its writer; the folder's path is returned. */
char *store_begin(const char *root, const char *label, uint64_t n, struct store_writer **w);

struct run *store_load_ok(const char *path);
char *store_path(const char *dir, const char *file);
char *store_slurp(const char *dir, const char *file);

/* Is all as store_begin() with the label "before" has written it? */
void store_check_header(const struct run *r);
void store_check_iteration(const struct iteration *it, uint64_t seq);

#endif
