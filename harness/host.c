// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/host.h"

#include "lib/file.h"
#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/strbuf.h"
#include "lib/strvec.h"

#include <dirent.h>
#include <elf.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

/* Options that change how fast a kernel is, by much or by an unknown amount. */
static const char *const debug_options[] = {
	"BTRFS_ASSERT", "BTRFS_DEBUG", "DEBUG_ATOMIC_SLEEP", "DEBUG_KMEMLEAK",
	"DEBUG_LOCK_ALLOC", "DEBUG_MUTEXES", "DEBUG_OBJECTS",
	"DEBUG_PAGEALLOC_ENABLE_DEFAULT", "DEBUG_RWSEMS", "DEBUG_SPINLOCK", "EXT4_DEBUG",
	"GCOV_KERNEL", "KASAN", "KCSAN", "KMSAN", "LOCKDEP", "LOCK_STAT", "PROVE_LOCKING",
	"PROVE_RCU", "SLUB_DEBUG_ON", "XFS_DEBUG", "XFS_WARN",
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

static size_t count_cpus(const char *cpuinfo)
{
	size_t n = 0;

	for (const char *s = cpuinfo; (s = strstr(s, "processor\t")); s++)
		n += s == cpuinfo || s[-1] == '\n';
	return n;
}

/*
 * "name: state" of every weakness that this kernel knows of and this CPU has, as the kernel
 * words it.
 */
static void mitigations(const char *root, struct kv *host)
{
	__cleanup_free char *base = xasprintf("%s/sys/devices/system/cpu/vulnerabilities", root);
	__cleanup_strvec struct strvec all = STRVEC_INIT;
	DIR *dir = opendir(base);
	bool any = false;
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		__cleanup_free char *state = proc_read_line(base, "/%s", e->d_name);

		any |= state != NULL;
		if (state && strcmp(state, "Not affected") != 0)
			strvec_pushf(&all, "%s: %s", e->d_name, state);
	}
	if (dir)
		closedir(dir);
	strvec_sort(&all);
	if (any)
		set_owned(host, "cpu.mitigations", strvec_join(&all, "; "));
}

/* Only the flags of x86 tell: elsewhere nothing is known. */
static void virtual(const char *cpuinfo, struct kv *host)
{
	__cleanup_free char *flags = proc_field(cpuinfo, "flags");
	__cleanup_strvec struct strvec words = STRVEC_INIT;

	if (!flags)
		return;
	strvec_split(&words, flags, ' ');
	kv_set(host, "virtual", strvec_has(&words, "hypervisor") ? "yes" : "no");
}

static void cpu_facts(const char *root, struct kv *host)
{
	__cleanup_free char *info = proc_read(root, "/proc/cpuinfo");

	if (info) {
		set_owned(host, "cpu.model", proc_field(info, "model name"));
		/* Not every architecture numbers them in this form. */
		if (count_cpus(info))
			kv_setf(host, "cpu.count", "%zu", count_cpus(info));
		virtual(info, host);
	}
	mitigations(root, host);
	set_owned(host, "cpu.governor",
		  proc_read_line(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
	set_owned(host, "clock.source",
		  proc_read_line(root, "/sys/devices/system/clocksource/clocksource0/"
				 "current_clocksource"));
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

void host_fingerprint(const char *root, struct kv *host)
{
	kernel_facts(root, host);
	cpu_facts(root, host);
	memory_total(root, host);
	set_owned(host, "boot.id", proc_read_line(root, "/proc/sys/kernel/random/boot_id"));
	machine_id(root, host);
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
