// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/host.h"

#include "lib/file.h"
#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/strbuf.h"
#include "lib/strvec.h"

#include <elf.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

/* Options that change how fast a kernel is, by much or by an unknown amount. */
static const char *const debug_options[] = {
	"BTRFS_ASSERT", "BTRFS_DEBUG", "BTRFS_FS_REF_VERIFY", "DEBUG_ATOMIC_SLEEP",
	"DEBUG_KMEMLEAK", "DEBUG_LOCK_ALLOC", "DEBUG_MUTEXES", "DEBUG_OBJECTS",
	"DEBUG_PAGEALLOC", "DEBUG_PAGEALLOC_ENABLE_DEFAULT", "DEBUG_RWSEMS", "DEBUG_SPINLOCK",
	"EXT4_DEBUG", "FAULT_INJECTION", "GCOV_KERNEL", "KASAN", "KCOV", "KCSAN", "KMSAN",
	"LOCKDEP", "LOCK_STAT", "PROVE_LOCKING", "PROVE_RCU", "SLUB_DEBUG_ON", "XFS_DEBUG",
	"XFS_DEBUG_EXPENSIVE", "XFS_WARN",
};

/* Options and families of them that tune a kernel without being a fault in it. */
static const char *const tuning_options[] = {
	"AUTOFDO_CLANG", "BLK_WBT", "BLK_WBT_MQ", "CC_OPTIMIZE_FOR_PERFORMANCE",
	"CC_OPTIMIZE_FOR_SIZE", "CFI_CLANG", "CPU_MITIGATIONS", "DEBUG_VM", "FORTIFY_SOURCE",
	"FUNCTION_TRACER", "HARDENED_USERCOPY", "HZ", "INIT_ON_ALLOC_DEFAULT_ON",
	"INIT_ON_FREE_DEFAULT_ON", "INIT_STACK_ALL_PATTERN", "INIT_STACK_ALL_ZERO", "JBD2_DEBUG", "KFENCE",
	"LTO_CLANG_FULL", "LTO_CLANG_THIN", "MEMCG", "NO_HZ_FULL", "NO_HZ_IDLE", "NUMA",
	"PAGE_POISONING", "PREEMPT", "PREEMPT_DYNAMIC", "PREEMPT_LAZY", "PREEMPT_NONE",
	"PREEMPT_RT", "PREEMPT_VOLUNTARY", "PROPELLER_CLANG", "PSI", "RANDOM_KMALLOC_CACHES",
	"SLAB_FREELIST_HARDENED", "SLAB_FREELIST_RANDOM", "SMP",
	"TRANSPARENT_HUGEPAGE_ALWAYS", "TRANSPARENT_HUGEPAGE_MADVISE", "UBSAN", "UBSAN_BOUNDS",
};

static void set_owned(struct kv *kv, const char *key, char *value)
{
	if (value)
		kv_set(kv, key, value);
	free(value);
}

static int read_gz(const char *path, struct strbuf *out)
{
	gzFile gz = gzopen(path, "rbe");
	char buf[16384];
	int n;

	if (!gz)
		return -1;
	while ((n = gzread(gz, buf, sizeof(buf))) > 0)
		strbuf_add(out, buf, (size_t)n);
	gzclose(gz);
	return n < 0 ? -1 : 0;
}

/* The running kernel's config: /proc/config.gz, else the distribution's copy. */
static int read_config(const char *root, const char *release, struct strbuf *out)
{
	static const char *const places[] = { "/boot/config-", "/lib/modules/" };
	__cleanup_free char *gz = xasprintf("%s/proc/config.gz", root);

	if (file_exists(gz) && !read_gz(gz, out))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		__cleanup_free char *path = xasprintf("%s%s%s%s", root, places[i], release,
						      i ? "/config" : "");

		strbuf_reset(out);
		if (!file_read(path, out, 4 << 20))
			return 0;
	}
	return -1;
}

