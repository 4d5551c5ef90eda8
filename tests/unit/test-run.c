// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"

static const struct metric rate = {
	.name = "fsync.rate", .unit = "1/s", .better = BETTER_HIGHER, .kind = KIND_RATE_WORK,
};

static void fill_header(struct run *r)
{
	r->id = xstrdup("20260131T123456Z-before-1a2b");
	r->label = xstrdup("before");
	r->session = xstrdup("s1");
	r->role = xstrdup("base");
	r->started = xstrdup("2026-01-31T12:34:56Z");
	r->finished = xstrdup("2026-01-31T12:44:56Z");
	r->end_reason = xstrdup("interrupted");
	r->version = xstrdup("0.1.0");
	strvec_push(&r->command, "fsdelta");
	strvec_push(&r->varied, "mount");
	kv_set(&r->settings, "mount", "noatime");
	kv_set(&r->host, "kernel.release", "6.1.0");
	strvec_push(&r->load_warnings, "the last line was cut");
}

static void a_new_run_is_empty(void **state)
{
	__cleanup_run struct run *r = run_new();

	(void)state;
	assert_null(r->id);
	assert_null(r->finished);
	assert_false(r->complete);
	assert_int_equal(r->n_iterations, 0);
	assert_null(run_find_workload(r, "fsync-new"));
}

/* What is not freed is found by the leak checker. */
static void everything_is_freed(void **state)
{
	__cleanup_run struct run *r = run_new();
	struct run_target *t = run_add_target(r);
	struct run_workload *w = run_add_workload(r);

	(void)state;
	fill_header(r);
	*t = (struct run_target){ xstrdup("btrfs"), xstrdup("btrfs"), xstrdup("mkfs.btrfs -q"),
				  xstrdup("noatime"), xstrdup("memory 4 GiB") };
	*w = (struct run_workload){ xstrdup("a"), xstrdup("0123"), xstrdup("[job]\n") };
	for (uint64_t i = 0; i < 100; i++) {
		struct iteration *it = run_add_iteration(r);

		assert_null(it->workload);
		assert_int_equal(it->samples.n, 0);
		it->seq = i;
		it->workload = xstrdup("a");
		it->target = xstrdup("btrfs");
		it->reason = xstrdup("no space left");
		it->started = xstrdup("2026-01-31T12:34:56Z");
		it->boot_id = xstrdup("b");
		strvec_push(&it->warnings, "w");
		kv_set(&it->environment, "mount", "rw");
		assert_true(samples_add(&it->samples, &rate, value_u64(i)));
	}
	assert_int_equal(r->n_iterations, 100);
	assert_int_equal(r->iterations[63].seq, 63);
	assert_true(samples_get(&r->iterations[99].samples, "fsync.rate")->value.u == 99);
}

static void workloads_are_found_by_name(void **state)
{
	__cleanup_run struct run *r = run_new();

	(void)state;
	for (size_t i = 0; i < 5; i++)
		run_add_workload(r)->name = xasprintf("w%zu", i);
	assert_ptr_equal(run_find_workload(r, "w3"), &r->workloads[3]);
	assert_null(run_find_workload(r, "w"));
	assert_null(run_find_workload(r, "w33"));
}

static void released_iterations_are_empty(void **state)
{
	struct iteration it = { .seq = 3, .warmup = true, .workload = xstrdup("a") };

	(void)state;
	samples_add(&it.samples, &rate, value_u64(1));
	iteration_release(&it);
	assert_null(it.workload);
	assert_int_equal(it.samples.n, 0);
	iteration_release(&it);
	run_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_run_is_empty),
		cmocka_unit_test(everything_is_freed),
		cmocka_unit_test(workloads_are_found_by_name),
		cmocka_unit_test(released_iterations_are_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
