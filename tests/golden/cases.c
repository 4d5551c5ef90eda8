// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/golden/cases.h"

#include "lib/mem.h"
#include "tests/golden/exact.h"
#include "tests/golden/runs.h"

#include <string.h>

static const double slow[] = { 12410, 12380, 12552, 12401, 12498,
			       12337, 12429, 12610, 12395, 12444 };
static const double fast[] = { 11702, 11688, 11811, 11690, 11763,
			       11654, 11745, 11902, 11671, 11730 };

static void set_mount(struct run *r, const char *mount)
{
	strvec_push(&r->varied, "mount");
	kv_set(&r->settings, "mount", mount);
}

/* A whole arm: a workload of renames and one of stress-ng, on btrfs. */
static struct run *make_arm(const char *label, const char *mount, size_t arm)
{
	static const double bogo[2][10] = {
		{ 35993, 35712, 35369, 35544, 35623, 35939, 35693, 35562, 35675, 35610 },
		{ 32968, 33146, 32996, 33159, 33000, 33016, 32829, 32685, 32815, 32901 },
	};
	const double *p50 = arm ? fast : slow;
	struct run *r = runs_new(label);
	size_t first;

	set_mount(r, mount);
	runs_add_workload(r, "rename-replace", "1111aaaa2222bbbb");
	runs_add_workload(r, "stress-utime", "3333cccc4444dddd");
	runs_add_target(r, "btrfs", mount);
	first = runs_series(r, 0, arm, "rename-replace", "btrfs", "*rename.p50", p50, 10);
	for (size_t i = 0; i < 10; i++) {
		struct iteration *it = &r->iterations[first + i];

		runs_sample(it, "rename.p99", 8 * p50[i] + 1000 * (double)(i % 3));
		runs_sample(it, "rename.p999", 30 * p50[i]);
		runs_sample(it, "rename.max", 2000 * p50[i]);
		runs_sample(it, "ops", 1e9 / p50[i]);
		runs_sample(it, "wall", p50[i] / 5000);
		runs_sample(it, "sync", 0.0123 + 0.0001 * (double)i);
		runs_sample(it, "cpu.sys", p50[i] / 6000);
		runs_sample(it, "disk.flushes", 12 + (double)(i % 2));
		runs_sample(it, "disk.written", 734003200 + 4096 * (double)i);
	}
	runs_series(r, 20, arm, "stress-utime", "btrfs", "*bogo-ops", bogo[arm ? 1 : 0], 10);
	return r;
}

static size_t normal(struct run **runs)
{
	runs[0] = make_arm("base", "relatime", 0);
	runs[1] = make_arm("noatime", "noatime", 1);
	return 2;
}

/* Each side has something that the other one lacks. */
static size_t missing(struct run **runs)
{
	struct run *a = runs[0] = runs_new("before"), *b = runs[1] = runs_new("after");
	static const double iops[] = { 100, 101, 99, 100, 102, 98 };
	static const double half[] = { 50, 51, 49, 50, 52, 48 };

	runs_series(a, 0, 0, "w", "xfs", "*ops", iops, 6);
	runs_series(b, 0, 1, "w", "xfs", "*ops", half, 6);
	for (size_t i = 0; i < 6; i++)
		runs_sample(&a->iterations[i], "rename.p99", 5000);
	for (size_t i = 0; i < 4; i++)
		runs_sample(&b->iterations[i], "retries", 3);
	runs_series(a, 12, 0, "only-before", "xfs", "*wall", iops, 6);
	runs_series(b, 24, 1, "w", "ext4", "*wall", iops, 3);
	for (size_t i = 0; i < 3; i++)
		runs_fail(runs_iterate(a, 30 + i, "w", "ext4", "rw"), OUTCOME_TIMEOUT,
			  "no end within 120 s");
	return 2;
}

static size_t invalid(struct run **runs)
{
	struct run *a, *b;
	size_t n = normal(runs);

	a = runs[0];
	b = runs[1];
	a->iterations[0].warmup = true;
	b->iterations[0].warmup = true;
	runs_fail(&b->iterations[2], OUTCOME_FAILED, "the file system is 97 % full");
	runs_fail(&b->iterations[3], OUTCOME_FAILED, "the file system is 97 % full");
	runs_fail(&b->iterations[5], OUTCOME_TIMEOUT, "no end within 120 s");
	for (size_t i = 6; i < 10; i++)
		runs_fail(&b->iterations[i], OUTCOME_CRASHED, i < 9 ? "kernel panic" : "hung task");
	strvec_push(&b->iterations[12].warnings, "clock went backwards");
	strvec_push(&b->iterations[13].warnings, "clock went backwards");
	b->complete = false;
	b->planned = 24;
	str_replace(&b->end_reason, "interrupted");
	strvec_push(&b->load_warnings, "the last line of the journal was cut and is left out");
	return n;
}

/* Names that try to get out of the table, the mail, the terminal or the spreadsheet. */
static size_t hostile(struct run **runs)
{
	struct run *a, *b;
	size_t n = normal(runs);

	a = runs[0];
	b = runs[1];
	str_replace(&a->label, "\xe5\x9f\xba\xe6\xba\x96 <b>bold</b>");
	str_replace(&b->label, "=cmd|'/C calc'!A0 \033[31mred\033[0m 0123456789012345678901234567"
		    "890123456789");
	kv_set(&b->settings, "mount", "noatime\033]0;title\007");
	kv_set(&b->host, "cpu.model", "<script>alert(1)</script>\r\nFrom someone \xff\xfe\t");
	for (size_t i = 0; i < 10; i++) {
		runs_sample(&a->iterations[i], "averyveryveryveryverylongoperation-one.count", 3);
		runs_sample(&b->iterations[i], "averyveryveryveryverylongoperation-one.count", 4);
		runs_sample(&a->iterations[i], "averyveryveryveryverylongoperation-two.count", 3);
		runs_sample(&b->iterations[i], "averyveryveryveryverylongoperation-two.count", 4);
	}
	runs_series(b, 50, 1, "<b>job</b>\n\nFrom me", "dir:/a/very/long/folder/name/that/goes/on/and/"
		    "on/and/on/and/on/and/on", "*wall", slow, 2);
	return n;
}

