// SPDX-License-Identifier: GPL-2.0-or-later
/* What differs between arms and can explain a result: each fact, and what is none. */
#include "results/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "tests/golden/runs.h"
#include "tests/unit/said.h"

#define N 10

struct pair {
	struct run *runs[2];
	struct comparison *c;
};

static void make_pair(struct pair *p)
{
	p->c = NULL;
	for (size_t a = 0; a < 2; a++) {
		double v[N];

		for (size_t i = 0; i < N; i++)
			v[i] = (a ? 110 : 100) + (double)(i * 7 % 10) / 10;
		p->runs[a] = runs_new(a ? "patched" : "base");
		runs_add_target(p->runs[a], "btrfs", "relatime");
		runs_series(p->runs[a], 0, a, "w", "btrfs", "*wall", v, N);
	}
}

static void compare(struct pair *p)
{
	comparison_free(p->c);
	p->c = compare_runs(p->runs, 2, NULL);
}

static void free_pair(struct pair *p)
{
	comparison_free(p->c);
	for (size_t a = 0; a < 2; a++)
		run_free(p->runs[a]);
}

static void set_host(struct pair *p, size_t arm, const char *key, const char *value)
{
	if (value)
		kv_set(&p->runs[arm]->host, key, value);
}

/* A fact of all iterations of an arm. */
static void set_seen(struct pair *p, size_t arm, const char *key, const char *value)
{
	for (size_t i = 0; value && i < N; i++)
		kv_set(&p->runs[arm]->iterations[i].environment, key, value);
}

static const struct compare_claim *claim_of(const struct comparison *c, const char *key)
{
	for (size_t i = 0; i < c->n_claims; i++)
		if (str_starts(c->claims[i].key ? c->claims[i].key : "", key))
			return &c->claims[i];
	return NULL;
}

/* What is compared, and whether it confounds. NULL: not known. */
static const struct gate {
	const char *key, *base, *arm;
	bool confounds;
} host_gates[] = {
	{ "kernel.release", "6.1", "6.2", true },
	{ "kernel.build_id", "aa", "bb", true },
	{ "kernel.version", "#1", "#2", true },
	{ "kernel.debug", "", "KASAN", true },
	{ "kernel.debug", "", NULL, true },
	{ "kernel.debug", "KASAN,KCSAN", "KCSAN,KASAN", false },
	{ "kernel.tuning", "HZ=250,NUMA", "HZ=1000,NUMA", true },
	{ "kernel.tuning", "HZ=250,NUMA", "NUMA,HZ=250", false },
	{ "kernel.cmdline", "root=/dev/a ro", "root=/dev/a ro mitigations=off", true },
	{ "kernel.cmdline", "BOOT_IMAGE=/a root=/dev/a ro quiet", "BOOT_IMAGE=/b root=/dev/b rw",
	  false },
	{ "kernel.config_hash", "1", "2", false },
	{ "virtual", "yes", "no", true },
	{ "cpu.model", "a", "b", true },
	{ "cpu.count", "2", "4", true },
	{ "cpu.microcode", "0x1", "0x2", true },
	{ "cpu.governor", "performance", "powersave", true },
	{ "cpu.driver", "acpi-cpufreq", "intel_pstate", true },
	{ "cpu.limits", "4000000", "2000000", true },
	{ "cpu.boost", "1", "0", true },
	{ "cpu.smt", "1", "0", true },
	{ "cpu.mitigations", "", "meltdown: Mitigation: PTI", true },
	{ "cpu.mitigations", NULL, "meltdown: Mitigation: PTI", true },
	{ "memory.total", "1000000", "1010000", false },
	{ "memory.total", "1000000", "1100000", true },
	{ "memory.writeback", "dirty_ratio=20", "dirty_ratio=40", true },
	{ "memory.hugepages", "always", "madvise", true },
	{ "clock.source", "tsc", "hpet", true },
	{ "tool.fio", "3.33", "3.38", true },
	{ "mkfs.btrfs", "6.2", "6.19", true },
	{ "mkfs.xfs", "6.1", "6.2", false }, /* there is no xfs */
	{ "fsdelta.version", "1", "2", false },
	{ "boot.id", "a", "b", false },
};

