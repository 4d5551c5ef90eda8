// SPDX-License-Identifier: GPL-2.0-or-later
/* New files made durable one by one: the inode log of btrfs, a journal commit elsewhere. */
#include "workloads/native/native.h"

#include <fcntl.h>

enum { CREATE, WRITE, FSYNC, CLOSE, WHOLE };

static const struct native_op ops[] = {
	[CREATE] = { "create", true, "open(O_CREAT | O_EXCL)" },
	[WRITE] = { "write", true, "--size bytes" },
	[FSYNC] = { "fsync", true, "fsync of the new file" },
	[CLOSE] = { "close", true, "close" },
	[WHOLE] = { "file", false, "all of these" },
	{ 0 },
};

/* Names are new in every round: nothing is removed that would still be worked on later. */
static uint64_t number(const struct native_thread *t, uint64_t i)
{
	return t->n->round * t->n->files + i;
}

static void new_file(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];

	native_path(t->n, path, 'd', i, 'f', number(t, i));
	native_stamp(t, number(t, i));
	if (native_put(t, CREATE, path, O_CREAT | O_EXCL))
		native_whole(t, WHOLE);
}

static void check(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];

	native_path(t->n, path, 'd', i, 'f', number(t, i));
	native_check_file(t, path, number(t, i), t->n->size);
}

static const struct native_phase phases[] = {
	{ NATIVE_TIMED, .file = new_file },
	{ 0, .file = check },
	{ 0 },
};

static const struct native_program program = {
	.name = "fsync-new",
	.text = "Creates files and makes each one durable: open, write, fsync, close.",
	.sets = "d",
	.example = "--files 2000 --threads 4 --rounds 5",
	.ops = ops,
	.phases = phases,
};

int main(int argc, char **argv)
{
	return native_main(&program, argc, argv);
}
