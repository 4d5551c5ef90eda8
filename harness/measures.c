// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/measures.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

static const struct metric measures[] = {
	{ "btrfs.commit-time", "s", BETTER_NEUTRAL, KIND_TIME, false,
	  "time spent in transaction commits, window and sync" },
	{ "btrfs.commits", "1", BETTER_NEUTRAL, KIND_COUNT, false,
	  "transaction commits, window and sync" },
	{ "cpu.busy", "%", BETTER_NEUTRAL, KIND_RATIO, false,
	  "share of all CPUs in use during the window" },
	{ "cpu.sys", "s", BETTER_LOWER, KIND_TIME, false, "kernel time of the workload" },
	{ "cpu.user", "s", BETTER_LOWER, KIND_TIME, false, "user time of the workload" },
	{ "csw.involuntary", "1", BETTER_NEUTRAL, KIND_COUNT, false,
	  "involuntary context switches of the workload" },
	{ "csw.voluntary", "1", BETTER_NEUTRAL, KIND_COUNT, false,
	  "voluntary context switches of the workload (waits)" },
	{ "disk.discards", "1", BETTER_NEUTRAL, KIND_COUNT, false,
	  "discard requests, window and sync" },
	{ "disk.flushes", "1", BETTER_NEUTRAL, KIND_COUNT, false,
	  "cache flushes of the device, window and sync" },
	{ "disk.read", "B", BETTER_NEUTRAL, KIND_COUNT, false,
	  "bytes read from the device, window and sync" },
	{ "disk.reads", "1", BETTER_NEUTRAL, KIND_COUNT, false,
	  "read requests, window and sync" },
	{ "disk.writes", "1", BETTER_NEUTRAL, KIND_COUNT, false,
	  "write requests, window and sync" },
	{ "disk.written", "B", BETTER_NEUTRAL, KIND_COUNT, false,
	  "bytes written to the device, window and sync" },
	{ "fill.bytes", "%", BETTER_NEUTRAL, KIND_RATIO, false,
	  "space in use at the end of the window" },
	{ "fill.bytes-before", "%", BETTER_NEUTRAL, KIND_RATIO, false,
	  "space in use before the window" },
	{ "fill.synced", "%", BETTER_NEUTRAL, KIND_RATIO, false,
	  "space in use after the sync" },
	{ "fill.inodes", "%", BETTER_NEUTRAL, KIND_RATIO, false,
	  "inodes in use at the end of the window" },
	{ "sync", "s", BETTER_LOWER, KIND_TIME, false, "sync right after the window" },
	{ "umount", "s", BETTER_LOWER, KIND_TIME, false, "the umount that succeeded" },
	{ "wall", "s", BETTER_LOWER, KIND_TIME, false, "duration of the timed window" },
};

void measures_add(const struct kv *facts, bool fixed_time, struct samples *samples)
{
	for (size_t i = 0; i < ARRAY_SIZE(measures); i++) {
		const char *text = kv_get(facts, measures[i].name);
		struct metric m = measures[i];
		unsigned long long u;
		double d;

		if (fixed_time)
			m.better = BETTER_NEUTRAL;
		if (text && !str_to_u64(text, &u))
			samples_add(samples, &m, value_u64(u));
		else if (text && !str_to_double(text, &d))
			samples_add(samples, &m, value_double(d));
	}
}
