// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/native/native.h"

#include <inttypes.h>

#define ROUNDS 9
#define LAPS 100000
#define VALUES 200000
/* Above this, a reading of the clock must be a system call; with the vDSO: 50 to 80. */
#define SLOW_NS 200
#define HIST_LIMIT 0.01

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Processor time: other load on the machine is not a cost of the timing. */
static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Median cost of an operation that does nothing; @shared: with one reading of the clock. */
static double timing_cost(struct native_thread *t, bool shared)
{
	double ns[ROUNDS];
	uint64_t begin;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		begin = cpu_ns();
		native_begin(t);
		for (i = 0; i < LAPS; i++) {
			if (!shared)
				native_begin(t);
			native_lap(t, 0, true, "");
		}
		ns[round] = (double)(cpu_ns() - begin) / LAPS;
	}
	qsort(ns, ROUNDS, sizeof(ns[0]), compare_double);
	return ns[ROUNDS / 2];
}

/* Largest relative error of a value that the histogram would report, all magnitudes alike. */
static double hist_error(uint64_t seed)
{
	double worst = 0, error;
	uint64_t v, mid, state = seed;
	int i;

	for (i = 0; i < VALUES; i++) {
		v = native_random(&state) >> (i % 64);
		mid = hist_mid(hist_index(v));
		error = v == mid ? 0 : (double)(v > mid ? v - mid : mid - v) / (double)v;
		if (!(error <= worst))
			worst = error;
	}
	return worst;
}

int native_selftest(struct native *n)
{
	struct native_thread *t = calloc(1, sizeof(*t));
	double cost, shared, error;
	bool ok;

	if (!t) {
		fprintf(stderr, "%s: out of memory\n", n->program->name);
		return 1;
	}
	t->n = n;
	cost = timing_cost(t, false);
	shared = timing_cost(t, true);
	error = hist_error(n->seed);
	ok = error <= HIST_LIMIT && t->hist[0].count == (uint64_t)2 * ROUNDS * LAPS;
	printf("{\"selftest\":%s,\"program\":\"%s\",\"timed_op_ns\":%.17g,"
	       "\"timed_op_shared_ns\":%.17g,\"timed_op_slow_ns\":%d,"
	       "\"hist_max_error\":%.17g,\"hist_max_error_limit\":%.17g}\n",
	       ok ? "true" : "false", n->program->name, cost, shared, SLOW_NS, error, HIST_LIMIT);
	if (!ok)
		fprintf(stderr, "%s: the histogram is wrong\n", n->program->name);
	if (cost > SLOW_NS)
		fprintf(stderr, "%s: warning: timing costs %.0f ns an operation (clock source?)\n",
			n->program->name, cost);
	free(t);
	return ok ? 0 : 1;
}
