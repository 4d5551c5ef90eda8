// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/aa.h"

#include "lib/log.h"
#include "lib/mem.h"
#include "results/compare.h"
#include "results/store-noise.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void report_alarms(const struct comparison *c)
{
	size_t tested = 0, low = 0, real = 0;

	for (size_t i = 0; i < c->n_rows; i++) {
		tested += !isnan(c->rows[i].effect.p);
		low += c->rows[i].effect.p <= c->alpha;
		real += c->rows[i].effect.verdict && compare_row_is_significant(&c->rows[i]);
	}
	log_info("A/A: %zu false alarm%s in %zu rows; p <= %g in %zu, where chance alone makes about "
		 "%.1f", real, real == 1 ? "" : "s", tested, c->alpha, low,
		 c->alpha * (double)tested);
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];

		if (row->effect.verdict && compare_row_is_significant(row))
			log_info("false alarm: %s of %s on %s, %+.2f %%, %s", row->metric.name,
				 row->workload, row->target, row->effect.pct, row->effect.verdict);
	}
}

static void report_floor(const struct noise *n, const struct noise_session *s, const char *metric)
{
	struct noise_floor floor;

	noise_floor(n, &s->cell, metric, &floor);
	log_info("noise floor of %s on %s: %s %.3g %% (%s %zu session%s)", s->cell.workload,
		 s->target, metric, floor.pct,
		 floor.sessions < NOISE_MIN_VALUES ? "the largest change in" : "95 % of",
		 floor.sessions, floor.sessions == 1 ? "" : "s");
}

static void report_floors(const struct noise *all, const struct noise *now)
{
	for (size_t i = 0; i < now->n; i++)
		for (size_t k = 0; k < now->v[i].n_rows; k++)
			if (now->v[i].rows[k].primary)
				report_floor(all, &now->v[i], now->v[i].rows[k].metric);
}

static int keep(const char *root, const struct noise *now)
{
	__cleanup_noise struct noise all = NOISE_INIT;
	__cleanup_free char *error = NULL;
	int ret = store_noise_add(root, now, &error);

	if (!ret)
		ret = store_noise_load(root, &all, &error);
	if (ret) {
		log_error("the noise floor is not kept: %s", error);
		return ret;
	}
	report_floors(&all, now);
	return 0;
}

int aa_conclude(const struct session *s)
{
	__cleanup_noise struct noise now = NOISE_INIT;
	__cleanup_free char *error = NULL;
	__cleanup_run struct run *base = store_load(s->arms[0].dir, &error);
	__cleanup_run struct run *again = base ? store_load(s->arms[1].dir, &error) : NULL;
	struct run *runs[] = { base, again };
	__cleanup_comparison struct comparison *c = NULL;

	if (!again) {
		log_error("%s", error);
		return -EBADMSG;
	}
	c = compare_runs(runs, 2, NULL);
	report_alarms(c);
	if (!noise_take(&now, c, base)) {
		log_warn("A/A: nothing is kept of it: each arm needs %d valid iterations, and the "
			 "machine must be known (machine-id, or CPU and memory)",
			 VERDICT_MIN_UNITS);
		return 0;
	}
	return keep(s->app->store, &now);
}
