/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the values of a session to words, with the engine of results/ alone. */
#ifndef FSDELTA_BENCH_JUDGE_H
#define FSDELTA_BENCH_JUDGE_H

#include "bench/session.h"
#include "results/verdict.h"

struct judged {
	struct ranktest test;
	double p_adj;
	struct verdict_result verdict;
	bool contradiction;	/* an interval says another thing than its p, or the word */
};

/*
 * Judges all metrics of @s as the rows of one comparison: the first @primary of them are a
 * family under Holm, the others one under Benjamini and Hochberg. The effect of interest is
 * the default, 1 %.
 */
void judge(const struct session *s, size_t primary, struct judged *rows);

/* A word that claims a difference. */
bool judge_claims(const struct judged *row);

/* These cannot fail with what a session has; the program ends when they do. */
void judge_test(const struct ranktest_input *in, struct ranktest *out);
void judge_interval(const struct ranktest_input *in, double conf, struct ranktest_interval *ci);

#endif
