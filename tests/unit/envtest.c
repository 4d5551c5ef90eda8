// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/envtest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/spawn.h"

void envtest_need_root(void)
{
	__cleanup_strvec struct strvec problems = STRVEC_INIT;

	env_preflight("", &problems);
	if (!problems.n)
		return;
	print_message("%s\n", geteuid() ? "needs root" : problems.v[0]);
	strvec_release(&problems);
	skip();
}

static bool has_mkfs(const char *type)
{
	__cleanup_free char *name = xasprintf("mkfs.%s", type);
	__cleanup_free char *prog = file_find_program(name);

	return prog != NULL;
}

/* skip() jumps past the end of scopes, so nothing may be owned here. */
void envtest_need_fs(const char *type)
{
	envtest_need_root();
	if (has_mkfs(type))
		return;
	print_message("no mkfs.%s here\n", type);
	skip();
}

void envtest_supervised(int (*fn)(void *arg), void *arg)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = env_supervise(true, fn, arg);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

void envtest_in_folder(int (*fn)(void *arg))
{
	char *dir;

	envtest_need_root();
	dir = envtest_folder();
	envtest_supervised(fn, dir);
	envtest_remove(dir);
}

char *envtest_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/fsdelta-test.XXXXXX", tmp ? tmp : "/tmp");

	assert_non_null(mkdtemp(dir));
	return dir;
}

void envtest_remove(char *dir)
{
	assert_int_equal(file_remove_tree(dir), 0);
	free(dir);
}

bool envtest_mkfs_argv(const char *type, const char *label, const char *node,
		       struct strvec *argv)
{
	__cleanup_free char *name = xasprintf("mkfs.%s", type);
	__cleanup_free char *prog = file_find_program(name);
	bool ext4 = !strcmp(type, "ext4");

	if (!prog)
		return false;
	strvec_push(argv, prog);
	strvec_push(argv, "-q");
	strvec_push(argv, ext4 ? "-F" : "-f");
	if (ext4) {
		strvec_push(argv, "-E");
		strvec_push(argv, "lazy_itable_init=0,lazy_journal_init=0");
	}
	if (label) {
		strvec_push(argv, "-L");
		strvec_push(argv, label);
	}
	strvec_push(argv, node);
	return true;
}

int envtest_run(const char *const *words)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	int ret;

	for (; *words; words++)
		strvec_push(&argv, *words);
	ret = spawn_capture(&argv, true, 60 * NSEC_PER_SEC, &out);
	if (ret)
		fprintf(stderr, "%s: %d: %s\n", argv.v[0], ret, strbuf_str(&out));
	return ret;
}

/* The reasons against it, in one line; the caller frees. */
static char *reasons(enum env_disk_kind kind, const char *path, bool force)
{
	__cleanup_strvec struct strvec problems = STRVEC_INIT;
	struct env_disk_spec spec = { .kind = kind, .path = path, .size = 64 << 20,
				      .force = force ? path : NULL };

	env_device_check("", &spec, &problems);
	return strvec_join(&problems, "; ");
}

bool envtest_says(enum env_disk_kind kind, const char *path, bool force, const char *want)
{
	__cleanup_free char *got = reasons(kind, path, force);
	bool ok = *want ? strstr(got, want) != NULL : !*got;

	if (!ok)
		fprintf(stderr, "%s: got '%s', want '%s'\n", path, got, want);
	return ok;
}

int envtest_attach_memory(struct env *env, struct env_disk *disk, uint64_t size)
{
	struct env_disk_spec spec = { .kind = ENV_DISK_MEMORY, .size = size };

	return env->ops->attach(env, &spec, disk);
}

int envtest_format(struct env *env, const char *type, const char *label, const char *node)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;

	if (!envtest_mkfs_argv(type, label, node, &argv))
		return -ENOENT;
	return env->ops->mkfs(env, &argv, -1);
}
