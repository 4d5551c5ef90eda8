// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/judge.h"

#include <errno.h>
#include <math.h>

#include "lib/log.h"
#include "lib/mem.h"
#include "results/multiple.h"

#define DELTA_PCT 1.0

static void must(int ret, const char *what)
{
	if (!ret)
		return;
	log_error("%s: %s", what, strerror(-ret));
	exit(2);
}

void judge_test(const struct ranktest_input *in, struct ranktest *out)
{
	must(ranktest_run(in, out), "ranktest_run");
}

void judge_interval(const struct ranktest_input *in, double conf, struct ranktest_interval *ci)
{
	must(ranktest_interval(in, conf, ci), "ranktest_interval");
}

bool judge_claims(const struct judged *row)
{
	switch (row->verdict.word) {
	case VERDICT_IMPROVED:
	case VERDICT_REGRESSED:
	case VERDICT_HIGHER:
	case VERDICT_LOWER:
	case VERDICT_SMALL:
		return true;
	default:
		return false;
	}
}

/* A bound of 0 agrees with both, as results/ranktest.h has it. */
static bool disagree(double p, double level, const struct ranktest_interval *ci)
{
	/* That close, 1 - level has lost which side of it p is on. */
	if (fabs(p - level) < 1e-12)
		return false;
	return p <= level ? ci->lo < 0 && ci->hi > 0 : ci->lo > 0 || ci->hi < 0;
}

/* The interval at 1 - @level, in per cent; notes when it disagrees with p or estimate. */
static struct verdict_interval interval(const struct ranktest_input *in, double level,
					struct judged *row)
{
	struct ranktest_interval ci;

	judge_interval(in, 1 - level, &ci);
	if (disagree(row->test.p, level, &ci) ||
	    !(ci.lo <= row->test.shift && row->test.shift <= ci.hi))
		row->contradiction = true;
	return (struct verdict_interval) { ci.pct_lo, ci.pct_hi };
}

static void judge_row(const struct session *s, size_t metric, struct judged *row)
{
	struct ranktest_input data = session_input(s, metric, s->units);
	const struct ranktest *t = &row->test;
	double level = multiple_level(t->p, row->p_adj, VERDICT_ALPHA);
	struct verdict_input in = {
		.n_base = t->n_base, .n_arm = t->n_arm,
		/* All three directions come up. */
		.better = metric % 3 == 0 ? BETTER_LOWER :
			  metric % 3 == 1 ? BETTER_HIGHER : BETTER_NEUTRAL,
		.delta_pct = DELTA_PCT, .alpha = VERDICT_ALPHA,
		.shift = t->shift, .pct = t->pct,
		.p = t->p, .p_adj = row->p_adj, .p_min = t->p_min,
		.sequential = !s->blocked, .boot_noise_pct = NAN,
	};

	in.ci95 = interval(&data, 0.05, row);
	in.ci90 = interval(&data, 0.10, row);
	in.ci_adj = interval(&data, level, row);
	verdict_decide(&in, &row->verdict);
	if (!in.sequential && judge_claims(row) != (row->p_adj <= VERDICT_ALPHA))
		row->contradiction = true;
}

void judge(const struct session *s, size_t primary, struct judged *rows)
{
	double p[SESSION_METRICS];

	for (size_t m = 0; m < s->metrics; m++) {
		struct ranktest_input data = session_input(s, m, s->units);

		rows[m] = (struct judged) { .contradiction = false };
		judge_test(&data, &rows[m].test);
		p[m] = rows[m].test.p;
	}
	multiple_holm(p, primary, p);
	multiple_bh(p + primary, s->metrics - primary, p + primary);
	for (size_t m = 0; m < s->metrics; m++) {
		rows[m].p_adj = p[m];
		judge_row(s, m, &rows[m]);
	}
}
