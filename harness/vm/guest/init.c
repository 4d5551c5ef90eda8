// SPDX-License-Identifier: GPL-2.0-or-later
/* The first and only program of ours in a guest. */
#include "harness/vm/guest/guest.h"

#include "harness/vm/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define EXACT_STDOUT "/run/stdout"
#define EXACT_STDERR "/run/stderr"

/* One write(): lines of the kernel must not fall into ours. */
__attribute__((format(printf, 3, 0)))
static void say_line(const char *prefix, const char *suffix, const char *fmt, va_list ap)
{
	char text[512], line[1024];
	int n;

	vsnprintf(text, sizeof(text), fmt, ap);
	/* The kernel may have left the cursor in the middle of a line. */
	n = snprintf(line, sizeof(line), "\n%s%s%s\n", prefix, text, suffix);
	if (write(STDOUT_FILENO, line, (size_t)n) < 0)
		return;
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_line(VM_SAYS, "", fmt, ap);
	va_end(ap);
}

void power_off(void)
{
	/* QEMU runs with -no-reboot, for kernels that cannot power off. */
	reboot(RB_POWER_OFF);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

void die(bool with_errno, const char *fmt, ...)
{
	char suffix[128] = "";
	va_list ap;

	if (with_errno)
		snprintf(suffix, sizeof(suffix), ": %s", strerror(errno));
	va_start(ap, fmt);
	say_line(VM_SAYS_ERROR, suffix, fmt, ap);
	va_end(ap);
	power_off();
}

void write_result(const char *path, const char *text, const char *what)
{
	char tmp[256];
	size_t len = strlen(text);
	int fd;

	snprintf(tmp, sizeof(tmp), "%s.new", path);
	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len || fsync(fd) || close(fd) ||
	    rename(tmp, path))
		die(true, "%s cannot be written to the folder for results", what);
}

static void set_up_kernel(void)
{
	set_kernel("/proc/sys/kernel/hung_task_timeout_secs", "60");
	set_kernel("/proc/sys/kernel/hung_task_panic", "1");
	set_kernel("/proc/sys/kernel/sysrq", "1");
	set_kernel("/proc/sys/kernel/kptr_restrict", "0");
	set_kernel("/proc/sys/kernel/hostname", "fsdelta-vm");
}

/* Output that did not fit is lost without a trace otherwise: the command may not have looked. */
static void check_room(void)
{
	struct statvfs st;

	if (!statvfs(OUT_DIR, &st) && st.f_blocks && !st.f_bavail)
		die(false, "the folder for results is full: output is missing");
}

static void report(const struct ending *e)
{
	char text[64];

	check_room();
	snprintf(text, sizeof(text), "%s %d\n", e->word, e->number);
	write_result(OUT_DIR "/" VM_FILE_RC, text, "the status of the command");
}

/* All is here already; the results go over the console. */
static void be_exact(void)
{
	struct order o = { 0 };
	struct ending e = { 0 };

	mkdir("/tmp", 01777);
	mkdir("/run", 0755);
	set_up_kernel();
	order_read("/", &o);
	if (!o.argv)
		die(false, "there is no command");
	say("ready");
	run_command(&o, EXACT_STDOUT, EXACT_STDERR, NULL, &e);
	send_results(EXACT_STDOUT, EXACT_STDERR, &e);
	power_off();
}

int main(void)
{
	struct order o = { 0 };
	struct ending e = { 0 };

	if (getpid() != 1) {
		fputs("This is the first program of a guest of fsdelta, for nothing else.\n",
		      stderr);
		return 2;
	}
	mount_early();
	say("start");
	load_modules();
	if (!access("/" VM_FILE_COMMAND, F_OK))
		be_exact();
	enter_machine();
	mount_rest();
	set_up_kernel();
	order_read(OUT_DIR, &o);
	if (o.modules)
		show_modules(o.modules);
	write_result(OUT_DIR "/" VM_FILE_STARTED, "1\n", "the start of the command");
	if (o.argv) {
		run_command(&o, OUT_DIR "/" VM_FILE_STDOUT, OUT_DIR "/" VM_FILE_STDERR,
			    OUT_DIR "/" VM_FILE_ALIVE, &e);
		report(&e);
	}
	if (o.shell)
		run_shell(&o);
	power_off();
}
