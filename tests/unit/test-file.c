// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/file.h"
#include "lib/mem.h"
#include "tests/unit/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

static size_t entries(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void content_is(const char *path, const char *want)
{
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;

	assert_int_equal(file_read(path, &sb, 0), 0);
	assert_string_equal(strbuf_str(&sb), want);
}

static void reads(void **state)
{
	__cleanup_free char *path = scratch_path(state, "f");
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;

	assert_int_equal(file_read(path, &sb, 0), -ENOENT);
	assert_int_equal(file_write(path, "a\0bcd", 5), 0);
	strbuf_adds(&sb, "+");
	assert_int_equal(file_read(path, &sb, 5), 0);
	assert_int_equal(sb.len, 6);
	assert_memory_equal(sb.buf, "+a\0bcd", 7);
	strbuf_reset(&sb);
	assert_int_equal(file_read(path, &sb, 4), -EFBIG);
	assert_int_equal(sb.len, 4);
	strbuf_release(&sb);
	assert_int_equal(file_write(path, "", 0), 0);
	assert_int_equal(file_read(path, &sb, 0), 0);
	assert_non_null(sb.buf);
	assert_int_equal(sb.len, 0);
	assert_int_equal(file_read(*state, &sb, 0), -EISDIR);
}

/* Larger than the read buffer, and of no known size. */
static void reads_all(void **state)
{
	__cleanup_free char *path = scratch_path(state, "f");
	__cleanup_strbuf struct strbuf in = STRBUF_INIT, out = STRBUF_INIT;

	for (int i = 0; i < 20000; i++)
		strbuf_addf(&in, "%d\n", i);
	assert_int_equal(file_write(path, in.buf, in.len), 0);
	assert_int_equal(file_read(path, &out, 0), 0);
	assert_int_equal(out.len, in.len);
	assert_memory_equal(out.buf, in.buf, in.len);
	strbuf_reset(&out);
	assert_int_equal(file_read(path, &out, in.len - 1), -EFBIG);
	assert_int_equal(out.len, in.len - 1);
	strbuf_reset(&out);
	assert_int_equal(file_read("/proc/self/status", &out, 0), 0);
	assert_non_null(strstr(strbuf_str(&out), "\nPid:"));
}

static void writes(void **state)
{
	__cleanup_free char *path = scratch_path(state, "f");
	__cleanup_free char *lost = scratch_path(state, "none/f");

	assert_int_equal(file_write(path, "longer", 6), 0);
	assert_int_equal(file_write(path, "new", 3), 0);
	content_is(path, "new");
	assert_int_equal(file_write(lost, "x", 1), -ENOENT);
	assert_int_equal(file_write("/dev/full", "x", 1), -ENOSPC);
}

static void atomic_replaces(void **state)
{
	__cleanup_free char *path = scratch_path(state, "f");
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;
	struct stat before, after;
	mode_t mask = umask(077);

	assert_int_equal(file_write_atomic(path, "old", 3), 0);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(before.st_mode & 0777, 0644);
	/* Who has the old one open keeps it whole. */
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[8] = "";

	strbuf_pad(&sb, 'x', 100000);
	assert_int_equal(file_write_atomic(path, sb.buf, sb.len), 0);
	umask(mask);
	assert_int_equal(stat(path, &after), 0);
	assert_true(before.st_ino != after.st_ino);
	assert_int_equal(after.st_size, 100000);
	assert_int_equal(read(fd, buf, sizeof(buf)), 3);
	assert_string_equal(buf, "old");
	close(fd);
	assert_int_equal(entries(*state), 1);
}

/* The old content stays, and nothing is left beside it. */
static void atomic_fails_cleanly(void **state)
{
	__cleanup_free char *path = scratch_path(state, "f");
	__cleanup_free char *dir = scratch_path(state, "d");
	__cleanup_free char *lost = scratch_path(state, "none/f");

	assert_int_equal(file_write(path, "old", 3), 0);
	assert_int_equal(mkdir(dir, 0755), 0);
	assert_int_equal(file_write_atomic(dir, "x", 1), -EISDIR);
	assert_int_equal(file_write_atomic(lost, "x", 1), -ENOENT);
	assert_int_equal(entries(*state), 2);
	assert_int_equal(entries(dir), 0);
	content_is(path, "old");
}

/* A write that stops in the middle: the limit on the size of files. */
static void atomic_cut_short(void **state)
{
	__cleanup_free char *path = scratch_path(state, "f");
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;
	struct sigaction old;
	struct rlimit limit, small;

	strbuf_pad(&sb, 'x', 100000);
	assert_int_equal(file_write_atomic(path, "old", 3), 0);
	sigaction(SIGXFSZ, &(struct sigaction){ .sa_handler = SIG_IGN }, &old);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){ 65536, limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	int ret = file_write_atomic(path, sb.buf, sb.len);

	setrlimit(RLIMIT_FSIZE, &limit);
	sigaction(SIGXFSZ, &old, NULL);
	assert_int_equal(ret, -EFBIG);
	assert_int_equal(entries(*state), 1);
	content_is(path, "old");
}

/* Mounts a tmpfs of 64 KiB in @name. To be called first: skip() runs no cleanups. */
static void need_tmpfs(void **state, const char *name)
{
	char *dir = scratch_path(state, name);
	int ret = file_mkdir_p(dir);

	if (!ret && mount("none", dir, "tmpfs", MS_NOSUID | MS_NODEV, "size=64k"))
		ret = -errno;
	free(dir);
	if (!ret)
		return;
	print_message("no small tmpfs: %s\n", strerror(-ret));
	skip();
}

static void atomic_without_space(void **state)
{
	need_tmpfs(state, "small");

	__cleanup_free char *dir = scratch_path(state, "small");
	__cleanup_free char *path = scratch_path(state, "small/f");
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;
	int ret, left;

	strbuf_pad(&sb, 'x', 1000000);
	ret = file_write_atomic(path, "old", 3);
	if (!ret)
		ret = file_write_atomic(path, sb.buf, sb.len);
	left = (int)entries(dir);
	sb.len = 0;
	file_read(path, &sb, 0);
	umount2(dir, MNT_DETACH);
	assert_int_equal(ret, -ENOSPC);
	assert_int_equal(left, 1);
	assert_string_equal(sb.buf, "old");
}

static void makes_folders(void **state)
{
	__cleanup_free char *deep = scratch_path(state, "a//b/c/");
	__cleanup_free char *file = scratch_path(state, "f");
	__cleanup_free char *below = scratch_path(state, "f/x");
	struct stat st;

	assert_int_equal(file_mkdir_p(deep), 0);
	assert_int_equal(file_mkdir_p(deep), 0);
	assert_int_equal(stat(deep, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(file_mkdir_p("/"), 0);
	assert_int_equal(file_mkdir_p(""), -ENOENT);
	assert_int_equal(file_write(file, "", 0), 0);
	assert_int_equal(file_mkdir_p(file), -ENOTDIR);
	assert_int_equal(file_mkdir_p(below), -ENOTDIR);
	assert_int_equal(file_sync_dir(*state), 0);
	assert_int_equal(file_sync_dir(file), -ENOTDIR);
}

static void remove_does_not_follow_links(void **state)
{
	__cleanup_free char *tree = scratch_path(state, "tree");
	__cleanup_free char *to_dir = scratch_path(state, "tree/a/to-dir");
	__cleanup_free char *to_file = scratch_path(state, "tree/to-file");
	__cleanup_free char *dangling = scratch_path(state, "tree/dangling");
	__cleanup_free char *keep_dir = scratch_path(state, "keep");
	__cleanup_free char *keep = scratch_path(state, "keep/f");
	__cleanup_free char *link = scratch_path(state, "link");

	scratch_write(state, "keep/f", "kept");
	scratch_write(state, "tree/a/b/c", "x");
	assert_int_equal(symlink(keep_dir, to_dir), 0);
	assert_int_equal(symlink(keep, to_file), 0);
	assert_int_equal(symlink("none", dangling), 0);
	assert_int_equal(file_remove_tree(tree), 0);
	assert_false(file_exists(tree));
	content_is(keep, "kept");
	/* A link itself. */
	assert_int_equal(symlink(keep_dir, link), 0);
	assert_int_equal(file_remove_tree(link), 0);
	assert_int_equal(entries(*state), 1);
	content_is(keep, "kept");
	assert_int_equal(file_remove_tree(keep), 0);
	assert_int_equal(file_remove_tree(keep), 0);
	assert_int_equal(entries(keep_dir), 0);
}

static void remove_stays_on_its_file_system(void **state)
{
	need_tmpfs(state, "tree/mnt");

	__cleanup_free char *tree = scratch_path(state, "tree");
	__cleanup_free char *mnt = scratch_path(state, "tree/mnt");
	__cleanup_free char *file = scratch_path(state, "tree/mnt/f");
	int ret;

	ret = file_write(file, "kept", 4);
	if (!ret)
		ret = file_remove_tree(tree);
	bool kept = file_exists(file);

	umount2(mnt, MNT_DETACH);
	assert_true(ret < 0);
	assert_true(kept);
}

static void plain_names(void **state)
{
	static const char *const good[] = {
		"a", "A.b-c_d", "a b", "6.1.0-amd64", "\xc3\xa9", "a..b",
	};
	static const char *const bad[] = {
		"", ".", "..", ".x", "-x", "a/b", "/", "../x", "a\nb", "\x7f", "\x1b[m",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(file_is_plain_name(good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(file_is_plain_name(bad[i]));
}

static void program_is(const char *prog, const char *want)
{
	__cleanup_free char *found = file_find_program(prog);

	if (!want)
		assert_null(found);
	else
		assert_string_equal(found, want);
}

static void finds_programs(void **state)
{
	__cleanup_free char *saved = xstrdup(getenv("PATH") ? getenv("PATH") : "");
	__cleanup_free char *path = xasprintf("%s/none::%s/1:%s/2:%s/3", (char *)*state,
					      (char *)*state, (char *)*state, (char *)*state);
	__cleanup_free char *dir = scratch_path(state, "1/tool");
	__cleanup_free char *data = scratch_path(state, "2/tool");
	__cleanup_free char *tool = scratch_path(state, "3/tool");
	__cleanup_free char *folder = scratch_path(state, "3");

	assert_int_equal(file_mkdir_p(dir), 0); /* a folder is executable, but no program */
	scratch_write(state, "2/tool", "data");
	scratch_write(state, "3/tool", "#!/bin/sh\n");
	assert_int_equal(chmod(data, 0644), 0);
	assert_int_equal(chmod(tool, 0755), 0);
	setenv("PATH", path, 1);
	program_is("tool", tool);
	program_is("no-such-tool", NULL);
	program_is("", NULL);
	program_is(tool, tool);
	program_is(data, NULL);
	program_is(folder, NULL);
	setenv("PATH", saved, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(reads),
		scratch_test(reads_all),
		scratch_test(writes),
		scratch_test(atomic_replaces),
		scratch_test(atomic_fails_cleanly),
		scratch_test(atomic_cut_short),
		scratch_test(atomic_without_space),
		scratch_test(makes_folders),
		scratch_test(remove_does_not_follow_links),
		scratch_test(remove_stays_on_its_file_system),
		cmocka_unit_test(plain_names),
		scratch_test(finds_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
