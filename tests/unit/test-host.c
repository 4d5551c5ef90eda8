// SPDX-License-Identifier: GPL-2.0-or-later
/* harness/host, on the machines in tests/hosts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/host.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "tests/unit/scratch.h"

static char *host_root(const char *name)
{
	const char *src = getenv("srcdir");

	return xasprintf("%s/tests/hosts/%s", src ? src : ".", name);
}

static void fact_is(const struct kv *kv, const char *key, const char *want)
{
	const char *value = kv_get(kv, key);

	if (!want && value)
		fail_msg("%s is '%s', should be absent", key, value);
	if (want && !value)
		fail_msg("%s is absent, should be '%s'", key, want);
	if (want)
		assert_string_equal(value, want);
}

static void virtual_machine(void **state)
{
	__cleanup_free char *root = host_root("vm");
	__cleanup_kv struct kv host = KV_INIT;

	(void)state;
	host_fingerprint(root, &host);
	fact_is(&host, "kernel.release", "6.18.44");
	fact_is(&host, "kernel.version", "#1 SMP PREEMPT_DYNAMIC Mon Jan  5 10:00:00 UTC 2026");
	fact_is(&host, "kernel.cmdline",
		"root=/dev/vda ro quiet mitigations=auto clocksource=kvm-clock");
	fact_is(&host, "kernel.build_id", "101112131415161718191a1b1c1d1e1f20212223");
	fact_is(&host, "kernel.debug", "");
	assert_int_equal(strlen(kv_get(&host, "kernel.config_hash")), 16);
	fact_is(&host, "cpu.model", "AMD EPYC");
	fact_is(&host, "cpu.count", "2");
	fact_is(&host, "virtual", "yes");
	fact_is(&host, "cpu.governor", NULL);
	fact_is(&host, "cpu.mitigations",
		"meltdown: Mitigation: PTI; spec_rstack_overflow: Vulnerable: No microcode; "
		"spec_store_bypass: Vulnerable; "
		"spectre_v1: Mitigation: usercopy/swapgs barriers and __user pointer sanitization; "
		"spectre_v2: Mitigation: Retpolines; STIBP: disabled; RSB filling; "
		"PBRSB-eIBRS: Not affected; BHI: Not affected");
	fact_is(&host, "memory.total", "24683620");
	fact_is(&host, "clock.source", "kvm-clock");
	fact_is(&host, "boot.id", "6f1f0f6e-0000-4000-8000-0123456789ab");
	/* Hashed: the id itself must not be told to anybody. */
	assert_int_equal(strlen(kv_get(&host, "machine.id")), 16);
	assert_null(strstr(kv_get(&host, "machine.id"), "0123456789"));
}

static void debug_kernel(void **state)
{
	__cleanup_free char *root = host_root("debug");
	__cleanup_kv struct kv host = KV_INIT;

	(void)state;
	host_fingerprint(root, &host);
	fact_is(&host, "kernel.release", "6.19.0-rc4+");
	/* Not what is a module, off, or only begins like one of them; the last line has no end. */
	fact_is(&host, "kernel.debug", "BTRFS_ASSERT,KASAN,PROVE_LOCKING");
	fact_is(&host, "cpu.model", "Some CPU (processor	) @ 3.00GHz");
	fact_is(&host, "cpu.count", "2");
	fact_is(&host, "virtual", "no");
	fact_is(&host, "cpu.governor", "performance");
	/* Known to have none is not the same as unknown. */
	fact_is(&host, "cpu.mitigations", "");
	fact_is(&host, "kernel.build_id", NULL);
	fact_is(&host, "machine.id", NULL);
	fact_is(&host, "memory.total", NULL);
	fact_is(&host, "clock.source", NULL);
}

