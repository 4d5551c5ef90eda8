// SPDX-License-Identifier: GPL-2.0-or-later
/* harness/plan-blocks: in which order things are run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "tests/unit/plan-fixture.h"
#include "tests/unit/scratch.h"

/* A cell's part of a block, from step @i on: every arm as often as any other. Its length. */
static size_t check_part(const struct plan *p, size_t i, uint64_t next_number)
{
	const struct plan_step *first = &p->steps[i];
	uint64_t times[64] = { 0 };
	size_t n = 0;

	for (; i + n < p->n_steps; n++) {
		const struct plan_step *s = &first[n];

		if (s->job != first->job || s->target != first->target || s->block != first->block)
			break;
		assert_int_equal(s->seq, i + n);
		assert_int_equal(s->warmup, first->warmup);
		assert_int_equal(s->number, next_number + times[s->arm]++);
	}
	for (size_t a = 0; a < p->n_arms; a++)
		assert_int_equal(times[a], times[0]);
	assert_in_range(times[0], 1, 2);
	return n;
}

/*
 * In each block every cell that is still due comes once, as a run of steps of that cell alone,
 * in which each arm comes equally often; numbers of a cell's arm go on without a gap.
 */
static void check_order(const struct plan *p)
{
	size_t n_cells = p->n_jobs * p->n_targets;
	__cleanup_free uint64_t *next_block = xcalloc(n_cells, sizeof(*next_block));
	__cleanup_free uint64_t *next_number = xcalloc(n_cells, sizeof(*next_number));
	__cleanup_free bool *measured = xcalloc(n_cells, sizeof(*measured));

	for (size_t i = 0, n; i < p->n_steps; i += n) {
		const struct plan_step *first = &p->steps[i];
		size_t cell = first->job * p->n_targets + first->target;

		if (i)
			assert_in_range(first->block - first[-1].block, 0, 1);
		if (!first->warmup && !measured[cell])
			next_number[cell] = 0;
		measured[cell] |= !first->warmup;
		/* Not twice in a block, and in every one until it drops out. */
		if (first->number)
			assert_int_equal(first->block, next_block[cell]);
		else
			assert_true(first->block >= next_block[cell]);
		next_block[cell] = first->block + 1;
		n = check_part(p, i, next_number[cell]);
		next_number[cell] += n / p->n_arms;
	}
}

/* Steps of cell @job x @target in block @block. */
static size_t part_size(const struct plan *p, const char *job, size_t target, uint64_t block)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_steps; i++)
		n += p->steps[i].block == block && p->steps[i].target == target &&
		     str_eq(p->jobs[p->steps[i].job]->name, job);
	return n;
}

static size_t count(const struct plan *p, const char *job, bool warmup)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_steps; i++)
		n += p->steps[i].warmup == warmup && str_eq(p->jobs[p->steps[i].job]->name, job);
	return n;
}

static void order(void **state)
{
	__cleanup_planned struct planned t = { 0 };

	plan_test_ok(state, &t, "-w a,b,c -t btrfs,xfs --arm x --arm y --arm z --seed 1 --size 1G");
	check_order(&t.p);
	/* 2 targets, 3 arms; iterations by default, and as the jobs say. */
	assert_int_equal(count(&t.p, "a", false), 6 * 10);
	assert_int_equal(count(&t.p, "b", false), 6 * 3);
	assert_int_equal(count(&t.p, "c", false), 6 * 5);
	assert_int_equal(count(&t.p, "a", true), 0);
	assert_int_equal(count(&t.p, "c", true), 6 * 2);
	for (size_t arm = 0; arm < 3; arm++)
		assert_int_equal(plan_count(&t.p, arm), 2 * (10 + 3 + 5 + 2));
	/* Warm-ups first; each numbered from 0. */
	for (size_t i = 0; i < t.p.n_steps; i++) {
		assert_int_equal(t.p.steps[i].warmup, i < 12);
		assert_int_equal(t.p.steps[i].number, t.p.steps[i].block - (i < 12 ? 0 : 2));
	}
	assert_int_equal(t.p.steps[t.p.n_steps - 1].block, 2 + 9);
}

/* The sizes of a's blocks for two or three arms, as many digits as blocks. */
static void block_sizes(void **state)
{
	static const struct {
		const char *how, *times;
	} rows[] = {
		{ "-n 1", "1" }, { "-n 2", "11" }, { "-n 5", "11111" }, { "-n 6", "222" },
		{ "-n 7", "2221" }, { "-n 8", "2222" }, { "-n 9", "22221" },
		{ "-n 10", "1111111111" }, { "-n 11", "11111111111" }, { "--blocks 1", "2" },
		{ "--blocks 3", "222" }, { "--blocks 9", "222222222" },
		{ "--blocks 10", "1111111111" }, { "--blocks 12", "111111111111" },
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		const char *times = rows[i / 2].times;
		size_t arms = 2 + i % 2, sum = 0;
		__cleanup_free char *line =
			xasprintf("-w a,b -t btrfs,xfs --size 1G --arm x --arm y %s %s",
				  arms == 3 ? "--arm z" : "", rows[i / 2].how);
		__cleanup_planned struct planned t = { 0 };

		plan_test_ok(state, &t, line);
		check_order(&t.p);
		for (size_t b = 0; b < strlen(times); b++) {
			assert_int_equal(part_size(&t.p, "a", 1, b), arms * (times[b] - '0'));
			sum += times[b] - '0';
		}
		assert_int_equal(count(&t.p, "a", false), 2 * arms * sum);
		assert_int_equal(count(&t.p, "b", false), 2 * arms * sum);
		assert_int_equal(t.p.steps[t.p.n_steps - 1].block, strlen(times) - 1);
	}
}

