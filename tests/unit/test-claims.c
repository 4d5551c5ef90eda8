// SPDX-License-Identifier: GPL-2.0-or-later
/* The whole way from values to a word: test, family, intervals, verdict. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "results/multiple.h"
#include "results/ranktest.h"
#include "results/verdict.h"
#include "tests/unit/rankcheck.h"
#include "tests/unit/vectors.h"

static enum verdict decide(const struct verdict_input *in)
{
	struct verdict_result out;

	verdict_decide(in, &out);
	return out.word;
}

static struct verdict_interval interval(const struct ranktest_input *data, double conf)
{
	struct ranktest_interval ci;

	assert_int_equal(ranktest_interval(data, conf, &ci), 0);
	return (struct verdict_interval) { ci.pct_lo, ci.pct_hi };
}

/* The whole way from values to a word, as a row of a family of @m. */
static struct verdict_input judge(const struct ranktest_input *data, double m, double delta)
{
	struct verdict_input in = {
		.better = BETTER_LOWER, .alpha = VERDICT_ALPHA, .boot_noise_pct = NAN,
	};
	struct ranktest r;

	assert_int_equal(ranktest_run(data, &r), 0);
	in.n_base = r.n_base;
	in.n_arm = r.n_arm;
	in.delta_pct = delta;
	in.shift = r.shift;
	in.pct = r.pct;
	in.p = r.p;
	in.p_adj = fmin(1, m * r.p);
	in.p_min = r.p_min;
	in.ci95 = interval(data, 0.95);
	in.ci90 = interval(data, 0.90);
	in.ci_adj = interval(data, 1 - multiple_level(in.p, in.p_adj, in.alpha));
	return in;
}

static void check_consistent(const struct verdict_input *in)
{
	enum verdict word = decide(in);
	bool real = in->p_adj <= in->alpha;

	if (word == VERDICT_IMPROVED || word == VERDICT_REGRESSED) {
		assert_true(real && fabs(in->pct) >= in->delta_pct);
		assert_true(in->ci_adj.lo >= 0 || in->ci_adj.hi <= 0);
		assert_int_equal(word == VERDICT_REGRESSED, in->pct > 0);
	} else if (word == VERDICT_SMALL) {
		assert_true(real && fabs(in->pct) < in->delta_pct);
	} else if (word == VERDICT_SAME) {
		assert_true(!real && fabs(in->pct) <= in->delta_pct);
	} else {
		assert_int_equal(word, VERDICT_UNSURE);
		assert_true(!real);
	}
}

static void words_never_contradict_the_figures(void **state)
{
	uint64_t seed = 3;
	size_t seen[VERDICT_IMPROVED + 1] = { 0 };

	(void)state;
	for (int round = 0; round < 400; round++) {
		double base[12], arm[12], step = round % 3 ? 0 : 0.5;
		uint64_t block[12];
		struct ranktest_input data = {
			.base = { base, block, 6 + round % 7 },
			.arm = { arm, block, 6 + round % 7 },
		};
		double shift = 4 * rank_draw(&seed) - 2, noise = 3 * rank_draw(&seed);
		struct verdict_input in;

		for (size_t i = 0; i < 12; i++) {
			block[i] = round % 2 ? i / 2 : i;
			base[i] = 100 + noise * rank_draw(&seed);
			arm[i] = 100 + shift + noise * rank_draw(&seed);
			if (step > 0) {
				base[i] = step * floor(base[i] / step);
				arm[i] = step * floor(arm[i] / step);
			}
		}
		in = judge(&data, 1 + round % 4, 1);
		check_consistent(&in);
		seen[decide(&in)]++;
	}
	/* The rounds did go everywhere. */
	assert_true(seen[VERDICT_UNSURE] && seen[VERDICT_SAME] && seen[VERDICT_SMALL]);
	assert_true(seen[VERDICT_REGRESSED] && seen[VERDICT_IMPROVED]);
}

/* The two published data sets: both real, far beyond 1 %. */
static void published_experiments(void **state)
{
	static const double utime_b[] = {
		35993, 35712, 35369, 35544, 35623, 35939, 35693, 35562, 35675
	};
	static const double utime_a[] = {
		32968, 33146, 32996, 33159, 33000, 33016, 32829, 32685, 32815
	};
	static const double unlink_b[] = { 91, 93, 92, 93, 90, 91, 93, 89, 91 };
	static const double unlink_a[] = { 80, 63, 65, 67, 75, 75, 75, 74, 76 };
	struct ranktest_input data = {
		.base = { utime_b, NULL, 9 }, .arm = { utime_a, NULL, 9 },
	};
	struct verdict_input in = judge(&data, 1, 1);

	(void)state;
	in.better = BETTER_HIGHER;
	assert_int_equal(decide(&in), VERDICT_REGRESSED);
	vec_expect("utime", "pct", in.pct, -7.5885662585880365);
	data.base.value = unlink_b;
	data.arm.value = unlink_a;
	in = judge(&data, 2, 1);
	assert_int_equal(decide(&in), VERDICT_IMPROVED);
	vec_expect("unlink", "pct", in.pct, -18.681318681318626);
	in.one_boot = true;
	assert_int_equal(decide(&in), VERDICT_UNSURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_never_contradict_the_figures),
		cmocka_unit_test(published_experiments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
