// SPDX-License-Identifier: GPL-2.0-or-later
/* How many instructions native_spin() executes: counted one by one. */
#include "workloads/native/native-spin.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/mem.h"

static void child(uint64_t spin, uint64_t more)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(2);
	raise(SIGSTOP);
	native_spin(spin, more);
	raise(SIGUSR1);
	_exit(0);
}

/* Single steps from one signal to the other; -1: not possible here. */
static long steps(uint64_t spin, uint64_t more)
{
	pid_t pid = fork();
	int status;
	long n = 0;

	if (!pid)
		child(spin, more);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	if (!WIFSTOPPED(status))
		return -1;
	do {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) < 0) {
			n = -1;
			break;
		}
		n++;
	} while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
		 WSTOPSIG(status) == SIGTRAP);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return n;
}

static void the_difference_is_exact(void **state)
{
	static const struct {
		uint64_t spin, more, want;
	} cases[] = {
		{ 0, 1, 1 }, { 0, 2, 2 }, { 0, 3, 3 }, { 0, 10, 10 }, { 0, 316, 316 },
		{ 0, 317, 317 }, { 0, 10000, 10000 }, { 1, 0, 2 }, { 60, 0, 120 }, { 60, 3, 123 },
	};
	long base = NATIVE_SPIN ? steps(0, 0) : -1;

	(void)state;
	if (base < 0) {
		print_message("no single steps here (ptrace refused, or not x86-64)\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(steps(cases[i].spin, cases[i].more) - base, cases[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_difference_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
