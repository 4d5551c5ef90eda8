// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/sorted.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "lib/large.h"
#include "lib/mem.h"

#define T_TAIL 0.025
/* Below, comparing is faster than counting digits. */
#define RADIX_MIN 1000
/* Digits of a key; their counters stay in the nearest cache. */
#define BITS 11
#define DIGIT (1UL << BITS)
#define DIGITS 6

/* Unsigned integers in the order of the doubles. */
static uint64_t key_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static size_t digit_of(uint64_t key, size_t digit)
{
	return key >> BITS * digit & (DIGIT - 1);
}

/* Moves @from to @to, stably, by one digit of the key. */
static void move_by_digit(const double *from, double *to, size_t n, const size_t *count,
			  size_t digit)
{
	size_t next[DIGIT], sum = 0;

	for (size_t d = 0; d < DIGIT; d++) {
		next[d] = sum;
		sum += count[d];
	}
	for (size_t i = 0; i < n; i++)
		to[next[digit_of(key_of(from[i]), digit)]++] = from[i];
}

static void count_digits(const double *x, size_t n, size_t (*counts)[DIGIT])
{
	for (size_t i = 0; i < n; i++) {
		uint64_t key = key_of(x[i]);

		for (size_t digit = 0; digit < DIGITS; digit++)
			counts[digit][digit_of(key, digit)]++;
	}
}

void sorted_sort(double *x, double *work, size_t n)
{
	size_t counts[DIGITS][DIGIT] = { { 0 } };
	double *from = x, *to, *own = NULL;

	if (n < RADIX_MIN) {
		stats_sort(x, n);
		return;
	}
	if (!work)
		work = own = large_alloc(n * sizeof(*own));
	to = work;
	count_digits(x, n, counts);
	for (size_t digit = 0; digit < DIGITS; digit++) {
		double *emptied = from;

		/* One value of this digit only: nothing to move. */
		if (counts[digit][digit_of(key_of(from[0]), digit)] == n)
			continue;
		move_by_digit(from, to, n, counts[digit], digit);
		from = to;
		to = emptied;
	}
	if (from != x)
		memcpy(x, from, n * sizeof(*x));
	free(own);
}

/*
 * Mean and sample deviation in long double, whose range no square of a double leaves; the
 * second sum takes back what the mean's rounding did. NaN deviation for n < 2.
 */
struct moments {
	long double mean, sd;
};

static struct moments moments_of(const double *x, size_t n)
{
	struct moments m = { 0, NAN };
	long double squares = 0, rest = 0;

	for (size_t i = 0; i < n; i++)
		m.mean += x[i];
	m.mean /= n;
	if (n < 2)
		return m;
	for (size_t i = 0; i < n; i++) {
		long double d = x[i] - m.mean;

		squares += d * d;
		rest += d;
	}
	m.sd = sqrtl((squares - rest * rest / n) / (n - 1));
	return m;
}

/* The same of 1 / x; as ratios to the smallest x, none of which is too large. */
static struct moments inverse_moments(const double *x, size_t n)
{
	struct moments m = { 0, NAN };
	long double squares = 0;

	for (size_t i = 0; i < n; i++)
		m.mean += x[0] / x[i];
	m.mean /= n;
	for (size_t i = 0; i < n; i++) {
		long double d = x[0] / x[i] - m.mean;

		squares += d * d;
	}
	if (n > 1)
		m.sd = sqrtl(squares / (n - 1)) / x[0];
	m.mean /= x[0];
	return m;
}

/* The @k-th smallest distance from @median, from 0: @i of them are below it, k - i above. */
static double nth_distance(const double *x, size_t n, double median, size_t below, size_t k)
{
	size_t lo = k + 1 > n - below ? k + 1 - (n - below) : 0, hi = below < k + 1 ? below : k + 1;

	/* The number of values below among the k + 1 nearest ones. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		/* Is the next one below nearer than the farthest of those above? */
		if (median - x[below - 1 - mid] < x[below + k - mid] - median)
			lo = mid + 1;
		else
			hi = mid;
	}
	return fmax(lo ? median - x[below - lo] : 0, lo <= k ? x[below + k - lo] - median : 0);
}

static double mad_of(const double *x, size_t n, double median)
{
	size_t below = n / 2;

	return 0.5 * nth_distance(x, n, median, below, (n - 1) / 2) +
	       0.5 * nth_distance(x, n, median, below, n / 2);
}

