// SPDX-License-Identifier: GPL-2.0-or-later
/* The shortest way to dirty an inode: new timestamps, nothing else. */
#include "workloads/native/native.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { UTIME };

static const struct native_op ops[] = {
	[UTIME] = { "utime", false, "utimensat: access and modification time" },
	{ 0 },
};

/* Other in every round; even, for file systems that count in two seconds. */
static time_t new_time(const struct native_thread *t)
{
	return 1000000000 + 2 * (time_t)t->n->round;
}

static void create(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];

	native_path(t->n, path, 'd', i, 'f', i);
	native_create(t, path, i);
}

static void utime(struct native_thread *t, uint64_t i)
{
	const struct timespec times[2] = { { .tv_sec = new_time(t) }, { .tv_sec = new_time(t) } };
	char path[NATIVE_PATH];

	native_path(t->n, path, 'd', i, 'f', i);
	native_begin(t);
	native_lap(t, UTIME, utimensat(AT_FDCWD, path, times, 0) == 0, path);
}

static void check(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];
	struct stat st;

	native_path(t->n, path, 'd', i, 'f', i);
	if (stat(path, &st) < 0)
		native_failed(t, "check", path);
	else if (st.st_mtim.tv_sec != new_time(t) || st.st_mtim.tv_nsec)
		native_wrong(t, path, "has not its new modification time");
}

static const struct native_phase phases[] = {
	{ NATIVE_ONCE, .file = create },
	{ NATIVE_TIMED, .file = utime },
	{ 0, .file = check },
	{ 0 },
};

static const struct native_program program = {
	.name = "utime",
	.text = "Sets the timestamps of files that exist. Every round sets those of every file.",
	.sets = "d",
	.example = "--files 20000 --rounds 20",
	.ops = ops,
	.phases = phases,
};

int main(int argc, char **argv)
{
	return native_main(&program, argc, argv);
}
