// SPDX-License-Identifier: GPL-2.0-or-later
/* harness/env/settings: changed only when asked for, and restored whatever happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/env/settings.h"
#include "lib/clock.h"
#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/strbuf.h"
#include "tests/unit/scratch.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CPU0 "sys/devices/system/cpu/cpu0/cpufreq/"
#define CPU1 "sys/devices/system/cpu/cpu1/cpufreq/"
#define JOURNAL "var/lib/fsdelta/settings.journal"
#define BOOT "proc/sys/kernel/random/boot_id"

/* A machine with a governor of its own for each of two CPUs. */
static void machine(void **state)
{
	scratch_write(state, BOOT, "boot-1\n");
	scratch_write(state, CPU0 "scaling_governor", "ondemand\n");
	scratch_write(state, CPU1 "scaling_governor", "powersave\n");
	scratch_write(state, CPU0 "scaling_available_governors", "ondemand powersave performance \n");
	scratch_write(state, CPU1 "scaling_available_governors", "powersave performance \n");
}

static void governors_are(void **state, const char *cpu0, const char *cpu1)
{
	__cleanup_free char *a = proc_read_line(*state, "/" CPU0 "scaling_governor");
	__cleanup_free char *b = proc_read_line(*state, "/" CPU1 "scaling_governor");

	assert_string_equal(a, cpu0);
	assert_string_equal(b, cpu1);
}

static bool has_journal(void **state)
{
	__cleanup_free char *path = scratch_path(state, JOURNAL);

	return file_exists(path);
}

/* settings_recover() returns @ret and says @want (NULL: nothing) first. */
static void recovers(void **state, int ret, const char *want)
{
	__cleanup_strvec struct strvec notes = STRVEC_INIT;

	assert_int_equal(settings_recover(*state, &notes), ret);
	assert_int_equal(notes.n > 0, want != NULL);
	if (want && !strstr(notes.v[0], want))
		fail_msg("%s", notes.v[0]);
}

static void set_and_restored(void **state)
{
	__cleanup_strvec struct strvec notes = STRVEC_INIT;
	struct settings s;

	machine(state);
	assert_int_equal(settings_open(&s, *state, "performance", &notes), 0);
	governors_are(state, "ondemand", "powersave");
	assert_true(has_journal(state));
	assert_int_equal(settings_apply(&s, &notes), 0);
	governors_are(state, "performance", "performance");
	assert_int_equal(notes.n, 0);
	assert_int_equal(settings_close(&s, &notes), 0);
	governors_are(state, "ondemand", "powersave");
	assert_false(has_journal(state));
	assert_int_equal(notes.n, 2);
	assert_string_equal(notes.v[0], "cpu0: governor ondemand restored");
}

/* A second close, or one of settings never opened, has no effect. */
static void nothing_held(void **state)
{
	__cleanup_strvec struct strvec notes = STRVEC_INIT;
	struct settings s = SETTINGS_INIT;
	__cleanup_free char *var = scratch_path(state, "var");

	machine(state);
	assert_int_equal(settings_close(&s, &notes), 0);
	recovers(state, 0, NULL);
	governors_are(state, "ondemand", "powersave");
	assert_false(file_exists(var));
}

static void somebody_else_changed_it(void **state)
{
	__cleanup_strvec struct strvec notes = STRVEC_INIT;
	struct settings s;

	machine(state);
	assert_int_equal(settings_open(&s, *state, "performance", &notes), 0);
	assert_int_equal(settings_apply(&s, &notes), 0);
	scratch_write(state, CPU0 "scaling_governor", "schedutil\n");
	assert_int_equal(settings_close(&s, &notes), 0);
	governors_are(state, "schedutil", "powersave");
	assert_string_equal(notes.v[0],
			    "cpu0: the governor was changed to schedutil by others: left alone");
	assert_false(has_journal(state));
}

static void lives_until_killed(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* In a child: opens, applies if said, and dies. */
static void killed_after(void **state, bool apply)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct strvec notes = STRVEC_INIT;
		struct settings s;

		if (settings_open(&s, *state, "performance", &notes) ||
		    (apply && settings_apply(&s, &notes)))
			_exit(1);
		raise(SIGKILL);
	}
	lives_until_killed(pid);
}

static void killed_before_the_change(void **state)
{
	machine(state);
	killed_after(state, false);
	governors_are(state, "ondemand", "powersave");
	assert_true(has_journal(state));
	recovers(state, 0, NULL);
	governors_are(state, "ondemand", "powersave");
	assert_false(has_journal(state));
}

static void killed_after_the_change(void **state)
{
	machine(state);
	killed_after(state, true);
	governors_are(state, "performance", "performance");
	recovers(state, 0, "cpu0: governor ondemand restored");
	governors_are(state, "ondemand", "powersave");
	assert_false(has_journal(state));
}

/* The next run takes the values from before the killed one as the old ones, not ours. */
static void next_run_restores_first(void **state)
{
	__cleanup_strvec struct strvec notes = STRVEC_INIT;
	struct settings s;

	machine(state);
	killed_after(state, true);
	assert_int_equal(settings_open(&s, *state, "performance", &notes), 0);
	governors_are(state, "ondemand", "powersave");
	assert_int_equal(settings_apply(&s, &notes), 0);
	assert_int_equal(settings_close(&s, &notes), 0);
	governors_are(state, "ondemand", "powersave");
}

static int first_is_set(void *arg)
{
	__cleanup_free char *now = proc_read_line(arg, "/" CPU0 "scaling_governor");

	return str_eq(now, "performance");
}

