/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ROOT/noise.json: the A/A sessions of a store (schema/noise.schema.json). It only grows, and
 * is replaced in one step.
 */
#ifndef FSDELTA_RESULTS_STORE_NOISE_H
#define FSDELTA_RESULTS_STORE_NOISE_H

#include "lib/strbuf.h"
#include "results/noise.h"

#define NOISE_SCHEMA "fsdelta-noise/1"
#define STORE_NOISE "noise.json"

/*
 * Adds the sessions that the store has to @out; none when there is no file. 0, or -errno with
 * a sentence in *@error (caller frees) and nothing added.
 */
int store_noise_load(const char *root, struct noise *out, char **error);
/* The same from bytes; @name is used in messages. Pure. */
int store_noise_parse(const char *name, const char *text, size_t len, struct noise *out,
		      char **error);
void store_noise_encode(const struct noise *n, struct strbuf *out);
/*
 * Adds @more to what the store has; others may do so at the same time. 0, or -errno with a
 * sentence in *@error and the file as it was.
 */
int store_noise_add(const char *root, const struct noise *more, char **error);

#endif
