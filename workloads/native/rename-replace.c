// SPDX-License-Identifier: GPL-2.0-or-later
/* The atomic update that editors, package managers and browsers rely on. */
#include "workloads/native/native.h"

#include <errno.h>
#include <fcntl.h>

enum { CREATE, WRITE, FSYNC, CLOSE, RENAME, FSYNC_DIR, WHOLE };
enum { OPT_FSYNC_DIR };

static const struct native_op ops[] = {
	[CREATE] = { "create", true, "open(O_CREAT | O_EXCL) of a temporary file" },
	[WRITE] = { "write", true, "--size bytes" },
	[FSYNC] = { "fsync", true, "fsync of the temporary file" },
	[CLOSE] = { "close", true, "close" },
	[RENAME] = { "rename", true, "rename over the old file, in the same directory" },
	[FSYNC_DIR] = { "fsync-dir", true, "open, fsync and close of the directory, if asked for" },
	[WHOLE] = { "replace", false, "all of these" },
	{ 0 },
};

static const struct native_option options[] = {
	[OPT_FSYNC_DIR] = { "fsync-dir", NULL, "fsync the directory after each rename" },
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

/* @path is that of a file in the directory; it is cut to the directory's. */
static bool fsync_dir(char *path)
{
	bool ok;
	int fd;

	*strchr(path, '/') = '\0';
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ok = fsync(fd) == 0;
	return close(fd) == 0 && ok;
}

static void replace(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH], tmp[NATIVE_PATH];

	native_path(t->n, path, 'd', i, 'f', i);
	native_path(t->n, tmp, 'd', i, 't', i);
	native_stamp(t, number(t, i));
	if (!native_put(t, CREATE, tmp, O_CREAT | O_EXCL))
		return;
	if (!native_lap(t, RENAME, rename(tmp, path) == 0, path))
		return;
	if (t->n->value[OPT_FSYNC_DIR] && !native_lap(t, FSYNC_DIR, fsync_dir(tmp), tmp))
		return;
	native_whole(t, WHOLE);
}

static void check(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];

	native_path(t->n, path, 'd', i, 'f', i);
	native_check_file(t, path, number(t, i), t->n->size);
	native_path(t->n, path, 'd', i, 't', i);
	native_check_absent(t, path);
}

static const struct native_phase phases[] = {
	{ NATIVE_ONCE, .file = create },
	{ NATIVE_TIMED, .file = replace },
	{ 0, .file = check },
	{ 0 },
};

static const struct native_program program = {
	.name = "rename-replace",
	.text = "Replaces the content of files atomically and durably: writes a temporary file,\n"
		"fsyncs it, renames it over the old one. Every round replaces every file.",
	.sets = "d",
	.example = "--files 1000 --fsync-dir --rounds 5",
	.ops = ops,
	.options = options,
	.phases = phases,
};

int main(int argc, char **argv)
{
	return native_main(&program, argc, argv);
}
