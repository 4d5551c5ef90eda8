/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's own counters, read before and after the timed window: their
 * difference says what the machine did meanwhile, beside what the tool says.
 */
#ifndef FSDELTA_HARNESS_COUNTERS_H
#define FSDELTA_HARNESS_COUNTERS_H

#include "lib/kv.h"

#include <stdbool.h>
#include <stdint.h>

/* Fields of /sys/block/X/stat (Documentation/block/stat.rst), in its order. */
enum {
	DISK_READ_IOS, DISK_READ_MERGES, DISK_READ_SECTORS, DISK_READ_TICKS,
	DISK_WRITE_IOS, DISK_WRITE_MERGES, DISK_WRITE_SECTORS, DISK_WRITE_TICKS,
	DISK_IN_FLIGHT, DISK_IO_TICKS, DISK_QUEUE_TICKS,
	DISK_DISCARD_IOS, DISK_DISCARD_MERGES, DISK_DISCARD_SECTORS, DISK_DISCARD_TICKS,
	DISK_FLUSH_IOS, DISK_FLUSH_TICKS,
	DISK_FIELDS,
};

struct counters {
	bool have_cpu;
	uint64_t cpu_busy, cpu_total; /* ticks over all CPUs, /proc/stat */
	int disk_fields;	      /* how many of disk[] this kernel has; 0: no disk */
	uint64_t disk[DISK_FIELDS];
	bool have_btrfs;
	uint64_t btrfs_commits, btrfs_commit_ms; /* commit_stats of the btrfs on the disk */
};

/* @root: prefix of /proc and /sys; @disk: "loop3", or NULL for none. */
void counters_read(const char *root, const char *disk, struct counters *c);
/*
 * The differences below are absent when one of the readings lacks them, or when the counter
 * went backwards (it was reset, or belongs to another device by now).
 */
/* Machine-wide CPU use between two readings, per cent; sets the fact "cpu.busy". */
void counters_cpu(const struct counters *before, const struct counters *after, struct kv *facts);
/* What the disk (and the btrfs on it) did: facts "disk.*" and "btrfs.*". */
void counters_disk(const struct counters *before, const struct counters *after, struct kv *facts);

#endif