static size_t three_arms(struct run **runs)
{
	runs[0] = make_arm("base", "relatime", 0);
	runs[1] = make_arm("noatime", "noatime", 1);
	runs[2] = make_arm("lazytime", "lazytime", 0);
	for (size_t i = 0; i < runs[2]->n_iterations; i++)
		runs[2]->iterations[i].seq++;
	return 3;
}

/* Nothing becomes something; something becomes twelve times as much; units that disagree. */
static size_t extremes(struct run **runs)
{
	static const double ones[] = { 100, 101, 102, 103, 104, 105 };
	static const double many[] = { 1240, 1250, 1260, 1270, 1280, 1290 };
	struct run *a = runs[0] = runs_new("a"), *b = runs[1] = runs_new("b");

	runs_series(a, 0, 0, "w", "btrfs", "*rename.p50", ones, 6);
	runs_series(b, 0, 1, "w", "btrfs", "*rename.p50", many, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct metric us = { "sync", "us", BETTER_NEUTRAL, KIND_TIME, false, NULL };

		runs_sample(&a->iterations[i], "lost", 0);
		runs_sample(&b->iterations[i], "lost", 12);
		runs_sample(&a->iterations[i], "retries", 0);
		runs_sample(&b->iterations[i], "retries", 0);
		runs_sample(&a->iterations[i], "ops", (double)i);
		runs_sample(&b->iterations[i], "ops", 1e7 + (double)i);
		runs_sample(&a->iterations[i], "sync", 0.001);
		samples_add(&b->iterations[i].samples, &us, value_double(900));
		runs_sample(&a->iterations[i], "disk.written", 9.5e18);
		runs_sample(&b->iterations[i], "disk.written", 9.5e18);
		runs_sample(&a->iterations[i], "strange", 1e-300);
		runs_sample(&b->iterations[i], "strange", 1e300);
		runs_sample(&a->iterations[i], "throughput", -5);
		runs_sample(&b->iterations[i], "throughput", 1128.35);
	}
	return 2;
}

/* Two single runs with a reboot and more between them. */
static size_t sessions(struct run **runs)
{
	struct run *a = runs[0] = runs_new("before"), *b = runs[1] = runs_new("after");
	static const double v[] = { 3.1, 3.2, 3.3 };

	runs_add_workload(a, "unlink-many", "1111111111111111");
	runs_add_workload(b, "unlink-many", "2222222222222222");
	runs_series(a, 0, 0, "unlink-many", "xfs", "*wall", v, 3);
	runs_series(b, 0, 0, "unlink-many", "xfs", "*wall", v, 3);
	str_replace(&b->session, "session-2");
	str_replace(&b->started, "2026-02-01T08:00:00Z");
	kv_set(&b->host, "kernel.release", "6.18.0-rc4");
	kv_set(&b->host, "kernel.build_id", "other");
	kv_set(&b->host, "kernel.debug", "KASAN,PROVE_LOCKING");
	kv_set(&b->host, "cpu.governor", "schedutil");
	kv_set(&b->host, "memory.total", "32874000");
	kv_set(&b->host, "kernel.cmdline", "BOOT_IMAGE=/boot/other root=/dev/vda1 ro quiet nosmt");
	for (size_t i = 0; i < 3; i++) {
		str_replace(&b->iterations[i].boot_id, "boot-2");
		kv_set(&b->iterations[i].environment, "mount.options",
		       "rw,relatime,discard=async,space_cache=v2");
		kv_set(&b->iterations[i].environment, "device.scheduler", "none");
	}
	return 2;
}

static size_t same(struct run **runs)
{
	runs[0] = make_arm("base", "relatime", 0);
	runs[1] = make_arm("base", "relatime", 0);
	return 2;
}

/* The same plan a day later, with another governor, in a boot of its own. */
static size_t pooled(struct run **runs)
{
	for (size_t i = 0; i < 4; i++) {
		struct run *r = runs[i] = make_arm(i < 2 ? "base" : "noatime",
						   i < 2 ? "relatime" : "noatime", i / 2);

		if (!(i & 1))
			continue;
		str_replace(&r->id, i == 1 ? "20260201T123456Z-base" : "20260201T123456Z-noatime");
		str_replace(&r->session, "session-2");
		str_replace(&r->started, "2026-02-01T12:34:56Z");
		kv_set(&r->host, "cpu.governor", "schedutil");
		for (size_t k = 0; k < r->n_iterations; k++)
			str_replace(&r->iterations[k].boot_id, "boot-2");
	}
	return 4;
}

/* Nothing is known, nothing is valid. */
static size_t empty(struct run **runs)
{
	runs[0] = run_new();
	runs[1] = run_new();
	runs_fail(runs_iterate(runs[1], 0, "w", "xfs", "rw"), OUTCOME_BROKEN, "mkfs.xfs failed");
	return 2;
}

const struct golden_case golden_cases[] = {
	{ "normal", normal, false },
	{ "missing", missing, false },
	{ "invalid", invalid, false },
	{ "hostile", hostile, false },
	{ "three-arms", three_arms, false },
	{ "extremes", extremes, false },
	{ "sessions", sessions, false },
	{ "same", same, false },
	{ "empty", empty, false },
	{ "exact", exact_runs, false },
	{ "pooled", pooled, true },
	{ NULL, NULL, false },
};