static void old_kernel_elsewhere(void **state)
{
	__cleanup_free char *root = host_root("old");
	__cleanup_kv struct kv host = KV_INIT;

	(void)state;
	host_fingerprint(root, &host);
	assert_int_equal(host.n, 3);
	fact_is(&host, "kernel.release", "4.4.0");
	fact_is(&host, "kernel.cmdline", "root=/dev/dasda1");
	fact_is(&host, "memory.total", "500000");
}

/* What tunes a machine, of all its CPUs. */
static void cpus_and_memory(void **state)
{
	static const char *const files[][2] = {
		{ "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n" },
		{ "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n" },
		{ "sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n" },
		{ "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "intel_pstate\n" },
		{ "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "4000000\n" },
		{ "sys/devices/system/cpu/cpuidle/cpufreq/scaling_driver", "none\n" },
		{ "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n" },
		{ "sys/devices/system/cpu/smt/active", "1\n" },
		{ "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n" },
		{ "proc/sys/vm/dirty_ratio", "20\n" },
		{ "proc/sys/vm/swappiness", "60\n" },
		{ "proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0x42\ncpu MHz\t\t: 2100.5\n" },
		{ "proc/sys/kernel/osrelease", "1.0\n" },
		{ "lib/modules/1.0/config", "CONFIG_HZ_250=y\nCONFIG_HZ=250\nCONFIG_NUMA=y\n"
		  "CONFIG_PSI=m\nCONFIG_DEBUG_PAGEALLOC=y\nCONFIG_NUMA_BALANCING=y\n" },
	};
	__cleanup_kv struct kv host = KV_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		scratch_write(state, files[i][0], files[i][1]);
	host_fingerprint(*state, &host);
	fact_is(&host, "cpu.governor", "performance,schedutil");
	fact_is(&host, "cpu.driver", "intel_pstate");
	fact_is(&host, "cpu.limits", "4000000");
	fact_is(&host, "cpu.boost", "0");
	fact_is(&host, "cpu.smt", "1");
	fact_is(&host, "cpu.microcode", "0x42");
	fact_is(&host, "memory.hugepages", "madvise");
	fact_is(&host, "memory.writeback", "dirty_ratio=20 swappiness=60");
	fact_is(&host, "kernel.tuning", "HZ=250,NUMA,PSI=m");
	fact_is(&host, "kernel.debug", "DEBUG_PAGEALLOC");
}

static void the_frequency_is_that_of_the_fastest(void **state)
{
	assert_true(host_frequency(*state) == 0);
	scratch_write(state, "proc/cpuinfo", "cpu MHz\t\t: 2100.5\ncpu MHz\t\t: 3000.25\n"
		      "cpu MHz\t\t: none\n");
	assert_true(host_frequency(*state) == 3000.25);
	scratch_write(state, "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1200000\n");
	scratch_write(state, "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3600000\n");
	scratch_write(state, "sys/devices/system/cpu/cpufreq/scaling_cur_freq", "9900000\n");
	assert_true(host_frequency(*state) == 3600);
}

static void no_machine(void **state)
{
	__cleanup_kv struct kv host = KV_INIT;

	host_fingerprint(*state, &host);
	host_disk(*state, "loop0", &host);
	assert_int_equal(host.n, 0);
}

static void this_machine(void **state)
{
	__cleanup_kv struct kv host = KV_INIT;

	(void)state;
	host_fingerprint("", &host);
	assert_non_null(kv_get(&host, "kernel.release"));
	assert_non_null(kv_get(&host, "memory.total"));
}

static char *config_hash(void **state, const char *config)
{
	__cleanup_kv struct kv host = KV_INIT;

	scratch_write(state, "proc/sys/kernel/osrelease", "1.0\n");
	scratch_write(state, "lib/modules/1.0/config", config);
	host_fingerprint(*state, &host);
	fact_is(&host, "kernel.debug", strstr(config, "\nCONFIG_KCSAN=y") ? "KCSAN" : "");
	return xstrdup(kv_get(&host, "kernel.config_hash"));
}

static void config_hash_is_of_what_is_set(void **state)
{
	__cleanup_free char *a = config_hash(state, "# one\nCONFIG_A=y\n\nCONFIG_B=m\n");
	__cleanup_free char *same =
		config_hash(state, "CONFIG_A=y\n# CONFIG_C is not set\nCONFIG_B=m");
	__cleanup_free char *other = config_hash(state, "CONFIG_A=y\nCONFIG_B=y\n");
	__cleanup_free char *more = config_hash(state, "CONFIG_A=y\nCONFIG_B=m\nCONFIG_KCSAN=y\n");
	__cleanup_free char *joined = config_hash(state, "CONFIG_A=yCONFIG_B=m\n");

	assert_string_equal(a, same);
	assert_string_not_equal(a, other);
	assert_string_not_equal(a, more);
	assert_string_not_equal(a, joined);
}

/* An unreadable /proc/config.gz does not hide the distribution's copy, nor mix with it. */
static void config_falls_back(void **state)
{
	__cleanup_free char *root = host_root("vm");
	__cleanup_free char *from = xasprintf("%s/proc/config.gz", root);
	__cleanup_free char *to = scratch_path(state, "proc/config.gz");
	__cleanup_free char *alone = config_hash(state, "CONFIG_A=y\n");
	__cleanup_free char *beside = NULL;
	__cleanup_strbuf struct strbuf gz = STRBUF_INIT;

	assert_int_equal(file_read(from, &gz, 0), 0);
	gz.buf[gz.len - 6] ^= 0x55; /* its checksum */
	assert_int_equal(file_write(to, gz.buf, gz.len), 0);
	beside = config_hash(state, "CONFIG_A=y\n");
	assert_string_equal(alone, beside);
}

static void put_u32(struct strbuf *sb, uint32_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

static void put_note(struct strbuf *sb, uint32_t namesz, uint32_t descsz, uint32_t type,
		     const char *body, size_t len)
{
	put_u32(sb, namesz);
	put_u32(sb, descsz);
	put_u32(sb, type);
	strbuf_add(sb, body, len);
}

/* What the parser makes of @notes, which it gets in a buffer without room behind. */
static void build_id_is(void **state, const struct strbuf *notes, const char *want)
{
	__cleanup_free char *path = scratch_path(state, "sys/kernel/notes");
	__cleanup_kv struct kv host = KV_INIT;

	scratch_write(state, "sys/kernel/notes", "");
	assert_int_equal(file_write(path, strbuf_str(notes), notes->len), 0);
	host_fingerprint(*state, &host);
	fact_is(&host, "kernel.build_id", want);
}

static void build_id_of_garbled_notes(void **state)
{
	static const struct {
		uint32_t namesz, descsz, type;
		const char *body;
		size_t len;
		const char *want;
	} rows[] = {
		{ 4, 4, 3, "GNU\0\xde\xad\xbe\xef", 8, "deadbeef" },
		{ 4, 1, 3, "GNU\0\x07", 5, "07" },
		{ 4, 4, 1, "GNU\0\xde\xad\xbe\xef", 8, NULL },
		{ 4, 4, 3, "Xen\0\xde\xad\xbe\xef", 8, NULL },
		{ 4, 0, 3, "GNU\0", 4, NULL },
		{ 4, 5, 3, "GNU\0\xde\xad\xbe\xef", 8, NULL },
		{ 4, 4, 3, "GNU", 3, NULL },
		{ 4, 4, 3, "", 0, NULL },
		{ 3, 4, 3, "GNU\0\xde\xad\xbe\xef", 8, NULL },
		{ 0, 4, 3, "\xde\xad\xbe\xef", 4, NULL },
		{ UINT32_MAX, 4, 3, "GNU\0\xde\xad\xbe\xef", 8, NULL },
		{ 4, UINT32_MAX, 3, "GNU\0\xde\xad\xbe\xef", 8, NULL },
		{ UINT32_MAX, UINT32_MAX, UINT32_MAX, "GNU\0\xde\xad\xbe\xef", 8, NULL },
		{ UINT32_MAX - 11, 0, 3, "GNU\0", 4, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		__cleanup_strbuf struct strbuf notes = STRBUF_INIT;

		put_note(&notes, rows[i].namesz, rows[i].descsz, rows[i].type, rows[i].body,
			 rows[i].len);
		build_id_is(state, &notes, rows[i].want);
	}
}

/* Whatever the length: a build id is whole or absent. */
static void build_id_of_cut_notes(void **state)
{
	__cleanup_strbuf struct strbuf notes = STRBUF_INIT, all = STRBUF_INIT;

	put_note(&all, 6, 3, 0x101, "Linux\0\0\0abc\0", 12);
	put_note(&all, 4, 6, 3, "GNU\0\1\2\3\4\5\6\0\0", 12);
	put_note(&all, 4, 4, 3, "GNU\0\7\7\7\7", 8);
	for (size_t len = 0; len <= all.len; len++) {
		strbuf_reset(&notes);
		strbuf_add(&notes, all.buf, len);
		build_id_is(state, &notes, len >= 24 + 12 + 10 ? "010203040506" : NULL);
	}
}

static void disk_of_loop(void **state)
{
	__cleanup_free char *root = host_root("vm");
	__cleanup_kv struct kv facts = KV_INIT;

	(void)state;
	host_disk(root, "loop0", &facts);
	fact_is(&facts, "device.model", NULL);
	fact_is(&facts, "device.rotational", "0");
	fact_is(&facts, "device.scheduler", "none");
	fact_is(&facts, "device.write_cache", "write back");
	fact_is(&facts, "device.size", "2147483648");
	fact_is(&facts, "device.queue", "discard_max_bytes=4294966784 fua=0 logical_block_size=512 "
		"max_sectors_kb=1280 nr_requests=128 physical_block_size=512 read_ahead_kb=128 "
		"wbt_lat_usec=2000");
}

static void disk_and_partition(void **state)
{
	static const char *const shared[] = {
		"device.model", "device.rotational", "device.scheduler", "device.write_cache",
		"device.queue",
	};
	__cleanup_free char *root = host_root("debug");
	__cleanup_kv struct kv disk = KV_INIT, part = KV_INIT;

	(void)state;
	host_disk(root, "nvme0n1", &disk);
	fact_is(&disk, "device.model", "Some NVMe 512GB");
	fact_is(&disk, "device.scheduler", "mq-deadline");
	fact_is(&disk, "device.queue", "nr_requests=1023 read_ahead_kb=128");
	fact_is(&disk, "device.size", "512110190592");
	host_disk(root, "nvme0n1p2", &part);
	fact_is(&part, "device.size", "1048576");
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		fact_is(&part, shared[i], kv_get(&disk, shared[i]));
}

static void disk_of_old_kernel(void **state)
{
	__cleanup_free char *root = host_root("old");
	__cleanup_kv struct kv facts = KV_INIT;

	(void)state;
	host_disk(root, "sda", &facts);
	assert_int_equal(facts.n, 2);
	fact_is(&facts, "device.scheduler", "none");
	fact_is(&facts, "device.size", "1048576");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(virtual_machine),
		cmocka_unit_test(debug_kernel),
		cmocka_unit_test(old_kernel_elsewhere),
		scratch_test(cpus_and_memory),
		scratch_test(the_frequency_is_that_of_the_fastest),
		scratch_test(no_machine),
		cmocka_unit_test(this_machine),
		scratch_test(config_hash_is_of_what_is_set),
		scratch_test(config_falls_back),
		scratch_test(build_id_of_garbled_notes),
		scratch_test(build_id_of_cut_notes),
		cmocka_unit_test(disk_of_loop),
		cmocka_unit_test(disk_and_partition),
		cmocka_unit_test(disk_of_old_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
