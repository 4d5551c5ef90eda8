// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/counters.h"

#include "lib/file.h"
#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/strbuf.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECTOR 512

static void read_cpu(const char *root, struct counters *c)
{
	__cleanup_free char *stat = proc_read(root, "/proc/stat");
	__cleanup_free char *line = stat ? proc_field(stat, "cpu") : NULL;
	uint64_t v[8] = { 0 }; /* user nice system idle iowait irq softirq steal */

	if (!line || sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			    " %" SCNu64 " %" SCNu64 " %" SCNu64, &v[0], &v[1], &v[2], &v[3], &v[4],
			    &v[5], &v[6], &v[7]) < 5)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		c->cpu_total += v[i];
	c->cpu_busy = c->cpu_total - v[3] - v[4];
	c->have_cpu = true;
}

static void read_disk(const char *root, const char *disk, struct counters *c)
{
	__cleanup_free char *line = proc_read_line(root, "/sys/class/block/%s/stat", disk);
	char *s = line;

	while (s && c->disk_fields < DISK_FIELDS) {
		char *end;
		uint64_t v = strtoull(s, &end, 10);

		if (end == s)
			break;
		c->disk[c->disk_fields++] = v;
		s = end;
	}
}

/* By device, never by uuid: two file systems may share one after a copy. */
static char *btrfs_of(const char *root, const char *disk)
{
	__cleanup_free char *base = xasprintf("%s/sys/fs/btrfs", root);
	char *found = NULL;
	struct dirent *e;
	DIR *d = opendir(base);

	while (d && !found && (e = readdir(d))) {
		__cleanup_free char *dev = xasprintf("%s/%s/devices/%s", base, e->d_name, disk);

		if (e->d_name[0] != '.' && file_exists(dev))
			found = xstrdup(e->d_name);
	}
	if (d)
		closedir(d);
	return found;
}

static void read_btrfs(const char *root, const char *disk, struct counters *c)
{
	__cleanup_free char *id = btrfs_of(root, disk);
	__cleanup_free char *text =
		id ? proc_read(root, "/sys/fs/btrfs/%s/commit_stats", id) : NULL;
	__cleanup_free char *commits = text ? proc_field(text, "commits") : NULL;
	__cleanup_free char *ms = text ? proc_field(text, "total_commit_ms") : NULL;
	unsigned long long n, n_ms;

	if (!commits || !ms)
		return;
	if (str_to_u64(commits, &n) || str_to_u64(ms, &n_ms))
		return;
	c->btrfs_commits = n;
	c->btrfs_commit_ms = n_ms;
	c->have_btrfs = true;
}

void counters_read(const char *root, const char *disk, struct counters *c)
{
	*c = (struct counters){ 0 };
	read_cpu(root, c);
	if (disk) {
		read_disk(root, disk, c);
		read_btrfs(root, disk, c);
	}
}

void counters_cpu(const struct counters *before, const struct counters *after, struct kv *facts)
{
	uint64_t busy, total;

	/* The kernel's sum of idle and iowait may step back a little. */
	if (!before->have_cpu || !after->have_cpu || after->cpu_total <= before->cpu_total ||
	    after->cpu_busy < before->cpu_busy)
		return;
	total = after->cpu_total - before->cpu_total;
	busy = after->cpu_busy - before->cpu_busy;
	if (busy <= total)
		kv_setf(facts, "cpu.busy", "%.2f", 100.0 * (double)busy / (double)total);
}

void counters_disk(const struct counters *before, const struct counters *after, struct kv *facts)
{
	static const struct {
		const char *fact;
		int field;
		uint64_t scale;
	} wanted[] = {
		{ "disk.read", DISK_READ_SECTORS, SECTOR },
		{ "disk.reads", DISK_READ_IOS, 1 },
		{ "disk.written", DISK_WRITE_SECTORS, SECTOR },
		{ "disk.writes", DISK_WRITE_IOS, 1 },
		{ "disk.discards", DISK_DISCARD_IOS, 1 },
		{ "disk.flushes", DISK_FLUSH_IOS, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		int f = wanted[i].field;

		/* Less than before: it is another disk by now. */
		if (f < before->disk_fields && f < after->disk_fields &&
		    after->disk[f] >= before->disk[f])
			kv_setf(facts, wanted[i].fact, "%" PRIu64,
				(after->disk[f] - before->disk[f]) * wanted[i].scale);
	}
	if (before->have_btrfs && after->have_btrfs &&
	    after->btrfs_commits >= before->btrfs_commits &&
	    after->btrfs_commit_ms >= before->btrfs_commit_ms) {
		kv_setf(facts, "btrfs.commits", "%" PRIu64,
			after->btrfs_commits - before->btrfs_commits);
		kv_setf(facts, "btrfs.commit-time", "%.3f",
			(double)(after->btrfs_commit_ms - before->btrfs_commit_ms) / 1e3);
	}
}