/* Between the two CPUs: writing the second one blocks, for it is a pipe without a reader. */
static void killed_within_the_change(void **state)
{
	__cleanup_free char *second = scratch_path(state, CPU1 "scaling_governor");
	pid_t pid;

	machine(state);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct strvec notes = STRVEC_INIT;
		struct settings s;

		if (settings_open(&s, *state, "performance", &notes) || unlink(second) ||
		    mkfifo(second, 0600))
			_exit(1);
		_exit(settings_apply(&s, &notes) + 2);
	}
	assert_int_equal(clock_wait_until(first_is_set, *state, 20 * NSEC_PER_SEC), 1);
	kill(pid, SIGKILL);
	lives_until_killed(pid);
	assert_int_equal(unlink(second), 0);
	scratch_write(state, CPU1 "scaling_governor", "powersave\n");
	recovers(state, 0, "cpu0: governor ondemand restored");
	governors_are(state, "ondemand", "powersave");
}

static void rebooted(void **state)
{
	machine(state);
	killed_after(state, true);
	scratch_write(state, BOOT, "boot-2\n");
	recovers(state, 0, "before the last boot are forgotten");
	governors_are(state, "performance", "performance");
	assert_false(has_journal(state));
}

static void torn_journal(void **state)
{
	machine(state);
	scratch_write(state, CPU0 "scaling_governor", "performance\n");
	scratch_write(state, CPU1 "scaling_governor", "performance\n");
	scratch_write(state, JOURNAL, "boot=boot-1\nto=performance\n/" CPU0
		      "scaling_governor=ondemand\n/" CPU1 "scaling_governor=power");
	recovers(state, 0, "the last line is torn, and was dropped");
	governors_are(state, "ondemand", "performance");
	assert_false(has_journal(state));
	scratch_write(state, JOURNAL, "bo");
	recovers(state, 0, "the last line is torn, and was dropped");
	scratch_write(state, JOURNAL, "");
	recovers(state, 0, "forgotten");
	assert_false(has_journal(state));
}

/* A journal cannot make us write elsewhere. */
static void foreign_paths(void **state)
{
	__cleanup_free char *other = NULL;

	machine(state);
	scratch_write(state, "etc/other", "performance\n");
	scratch_write(state, JOURNAL, "boot=boot-1\nto=performance\n/etc/other=x\n"
		      "/sys/devices/system/cpu/../../../../etc/other=x\n");
	recovers(state, 0, NULL);
	other = proc_read_line(*state, "/etc/other");
	assert_string_equal(other, "performance");
}

/* What cannot be written keeps the journal, for a later try. */
static void cannot_be_restored(void **state)
{
	__cleanup_free char *first = scratch_path(state, CPU0 "scaling_governor");

	machine(state);
	killed_after(state, true);
	assert_int_equal(unlink(first), 0);
	assert_int_equal(mkdir(first, 0755), 0);
	recovers(state, -EISDIR, "cpu0: the governor cannot be read any more: Is a directory");
	assert_true(has_journal(state));
	assert_int_equal(rmdir(first), 0);
	scratch_write(state, CPU0 "scaling_governor", "performance\n");
	recovers(state, 0, "cpu0: governor ondemand restored");
	governors_are(state, "ondemand", "powersave");
}

static void held_by_a_live_one(void **state)
{
	__cleanup_strvec struct strvec notes = STRVEC_INIT, problems = STRVEC_INIT;
	__cleanup_free char *want = NULL;
	struct settings s;
	pid_t pid;

	machine(state);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (settings_open(&s, *state, "performance", &notes) ||
		    settings_apply(&s, &notes))
			_exit(1);
		for (;;)
			pause();
	}
	want = xasprintf("another fsdelta (pid %d) holds the settings of this machine", (int)pid);
	/* The second CPU comes last. */
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		__cleanup_free char *now = proc_read_line(*state, "/" CPU1 "scaling_governor");

		if (str_eq(now, "performance"))
			break;
	}
	recovers(state, -EBUSY, want);
	assert_int_equal(settings_open(&s, *state, "powersave", &notes), -EBUSY);
	assert_string_equal(notes.v[0], want);
	settings_check(*state, "performance", true, &problems);
	assert_int_equal(problems.n, 1);
	assert_string_equal(problems.v[0], want);
	governors_are(state, "performance", "performance");
	kill(pid, SIGKILL);
	lives_until_killed(pid);
	recovers(state, 0, "restored");
	governors_are(state, "ondemand", "powersave");
}

static void checked_as(void **state, const char *governor, const char *want)
{
	__cleanup_strvec struct strvec problems = STRVEC_INIT;

	settings_check(*state, governor, false, &problems);
	assert_int_equal(problems.n, want != NULL);
	if (want)
		assert_string_equal(problems.v[0], want);
}

static void checks(void **state)
{
	checked_as(state, "performance", "--governor: this machine has no cpufreq, as most virtual "
		   "ones (no /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor)");
	machine(state);
	checked_as(state, "performance", NULL);
	checked_as(state, "perf", "--governor: cpu0 has no governor perf (available: ondemand "
		   "powersave performance)");
	checked_as(state, "ondemand", "--governor: cpu1 has no governor ondemand (available: "
		   "powersave performance)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(set_and_restored),
		scratch_test(nothing_held),
		scratch_test(somebody_else_changed_it),
		scratch_test(killed_before_the_change),
		scratch_test(killed_after_the_change),
		scratch_test(killed_within_the_change),
		scratch_test(next_run_restores_first),
		scratch_test(rebooted),
		scratch_test(torn_journal),
		scratch_test(foreign_paths),
		scratch_test(cannot_be_restored),
		scratch_test(held_by_a_live_one),
		scratch_test(checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
