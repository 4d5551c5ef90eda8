// SPDX-License-Identifier: GPL-2.0-or-later
/* From jobs to command lines, and what the tools refuse. Also: the stock jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "workloads/job.h"
#include "workloads/tool.h"

#include <string.h>

#define SEED 0xfedcba9876543210ULL
#define SEED_TEXT "18364758544493064720"
/* The same without its highest bit: fio reads a signed number. */
#define FIO_SEED "9141386507638288912"

static struct job *load(const char *tool, const char *params)
{
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	__cleanup_free char *text =
		xasprintf("[job]\nsummary = s\ntool = %s\n[params]\n%s", tool, params);
	struct job *job = job_parse("j", NULL, text, &errors);

	if (!job)
		fail_msg("%s", errors.n ? errors.v[0] : "no reason");
	return job;
}

static struct tool_call call_of(const struct job *job)
{
	return (struct tool_call){
		.job = job, .dir = "/d", .out_dir = "/o", .libexec = "/l", .seed = SEED,
	};
}

/* The command of a job is @want, quoted for a shell. */
static void check_argv(const char *tool, const char *params, const char *want)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct job *job = load(tool, params);
	struct tool_call call = call_of(job);
	char *text;

	assert_int_equal(job->tool->argv(&call, &argv), 0);
	text = strvec_shell(&argv);
	assert_string_equal(text, want);
	free(text);
	job_free(job);
}

/* The untimed commands before (or after) it, one per line. */
static void check_commands(const char *tool, const char *params, bool after, const char *want)
{
	__cleanup_strbuf struct strbuf got = STRBUF_INIT;
	struct job *job = load(tool, params);
	struct tool_call call = call_of(job);
	struct strvec *cmds = NULL;
	size_t n = 0;
	int ret = after ? job->tool->cleanup(&call, &cmds, &n) : job->tool->setup(&call, &cmds, &n);

	assert_int_equal(ret, 0);
	for (size_t i = 0; i < n; i++) {
		__cleanup_free char *text = strvec_shell(&cmds[i]);

		strbuf_addf(&got, "%s\n", text);
		strvec_release(&cmds[i]);
	}
	free(cmds);
	assert_string_equal(strbuf_str(&got), want);
	job_free(job);
}

/* The job is refused, with @want in one of the sentences. */
static void check_refused(const char *tool, const char *params, const char *want)
{
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	__cleanup_free char *text =
		xasprintf("[job]\nsummary = s\ntool = %s\n[params]\n%s", tool, params);
	struct job *job = job_parse("j", NULL, text, &errors);
	bool found = false;

	if (job)
		fail_msg("accepted: %s", params);
	for (size_t i = 0; i < errors.n; i++)
		found |= strstr(errors.v[i], want) != NULL;
	if (!found)
		fail_msg("no \"%s\": %s", want, errors.n ? errors.v[0] : "");
}

#define FIO "fio --output-format=json+ --output=/o/fio.json --directory=/d "

static void test_fio(void **state)
{
	(void)state;
	/* The format comes first: behind a --name it would be too late. */
	check_argv("fio", "rw = write\nfsync = 1\n",
		   FIO "--randseed=" FIO_SEED " --rw=write --fsync=1 --name=j");
	check_argv("fio",
		   "bs = 4k\nrandseed = 5\nlayout = 0\n[fio.a]\nrw = write\n[fio.b]\nstonewall = 1\n"
		   "filename = x y\n",
		   FIO "--bs=4k --randseed=5 --name=a --rw=write --name=b --stonewall=1 "
		       "'--filename=x y'");
	check_commands("fio", "rw = write\n", false, "");
	check_commands("fio", "layout = 0\nrw = randread\n", false, "");
	check_commands("fio", "rw = randread\n", false,
		       "fio --output-format=json+ --output=/o/fio-layout.json --directory=/d --randseed="
		       FIO_SEED " --rw=randread --name=j --create_only=1\n");
	check_commands("fio", "[fio.a]\nrw = write\n[fio.b]\nrw = randrw\n", false,
		       "fio --output-format=json+ --output=/o/fio-layout.json --directory=/d --randseed="
		       FIO_SEED " --name=a --rw=write --name=b --rw=randrw --create_only=1\n");
}

static void test_fio_colon(void **state)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct job *job = load("fio", "rw = write\n");
	struct tool_call call = call_of(job);

	(void)state;
	call.dir = "/a:b\\c";
	assert_int_equal(job->tool->argv(&call, &argv), 0);
	assert_true(strvec_has(&argv, "--directory=/a\\:b\\\\c"));
	job_free(job);
}

