// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/strbuf.h"
#include "tests/unit/scratch.h"

#define KPROBES "ffffffff81000000 T register_kprobe\n"

static const char kallsyms[] =
	KPROBES
	"ffffffff81000010 t foo.constprop.0\n"
	"ffffffff81000020 T foo\n"
	"ffffffff81000030 t bar.isra.0\n"
	"ffffffff81000040 t baz.cold\n"
	"ffffffff81000050 t baz\n"
	"ffffffff81000060 t tail.isra.0.cold\n"
	"ffffffff81000070 t split.part.0\n"
	"ffffffff81000080 t split\n"
	"ffffffff81000090 t twice\n"
	"ffffffff810000a0 t twice\n"
	"ffffffff810000b0 t do_page_fault\n"
	"ffffffff810000c0 T __x64_sys_fsync\n"
	"ffffffff810000d0 D data_only\n"
	"ffffffff810000e0 t quiet\n"
	"ffffffffc0000000 t init\t[btrfs]\n"
	"ffffffffc0000010 t init\t[xfs]\n"
	"ffffffffc0000020 t btrfs_log_inode\t[btrfs]\n"
	"ffffffffc0000030 t btrfs_log_inode.cold\t[btrfs]\n";

static void expect(void **state, const char *function, const char *module, enum probeable result,
		   const char *probe, const char *sentence)
{
	__cleanup_free char *joined = NULL;
	struct probe_answer a;
	struct symbols s;

	symbols_load(&s, *state);
	symbols_check(&s, function, module, NULL, &a);
	joined = strvec_join(&a.probe, " ");
	if (a.result != result || (sentence && !strstr(a.sentence, sentence)))
		print_error("%s\n", a.sentence);
	assert_int_equal(a.result, result);
	assert_string_equal(joined, probe);
	assert_true(str_starts(a.sentence, function));
	if (sentence)
		assert_non_null(strstr(a.sentence, sentence));
	assert_int_equal(probeable_counts(a.result), a.probe.n > 0);
	probe_answer_release(&a);
	symbols_release(&s);
}

static void copies(void **state)
{
	scratch_write(state, "proc/kallsyms", kallsyms);
	expect(state, "foo", NULL, PROBEABLE_COPIES, "foo foo.constprop.0",
	       "2 copies, all probed and added: foo, foo.constprop.0");
	expect(state, "bar", NULL, PROBEABLE, "bar.isra.0", "probeable as bar.isra.0");
	expect(state, "baz", NULL, PROBEABLE, "baz", NULL);
	expect(state, "foo.constprop.0", NULL, PROBEABLE, "foo.constprop.0", NULL);
	expect(state, "split", NULL, PROBEABLE_COPIES, "split split.part.0", "counted twice");
	expect(state, "sys_fsync", NULL, PROBEABLE, "__x64_sys_fsync", NULL);
	expect(state, "btrfs_log_inode", "btrfs", PROBEABLE, "btrfs_log_inode", "[btrfs]");
	expect(state, "init", "btrfs", PROBEABLE, "init", "[btrfs]");
}

static void parts_are_inexact(void **state)
{
	struct probe_answer a;
	struct symbols s;

	scratch_write(state, "proc/kallsyms", kallsyms);
	symbols_load(&s, *state);
	symbols_check(&s, "split", NULL, NULL, &a);
	assert_true(a.inexact);
	probe_answer_release(&a);
	symbols_check(&s, "foo", NULL, NULL, &a);
	assert_false(a.inexact);
	probe_answer_release(&a);
	symbols_release(&s);
}

static void no_probe_point(void **state)
{
	scratch_write(state, "proc/kallsyms", kallsyms);
	expect(state, "qux", NULL, PROBEABLE_NO_SYMBOL, "",
	       "no probe point: inlined into its callers, renamed, or not built");
	expect(state, "data_only", NULL, PROBEABLE_NO_SYMBOL, "", NULL);
	expect(state, "tail", NULL, PROBEABLE_ONLY_COLD, "", "only its unlikely part");
	expect(state, "twice", NULL, PROBEABLE_AMBIGUOUS, "", "2 functions have this name");
	expect(state, "init", NULL, PROBEABLE_AMBIGUOUS, "", NULL);
	/* A static function of btrfs without the prefix: btrfs itself is there. */
	expect(state, "start_log_trans", "btrfs", PROBEABLE_NO_SYMBOL, "", NULL);
}