static const struct gate seen_gates[] = {
	{ "mount.options", "rw,relatime", "rw,noatime", true },
	{ "mount.options", "rw,relatime", "relatime,rw", false },
	{ "mount.options", "rw,relatime", NULL, true },
	{ "fs.features", "extref,node=16384", "extref,no-holes,node=16384", true },
	{ "mkfs.command", "mkfs.btrfs -f /dev/loop0", "mkfs.btrfs -f /dev/loop1", false },
	{ "mkfs.command", "mkfs.btrfs -f DEVICE", "mkfs.btrfs -n 4k -f DEVICE", true },
	{ "device.model", "a", "b", true },
	{ "device.size", "1", "2", true },
	{ "device.rotational", "0", "1", true },
	{ "device.scheduler", "none", "bfq", true },
	{ "device.write_cache", "write back", "write through", true },
	{ "device.queue", "nr_requests=64", "nr_requests=256", true },
	{ "cpu.governor", "performance", "powersave", true },
	{ "cpu.frequency", "4000", "3900", false },
	{ "cpu.frequency", "4000", "3000", true },
	{ "cpu.frequency", "4000", NULL, true },
	{ "cpu.frequency-before", "4000", "800", false },
};

static void check_gate(const struct gate *g, void (*set)(struct pair *, size_t, const char *,
							  const char *))
{
	struct pair p;

	make_pair(&p);
	kv_release(&p.runs[0]->host);
	kv_release(&p.runs[1]->host);
	for (size_t a = 0; a < 2; a++)
		for (size_t i = 0; i < N; i++)
			kv_release(&p.runs[a]->iterations[i].environment);
	set(&p, 0, g->key, g->base);
	set(&p, 1, g->key, g->arm);
	compare(&p);
	if (!claim_of(p.c, g->key) == g->confounds)
		fail_msg("%s: '%s' and '%s'", g->key, g->base ? g->base : "(none)",
			 g->arm ? g->arm : "(none)");
	assert_int_equal(p.c->rows[0].confounded, g->confounds);
	/* Both values are there, above the table. */
	if (g->confounds && g->base && g->arm && *g->base) {
		const struct compare_difference *d = p.c->differences;

		while (!str_starts(d->key, g->key))
			d++;
		assert_string_equal(d->values[0], g->base);
		assert_string_equal(d->values[1], g->arm);
	}
	free_pair(&p);
}

static void every_fact_has_its_gate(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(host_gates); i++)
		check_gate(&host_gates[i], set_host);
	for (size_t i = 0; i < ARRAY_SIZE(seen_gates); i++)
		check_gate(&seen_gates[i], set_seen);
}

/* What the plan varies is named so, and confounds nothing; what else differs does. */
static void what_is_planned_does_not_confound(void **state)
{
	struct pair p;

	(void)state;
	make_pair(&p);
	for (size_t a = 0; a < 2; a++) {
		strvec_push(&p.runs[a]->varied, "kernel");
		set_host(&p, a, "kernel.build_id", a ? "aa" : "bb");
	}
	compare(&p);
	assert_int_equal(p.c->n_claims, 0);
	assert_true(p.c->differences[0].planned);
	set_host(&p, 1, "kernel.debug", "PROVE_LOCKING");
	compare(&p);
	assert_non_null(claim_of(p.c, "kernel.debug"));
	assert_true(p.c->rows[0].confounded);
	free_pair(&p);
}

