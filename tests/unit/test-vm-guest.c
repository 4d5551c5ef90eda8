// SPDX-License-Identifier: GPL-2.0-or-later
/* PID 1 of a guest, as PID 1 of a namespace. */
#include "harness/vm/guest/guest.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/vm/protocol.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "tests/unit/scratch.h"

void say(const char *fmt, ...)
{
	(void)fmt;
}

void die(bool with_errno, const char *fmt, ...)
{
	(void)with_errno;
	(void)fmt;
	_exit(99);
}

/* run_command() ends by killing every process that it can: never outside a namespace. */
static void run_script(const char *script, const char *out, const char *alive)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	char *env[] = { (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL };
	struct order o = { .argv = argv, .env = env };
	struct ending e = { "", 0 };

	if (getpid() != 1)
		_exit(98);
	run_command(&o, out, out, alive, &e);
	_exit(strcmp(e.word, "exit") ? 97 : e.number);
}

/* To be called first: skip() runs no cleanups. */
static void need_namespace(void)
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(unshare(CLONE_NEWPID) ? 1 : 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!status)
		return;
	print_message("no PID namespace can be made: not root?\n");
	skip();
}

/* Returns the exit status of @script, run by a PID 1. */
static int in_namespace(const char *script, const char *out, const char *alive)
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(96);
		pid = fork();
		if (!pid)
			run_script(script, out, alive);
		_exit(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
			      WEXITSTATUS(status) : 95);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Orphans that end all the time must not make a silent command look dead. */
static void orphans_do_not_hide_life(void **state)
{
	__cleanup_free char *out = NULL, *alive = NULL, *script = NULL;
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	need_namespace();
	out = scratch_path(state, "out");
	alive = scratch_path(state, "alive");
	script = xasprintf("for i in $(seq %d); do (sleep 0.4 &); sleep 0.5; done; exit 7",
			   2 * VM_ALIVE_SECONDS + 4);
	assert_int_equal(in_namespace(script, out, alive), 7);
	assert_int_equal(file_read(alive, &text, 64), 0);
	assert_true(text.len > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(orphans_do_not_hide_life, scratch_make,
						scratch_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