static void test_fio_refused(void **state)
{
	(void)state;
	check_refused("fio", "directory = /etc\n", "\"directory\" is not a job's to set");
	check_refused("fio", "output-format = terse\n", "\"output-format\" is not a job's to set");
	check_refused("fio", "[fio.a]\nname = b\n", "\"name\" is not a job's to set");
	check_refused("fio", "filename = /dev/sda\n", "leaves the folder under test");
	check_refused("fio", "filename = a:/dev/sda\n", "leaves the folder under test");
	check_refused("fio", "filename = ../a\n", "leaves the folder under test");
	check_refused("fio", "filename = a/..\n", "leaves the folder under test");
	check_refused("fio", "-x = 1\n", "is no name of a fio option");
	check_refused("fio", "rw = read\n[fio.a]\nlayout = 0\n", "belongs into [params]");
	check_refused("fio", "runtime = soon\n", "runtime");
}

static void test_stress(void **state)
{
	(void)state;
	check_argv("stress-ng", "stressor = utime\ninstances = 4\ntimeout = 2m\n",
		   "stress-ng --utime 4 --timeout 120s --metrics --yaml /o/stress-ng.yaml "
		   "--temp-path /d --seed " SEED_TEXT);
	check_argv("stress-ng", "stressor = utime, rename\nops = 100\noptions = --utime-fsync 'a b'\n",
		   "stress-ng --utime 1 --utime-ops 100 --rename 1 --rename-ops 100 --metrics "
		   "--yaml /o/stress-ng.yaml --temp-path /d --seed " SEED_TEXT
		   " --utime-fsync 'a b'");
	check_refused("stress-ng", "timeout = 2\n", "stressor");
	check_refused("stress-ng", "stressor = utime\n", "neither ops nor timeout");
	check_refused("stress-ng", "stressor = utime\ntimeout = 0\n", "timeout = 0");
	check_refused("stress-ng", "stressor = utime\nops = 0\n", "ops = 0");
	check_refused("stress-ng", "stressor = utime\ntimeout = 1\ninstances = 0\n", "instances = 0");
	check_refused("stress-ng", "stressor = --version\ntimeout = 1\n", "no name of one");
	check_refused("stress-ng", "stressor = utime rename\ntimeout = 1\n", "no name of one");
	check_refused("stress-ng", "stressor = ,\ntimeout = 1\n", "names none");
	check_refused("stress-ng", "stressor = utime\ntimeout = 1\noptions = --yaml x\n",
		      "\"--yaml\" is not a job's to set");
}

static void test_dbench(void **state)
{
	(void)state;
	check_argv("dbench", "clients = 4\nruntime = 1m\n",
		   "dbench --timelimit=60 --directory=/d 4");
	check_argv("dbench",
		   "clients = 1\nruntime = 5\nloadfile = /l\nrate = 2.5\nsync = 1\nsync-dir = 1\n"
		   "fsync = 0\nxattr = 1\noptions = --stat-check\n",
		   "dbench --timelimit=5 --directory=/d --loadfile=/l --target-rate=2.5 --sync "
		   "--sync-dir --xattr --stat-check 1");
	check_refused("dbench", "clients = 4\n", "runtime");
	check_refused("dbench", "clients = 0\nruntime = 5\n", "clients = 0");
	check_refused("dbench", "clients = 1\nruntime = 1\n", "less than 2 s");
}

static void test_fs_mark(void **state)
{
	(void)state;
	check_argv("fs_mark", "files = 100\n", "fs_mark -d /d/d0 -n 100 -l /o/fs_mark.log");
	check_argv("fs_mark",
		   "files = 100\nsize = 4K\ndirs = 2\nsubdirs = 3\nfiles_per_subdir = 10\nthreads = 2\n"
		   "loops = 3\nwarmup_loops = 1\nsync_method = 1\nwrite_size = 1M\nkeep = 1\n"
		   "verbose = 1\n",
		   "fs_mark -d /d/d0 -d /d/d1 -n 100 -D 3 -N 10 -t 2 -L 3 -S 1 -s 4096 -w 1048576 "
		   "-k -v -l /o/fs_mark.log");
	check_argv("fs_mark", "files = 100\nfill = 1\nkeep = 0\n",
		   "fs_mark -d /d/d0 -n 100 -F -l /o/fs_mark.log");
	check_refused("fs_mark", "size = 4K\n", "files");
	check_refused("fs_mark", "files = 0\n", "files = 0");
	check_refused("fs_mark", "files = 1\ndirs = 0\n", "dirs = 0");
	check_refused("fs_mark", "files = 1\nloops = 2\nwarmup_loops = 2\n", "no loop that counts");
	check_refused("fs_mark", "files = 1\nsync_method = 9\n", "sync_method");
}

