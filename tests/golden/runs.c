// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/golden/runs.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <math.h>
#include <string.h>

static const struct metric known[] = {
	{ "rename.p50", "ns", BETTER_LOWER, KIND_QUANTILE, false, "half of the renames took less" },
	{ "rename.p99", "ns", BETTER_LOWER, KIND_QUANTILE, false, NULL },
	{ "rename.p999", "ns", BETTER_LOWER, KIND_QUANTILE, false, NULL },
	{ "rename.max", "ns", BETTER_LOWER, KIND_MAX, false, NULL },
	{ "ops", "1/s", BETTER_HIGHER, KIND_RATE_WORK, false, "renames per second" },
	{ "bogo-ops", "1/s", BETTER_HIGHER, KIND_RATE_TIME, false, "stress-ng, real time" },
	{ "throughput", "MB/s", BETTER_HIGHER, KIND_RATE_TIME, false, NULL },
	{ "wall", "s", BETTER_LOWER, KIND_TIME, false, "duration of the timed window" },
	{ "sync", "s", BETTER_LOWER, KIND_TIME, false, "sync right after the window" },
	{ "cpu.sys", "s", BETTER_LOWER, KIND_TIME, false, "kernel time of the workload" },
	{ "disk.flushes", "1", BETTER_NEUTRAL, KIND_COUNT, false, "cache flushes of the device" },
	{ "disk.written", "B", BETTER_NEUTRAL, KIND_COUNT, false, "bytes written to the device" },
	{ "lost", "1", BETTER_LOWER, KIND_COUNT, false, "events that were lost" },
	{ "retries", "1", BETTER_LOWER, KIND_COUNT, false, NULL },
};

struct run *runs_new(const char *label)
{
	static const char *const host[][2] = {
		{ "kernel.release", "6.18.0-rc3" },
		{ "kernel.version", "#1 SMP PREEMPT_DYNAMIC Sat Jan 31 10:00:00 UTC 2026" },
		{ "kernel.build_id", "9f1c2ab47d03e5586ab1c9d20e7745f3b8a61c02" },
		{ "kernel.cmdline", "BOOT_IMAGE=/boot/vmlinuz root=/dev/vda1 ro quiet" },
		{ "kernel.config_hash", "5bd0c1f2a9e84736" },
		{ "kernel.debug", "" },
		{ "cpu.model", "AMD EPYC 7B13" },
		{ "cpu.count", "8" },
		{ "cpu.governor", "performance" },
		{ "memory.total", "32874512" },
		{ "clock.source", "tsc" },
		{ "virtual", "kvm" },
		{ "boot.id", "boot-1" },
		{ "machine.id", "c3a1f0e2" },
		{ "tool.native", "0.1.0" },
		{ "mkfs.btrfs", "6.2" },
	};
	struct run *r = run_new();

	r->label = xstrdup(label);
	r->id = xasprintf("20260131T123456Z-%zu-%zu", strlen(label), (size_t)label[0]);
	r->session = xstrdup("session-1");
	r->role = xstrdup("");
	r->started = xstrdup("2026-01-31T12:34:56Z");
	r->finished = xstrdup("2026-01-31T12:59:01Z");
	r->version = xstrdup("0.1.0");
	r->complete = true;
	strvec_split(&r->command, "fsdelta run -w rename-replace -n 10", ' ');
	for (size_t i = 0; i < ARRAY_SIZE(host); i++)
		kv_set(&r->host, host[i][0], host[i][1]);
	return r;
}

void runs_add_workload(struct run *r, const char *name, const char *digest)
{
	struct run_workload *w = run_add_workload(r);

	w->name = xstrdup(name);
	w->digest = xstrdup(digest);
	w->text = xstrdup("[job]\ntool = native\n");
}

void runs_add_target(struct run *r, const char *name, const char *mount)
{
	struct run_target *t = run_add_target(r);

	t->name = xstrdup(name);
	t->fs = xstrdup(name);
	t->mkfs = xasprintf("mkfs.%s -f /dev/loop0", name);
	t->mount = xstrdup(mount);
	t->device = xstrdup("memory 8 GiB");
}

struct iteration *runs_iterate(struct run *r, uint64_t seq, const char *workload,
			       const char *target, const char *mount)
{
	struct iteration *it = run_add_iteration(r);

	it->seq = seq;
	it->block = seq / 2;
	it->number = seq / 2;
	it->workload = xstrdup(workload);
	it->target = xstrdup(target);
	it->outcome = OUTCOME_OK;
	it->started = xstrdup("2026-01-31T12:35:00Z");
	it->mono_ns = 1000000000ULL * (seq + 1);
	it->boot_id = xstrdup("boot-1");
	kv_set(&it->environment, "mount.options", mount);
	kv_setf(&it->environment, "mkfs.command", "mkfs.%s -f /dev/loop%llu", target,
		(unsigned long long)seq);
	r->planned++;
	return it;
}

void runs_fail(struct iteration *it, enum outcome outcome, const char *reason)
{
	it->outcome = outcome;
	it->reason = xstrdup(reason);
	samples_release(&it->samples);
}

void runs_sample(struct iteration *it, const char *metric, double value)
{
	bool primary = *metric == '*';
	struct metric m = { metric + primary, "x", BETTER_NEUTRAL, KIND_RATIO, false, NULL };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, m.name))
			m = known[i];
	m.primary = primary;
	if (m.kind == KIND_COUNT || (m.unit[0] == 'n' && value == trunc(value)))
		samples_add(&it->samples, &m, value_u64((uint64_t)value));
	else
		samples_add(&it->samples, &m, value_double(value));
}

size_t runs_series(struct run *r, uint64_t seq, size_t arm, const char *workload,
		   const char *target, const char *metric, const double *values, size_t n)
{
	const char *asked = kv_get(&r->settings, "mount");
	__cleanup_free char *mount = xasprintf("rw,%s,space_cache=v2", asked ? asked : "relatime");
	size_t first = r->n_iterations;

	for (size_t i = 0; i < n; i++) {
		/* Which arm goes first alternates, as in a plan. */
		uint64_t at = seq + 2 * i + ((arm + i) & 1);

		runs_sample(runs_iterate(r, at, workload, target, mount), metric, values[i]);
	}
	return first;
}
