// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/envtest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
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
	print_message("%s\n", problems.v[0]);
	strvec_release(&problems);
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
