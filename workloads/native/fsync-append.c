// SPDX-License-Identifier: GPL-2.0-or-later
/* What a log or a mail spool does: files that exist grow, each time durably. */
#include "workloads/native/native.h"

#include <fcntl.h>

enum { OPEN, WRITE, FSYNC, CLOSE, WHOLE };

static const struct native_op ops[] = {
	[OPEN] = { "open", true, "open(O_APPEND)" },
	[WRITE] = { "write", true, "--size bytes" },
	[FSYNC] = { "fsync", true, "fsync of the file" },
	[CLOSE] = { "close", true, "close" },
	[WHOLE] = { "append", false, "all of these" },
	{ 0 },
};

static uint64_t number(const struct native_thread *t, uint64_t i)
{
	return (t->n->round + 1) * t->n->files + i;
}

static void create(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];

	native_path(t->n, path, 'd', i, 'f', i);
	native_create(t, path, i);
}

static void append(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];

	native_path(t->n, path, 'd', i, 'f', i);
	native_stamp(t, number(t, i));
	if (native_put(t, OPEN, path, O_APPEND))
		native_whole(t, WHOLE);
}

static void check(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];

	native_path(t->n, path, 'd', i, 'f', i);
	native_check_file(t, path, number(t, i), (t->n->round + 2) * t->n->size);
}

static const struct native_phase phases[] = {
	{ NATIVE_ONCE, .file = create },
	{ NATIVE_TIMED, .file = append },
	{ 0, .file = check },
	{ 0 },
};

static const struct native_program program = {
	.name = "fsync-append",
	.text = "Appends --size bytes to files that have as many already, and makes each append\n"
		"durable: open, write, fsync, close. Every round appends once to every file.",
	.sets = "d",
	.example = "--files 200 --size 8K --rounds 20",
	.ops = ops,
	.phases = phases,
};

int main(int argc, char **argv)
{
	return native_main(&program, argc, argv);
}
