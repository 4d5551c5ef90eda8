// SPDX-License-Identifier: GPL-2.0-or-later
/* QEMU's command line, the words of --kernel, the trial of KVM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/vm/accel.h"
#include "harness/vm/qemu.h"
#include "harness/vm/words.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "tests/unit/said.h"

#include <errno.h>

static const struct qemu_machine machine = {
	.kernel = "/k", .initrd = "/i", .console = "/r/console", .memory = 1536 << 20, .cpus = 3,
	.root = "/", .out = "/r/a,b", .append = "debug",
};

/* The value behind @option that holds @part; fails when there is none. */
static const char *value(const struct strvec *argv, const char *option, const char *part)
{
	for (size_t i = 0; i + 1 < argv->n; i++)
		if (str_eq(argv->v[i], option) && strstr(argv->v[i + 1], part))
			return argv->v[i + 1];
	fail_msg("no %s with %s", option, part);
	return NULL;
}

static void functional(void **state)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;

	(void)state;
	qemu_argv(&machine, &argv);
	assert_string_equal(argv.v[0], "qemu-system-x86_64");
	value(&argv, "-accel", "tcg,thread=multi");
	assert_string_equal(value(&argv, "-m", ""), "1536M");
	assert_string_equal(value(&argv, "-smp", ""), "3");
	value(&argv, "-chardev", "file,id=con,path=/r/console");
	value(&argv, "-fsdev", "readonly=on,multidevs=remap,path=/");
	value(&argv, "-fsdev", "path=/r/a,,b");
	assert_true(str_ends(value(&argv, "-append", "panic=-1"), " debug"));
	assert_false(any_has(&argv, "virtio-blk"));
	assert_false(any_has(&argv, "-icount"));
}

static void with_kvm_disk_and_shell(void **state)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct qemu_machine m = machine;

	(void)state;
	m.kvm = true;
	m.disk = "/r/disk";
	m.interactive = true;
	qemu_argv(&m, &argv);
	assert_string_equal(value(&argv, "-accel", ""), "kvm");
	assert_string_equal(value(&argv, "-cpu", ""), "host");
	value(&argv, "-drive", "file=/r/disk");
	value(&argv, "-chardev", "stdio,id=con,signal=off,logfile=/r/console");
	/* On a real processor the guest is protected as the machine would be. */
	assert_false(any_has(&argv, "mitigations=off"));
}

static void exact(void **state)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct qemu_machine m = machine;

	(void)state;
	m.exact = true;
	m.seed = 42;
	qemu_argv(&m, &argv);
	assert_string_equal(value(&argv, "-smp", ""), "1");
	assert_string_equal(value(&argv, "-icount", ""), "shift=0,sleep=off");
	assert_string_equal(value(&argv, "-seed", ""), "42");
	assert_false(any_has(&argv, "virtio"));
	assert_false(any_has(&argv, "9p"));
}

static void words_are_split(void **state)
{
	struct vm_words w;
	char *why;

	(void)state;
	assert_int_equal(vm_words_parse("/k,a/bzImage,modules=/m,x,append=a=1,2 b,memory=1G,cpus=4,"
					"load=btrfs:xfs,initrd=/i", &w, &why), 0);
	assert_string_equal(w.image, "/k,a/bzImage");
	assert_string_equal(w.modules, "/m,x");
	assert_string_equal(w.append, "a=1,2 b");
	assert_string_equal(w.initrd, "/i");
	assert_int_equal(w.memory, 1 << 30);
	assert_int_equal(w.cpus, 4);
	assert_int_equal(w.load.n, 2);
	assert_string_equal(w.load.v[1], "xfs");
	vm_words_release(&w);
	assert_int_equal(vm_words_parse("/k", &w, &why), 0);
	assert_null(w.modules);
	vm_words_release(&w);
}

static void words_are_refused(void **state)
{
	static const char *const bad[] = {
		"", "cpus=2", ",cpus=2", "/k,cpus=0", "/k,cpus=two", "/k,cpus=65", "/k,memory=1M",
		"/k,memory=", "/k,modules=", "/k,append=,cpus=1",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct vm_words w;
		char *why = NULL;

		assert_int_equal(vm_words_parse(bad[i], &w, &why), -EINVAL);
		assert_non_null(why);
		free(why);
	}
}

static void kvm_verdicts(void **state)
{
	__cleanup_free char *hang = accel_verdict(-ETIME, 0), *abort_ = accel_verdict(0, 6),
			    *other = accel_verdict(0, 1 << 8);

	(void)state;
	assert_null(accel_verdict(0, 99 << 8));
	assert_non_null(strstr(hang, "hangs"));
	assert_non_null(strstr(abort_, "signal 6"));
	assert_non_null(strstr(other, "status 1"));
}

/* The boot sector does run, where nothing can be wrong with the accelerator. */
static void boot_sector_runs(void **state)
{
	__cleanup_free char *qemu = file_find_program(QEMU_PROGRAM);
	__cleanup_free char *why = NULL, *refused = NULL;

	(void)state;
	if (!qemu) {
		print_message("no " QEMU_PROGRAM " here\n");
		skip();
	}
	why = accel_try("tcg", "max");
	if (why)
		fail_msg("%s", why);
	refused = accel_try("none", "max");
	assert_non_null(refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functional),	    cmocka_unit_test(with_kvm_disk_and_shell),
		cmocka_unit_test(exact),	    cmocka_unit_test(words_are_split),
		cmocka_unit_test(words_are_refused), cmocka_unit_test(kvm_verdicts),
		cmocka_unit_test(boot_sector_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