static bool config_is_on(const struct strvec *lines, const char *option)
{
	__cleanup_free char *line = xasprintf("CONFIG_%s=y", option);

	return strvec_has(lines, line);
}

/* "HZ=250,PREEMPT_DYNAMIC,..." */
static void tuning(const struct strvec *lines, struct kv *host)
{
	__cleanup_strvec struct strvec on = STRVEC_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(tuning_options); i++) {
		__cleanup_free char *start = xasprintf("CONFIG_%s=", tuning_options[i]);

		for (size_t k = 0; k < lines->n; k++) {
			const char *value = lines->v[k] + strlen(start);

			if (!str_starts(lines->v[k], start))
				continue;
			if (!strcmp(value, "y"))
				strvec_push(&on, tuning_options[i]);
			else
				strvec_pushf(&on, "%s=%s", tuning_options[i], value);
		}
	}
	set_owned(host, "kernel.tuning", strvec_join(&on, ","));
}

static void config_facts(const char *root, const char *release, struct kv *host)
{
	__cleanup_strbuf struct strbuf config = STRBUF_INIT;
	__cleanup_strvec struct strvec lines = STRVEC_INIT, on = STRVEC_INIT;
	struct hash64 h = HASH64_INIT;

	if (read_config(root, release, &config))
		return;
	strvec_split(&lines, strbuf_str(&config), '\n');
	for (size_t i = 0; i < lines.n; i++)
		if (lines.v[i][0] != '#')
			hash64_add(&h, lines.v[i], strlen(lines.v[i]) + 1);
	kv_setf(host, "kernel.config_hash", "%016llx", (unsigned long long)h.value);
	for (size_t i = 0; i < ARRAY_SIZE(debug_options); i++)
		if (config_is_on(&lines, debug_options[i]))
			strvec_push(&on, debug_options[i]);
	set_owned(host, "kernel.debug", strvec_join(&on, ","));
	tuning(&lines, host);
}

/* The GNU build id is the note of type 3 in /sys/kernel/notes. */
static void build_id(const char *root, struct kv *host)
{
	__cleanup_free char *path = xasprintf("%s/sys/kernel/notes", root);
	__cleanup_strbuf struct strbuf notes = STRBUF_INIT;
	__cleanup_strbuf struct strbuf hex = STRBUF_INIT;
	Elf64_Nhdr n;

	if (file_read(path, &notes, 1 << 16))
		return;
	for (uint64_t at = 0; at + sizeof(n) <= notes.len;) {
		memcpy(&n, notes.buf + at, sizeof(n));
		uint64_t name = at + sizeof(n);
		uint64_t desc = name + ((uint64_t)n.n_namesz + 3) / 4 * 4;

		if (desc + n.n_descsz > notes.len)
			return;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && n.n_descsz &&
		    !memcmp(notes.buf + name, "GNU", 4)) {
			for (size_t i = 0; i < n.n_descsz; i++)
				strbuf_addf(&hex, "%02x", (unsigned char)notes.buf[desc + i]);
			kv_set(host, "kernel.build_id", strbuf_str(&hex));
			return;
		}
		at = desc + ((uint64_t)n.n_descsz + 3) / 4 * 4;
	}
}

static void kernel_facts(const char *root, struct kv *host)
{
	__cleanup_free char *release = proc_read_line(root, "/proc/sys/kernel/osrelease");

	if (release) {
		kv_set(host, "kernel.release", release);
		config_facts(root, release, host);
	}
	set_owned(host, "kernel.version", proc_read_line(root, "/proc/sys/kernel/version"));
	set_owned(host, "kernel.cmdline", proc_read_line(root, "/proc/cmdline"));
	build_id(root, host);
}

static void machine_id(const char *root, struct kv *host)
{
	__cleanup_free char *id = proc_read_line(root, "/etc/machine-id");
	struct hash64 h = HASH64_INIT;

	/* The word that images hold until their first boot. */
	if (!id || !*id || !strcmp(id, "uninitialized"))
		return;
	hash64_add(&h, id, strlen(id));
	kv_setf(host, "machine.id", "%016llx", (unsigned long long)h.value);
}