static void stand_ins(void **state)
{
	__cleanup_strvec struct strvec callers = STRVEC_INIT;
	struct probe_answer a;
	struct symbols s;

	for (int i = 0; i < 6; i++)
		strvec_pushf(&callers, "caller%d", i);
	scratch_write(state, "proc/kallsyms", kallsyms);
	symbols_load(&s, *state);
	symbols_check(&s, "qux", NULL, &callers, &a);
	assert_non_null(strstr(a.sentence, "could stand in: caller0, caller1, caller2, caller3 and 2 "
					   "more"));
	probe_answer_release(&a);
	symbols_release(&s);
}

static void modules(void **state)
{
	scratch_write(state, "proc/kallsyms", kallsyms);
	expect(state, "ext4_sync_file", NULL, PROBEABLE_NOT_LOADED, "", "no symbol begins with ext4_");
	expect(state, "frob_it", NULL, PROBEABLE_NO_SYMBOL, "", NULL);
	scratch_write(state, "proc/sys/kernel/osrelease", "6.1.0\n");
	scratch_write(state, "proc/modules", "btrfs 1000 0 - Live 0x0\nother 1 0 - Live 0x0\n");
	scratch_write(state, "lib/modules/6.1.0/modules.dep",
		      "kernel/fs/btrfs/btrfs.ko: kernel/lib/raid6/raid6_pq.ko\n"
		      "kernel/x/frob.ko.xz:\nkernel/x/dm-mod.ko:\n");
	expect(state, "frob_it", NULL, PROBEABLE_NOT_LOADED, "", "the module frob is not loaded");
	expect(state, "make_table", "dm_mod", PROBEABLE_NOT_LOADED, "", "dm_mod");
	expect(state, "btrfs_nosuch", NULL, PROBEABLE_NO_SYMBOL, "", NULL);
}

static void refused(void **state)
{
	scratch_write(state, "proc/kallsyms", kallsyms);
	scratch_write(state, "sys/kernel/debug/kprobes/blacklist",
		      "0xffffffff810000b0-0xffffffff810000c0\tdo_page_fault\n");
	expect(state, "do_page_fault", NULL, PROBEABLE_BLACKLISTED, "", "blacklist");
	scratch_write(state, "sys/kernel/debug/tracing/available_filter_functions",
		      "foo\nbar.isra.0\nbtrfs_log_inode [btrfs]\n");
	expect(state, "quiet", NULL, PROBEABLE_NOTRACE, "", "available_filter_functions");
	expect(state, "foo", NULL, PROBEABLE, "foo", "1 more cannot be probed");
	expect(state, "btrfs_log_inode", NULL, PROBEABLE, "btrfs_log_inode", NULL);
	scratch_write(state, "sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	expect(state, "foo", NULL, PROBEABLE_NO_KPROBES, "", "locked down");
}

static void no_kprobes(void **state)
{
	scratch_write(state, "proc/kallsyms", "ffffffff81000000 T foo\nffffffff81000010 t b.cold\n");
	expect(state, "foo", NULL, PROBEABLE_NO_KPROBES, "", "CONFIG_KPROBES is off); the function "
	       "itself is there");
	expect(state, "b", NULL, PROBEABLE_NO_KPROBES, "", "inlined but for a cold part");
	expect(state, "qux", NULL, PROBEABLE_NO_KPROBES, "", "not there under its name");
}

static void nothing_to_read(void **state)
{
	expect(state, "foo", NULL, PROBEABLE_UNKNOWN, "", "cannot be read");
	scratch_write(state, "proc/kallsyms", "");
	expect(state, "foo", NULL, PROBEABLE_UNKNOWN, "", "lists no function");
	scratch_write(state, "proc/kallsyms", "x\n\n \t\nffff t\nfff tt foo\n");
	expect(state, "foo", NULL, PROBEABLE_UNKNOWN, "", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(copies),
		scratch_test(parts_are_inexact),
		scratch_test(no_probe_point),
		scratch_test(stand_ins),
		scratch_test(modules),
		scratch_test(refused),
		scratch_test(no_kprobes),
		scratch_test(nothing_to_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
