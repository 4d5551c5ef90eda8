/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PID 1 of a guest: sets up what a command expects of a machine, runs it, reports how it ended,
 * and powers off. Static, and without any library but the C one: it must run on whatever kernel
 * is under test. Order of the work: main() in init.c.
 */
#ifndef FSDELTA_HARNESS_VM_GUEST_GUEST_H
#define FSDELTA_HARNESS_VM_GUEST_GUEST_H

#include <stdbool.h>
#include <stddef.h>

/* What is to be run; strings live as long as the process. */
struct order {
	char **argv; /* NULL: nothing */
	char **env;
	const char *cwd;
	const char *modules;
	const char *disk;
	bool shell;
};

/* How the command ended: one of the words of VM_FILE_RC, with its number. */
struct ending {
	const char *word;
	int number;
};

/* A line on the console, after VM_SAYS. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Says what went wrong (errno is added when @with_errno) and ends the guest. */
void die(bool with_errno, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));
void power_off(void) __attribute__((noreturn));

/* order.c: reads VM_FILE_COMMAND in folder @dir; dies when it cannot. */
void order_read(const char *dir, struct order *o);

/* mounts.c */
void mount_early(void);	     /* proc, sys, dev */
void load_modules(void);     /* those in VM_DIR_MODULES, each with the text of its .args */
void enter_machine(void);    /* root folder over 9p below an overlay; results at OUT_DIR */
void mount_rest(void);	     /* what programs expect below /dev, /sys and /run */
void show_modules(const char *dir); /* as /lib/modules/RELEASE */
void set_kernel(const char *path, const char *value); /* a file in /proc or /sys; may fail */

#define OUT_DIR "/run/fsdelta-vm"

/*
 * run.c: runs @o's command with its output in @out and @err (paths), touching @alive (NULL:
 * nothing) now and then; everything else that it left running is killed.
 */
void run_command(const struct order *o, const char *out, const char *err, const char *alive,
		 struct ending *e);
/* A shell on the console until it ends. */
void run_shell(const struct order *o);

/* frames.c: over the console, for a guest without a folder for results. Dies when it cannot. */
void send_results(const char *out, const char *err, const struct ending *e);

/*
 * Replaces the file at @path as one step, durably. Dies when that fails: @what says what was
 * lost.
 */
void write_result(const char *path, const char *text, const char *what);

#endif