static double log_mean(const double *x, const double *logs, size_t n)
{
	long double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += logs ? logs[i] : log(x[i]);
	return (double)(sum / n);
}

static void describe_inverse(const double *x, const double *logs, struct stats *s)
{
	struct moments m = inverse_moments(x, s->n);
	long double half;

	s->gmean = exp(log_mean(x, logs, s->n));
	s->hmean = (double)(1 / m.mean);
	if (s->n < 2)
		return;
	s->hmean_se = (double)(m.sd / sqrtl(s->n) / m.mean / m.mean);
	half = gsl_cdf_tdist_Qinv(T_TAIL, s->n - 1.0) * m.sd / sqrtl(s->n);
	if (m.sd > 0 && m.mean > half) {
		s->hmean_lo = (double)(1 / (m.mean + half));
		s->hmean_hi = (double)(1 / (m.mean - half));
	}
}

void sorted_describe(const double *x, const double *logs, size_t n, struct stats *s)
{
	struct moments m;
	long double half;

	/* Only to have NaN everywhere. */
	stats_describe(NULL, 0, s);
	s->n = n;
	if (!n)
		return;
	m = moments_of(x, n);
	s->min = x[0];
	s->max = x[n - 1];
	s->mean = (double)m.mean;
	s->median = stats_quantile(x, n, 0.5);
	s->mad = mad_of(x, n, s->median);
	s->mad_sd = 1.4826 * s->mad;
	s->sd_pop = 0;
	if (n > 1) {
		s->sd = (double)m.sd;
		s->sd_pop = (double)(m.sd * sqrtl((n - 1.0L) / n));
		if (m.mean != 0)
			s->cv = (double)(m.sd / fabsl(m.mean));
		half = gsl_cdf_tdist_Qinv(T_TAIL, n - 1.0) * m.sd / sqrtl(n);
		if (m.sd > 0) {
			s->mean_lo = (double)(m.mean - half);
			s->mean_hi = (double)(m.mean + half);
		}
	}
	if (x[0] > 0)
		describe_inverse(x, logs, s);
}

size_t sorted_beyond(const double *x, const struct stats *s, double z, bool above)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		double off = above ? x[s->n - 1 - mid] - s->median : s->median - x[mid];
		bool beyond = s->mad > 0 ? 0.6745 * (off / s->mad) > z :
					   off > 0.05 * fabs(s->median);

		if (beyond)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void sorted_outliers(const double *x, const struct stats *s, enum direction better,
		     struct trend_outliers *out)
{
	size_t n = s->n;

	*out = (struct trend_outliers) { .worst = n };
	if (!n)
		return;
	for (int above = 0; above < 2; above++) {
		size_t warn, note;

		if (better == (above ? BETTER_HIGHER : BETTER_LOWER))
			continue;
		warn = sorted_beyond(x, s, 5, above);
		note = sorted_beyond(x, s, 3.5, above) - warn;
		out->warn += warn;
		out->note += note;
		if (warn + note && (out->worst == n ||
				    x[n - 1] - s->median > s->median - x[out->worst]))
			out->worst = above ? n - 1 : 0;
	}
}

void sorted_resolution(const double *x, size_t n, double *tied, double *step)
{
	double least = INFINITY;
	size_t same = 0, last = 0;

	for (size_t i = 1; i < n; i++) {
		double d = x[i] - x[i - 1];

		/* The first of a run of ties counts with the second. */
		same += d > 0 ? 0 : 2 - last;
		last = d > 0 ? 0 : 1;
		least = d > 0 && d < least ? d : least;
	}
	*step = isinf(least) ? NAN : least;
	*tied = n ? (double)same / (double)n : NAN;
}

void sorted_split(const double *x, size_t n, struct trend_split *out)
{
	size_t m = n < SORTED_SPLIT_MAX ? n : SORTED_SPLIT_MAX;
	double *some = xcalloc(m ? m : 1, sizeof(*some));

	for (size_t i = 0; i < m; i++)
		some[i] = x[m > 1 ? (size_t)((double)i * (n - 1) / (m - 1) + 0.5) : 0];
	trend_split(some, m, out);
	if (m < n)
		out->n_low = (size_t)((double)out->n_low * n / m);
	free(some);
}