static void what_changes_on_the_way_is_said(void **state)
{
	struct pair p;

	(void)state;
	make_pair(&p);
	set_seen(&p, 0, "cpu.frequency", "4000");
	set_seen(&p, 1, "cpu.frequency", "4010");
	compare(&p);
	assert_false(any_has(&p.c->warnings, "changed from one iteration"));
	/* One that was throttled; the medians are still alike. */
	kv_set(&p.runs[1]->iterations[4].environment, "cpu.frequency", "2000");
	kv_set(&p.runs[0]->iterations[3].environment, "mount.options", "rw,noatime");
	kv_set(&p.runs[1]->iterations[3].environment, "mount.options", "rw,noatime");
	compare(&p);
	assert_true(any_has(&p.c->warnings, "CPU frequency seen (MHz) changed from one iteration of "
			    "patched to another (median 4010)"));
	assert_true(any_has(&p.c->warnings, "mount options in force on btrfs changed from one "
			    "iteration of base to another (rw,noatime | rw,relatime,space_cache=v2)"));
	assert_int_equal(p.c->n_claims, 0);
	/* The same mixture is no difference; one arm alone with it is. */
	kv_set(&p.runs[1]->iterations[3].environment, "mount.options",
	       "rw,relatime,space_cache=v2");
	compare(&p);
	assert_non_null(claim_of(p.c, "mount.options"));
	assert_non_null(strstr(p.c->claims[0].sentence, "rw,noatime | rw,relatime"));
	free_pair(&p);
}

static void marked(const char *debug, const char *fs, const char *want)
{
	struct pair p;

	make_pair(&p);
	for (size_t a = 0; a < 2; a++) {
		set_host(&p, a, "kernel.debug", debug);
		str_replace(&p.runs[a]->targets[0].fs, *fs ? fs : "");
		if (!*fs)
			set_seen(&p, a, "fs.type", "xfs");
	}
	compare(&p);
	if (want ? !p.c->watermark || !strstr(p.c->watermark, want) : p.c->watermark != NULL)
		fail_msg("%s on %s: %s", debug, fs, p.c->watermark ? p.c->watermark : "no mark");
	free_pair(&p);
}

/* Checks in a file system that nobody used are none of this result. */
static void only_the_debugging_in_use_is_marked(void **state)
{
	(void)state;
	marked("", "btrfs", NULL);
	marked("EXT4_DEBUG,XFS_DEBUG", "btrfs", NULL);
	marked("BTRFS_ASSERT,BTRFS_DEBUG", "ext4", NULL);
	marked("BTRFS_ASSERT,EXT4_DEBUG", "ext4", "DEBUG KERNEL: EXT4_DEBUG (base, patched)");
	marked("BTRFS_DEBUG,EXT4_DEBUG,KASAN", "xfs", "DEBUG KERNEL: KASAN (base, patched)");
	/* A folder says what it is on only while it is used. */
	marked("BTRFS_DEBUG", "", NULL);
	marked("XFS_WARN", "", "XFS_WARN");
}

static void nothing_in_common_is_one_sentence(void **state)
{
	struct pair p;

	(void)state;
	make_pair(&p);
	for (size_t i = 0; i < N; i++)
		str_replace(&p.runs[1]->iterations[i].workload, "v");
	compare(&p);
	assert_int_equal(p.c->n_rows, 0);
	assert_true(p.c->disjoint);
	assert_true(any_has(&p.c->warnings, "Nothing to compare: base and patched have no workload on "
			    "the same target (base has w on btrfs; patched has v on btrfs)."));
	assert_false(any_has(&p.c->warnings, "MISSING"));
	assert_int_equal(compare_outcome(p.c), COMPARE_INCONCLUSIVE);
	/* One cell in common, and the rest is MISSING. */
	str_replace(&p.runs[1]->iterations[0].workload, "w");
	compare(&p);
	assert_false(p.c->disjoint);
	assert_int_equal(p.c->n_rows, 2);
	free_pair(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fact_has_its_gate),
		cmocka_unit_test(what_is_planned_does_not_confound),
		cmocka_unit_test(what_changes_on_the_way_is_said),
		cmocka_unit_test(only_the_debugging_in_use_is_marked),
		cmocka_unit_test(nothing_in_common_is_one_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