static void memory_total(const char *root, struct kv *host)
{
	__cleanup_free char *info = proc_read(root, "/proc/meminfo");
	__cleanup_free char *total = info ? proc_field(info, "MemTotal") : NULL;

	if (!total)
		return;
	total[strcspn(total, " ")] = '\0'; /* " kB", which are KiB */
	kv_set(host, "memory.total", total);
}

/* The active scheduler stands in brackets: "[none] mq-deadline". */
static char *active_word(char *line)
{
	char *open = line ? strchr(line, '[') : NULL;
	char *close = open ? strchr(open, ']') : NULL;
	char *word = close ? xstrndup(open + 1, (size_t)(close - open - 1)) : NULL;

	if (!word)
		return line;
	free(line);
	return word;
}

/* What decides when dirty pages are written, and how. */
static void memory_policy(const char *root, struct kv *host)
{
	static const char *const names[] = {
		"dirty_background_bytes", "dirty_background_ratio", "dirty_bytes",
		"dirty_expire_centisecs", "dirty_ratio", "dirty_writeback_centisecs", "swappiness",
		"vfs_cache_pressure",
	};
	__cleanup_strvec struct strvec all = STRVEC_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		__cleanup_free char *v = proc_read_line(root, "/proc/sys/vm/%s", names[i]);

		if (v)
			strvec_pushf(&all, "%s=%s", names[i], v);
	}
	if (all.n)
		set_owned(host, "memory.writeback", strvec_join(&all, " "));
	set_owned(host, "memory.hugepages",
		  active_word(proc_read_line(root, "/sys/kernel/mm/transparent_hugepage/enabled")));
}

void host_fingerprint(const char *root, struct kv *host)
{
	kernel_facts(root, host);
	host_cpu(root, host);
	set_owned(host, "clock.source",
		  proc_read_line(root, "/sys/devices/system/clocksource/clocksource0/"
				 "current_clocksource"));
	memory_total(root, host);
	memory_policy(root, host);
	set_owned(host, "boot.id", proc_read_line(root, "/proc/sys/kernel/random/boot_id"));
	machine_id(root, host);
}

/* A partition has the queue and the model of its disk, the folder above it; the caller frees. */
static char *whole_disk(const char *root, const char *name)
{
	__cleanup_free char *dir = xasprintf("%s/sys/class/block/%s", root, name);
	__cleanup_free char *part = xasprintf("%s/partition", dir);

	return file_exists(part) ? xasprintf("%s/..", dir) : xstrdup(dir);
}

void host_disk(const char *root, const char *name, struct kv *facts)
{
	__cleanup_free char *disk = whole_disk(root, name);
	static const char *const limits[] = {
		"discard_max_bytes", "fua", "logical_block_size", "max_sectors_kb",
		"nr_requests", "physical_block_size", "read_ahead_kb", "wbt_lat_usec",
	};
	__cleanup_strvec struct strvec queue = STRVEC_INIT;
	uint64_t sectors;

	set_owned(facts, "device.model", proc_read_line(disk, "/device/model"));
	set_owned(facts, "device.rotational", proc_read_line(disk, "/queue/rotational"));
	set_owned(facts, "device.write_cache", proc_read_line(disk, "/queue/write_cache"));
	set_owned(facts, "device.scheduler",
		  active_word(proc_read_line(disk, "/queue/scheduler")));
	if (!proc_read_u64(root, &sectors, "/sys/class/block/%s/size", name))
		kv_setf(facts, "device.size", "%llu", (unsigned long long)sectors * 512);
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		__cleanup_free char *v = proc_read_line(disk, "/queue/%s", limits[i]);

		if (v)
			strvec_pushf(&queue, "%s=%s", limits[i], v);
	}
	if (queue.n)
		set_owned(facts, "device.queue", strvec_join(&queue, " "));
}
