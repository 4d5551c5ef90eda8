// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/reach.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"

static struct reach *counted(struct reach_list *l, const char *function, const char *arm,
			     uint64_t hits, double per_op)
{
	struct reach *r = reach_add(l, function, "w", arm);

	r->known = true;
	r->hits = hits;
	r->per_op = per_op;
	return r;
}

static void uncounted(struct reach_list *l, const char *function, const char *arm)
{
	struct reach *r = reach_add(l, function, "w", arm);

	r->reason = xstrdup("no probe point");
}

static void expect(struct reach_list *l, enum reach_word word, const char *sentence)
{
	struct reach_claim claim;

	reach_judge(l, "w", 0.01, &claim);
	assert_string_equal(claim.sentence, sentence);
	assert_int_equal(claim.word, word);
	free(claim.sentence);
	reach_list_release(l);
}

static void never_ran(void **state)
{
	struct reach_list l = REACH_LIST_INIT;

	(void)state;
	counted(&l, "f", "base", 0, 0);
	counted(&l, "f", "patched", 0, 0);
	expect(&l, REACH_NOT_ATTRIBUTABLE, "f ran 0 times in w: a difference cannot come from it");
	/* Where it cannot be counted on one arm, the other one decides. */
	counted(&l, "f", "base", 0, 0);
	uncounted(&l, "f", "patched");
	counted(&l, "g", "patched", 0, 0);
	expect(&l, REACH_NOT_ATTRIBUTABLE, "none of the 2 touched functions ran in w: a difference "
	       "cannot come from them");
}

static void unknown(void **state)
{
	struct reach_list l = REACH_LIST_INIT;

	(void)state;
	expect(&l, REACH_UNKNOWN, "no function was counted in w");
	counted(&l, "f", "base", 0, 0);
	uncounted(&l, "g", "base");
	uncounted(&l, "g", "patched");
	expect(&l, REACH_UNKNOWN, "how often g ran in w is unknown: no probe point");
	/* At least 0 times is no knowledge. */
	counted(&l, "f", "base", 0, 0)->lower_bound = true;
	expect(&l, REACH_UNKNOWN, "how often f ran in w is unknown: it was not counted");
	reach_add(&l, "f", "another", "base")->known = true;
	expect(&l, REACH_UNKNOWN, "no function was counted in w");
}

static void ran(void **state)
{
	struct reach_list l = REACH_LIST_INIT;

	(void)state;
	counted(&l, "f", "base", 1000, 1);
	counted(&l, "f", "patched", 1005, 1.005);
	uncounted(&l, "g", "base");
	expect(&l, REACH_RUNS, "f ran 1000 times in w on base, 1 per operation");
	counted(&l, "f", "base", 1000, NAN)->lower_bound = true;
	counted(&l, "f", "patched", 2000, NAN);
	expect(&l, REACH_RUNS, "f ran at least 1000 times in w on base");
}

/* 155,000 and 147,000 calls in as many operations: published, and nobody had seen it. */
static void work_differs(void **state)
{
	struct reach_list l = REACH_LIST_INIT;

	(void)state;
	counted(&l, "f", "A", 153937, 1.539);
	counted(&l, "f", "B", 146162, 1.462);
	expect(&l, REACH_WORK_DIFFERS, "f ran 1.539 times per operation of w on A, 1.462 on B");
	counted(&l, "f", "A", 10, 0.1);
	counted(&l, "f", "B", 0, 0);
	expect(&l, REACH_WORK_DIFFERS, "f ran 0.1 times per operation of w on A, 0 on B");
	/* Lower bounds cannot be compared. */
	counted(&l, "f", "A", 10, 0.1)->lower_bound = true;
	counted(&l, "f", "B", 5, 0.05);
	expect(&l, REACH_RUNS, "f ran at least 10 times in w on A, 0.1 per operation");
}

static void as_json(void **state)
{
	__cleanup_reach struct reach_list l = REACH_LIST_INIT, back;
	__cleanup_strbuf struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	char *error = NULL;
	struct reach *r;

	(void)state;
	r = counted(&l, "f", "base", UINT64_MAX, 0.1);
	r->has_all = true;
	r->all = 9007199254740993ULL;
	r->share = 0.25;
	reach_add_stack(r, "a\nb\n", 7);
	uncounted(&l, "g", "base");
	reach_encode(&l, &first);
	assert_int_equal(reach_decode(strbuf_str(&first), first.len, &back, &error), 0);
	assert_int_equal(back.n, 2);
	assert_true(back.v[0].hits == UINT64_MAX);
	assert_true(back.v[0].all == 9007199254740993ULL);
	assert_true(back.v[0].share == 0.25);
	assert_string_equal(back.v[0].stacks[0].stack, "a\nb\n");
	assert_false(back.v[1].known);
	assert_true(isnan(back.v[1].per_op));
	assert_string_equal(back.v[1].reason, "no probe point");
	reach_encode(&back, &second);
	assert_string_equal(strbuf_str(&first), strbuf_str(&second));
	/* Unknown is null, never 0. */
	assert_non_null(strstr(strbuf_str(&first), "\"function\":\"g\",\"workload\":\"w\",\"arm\":\"base\","
						   "\"hits\":null"));
}

static void broken_json(void **state)
{
	static const char *const texts[] = {
		"", "{", "[]", "{\"schema\":\"fsdelta-reach/2\",\"reach\":[]}",
		"{\"schema\":\"fsdelta-reach/1\"}",
		"{\"schema\":\"fsdelta-reach/1\",\"reach\":[{\"function\":\"f\"}]}",
		"{\"schema\":\"fsdelta-reach/1\",\"reach\":[{\"function\":\"f\",\"workload\":\"w\","
		"\"arm\":\"a\",\"hits\":\"5\",\"lower_bound\":false}]}",
		"{\"schema\":\"fsdelta-reach/1\",\"reach\":[{\"function\":\"f\",\"workload\":\"w\","
		"\"arm\":\"a\",\"hits\":-1,\"lower_bound\":false}]}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct reach_list l;
		char *error = NULL;

		assert_int_not_equal(reach_decode(texts[i], strlen(texts[i]), &l, &error), 0);
		assert_non_null(error);
		assert_int_equal(l.n, 0);
		free(error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(never_ran),
		cmocka_unit_test(unknown),
		cmocka_unit_test(ran),
		cmocka_unit_test(work_differs),
		cmocka_unit_test(as_json),
		cmocka_unit_test(broken_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
