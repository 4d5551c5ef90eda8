// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/hist.h"

#include <errno.h>
#include <float.h>

static unsigned int width_shift(unsigned int index)
{
	return index < 2 * HIST_SUB ? 0 : index / HIST_SUB - 1;
}

uint64_t hist_lower(unsigned int index)
{
	if (index < 2 * HIST_SUB)
		return index;
	return (uint64_t)(HIST_SUB + index % HIST_SUB) << width_shift(index);
}

uint64_t hist_upper(unsigned int index)
{
	return hist_lower(index) + ((UINT64_C(1) << width_shift(index)) - 1);
}

uint64_t hist_mid(unsigned int index)
{
	return hist_lower(index) + ((UINT64_C(1) << width_shift(index)) - 1) / 2;
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static uint64_t mul_saturated(uint64_t a, uint64_t b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

static void add_totals(struct hist *h, uint64_t count, uint64_t min, uint64_t max, uint64_t sum)
{
	if (min < h->min || !h->count)
		h->min = min;
	if (max > h->max)
		h->max = max;
	h->count += count;
	h->sum = add_saturated(h->sum, sum);
}

void hist_merge(struct hist *to, const struct hist *from)
{
	unsigned int i;

	if (!from->count)
		return;
	for (i = 0; i < HIST_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
	add_totals(to, from->count, from->min, from->max, from->sum);
}

static uint64_t rank_of(double q, uint64_t count)
{
	double x = q * (double)count;
	uint64_t rank;

	/* The product of two rounded numbers can be just above the integer that is meant. */
	x -= x * 4 * DBL_EPSILON;
	if (x >= (double)count)
		return count;
	rank = (uint64_t)x;
	if ((double)rank < x)
		rank++;
	if (rank > count)
		rank = count;
	return rank ? rank : 1;
}

bool hist_quantile(const struct hist *h, double q, uint64_t *value)
{
	uint64_t rank, seen = 0, mid;
	unsigned int i;

	if (!h->count || !(q >= 0 && q <= 1))
		return false;
	rank = rank_of(q, h->count);
	if (rank == 1 || rank == h->count) {
		*value = rank == 1 ? h->min : h->max;
		return true;
	}
	for (i = 0; i < HIST_BUCKETS - 1; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			break;
	}
	mid = hist_mid(i);
	if (mid < h->min)
		mid = h->min;
	*value = mid > h->max ? h->max : mid;
	return true;
}

bool hist_mean(const struct hist *h, double *mean)
{
	if (!h->count || h->sum == UINT64_MAX)
		return false;
	*mean = (double)h->sum / (double)h->count;
	return true;
}

unsigned int hist_next(const struct hist *h, unsigned int index)
{
	while (index < HIST_BUCKETS && !h->bucket[index])
		index++;
	return index;
}

int hist_restore_bucket(struct hist *h, uint64_t index, uint64_t count)
{
	unsigned int i = (unsigned int)index;

	if (index >= HIST_BUCKETS || !count || count > UINT64_MAX - h->count)
		return -EINVAL;
	h->bucket[i] += count;
	add_totals(h, count, hist_lower(i), hist_upper(i), mul_saturated(count, hist_mid(i)));
	return 0;
}

int hist_restore_totals(struct hist *h, uint64_t min, uint64_t max, uint64_t sum)
{
	uint64_t least = 0, most = 0;
	unsigned int i, last = 0;

	if (!h->count || min > max)
		return -EINVAL;
	for (i = hist_next(h, 0); i < HIST_BUCKETS; i = hist_next(h, i + 1)) {
		least = add_saturated(least, mul_saturated(h->bucket[i], hist_lower(i)));
		most = add_saturated(most, mul_saturated(h->bucket[i], hist_upper(i)));
		last = i;
	}
	if (hist_index(min) != hist_next(h, 0) || hist_index(max) != last)
		return -EINVAL;
	if (sum < least || sum > most)
		return -EINVAL;
	h->min = min;
	h->max = max;
	h->sum = sum;
	return 0;
}
