// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An iteration with the Nth privileged call failing, for every N: the outcome is
 * BROKEN with a sentence, and nothing is left. Needs root; else skipped.
 */
#include "harness/cell.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/outcome.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#define MANY 64

struct fixture {
	struct run_options opt;
	struct plan plan;
	char *dir, *stage;
};

static const char job_text[] = "# Does next to nothing.\n"
			       "[job]\n"
			       "summary = for a test\n"
			       "tool = command\n"
			       "[params]\n"
			       "argv = true\n";

static void make_plan(struct fixture *f)
{
	__cleanup_strvec struct strvec dirs = STRVEC_INIT, problems = STRVEC_INIT;
	__cleanup_free char *job = xasprintf("%s/tiny.job", f->dir);

	assert_int_equal(file_write(job, job_text, strlen(job_text)), 0);
	strvec_push(&dirs, f->dir);
	strvec_push(&f->opt.workloads, "tiny");
	strvec_push(&f->opt.targets, "ext4");
	f->opt.size = 64ULL << 20;
	f->opt.iterations = 1;
	f->opt.have_seed = true;
	f->opt.seed = 1;
	plan_build(&f->plan, &f->opt, &dirs, "", &problems);
	assert_int_equal(problems.n, 0);
	assert_int_equal(f->plan.n_steps, 1);
}

static int set_up(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->dir = xasprintf("%s/fsdelta-cell.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(f->dir));
	f->stage = xasprintf("%s/stage", f->dir);
	make_plan(f);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	plan_release(&f->plan);
	options_release(&f->opt);
	file_remove_tree(f->dir);
	free(f->dir);
	free(f->stage);
	free(f);
	return 0;
}

static void run(struct fixture *f, const struct env *env, struct kv *facts)
{
	struct cell cell = { .plan = &f->plan, .step = &f->plan.steps[0], .stage = f->stage,
			     .libexec = "", .sysroot = "", .env = env };

	assert_int_equal(file_remove_tree(f->stage), 0);
	assert_int_equal(mkdir(f->stage, 0755), 0);
	assert_int_equal(cell_run(&cell, -1, facts), 0);
}

static bool mounted(void)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	assert_int_equal(file_read("/proc/self/mountinfo", &text, 0), 0);
	return strstr(text.buf, ENV_MOUNT_POINT) != NULL;
}

static void test_real(void **state)
{
	__cleanup_kv struct kv facts = KV_INIT;
	struct env env = { .ops = &env_real };

	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
	run(*state, &env, &facts);
	if (!str_eq(kv_get(&facts, "outcome"), "OK"))
		fail_msg("%s", kv_get(&facts, "reason"));
	assert_string_equal(kv_get(&facts, "tool.status"), "0");
	assert_non_null(kv_get(&facts, "wall"));
	assert_non_null(kv_get(&facts, "sync"));
	assert_non_null(kv_get(&facts, "umount"));
	assert_non_null(kv_get(&facts, "env.mount.options"));
	assert_string_equal(kv_get(&facts, "env.fs.type"), "ext4");
	assert_false(mounted());
}

static void test_every_failure(void **state)
{
	struct env real = { .ops = &env_real };
	int n;

	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
	for (n = 0; n < MANY; n++) {
		struct env env = { .ops = &env_fault, .fail_at = n, .fail_errno = EIO,
				   .inner = &real };
		__cleanup_kv struct kv facts = KV_INIT;
		const char *outcome, *reason;

		run(*state, &env, &facts);
		outcome = kv_get(&facts, "outcome");
		reason = kv_get(&facts, "reason");
		assert_non_null(outcome);
		assert_false(mounted());
		if (!strcmp(outcome, "OK"))
			break;
		assert_string_equal(outcome, "BROKEN");
		assert_non_null(reason);
		assert_true(strlen(reason) > 10);
	}
	/* attach, mkfs, mount, sync, settle, drop_caches, sync, umount, detach. */
	assert_int_equal(n, 9);
}

static void test_dry_run(void **state)
{
	struct fixture *f = *state;
	__cleanup_free char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	struct env env = { .ops = &env_dry };
	struct cell cell = { .plan = &f->plan, .step = &f->plan.steps[0], .stage = "STAGE",
			     .libexec = "", .sysroot = "", .env = &env };

	assert_int_equal(cell_dry_run(&cell, out), 0);
	fclose(out);
	assert_non_null(strstr(text, "mkfs.ext4 -q -F -L fsdelta"));
	assert_non_null(strstr(text, "\ntrue\n"));
	assert_non_null(strstr(text, "umount"));
	assert_false(mounted());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_dry_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_real, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_every_failure, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
