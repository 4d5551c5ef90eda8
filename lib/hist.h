/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The histogram of the project: log-linear, for unsigned values of any size (latencies in
 * nanoseconds, mostly). The store and the native programs use the same buckets, so
 * histograms of threads, rounds and runs can be merged without loss.
 *
 * Buckets: HIST_SUB = 2^HIST_SUB_BITS of them per power of two. With
 * shift = max(0, floor(log2 v) - HIST_SUB_BITS),
 *
 *	index(v) = shift * HIST_SUB + (v >> shift)
 *	lower(i) = i                                          i < 2 * HIST_SUB
 *	         = (HIST_SUB + i % HIST_SUB) << shift         else, shift = i / HIST_SUB - 1
 *	upper(i) = lower(i) + 2^shift - 1                     (inclusive)
 *	mid(i)   = lower(i) + floor((2^shift - 1) / 2)
 *
 * Values below 2 * HIST_SUB are exact; mid(index(v)) is never further from v than
 * v / (2 * HIST_SUB), 0.79 %. Count, minimum, maximum and sum are kept exactly.
 *
 * A histogram of zero bytes is an empty one: { 0 } and calloc() make one.
 */
#ifndef FSDELTA_LIB_HIST_H
#define FSDELTA_LIB_HIST_H

#include "lib/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define HIST_SUB_BITS 6
#define HIST_SUB (1U << HIST_SUB_BITS)
/* Indices are 0 ... HIST_BUCKETS - 1; the last one holds UINT64_MAX. */
#define HIST_BUCKETS ((65U - HIST_SUB_BITS) << HIST_SUB_BITS)

struct hist {
	uint64_t count;
	uint64_t min, max; /* of no meaning while count is 0 */
	uint64_t sum;	   /* UINT64_MAX: too large, and not known */
	uint64_t bucket[HIST_BUCKETS];
};

/* Here, so that a program that has its histograms elsewhere need not link lib/mem.c. */
static inline struct hist *hist_new(void)
{
	return xcalloc(1, sizeof(struct hist));
}

static inline void hist_free(struct hist *h)
{
	free(h);
}

static inline unsigned int hist_index(uint64_t v)
{
	unsigned int shift;

	if (v < HIST_SUB)
		return (unsigned int)v;
	shift = 63U - HIST_SUB_BITS - (unsigned int)__builtin_clzll(v);
	return (shift << HIST_SUB_BITS) + (unsigned int)(v >> shift);
}

static inline void hist_record(struct hist *h, uint64_t v)
{
	h->bucket[hist_index(v)]++;
	if (v < h->min || !h->count)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->count++;
	if (__builtin_add_overflow(h->sum, v, &h->sum))
		h->sum = UINT64_MAX;
}

/* Bounds of bucket @index, both inclusive, and the value that stands for it. */
uint64_t hist_lower(unsigned int index);
uint64_t hist_upper(unsigned int index);
uint64_t hist_mid(unsigned int index);

/* Adds all values of @from to @to. */
void hist_merge(struct hist *to, const struct hist *from);

/*
 * The value of rank r = max(1, ceil(q * count)) in sorted order: the smallest one that at
 * least the part @q of all values does not exceed. Exact for the first and the last rank
 * (min, max), else the middle of the bucket, not below min and not above max. q * count
 * is lowered by a few units of its last digit, so that 0.07 of 100 is 7.
 * False, with *@value untouched, when there are no values or @q is not in [0, 1].
 */
bool hist_quantile(const struct hist *h, double q, uint64_t *value);

/* sum / count; false when there are no values or the sum is not known. */
bool hist_mean(const struct hist *h, double *mean);

/*
 * The first non-empty bucket from @index on, HIST_BUCKETS when there is none:
 *
 *	for (i = hist_next(h, 0); i < HIST_BUCKETS; i = hist_next(h, i + 1))
 */
unsigned int hist_next(const struct hist *h, unsigned int index);

/*
 * To read one back: hist_restore_bucket() for each non-empty bucket, then
 * hist_restore_totals(). Before the latter, min and max are the bounds of the buckets, and
 * sum takes each value for the middle of its bucket.
 *
 * -EINVAL, with nothing changed: @index or @count is not possible (0 values are not
 * stored); the totals contradict the buckets.
 */
int hist_restore_bucket(struct hist *h, uint64_t index, uint64_t count);
int hist_restore_totals(struct hist *h, uint64_t min, uint64_t max, uint64_t sum);

#endif
