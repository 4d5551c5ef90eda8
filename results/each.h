/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time of every single operation of one iteration, as the native programs write it with
 * --each (workloads/native/native.h has the form of the file), and its place in the store:
 *
 *   RUN/each/SEQ.z    8 bytes "fsdeazl" and the version, 1; 8 bytes: length of the file of
 *                     --each, the low byte first; that file as a zlib stream (RFC 1950)
 *
 * The iteration in result.json names the file and its hash (FNV-1a, 64 bit, of all bytes of
 * SEQ.z), so that a file of another run, or a damaged one, is noticed and left out.
 *
 * Units are those of the clock: nanoseconds, which are instructions in a guest of which one
 * instruction takes one nanosecond.
 */
#ifndef FSDELTA_RESULTS_EACH_H
#define FSDELTA_RESULTS_EACH_H

#include "lib/strbuf.h"
#include "lib/strvec.h"

#include <stdint.h>

struct iteration;
struct run;

/* All operations of one class by one thread in one round, in order. */
struct each_seq {
	char *op; /* "unlink" */
	size_t clock; /* index in each.clocks */
	uint64_t round, thread;
	uint64_t *v;
	size_t n;
};

struct each {
	char *program;
	struct strvec clocks; /* "elapsed", "cpu" */
	struct each_seq *seqs; /* each (op, clock, round, thread) once */
	size_t n;
};

/* Any bytes. NULL with *@error set to a sentence without full stop (the caller frees). */
struct each *each_parse(const void *data, size_t len, char **error);
/* Appends the file; each_parse() reads it back. */
void each_encode(const struct each *e, struct strbuf *out);
void each_free(struct each *e);
/* The sequence, NULL: there is none. */
const struct each_seq *each_find(const struct each *e, const char *op, const char *clock,
				 uint64_t round, uint64_t thread);

/* --- results/each-store.c --- */

/* Appends what SEQ.z holds for the file of --each in @data. */
void each_pack(const void *data, size_t len, struct strbuf *out);
/* The reverse. NULL with *@error set as by each_parse(). */
struct each *each_unpack(const void *data, size_t len, char **error);

/*
 * Writes the file of --each in @data as the one of @it into the run's folder @dir, durably, and
 * sets it->exact.file and it->exact.hash. To be done before the iteration is appended. 0 or
 * -errno; -EINVAL: each_parse() would not read it.
 */
int each_store(const char *dir, struct iteration *it, const void *data, size_t len);
/*
 * Loads it->exact.each of every iteration that names a file. One that is missing, damaged or of
 * another hash stays NULL; r->load_warnings says so.
 */
void each_load(const char *dir, struct run *r);

static inline void cleanup_eachp(struct each **e)
{
	each_free(*e);
}
#define __cleanup_each __attribute__((cleanup(cleanup_eachp)))

#endif