static void test_native(void **state)
{
	(void)state;
	check_argv("native", "program = fsync-new\nfiles = 20\nsize = 4K\n",
		   "/l/fsync-new --files 20 --size 4K --keep --seed " SEED_TEXT " /d");
	/* A number of 0 or 1 is a number; of others, 1 is a flag that is given. */
	check_argv("native",
		   "program = unlink-many\nthreads = 1\nseed = 0\norder = random\nkeep = 1\n"
		   "no-sync = 0\nfsync-dir = 1\n",
		   "/l/unlink-many --threads 1 --seed 0 --order random --fsync-dir --keep /d");
	check_refused("native", "files = 1\n", "program");
	check_refused("native", "program = ../sh\n", "no plain name");
	check_refused("native", "program = -x\n", "no plain name");
	check_refused("native", "program = a\n--x = 1\n", "no name of an option");
	check_refused("native", "program = a\nselftest = 1\n", "selftest");
	check_refused("native", "program = a\n[native.b]\nx = y\n", "no section [native.b]");
}

static void test_command(void **state)
{
	static const char params[] =
		"setup = mkdir {dir}/a\nsetup = cp 'x y' {out}/{seed}\nargv = rm -rf '{dir}/a b' {x}\n"
		"cleanup = true\n";

	(void)state;
	check_argv("command", params, "rm -rf '/d/a b' '{x}'");
	check_commands("command", params, false, "mkdir /d/a\ncp 'x y' /o/" SEED_TEXT "\n");
	check_commands("command", params, true, "true\n");
	check_commands("command", "argv = true\n", false, "");
	check_refused("command", "setup = true\n", "argv");
	check_refused("command", "argv = true\nargv = false\n", "second argv");
	check_refused("command", "argv = 'true\n", "argv");
}

/* A value that holds a placeholder after replacing is not replaced again. */
static void test_command_once(void **state)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct job *job = load("command", "argv = ls {dir}\n");
	struct tool_call call = call_of(job);

	(void)state;
	call.dir = "/a/{out}";
	assert_int_equal(job->tool->argv(&call, &argv), 0);
	assert_int_equal(argv.n, 2);
	assert_string_equal(argv.v[1], "/a/{out}");
	job_free(job);
}

/* Every stock job loads without a complaint, says what it is for, and names its primary metric. */
static void test_stock_jobs(void **state)
{
	static const char *const wanted[] = {
		"dbench", "fio-fsync", "fio-randread", "fs_mark", "fsync-append", "fsync-new",
		"rename-plain", "rename-replace", "stress-utime", "unlink-many", "utime",
	};
	const char *top = getenv("top_srcdir");
	__cleanup_strvec struct strvec dirs = STRVEC_INIT, names = STRVEC_INIT;

	(void)state;
	strvec_pushf(&dirs, "%s/workloads", top ? top : ".");
	job_list(&dirs, &names);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		assert_true(strvec_has(&names, wanted[i]));
	for (size_t i = 0; i < names.n; i++) {
		__cleanup_strvec struct strvec errors = STRVEC_INIT, argv = STRVEC_INIT;
		struct job *job = job_load(&dirs, names.v[i], &errors);
		struct tool_call call;

		if (!job)
			fail_msg("%s: %s", names.v[i], errors.v[0]);
		assert_int_equal(errors.n, 0);
		assert_non_null(job->primary);
		assert_true(job->iterations > 0 && job->timeout_s > 0);
		if (!strstr(job->doc, "It does not show:") || !strstr(job->doc, "decisive number"))
			fail_msg("%s does not say what it shows", names.v[i]);
		call = call_of(job);
		assert_int_equal(job->tool->argv(&call, &argv), 0);
		assert_true(argv.n > 1);
		job_free(job);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fio),
		cmocka_unit_test(test_fio_colon),
		cmocka_unit_test(test_fio_refused),
		cmocka_unit_test(test_stress),
		cmocka_unit_test(test_dbench),
		cmocka_unit_test(test_fs_mark),
		cmocka_unit_test(test_native),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_command_once),
		cmocka_unit_test(test_stock_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
