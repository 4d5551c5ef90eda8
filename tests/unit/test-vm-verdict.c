// SPDX-License-Identifier: GPL-2.0-or-later
/* What a console tells, and what a guest's run is called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/vm/console.h"
#include "harness/vm/verdict.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "tests/unit/tool-fixture.h"

#include <errno.h>

static void scan_fixture(const char *name, struct console *c)
{
	__cleanup_free char *dir = tool_fixture_dir();
	__cleanup_free char *path = xasprintf("%s/%s", dir, name);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	assert_int_equal(file_read(path, &text, 0), 0);
	console_scan(text.buf, text.len, c);
}

static void finding_is(const struct console *c, size_t i, enum console_kind kind, const char *line)
{
	assert_true(i < c->n);
	assert_int_equal(c->v[i].kind, kind);
	assert_string_equal(c->v[i].line, line);
}

static void sees_panic(void **state)
{
	__cleanup_console struct console c = CONSOLE_INIT;

	(void)state;
	scan_fixture("vm-panic.console", &c);
	assert_true(c.started);
	assert_int_equal(c.n, 3);
	finding_is(&c, 0, CONSOLE_OOPS,
		   "BUG: unable to handle page fault for address: ffffdead00000010");
	finding_is(&c, 1, CONSOLE_OOPS, "Oops: 0000 [#1] PREEMPT SMP NOPTI");
	finding_is(&c, 2, CONSOLE_PANIC, "Kernel panic - not syncing: Fatal exception");
}

static void sees_reports(void **state)
{
	__cleanup_console struct console c = CONSOLE_INIT, d = CONSOLE_INIT;

	(void)state;
	scan_fixture("vm-lockdep.console", &c);
	assert_false(c.started);
	assert_int_equal(c.n, 5);
	finding_is(&c, 0, CONSOLE_LOCKDEP, "WARNING: possible circular locking dependency detected");
	finding_is(&c, 1, CONSOLE_WARNING,
		   "WARNING: CPU: 0 PID: 78 at fs/btrfs/inode.c:1234 btrfs_evict_inode+0x12/0x34");
	finding_is(&c, 2, CONSOLE_STALL, "rcu: INFO: rcu_sched self-detected stall on CPU");
	finding_is(&c, 3, CONSOLE_LOCKUP,
		   "watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [dd:80]");
	finding_is(&c, 4, CONSOLE_OOM, "stress-ng invoked oom-killer: gfp_mask=0x100cca, order=0");
	scan_fixture("vm-kasan.console", &d);
	assert_int_equal(d.n, 4);
	assert_int_equal(d.v[0].kind, CONSOLE_KASAN);
	assert_int_equal(d.v[1].kind, CONSOLE_KASAN);
	assert_int_equal(d.v[2].kind, CONSOLE_HUNG);
	assert_int_equal(d.v[3].kind, CONSOLE_BUG);
}

static void shows_no_control_bytes(void **state)
{
	__cleanup_console struct console c = CONSOLE_INIT;

	(void)state;
	scan_fixture("vm-rude.console", &c);
	assert_int_equal(c.n, 1);
	finding_is(&c, 0, CONSOLE_PANIC, "Kernel panic - not syncing: \\x07\\x7fevil");
	assert_string_equal(c.last_line, "last \\x1b]0;title\\x07 line");
}

static void takes_our_words(void **state)
{
	static const char text[] = "VMINIT start\n\nVMINIT error: the disk: No such device\n";
	__cleanup_console struct console c = CONSOLE_INIT, empty = CONSOLE_INIT;

	(void)state;
	console_scan(text, sizeof(text) - 1, &c);
	assert_true(c.started);
	assert_string_equal(c.error, "the disk: No such device");
	assert_int_equal(c.n, 0);
	console_scan("", 0, &empty);
	assert_null(empty.last_line);
}

static void many_findings(void **state)
{
	__cleanup_console struct console c = CONSOLE_INIT;
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 1000; i++)
		strbuf_adds(&text, "WARNING: CPU: 0 PID: 1 at x\n");
	console_scan(text.buf, text.len, &c);
	assert_int_equal(c.n, CONSOLE_MOST);
}

static void reads_rc(void **state)
{
	int status = -1;

	(void)state;
	assert_int_equal(vm_parse_rc("exit 3\n", &status), 0);
	assert_int_equal(status, 3);
	assert_int_equal(vm_parse_rc("signal 9\n", &status), 0);
	assert_int_equal(status, 137);
	assert_int_equal(vm_parse_rc("exec 2\n", &status), 0);
	assert_int_equal(status, 127);
	assert_int_equal(vm_parse_rc("exec 13\n", &status), 0);
	assert_int_equal(status, 126);
	assert_int_equal(vm_parse_rc("exit 3", &status), -EINVAL);
	assert_int_equal(vm_parse_rc("exit\n", &status), -EINVAL);
	assert_int_equal(vm_parse_rc("", &status), -EINVAL);
	assert_int_equal(vm_parse_rc("exit 256\n", &status), -EINVAL);
	assert_int_equal(vm_parse_rc("left 0\n", &status), -EINVAL);
}

/* One case a line: traces, the outcome and what its reason must hold. */
static const struct {
	struct vm_traces t;
	const char *console;
	enum vm_outcome outcome;
	int status;
	const char *reason, *note;
} cases[] = {
	{ { .started = true, .expects_rc = true, .rc = "exit 7\n" }, "", VM_OK, 7, NULL, NULL },
	{ { .started = true }, "", VM_OK, 0, NULL, NULL },
	{ { .started = true, .expects_rc = true, .rc = "exit 0\n", .killed = KILLED_LATE,
	    .seconds = 30, .qemu = 137 }, "", VM_OK, 0, NULL, "power off" },
	{ { .started = true, .expects_rc = true, .rc = "exit 0\n" },
	  "BUG: KASAN: use-after-free in x\n", VM_CRASHED, 0, "KASAN", NULL },
	{ { .started = true, .expects_rc = true, .rc = "exit 0\n" },
	  "WARNING: CPU: 0 PID: 1 at x\n", VM_OK, 0, NULL, NULL },
	{ { .started = true, .expects_rc = true, .rc = "exit" }, "", VM_BROKEN, 0, "damaged", NULL },
	{ { .started = true, .expects_rc = true },
	  "Kernel panic - not syncing: sysrq\n", VM_CRASHED, 0, "sysrq", NULL },
	{ { .expects_rc = true }, "Kernel panic - not syncing: VFS\n", VM_CRASHED, 0, "VFS", NULL },
	{ { .started = true, .expects_rc = true }, "bye\n", VM_CRASHED, 0, "bye", NULL },
	{ { .started = true, .expects_rc = true, .killed = KILLED_TIMEOUT, .seconds = 9, .qemu = 137 },
	  "", VM_TIMEOUT, 0, "9 s", NULL },
	{ { .started = true, .expects_rc = true, .killed = KILLED_STILL, .seconds = 60, .qemu = 137 },
	  "", VM_CRASHED, 0, "stands still", NULL },
	{ { .started = true, .expects_rc = true, .qemu = 137 }, "", VM_BROKEN, 0, "signal 9", NULL },
	{ { .started = true, .expects_rc = true }, "VMINIT error: results are full\n", VM_BROKEN, 0,
	  "results are full", NULL },
	{ { .expects_rc = true, .qemu = 1, .qemu_says = "\nqemu: cannot set up memory\nx" }, "",
	  VM_BROKEN, 0, "status 1: qemu: cannot set up memory", NULL },
	{ { .expects_rc = true, .killed = KILLED_SILENT, .seconds = 20, .qemu = 137 }, "", VM_BROKEN, 0,
	  "nothing on the console for 20 s", NULL },
	{ { .expects_rc = true, .killed = KILLED_SILENT, .kvm = true, .seconds = 20, .qemu = 137 }, "",
	  VM_BROKEN, 0, "--accel tcg", NULL },
	{ { .expects_rc = true, .killed = KILLED_SLOW, .seconds = 60, .qemu = 137 }, "hello\n",
	  VM_BROKEN, 0, "hello", NULL },
	{ { .expects_rc = true }, "VMINIT error: no 9p\n", VM_BROKEN, 0, "no 9p", NULL },
	{ { .expects_rc = true }, "odd\n", VM_BROKEN, 0, "odd", NULL },
	{ { .started = true, .killed = KILLED_ABORT, .qemu = 137 }, "Oops: 1\n", VM_ABORTED, 0,
	  "interrupted", NULL },
};

static void judges(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vm_result res = VM_RESULT_INIT;
		struct vm_traces t = cases[i].t;

		console_scan(cases[i].console, strlen(cases[i].console), &res.console);
		t.console = &res.console;
		vm_verdict(&t, &res);
		if (res.outcome != cases[i].outcome)
			print_error("case %zu: %s\n", i, res.reason ? res.reason : "");
		assert_int_equal(res.outcome, cases[i].outcome);
		assert_int_equal(res.status, cases[i].status);
		assert_int_equal(!res.reason, res.outcome == VM_OK);
		if (cases[i].reason)
			assert_non_null(strstr(res.reason, cases[i].reason));
		assert_int_equal(!res.note, !cases[i].note);
		if (cases[i].note)
			assert_non_null(strstr(res.note, cases[i].note));
		vm_result_release(&res);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sees_panic),	  cmocka_unit_test(sees_reports),
		cmocka_unit_test(shows_no_control_bytes), cmocka_unit_test(takes_our_words),
		cmocka_unit_test(many_findings),  cmocka_unit_test(reads_rc),
		cmocka_unit_test(judges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
