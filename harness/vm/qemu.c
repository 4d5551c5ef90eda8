// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/qemu.h"

#include "harness/vm/protocol.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include <inttypes.h>

static void push2(struct strvec *argv, const char *option, const char *value)
{
	strvec_push(argv, option);
	strvec_push(argv, value);
}

/* An option that ends in the path of a file; a comma in it is written twice. */
static void push_path(struct strvec *argv, const char *option, const char *before,
		      const char *path, const char *after)
{
	__cleanup_strbuf struct strbuf value = STRBUF_INIT;

	strbuf_adds(&value, before);
	for (; *path; path++) {
		if (*path == ',')
			strbuf_addc(&value, ',');
		strbuf_addc(&value, *path);
	}
	strbuf_adds(&value, after);
	push2(argv, option, strbuf_str(&value));
}

static void add_processor(const struct qemu_machine *m, struct strvec *argv)
{
	if (m->kvm)
		push2(argv, "-accel", "kvm");
	else
		push2(argv, "-accel", m->exact ? "tcg" : "tcg,thread=multi");
	push2(argv, "-cpu", m->kvm ? "host" : "max");
	strvec_push(argv, "-m");
	strvec_pushf(argv, "%" PRIu64 "M", m->memory >> 20);
	strvec_push(argv, "-smp");
	/* The instruction counter hangs with more than one. */
	strvec_pushf(argv, "%u", m->exact || !m->cpus ? 1 : m->cpus);
}

static void add_console(const struct qemu_machine *m, struct strvec *argv)
{
	if (m->interactive)
		/* signal=off: Ctrl-C is the guest's. */
		push_path(argv, "-chardev", "stdio,id=con,signal=off,logfile=", m->console, "");
	else
		push_path(argv, "-chardev", "file,id=con,path=", m->console, "");
	push2(argv, "-serial", "chardev:con");
}

static void add_kernel(const struct qemu_machine *m, struct strvec *argv)
{
	__cleanup_strbuf struct strbuf line = STRBUF_INIT;

	push2(argv, "-kernel", m->kernel);
	push2(argv, "-initrd", m->initrd);
	/* An oops or a panic ends the guest, with -no-reboot, instead of going on wounded. */
	strbuf_adds(&line, "console=ttyS0 quiet panic=-1 oops=panic nokaslr random.trust_cpu=on");
	/* Nothing can leak from an emulated processor, and its clock needs no checking. */
	if (!m->kvm)
		strbuf_adds(&line, " mitigations=off tsc=reliable no_timer_check");
	if (m->exact)
		strbuf_adds(&line, " norandmaps " QEMU_NULL_BLK("null_blk."));
	if (m->append && *m->append)
		strbuf_addf(&line, " %s", m->append);
	push2(argv, "-append", strbuf_str(&line));
}

static void add_shares(const struct qemu_machine *m, struct strvec *argv)
{
	push_path(argv, "-fsdev", "local,id=root,security_model=none,readonly=on,"
		  "multidevs=remap,path=", m->root, "");
	push2(argv, "-device", "virtio-9p-pci,fsdev=root,mount_tag=" VM_TAG_ROOT);
	push_path(argv, "-fsdev", "local,id=out,security_model=none,path=", m->out, "");
	push2(argv, "-device", "virtio-9p-pci,fsdev=out,mount_tag=" VM_TAG_OUT);
	if (!m->disk)
		return;
	push_path(argv, "-drive", "if=none,id=disk,format=raw,cache=unsafe,file=", m->disk, "");
	push2(argv, "-device", "virtio-blk-pci,drive=disk");
}

/* Virtual time: an instruction takes a nanosecond, idle time passes at once. */
static void add_counting(const struct qemu_machine *m, struct strvec *argv)
{
	push2(argv, "-icount", "shift=0,sleep=off");
	push2(argv, "-rtc", "base=2026-01-01T00:00:00,clock=vm");
	strvec_push(argv, "-seed");
	strvec_pushf(argv, "%u", m->seed);
}

void qemu_argv(const struct qemu_machine *m, struct strvec *argv)
{
	static const char *const plain[] = {
		QEMU_PROGRAM, "-M", "q35", "-nodefaults", "-no-user-config", "-display", "none",
		"-no-reboot",
	};

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		strvec_push(argv, plain[i]);
	add_processor(m, argv);
	add_console(m, argv);
	add_kernel(m, argv);
	if (m->exact)
		add_counting(m, argv);
	else
		add_shares(m, argv);
}
