// SPDX-License-Identifier: GPL-2.0-or-later
/* results/pool: what must not be pooled, and how that is said. */
#include "results/pool.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/compare.h"
#include "tests/golden/runs.h"
#include "tests/unit/pool-fixture.h"
#include "tests/unit/said.h"

static void check_obstacle(struct run *b, const char *want)
{
	__cleanup_run struct run *a = pool_fixture_run("base", 0, NULL, 100, 6);
	const char *why = pool_obstacle(a, b);

	if (!str_eq(why, want))
		fail_msg("'%s', not '%s'", why ? why : "(none)", want ? want : "(none)");
	run_free(b);
}

static struct run *other_host(const char *key, const char *value)
{
	struct run *r = pool_fixture_run("base", 1, NULL, 100, 6);

	kv_set(&r->host, key, value);
	return r;
}

static struct run *changed(void (*change)(struct run *r))
{
	struct run *r = pool_fixture_run("base", 1, NULL, 100, 6);

	change(r);
	return r;
}

static void set_mkfs(struct run *r)
{
	str_replace(&r->targets[0].mkfs, "mkfs.btrfs -f -n 4k /dev/loop0");
}

static void set_loop(struct run *r)
{
	str_replace(&r->targets[0].mkfs, "mkfs.btrfs -f /dev/loop9");
}

static void set_device(struct run *r)
{
	str_replace(&r->targets[0].device, "image x 8 GiB");
}

static void set_digest(struct run *r)
{
	str_replace(&r->workloads[0].digest, "2222");
}

static void set_name(struct run *r)
{
	str_replace(&r->workloads[0].name, "v");
}

static void set_more(struct run *r)
{
	runs_add_workload(r, "v", "3333");
}

static void set_mount(struct run *r)
{
	kv_set(&r->settings, "mount", "noatime");
}

static void set_varied(struct run *r)
{
	strvec_push(&r->varied, "mount");
}

static void set_session(struct run *r)
{
	str_replace(&r->session, "s0");
}

static void set_unknown(struct run *r)
{
	kv_release(&r->host);
}

static void only_the_same_is_pooled(void **state)
{
	__cleanup_run struct run *a = pool_fixture_run("base", 0, NULL, 100, 6);
	__cleanup_run struct run *b = pool_fixture_run("base", 1, NULL, 100, 6);

	(void)state;
	check_obstacle(pool_fixture_run("base", 1, NULL, 100, 12), NULL);
	check_obstacle(changed(set_loop), NULL);
	check_obstacle(other_host("cpu.governor", "schedutil"), NULL);
	check_obstacle(other_host("machine.id", "x"), "another machine");
	check_obstacle(changed(set_unknown), "which machine it was is not known");
	check_obstacle(other_host("kernel.build_id", "x"), "another kernel");
	check_obstacle(other_host("kernel.config_hash", "x"), "another kernel");
	check_obstacle(changed(set_mkfs), "another plan: other targets, mkfs or mount options");
	check_obstacle(changed(set_device), "another plan: other targets, mkfs or mount options");
	check_obstacle(changed(set_digest), "another job file");
	check_obstacle(changed(set_name), "other workloads");
	check_obstacle(changed(set_more), "other workloads");
	check_obstacle(changed(set_mount), "another plan: other settings of the arm");
	check_obstacle(changed(set_varied), "another plan: other settings of the arm");
	check_obstacle(changed(set_session), "the same session again");
	/* Two kernels of which nothing but a name is known are not one. */
	for (size_t i = 0; i < 2; i++) {
		struct run *r = i ? b : a;

		kv_release(&r->host);
		kv_set(&r->host, "machine.id", "m");
		kv_set(&r->host, "kernel.release", "6.18");
	}
	assert_string_equal(pool_obstacle(a, b), "which kernel it was is not known");
}

static void rejects_are_named(void **state)
{
	struct pool_arm arms[2] = { { NULL, 0 } };
	struct pool p = POOL_INIT;

	(void)state;
	for (unsigned int s = 0; s < 3; s++) {
		pool_fixture_give(&arms[0], pool_fixture_run("base", s, NULL, 100, 6));
		if (s < 2)
			set_digest(arms[0].runs[s]);
	}
	pool_fixture_give(&arms[1], pool_fixture_run("patched", 2, NULL, 100, 6));
	pool_fixture_pool(&p, arms, 2);
	assert_int_equal(p.runs[0]->n_iterations, 6);
	assert_true(any_has(&p.notes, "Not pooled: 2 earlier results called base: another job file"));
	pool_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_same_is_pooled),
		cmocka_unit_test(rejects_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
