// SPDX-License-Identifier: GPL-2.0-or-later
/* Renames alone, to names that do not exist: directory entries, no data, no fsync. */
#include "workloads/native/native.h"

enum { SAME, CROSS };

static const struct native_op ops[] = {
	[SAME] = { "rename-same", false, "rename within the directory, to a new name" },
	[CROSS] = { "rename-cross", false, "rename into another directory, under the same name" },
	{ 0 },
};

static void create(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];

	native_path(t->n, path, 'd', i, 'f', i);
	native_create(t, path, i);
}

static void same(struct native_thread *t, uint64_t i)
{
	char from[NATIVE_PATH], to[NATIVE_PATH];

	native_path(t->n, from, 'd', i, 'f', i);
	native_path(t->n, to, 'd', i, 'g', i);
	native_begin(t);
	native_lap(t, SAME, rename(from, to) == 0, from);
}

static void cross(struct native_thread *t, uint64_t i)
{
	char from[NATIVE_PATH], to[NATIVE_PATH];

	native_path(t->n, from, 'd', i, 'g', i);
	native_path(t->n, to, 'e', i, 'g', i);
	native_begin(t);
	native_lap(t, CROSS, rename(from, to) == 0, from);
}

static void check_empty(struct native_thread *t)
{
	native_check_empty(t, 'd');
}

static void check(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];

	native_path(t->n, path, 'e', i, 'g', i);
	native_check_file(t, path, i, t->n->size);
}

/* Untimed: the next round starts from the same names. */
static void back(struct native_thread *t, uint64_t i)
{
	char from[NATIVE_PATH], to[NATIVE_PATH];

	native_path(t->n, from, 'e', i, 'g', i);
	native_path(t->n, to, 'd', i, 'f', i);
	if (rename(from, to) < 0)
		native_failed(t, "rename back", from);
}

static const struct native_phase phases[] = {
	{ NATIVE_ONCE, .file = create },
	{ NATIVE_TIMED, .file = same },
	{ NATIVE_TIMED, .file = cross },
	{ 0, .thread = check_empty },
	{ 0, .file = check },
	{ 0, .file = back },
	{ 0 },
};

static const struct native_program program = {
	.name = "rename-plain",
	.text = "Renames files to new names, first all within their directories, then all of them\n"
		"into other directories. Every round begins with the same names.",
	.sets = "de",
	.example = "--files 20000 --dirs 4 --threads 4 --rounds 5",
	.ops = ops,
	.phases = phases,
};

int main(int argc, char **argv)
{
	return native_main(&program, argc, argv);
}
