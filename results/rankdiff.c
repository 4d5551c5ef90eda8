// SPDX-License-Identifier: GPL-2.0-or-later
/* Single differences arm - base, found by counting. */
#include "results/rankset.h"

#include <math.h>
#include <string.h>

/* So many differences are sorted instead of counted. */
#define FEW 48

/* Doubles in an order that integers can halve: adjacent doubles have adjacent keys. */
static int64_t key_of(double x)
{
	int64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits < 0 ? INT64_MIN - bits : bits;
}

static double of_key(int64_t key)
{
	int64_t bits = key < 0 ? INT64_MIN - key : key;
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Along the sorted arm the first fitting base unit only moves up. */
uint64_t rankset_count(const struct rankset *set, double t)
{
	uint64_t count = 0;
	size_t i = 0;

	for (size_t j = 0; j < set->n_arm; j++) {
		while (i < set->n_base && set->arm[j].v - set->base[i].v > t)
			i++;
		count += set->n_base - i;
	}
	return count;
}

/* The differences from @lo to @hi, ascending. */
static void take_differences(const struct rankset *set, double lo, double hi, double *d)
{
	size_t first = 0, n = 0;

	for (size_t j = 0; j < set->n_arm; j++) {
		while (first < set->n_base && set->arm[j].v - set->base[first].v > hi)
			first++;
		for (size_t i = first; i < set->n_base; i++) {
			double x = set->arm[j].v - set->base[i].v;
			size_t k = n;

			if (x < lo)
				break;
			for (; k > 0 && d[k - 1] > x; k--)
				d[k] = d[k - 1];
			d[k] = x;
			n++;
		}
	}
}

double rankset_difference(const struct rankset *set, uint64_t k)
{
	double least = set->arm[0].v - set->base[set->n_base - 1].v;
	double most = set->arm[set->n_arm - 1].v - set->base[0].v;
	int64_t lo = key_of(least), hi = key_of(most);
	uint64_t below = 0, upto = rankset_pairs(set);
	double few[FEW];

	while (lo < hi && upto - below > FEW) {
		/* Both ends may have any sign: halve without overflow, rounding down. */
		int64_t mid = (lo >> 1) + (hi >> 1) + (lo & hi & 1);
		uint64_t count = rankset_count(set, of_key(mid));

		if (count >= k) {
			hi = mid;
			upto = count;
		} else {
			lo = mid + 1;
			below = count;
		}
	}
	if (lo == hi)
		return of_key(lo) + 0.0;
	take_differences(set, of_key(lo), of_key(hi), few);
	return few[k - below - 1] + 0.0;
}

double rankset_next_difference(const struct rankset *set, double t)
{
	double next = INFINITY;
	size_t i = set->n_base;

	/* Down the arm, the last base unit that leaves more than t only moves down. */
	for (size_t j = set->n_arm; j-- > 0;) {
		while (i > 0 && !(set->arm[j].v - set->base[i - 1].v > t))
			i--;
		if (i > 0)
			next = fmin(next, set->arm[j].v - set->base[i - 1].v);
	}
	return next;
}