/* Cells of one plan may have blocks of different sizes; warm-ups are pairs. */
static void block_sizes_by_job(void **state)
{
	__cleanup_planned struct planned t = { 0 };

	plan_test_add_job(state, "d", "iterations = 7\nwarmup = 3\n");
	plan_test_ok(state, &t, "-w a,b,d --arm x --arm y");
	check_order(&t.p);
	for (uint64_t b = 0; b < 3 + 10; b++) {
		assert_int_equal(part_size(&t.p, "a", 0, b), b < 3 ? 0 : 2);
		assert_int_equal(part_size(&t.p, "b", 0, b), b < 3 || b >= 6 ? 0 : 2);
		assert_int_equal(part_size(&t.p, "d", 0, b), b < 3 ? 2 : b < 6 ? 4 : b < 7 ? 2 : 0);
	}
}

/* With nothing to balance, cells alternate as much as they can. */
static void one_arm_has_no_doubles(void **state)
{
	__cleanup_planned struct planned n = { 0 }, blocks = { 0 };

	plan_test_ok(state, &n, "-w a,b -n 8");
	check_order(&n.p);
	assert_int_equal(n.p.steps[n.p.n_steps - 1].block, 7);
	plan_test_ok(state, &blocks, "-w a,b --blocks 8");
	assert_int_equal(blocks.p.n_steps, 2 * 8);
	assert_int_equal(blocks.p.steps[15].block, 7);
}

/* All 6 orders of 2 + 2 come about equally often: 1200 blocks, 5 sigma. */
static void orders_of_a_double_block(void **state)
{
	size_t seen[16] = { 0 };

	for (int seed = 1; seed <= 300; seed++) {
		__cleanup_free char *line = xasprintf("-w a -n 8 --arm x --arm y --seed %d", seed);
		__cleanup_planned struct planned t = { 0 };

		plan_test_ok(state, &t, line);
		for (size_t i = 0; i < t.p.n_steps; i += 4) {
			const struct plan_step *s = &t.p.steps[i];

			seen[s[0].arm * 8 + s[1].arm * 4 + s[2].arm * 2 + s[3].arm]++;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		if (__builtin_popcountll(i) == 2)
			assert_in_range(seen[i], 200 - 65, 200 + 65);
		else
			assert_int_equal(seen[i], 0);
	}
}

static void iterations_of_the_line_win(void **state)
{
	__cleanup_planned struct planned t = { 0 };

	plan_test_ok(state, &t, "-w a,b,c -n 4");
	check_order(&t.p);
	assert_int_equal(t.p.n_arms, 1);
	assert_int_equal(count(&t.p, "a", false), 4);
	assert_int_equal(count(&t.p, "b", false), 4);
	assert_int_equal(count(&t.p, "c", false), 4);
}

static bool same_order(const struct plan *a, const struct plan *b)
{
	if (a->n_steps != b->n_steps)
		return false;
	for (size_t i = 0; i < a->n_steps; i++)
		if (a->steps[i].arm != b->steps[i].arm || a->steps[i].job != b->steps[i].job ||
		    a->steps[i].target != b->steps[i].target)
			return false;
	return true;
}

static void order_depends_on_the_seed_alone(void **state)
{
	static const char line[] = "-w a,c -t btrfs,xfs --arm x --arm y --size 1G";
	__cleanup_free char *seed1 = xasprintf("%s --seed 1", line);
	__cleanup_free char *seed2 = xasprintf("%s --seed 2", line);
	__cleanup_planned struct planned a = { 0 }, b = { 0 }, c = { 0 };

	plan_test_ok(state, &a, seed1);
	plan_test_ok(state, &b, seed1);
	plan_test_ok(state, &c, seed2);
	assert_int_equal(a.p.seed, 1);
	assert_true(same_order(&a.p, &b.p));
	assert_false(same_order(&a.p, &c.p));
}

/* Results are compared with orders of earlier versions: gsl_ran_shuffle of mt19937, seed 1. */
static void order_is_the_same_everywhere(void **state)
{
	static const size_t first[] = { 1, 0, 0, 0, 1, 1, 1, 0, 1, 1 };
	__cleanup_planned struct planned t = { 0 };

	plan_test_ok(state, &t, "-w a -n 10 --arm x --arm y --seed 1");
	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		assert_int_equal(t.p.steps[2 * i].arm, first[i]);
}

/* Every arm is first about as often as any other: 1000 rounds, 5 sigma. */
static void every_arm_comes_first(void **state)
{
	__cleanup_planned struct planned t = { 0 };
	size_t first[2] = { 0 };

	plan_test_ok(state, &t, "-w a -n 1000 --arm x --arm y --seed 7");
	for (size_t i = 0; i < t.p.n_steps; i += 2)
		first[t.p.steps[i].arm]++;
	assert_in_range(first[0], 500 - 79, 500 + 79);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(order),
		scratch_test(block_sizes),
		scratch_test(block_sizes_by_job),
		scratch_test(one_arm_has_no_doubles),
		scratch_test(orders_of_a_double_block),
		scratch_test(iterations_of_the_line_win),
		scratch_test(order_depends_on_the_seed_alone),
		scratch_test(order_is_the_same_everywhere),
		scratch_test(every_arm_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
