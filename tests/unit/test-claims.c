// SPDX-License-Identifier: GPL-2.0-or-later
/* The whole way from values to a word: test, family, intervals, verdict. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "results/multiple.h"
#include "results/percent.h"
#include "results/ranktest.h"
#include "results/stats.h"
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

static void check_side(const char *id, struct json_object *expected, const struct stats *s)
{
	vec_expect(id, "n", s->n, vec_num(expected, "n"));
	vec_expect(id, "mean", s->mean, vec_num(expected, "mean"));
	vec_expect(id, "median", s->median, vec_num(expected, "median"));
	vec_expect(id, "sd", s->sd, vec_num(expected, "sd_n1"));
	vec_expect(id, "sd_pop", s->sd_pop, vec_num(expected, "sd_n"));
	vec_expect(id, "cv", 100 * s->cv, vec_num(expected, "cov_pct"));
	vec_expect(id, "hmean", s->hmean, vec_num(expected, "hmean"));
	vec_expect(id, "gmean", s->gmean, vec_num(expected, "gmean"));
	vec_expect(id, "min", s->min, vec_num(expected, "min"));
	vec_expect(id, "max", s->max, vec_num(expected, "max"));
}

static void check_percent(const char *id, struct json_object *expected, double a, double b)
{
	vec_expect(id, "vs_base", percent_change(a, b), vec_num(expected, "vs_base"));
	vec_expect(id, "vs_new", percent_by(PERCENT_NEW, a, b), vec_num(expected, "vs_new"));
	vec_expect(id, "symmetric", percent_by(PERCENT_SYMMETRIC, a, b),
		   vec_num(expected, "symmetric"));
	vec_expect(id, "ratio", percent_by(PERCENT_RATIO, a, b), vec_num(expected, "ratio"));
}

/* All samples that mails printed in full, every figure of them. */
static void published_samples(void **state)
{
	struct json_object *samples = vectors_load("mail-samples.json");
	size_t seen = 0;

	(void)state;
	json_object_object_foreach(samples, id, pair) {
		struct json_object *welch = json_object_object_get(pair, "welch");
		size_t nb, na;
		double *before = vec_array(pair, "before", &nb);
		double *after = vec_array(pair, "after", &na);
		struct ranktest_input in = {
			.base = { before, NULL, nb }, .arm = { after, NULL, na },
		};
		struct stats base, arm;
		struct stats_welch w;
		struct ranktest r;

		assert_int_equal(stats_describe(before, nb, &base), 0);
		assert_int_equal(stats_describe(after, na, &arm), 0);
		check_side(id, json_object_object_get(pair, "db"), &base);
		check_side(id, json_object_object_get(pair, "da"), &arm);
		check_percent(id, json_object_object_get(pair, "pct_mean"), base.mean, arm.mean);
		check_percent(id, json_object_object_get(pair, "pct_median"), base.median,
			      arm.median);
		stats_welch(&base, &arm, 0.95, &w);
		vec_expect(id, "t", w.t, vec_num(welch, "t"));
		vec_expect(id, "df", w.df, vec_num(welch, "df"));
		vec_expect(id, "p", w.p, vec_num(welch, "p"));
		assert_int_equal(ranktest_run(&in, &r), 0);
		vec_expect(id, "U", (double)nb * na - r.u, vec_num(pair, "U_before_gt_after"));
		free(after);
		free(before);
		seen++;
	}
	json_object_put(samples);
	assert_int_not_equal(seen, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_never_contradict_the_figures),
		cmocka_unit_test(published_experiments),
		cmocka_unit_test(published_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
