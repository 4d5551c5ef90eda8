// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/workers.h"

#include <errno.h>
#include <math.h>
#include <sys/wait.h>

#include "lib/mem.h"

uint64_t workers_rounds(const struct experiment *e, uint64_t rounds)
{
	double share = e->share > 0 ? e->share : 1;

	return fmax(1, round(rounds * share));
}

static void run_one(const struct experiment *e, uint64_t seed, size_t place, uint64_t rounds,
		    struct tally *t)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	/* It takes 32 bits, of which neighbours differ in many. */
	gsl_rng_set(rng, ((seed + 1) * 2654435761u + place * 40503) & 0xffffffff);
	for (uint64_t i = workers_rounds(e, rounds); i > 0; i--)
		e->round(e, rng, t);
	gsl_rng_free(rng);
}

/* Every @jobs-th experiment: neighbours take about the same time. */
static void run_share(const struct experiment *const *v, size_t n, uint64_t seed,
		      uint64_t rounds, unsigned int first, unsigned int jobs,
		      struct tally *tallies)
{
	for (size_t i = first; i < n; i += jobs)
		run_one(v[i], seed, i, rounds, &tallies[i]);
}

int workers_run(const struct experiment *const *v, size_t n, uint64_t seed, uint64_t rounds,
		unsigned int jobs, struct tally *tallies)
{
	__cleanup_free pid_t *pids = xcalloc(jobs, sizeof(*pids));
	unsigned int started = 0;
	int ret = 0;

	for (; started < jobs; started++) {
		pids[started] = fork();
		if (pids[started] < 0) {
			ret = -errno;
			break;
		}
		if (!pids[started]) {
			run_share(v, n, seed, rounds, started, jobs, tallies);
			_exit(0);
		}
	}
	while (started) {
		int status;

		if (waitpid(pids[--started], &status, 0) < 0 || status)
			ret = ret ? ret : -ECHILD;
	}
	return ret;
}
