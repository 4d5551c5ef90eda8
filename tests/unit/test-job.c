// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "lib/file.h"
#include "lib/mem.h"
#include "workloads/tool.h"

/* Tools of our own: the loader knows only their tables. */

static const struct tool_param plain_params[] = {
	{ .name = "program", .type = PARAM_STRING, .required = true },
	{ .name = "files", .type = PARAM_U64 },
	{ .name = "size", .type = PARAM_SIZE },
	{ .name = "runtime", .type = PARAM_SECONDS },
	{ .name = "sync", .type = PARAM_BOOL },
	{ .name = "order", .type = PARAM_CHOICE, .choices = "name|reverse|random" },
	{ .name = "setup", .type = PARAM_ARGV },
	{ .name = NULL },
};

static const struct tool_param open_params[] = {
	{ .name = "runtime", .type = PARAM_SECONDS },
	{ .name = NULL },
};

static void no_program_called_bad(const struct job *job, struct strvec *errors)
{
	if (str_eq(job_param(job, "program"), "bad"))
		strvec_push(errors, "there is no program 'bad'");
}

static const struct tool plain = {
	.name = "plain", .params = plain_params, .check = no_program_called_bad,
};
static const struct tool open_tool = {
	.name = "fio", .params = open_params, .any_param = true,
};

const struct tool *const tools[] = { &open_tool, &plain, NULL };

const struct tool *tool_find(const char *name)
{
	for (size_t i = 0; tools[i]; i++)
		if (!strcmp(tools[i]->name, name))
			return tools[i];
	return NULL;
}

#define HEAD "[job]\nsummary = s\ntool = plain\n"
#define PARAMS HEAD "[params]\nprogram = p\n"
#define FIO "[job]\nsummary = s\ntool = fio\n"

static struct job *parse_ok(const char *text)
{
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	struct job *job = job_parse("x", "d/x.job", text, &errors);

	if (!job)
		fail_msg("refused: %s", errors.n ? errors.v[0] : "without a reason");
	assert_int_equal(errors.n, 0);
	return job;
}

/* @text gives exactly the sentence @want. */
static void refused(const char *text, const char *want)
{
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	struct job *job = job_parse("x", "d/x.job", text, &errors);

	assert_null(job);
	assert_int_not_equal(errors.n, 0);
	assert_string_equal(errors.v[0], want);
	assert_int_equal(errors.n, 1);
}

static void whole_job(void **state)
{
	struct job *job = parse_ok("# SPDX-License-Identifier: GPL-2.0-or-later\n"
				   "# Creates small files.\n#\n# Stresses the log.\n\n"
				   "[job]\nsummary = create: write, fsync\ntool=plain\n"
				   "# not of the doc\n"
				   "primary = fsync.p50\niterations = 10 ; as ever\nwarmup: 1\n"
				   "timeout = 2m\n"
				   "[params]\r\nprogram = fsync-new\r\nfiles = 2000\nsize=64K\n");

	(void)state;
	assert_string_equal(job->name, "x");
	assert_string_equal(job->path, "d/x.job");
	assert_string_equal(job->doc, "Creates small files.\n\nStresses the log.");
	assert_string_equal(job->summary, "create: write, fsync");
	assert_ptr_equal(job->tool, &plain);
	assert_string_equal(job->primary, "fsync.p50");
	assert_int_equal(job->iterations, 10);
	assert_int_equal(job->warmup, 1);
	assert_int_equal(job->timeout_s, 120);
	assert_int_equal(job->n_params, 3);
	assert_string_equal(job->params[0].section, "params");
	assert_string_equal(job->params[0].key, "program");
	assert_int_equal(job->params[0].line, 15);
	assert_string_equal(job_param(job, "program"), "fsync-new");
	assert_int_equal(job_param_u64(job, "files", 1), 2000);
	assert_int_equal(job_param_u64(job, "size", 1), 65536);
	job_free(job);
}

static void small_job(void **state)
{
	struct job *job = parse_ok(PARAMS);

	(void)state;
	assert_null(job->primary);
	assert_int_equal(job->iterations, 0);
	assert_int_equal(job->timeout_s, 0);
	assert_string_equal(job->doc, "");
	assert_null(job_param(job, "files"));
	assert_int_equal(job_param_u64(job, "files", 7), 7);
	job_free(job);
	job_free(NULL);
}

static void numbers_by_type(void **state)
{
	struct job *job = parse_ok(PARAMS "runtime = 2m\nsync = 1\norder = reverse\n"
					  "files = 18446744073709551615\n");

	(void)state;
	assert_int_equal(job_param_u64(job, "runtime", 0), 120);
	assert_int_equal(job_param_u64(job, "sync", 0), 1);
	assert_true(job_param_u64(job, "files", 0) == UINT64_MAX);
	job_free(job);
}

static void argument_lists(void **state)
{
	struct job *job = parse_ok(PARAMS "setup = mkdir 'a b'\n  c --x=1\n\t\"d e\"\n"
					  "setup = touch f\n");

	(void)state;
	assert_int_equal(job->n_params, 3);
	assert_string_equal(job->params[1].value, "mkdir 'a b' c --x=1 \"d e\"");
	assert_string_equal(job->params[2].value, "touch f");
	job_free(job);
}

static void other_sections(void **state)
{
	struct job *job = parse_ok(FIO "[params]\nbs=4k\nruntime=5\n"
				       "[fio.writer-1]\nrw = write\n[fio.reader]\nrw=read\n");

	(void)state;
	assert_int_equal(job->n_params, 4);
	assert_string_equal(job->params[2].section, "fio.writer-1");
	assert_string_equal(job->params[3].value, "read");
	assert_string_equal(job_param(job, "bs"), "4k");
	assert_int_equal(job_param_u64(job, "bs", 0), 4096);
	assert_null(job_param(job, "rw"));
	job_free(job);
}

static void summary_may_be_long(void **state)
{
	struct job *job = parse_ok("[job]\nsummary = one\n   two = 2\ntool = plain\n"
				   "[params]\nprogram = p\n");

	(void)state;
	assert_string_equal(job->summary, "one two = 2");
	job_free(job);
}

static void digest_is_of_the_meaning(void **state)
{
	struct job *a = parse_ok(PARAMS);
	struct job *b = parse_ok("\xef\xbb\xbf# a comment\n\n[job]\nsummary=s   ; more\n"
				 "tool: plain\r\n\n[params]\n;x\nprogram =  p\n\n");
	struct job *c = parse_ok(PARAMS "files = 1\n");

	(void)state;
	assert_int_equal(strlen(a->digest), 16);
	assert_int_equal(strspn(a->digest, "0123456789abcdef"), 16);
	/* FNV-1a of "[job]\nsummary=s\n[job]\ntool=plain\n[params]\nprogram=p\n". */
	assert_string_equal(a->digest, "340ad969e7cf36f3");
	assert_string_equal(a->digest, b->digest);
	assert_string_not_equal(a->digest, c->digest);
	job_free(a);
	job_free(b);
	job_free(c);
}

static void mistakes_in_params(void **state)
{
	(void)state;
	refused(PARAMS "fils = 3\n",
		"d/x.job:6: [params] unknown key 'fils' for tool plain, did you mean 'files'?");
	refused(PARAMS "wibble = 3\n", "d/x.job:6: [params] unknown key 'wibble' for tool plain");
	refused(PARAMS "= 3\n", "d/x.job:6: [params] there is no key before '='");
	refused(HEAD "[params]\nfiles = 3\n",
		"d/x.job: [params] has no 'program', which tool plain needs");
	refused(PARAMS "files = -3\n", "d/x.job:6: [params] files: '-3' is not a whole number");
	refused(PARAMS "files =\n", "d/x.job:6: [params] files: '' is not a whole number");
	refused(PARAMS "files = 18446744073709551616\n",
		"d/x.job:6: [params] files: '18446744073709551616' is not a whole number");
	refused(PARAMS "size = 4X\n",
		"d/x.job:6: [params] size: '4X' is not a size such as 4096, 64K or 2G");
	refused(PARAMS "runtime = soon\n",
		"d/x.job:6: [params] runtime: 'soon' is not a time such as 90, 90s or 5m");
	refused(PARAMS "sync = yes\n", "d/x.job:6: [params] sync: 'yes' is neither 0 nor 1");
	refused(PARAMS "order = rand\n",
		"d/x.job:6: [params] order: 'rand' is none of name|reverse|random");
	refused(PARAMS "setup = a 'b\n",
		"d/x.job:6: [params] setup: 'a 'b' has a quote that is not closed");
	refused(PARAMS "setup =\n", "d/x.job:6: [params] setup: '' is empty");
	refused(PARAMS "files = 1\nfiles = 2\n",
		"d/x.job:7: [params] files was given in line 6 already");
	refused(PARAMS "files = 1\n  size = 2\n",
		"d/x.job:7: the line begins with white space and so continues the value of "
		"'files', which cannot be continued");
	refused(HEAD "[params]\nprogram = bad\n", "d/x.job: there is no program 'bad'");
	refused(FIO "[params]\nruntime = soon\n",
		"d/x.job:5: [params] runtime: 'soon' is not a time such as 90, 90s or 5m");
}

static void mistakes_in_the_job(void **state)
{
	(void)state;
	refused("[job]\ntool = plain\n[params]\nprogram = p\n",
		"d/x.job: [job] has no 'summary'");
	refused("[job]\nsummary = s\n", "d/x.job: [job] has no 'tool'");
	refused("[job]\nsummary = s\ntool = plan\n[params]\nanything = 1\n",
		"d/x.job:3: [job] tool 'plan' is unknown, did you mean 'plain'? "
		"(tools are fio, plain)");
	refused(FIO "iteration = 3\n",
		"d/x.job:4: [job] unknown key 'iteration', did you mean 'iterations'?");
	refused(FIO "iterations = 0\n", "d/x.job:4: [job] iterations: '0' is not at least 1");
	refused(FIO "iterations = x\n", "d/x.job:4: [job] iterations: 'x' is not a whole number");
	refused(FIO "warmup = 1.5\n", "d/x.job:4: [job] warmup: '1.5' is not a whole number");
	refused(FIO "timeout = 0\n", "d/x.job:4: [job] timeout: '0' leaves no time");
	refused(FIO "primary = Fsync P50\n",
		"d/x.job:4: [job] primary: 'Fsync P50' is not the name of a metric");
	refused(FIO "tool = fio\n", "d/x.job:4: [job] tool was given in line 3 already");
	refused(FIO "warmup = 1\n  primary = a\n",
		"d/x.job:5: the line begins with white space and so continues the value of "
		"'warmup', which cannot be continued");
	refused("[job]\nsummary = ; nothing\ntool = fio\n",
		"d/x.job:2: [job] summary: '' says nothing");
}

static void mistakes_in_sections(void **state)
{
	(void)state;
	refused("files = 1\n" FIO, "d/x.job:1: 'files' stands outside any section");
	refused(PARAMS "[parms]\n",
		"d/x.job:6: unknown section [parms] for tool plain, did you mean 'params'?");
	refused(PARAMS "[plain.a]\nfiles = 1\n",
		"d/x.job:6: unknown section [plain.a] for tool plain");
	refused(FIO "[fio.]\nrw = read\n", "d/x.job:4: unknown section [fio.] for tool fio");
	refused(FIO "[fio.a/b]\nrw = read\n", "d/x.job:4: unknown section [fio.a/b] for tool fio");
	refused(FIO "[fio.a]\n", "d/x.job:4: section [fio.a] is empty");
	refused(FIO "[params]\nrw = read\nrw = write\n",
		"d/x.job:6: [params] rw was given in line 5 already");
}

/* Each of these would otherwise be passed over, or be taken for two lines. */
static void mistakes_in_lines(void **state)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	(void)state;
	refused(PARAMS "files\n",
		"d/x.job:6: neither a section, nor \"key = value\", nor a comment");
	refused(PARAMS "[params\n", "d/x.job:6: the section has no ']'");
	strbuf_adds(&text, PARAMS "program2 = ");
	strbuf_pad(&text, 'x', 300);
	refused(text.buf, "d/x.job:6: the line is longer than 199 bytes");
	strbuf_reset(&text);
	strbuf_adds(&text, FIO "[fio.");
	strbuf_pad(&text, 'y', 60);
	strbuf_adds(&text, "]\nrw = read\n");
	refused(text.buf, "d/x.job:4: the name of the section is longer than 49 bytes");
}

static void long_comments_and_full_lines(void **state)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	struct job *job;

	(void)state;
	strbuf_adds(&text, HEAD "# ");
	strbuf_pad(&text, '[', 1000);
	strbuf_adds(&text, "\n[params]\nprogram = ");
	strbuf_pad(&text, 'x', 199 - strlen("program = "));
	job = parse_ok(text.buf);
	assert_int_equal(strlen(job_param(job, "program")), 199 - strlen("program = "));
	job_free(job);
}

static void all_mistakes_at_once(void **state)
{
	__cleanup_strvec struct strvec errors = STRVEC_INIT;

	(void)state;
	assert_null(job_parse("x", NULL, "junk\n[job]\ntool = plain\nmore junk\n[params]\n"
					 "files = a\nsize = b\n", &errors));
	assert_int_equal(errors.n, 6);
	assert_string_equal(errors.v[0],
			    "x:1: neither a section, nor \"key = value\", nor a comment");
	assert_string_equal(errors.v[1],
			    "x:4: neither a section, nor \"key = value\", nor a comment");
	assert_string_equal(errors.v[2], "x: [job] has no 'summary'");
	assert_string_equal(errors.v[3], "x:6: [params] files: 'a' is not a whole number");
}

static void nothing_is_no_job(void **state)
{
	static const char *const texts[] = { "", "\n", "# only a comment", "[job]", "\xef\xbb\xbf" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		__cleanup_strvec struct strvec errors = STRVEC_INIT;

		assert_null(job_parse("x", NULL, texts[i], &errors));
		assert_int_equal(errors.n, 2);
	}
}

/* --- files --- */

struct folder {
	char *path, *first, *second;
	struct strvec dirs;
};

static void put(const char *dir, const char *name, const char *text)
{
	__cleanup_free char *path = xasprintf("%s/%s", dir, name);

	assert_int_equal(file_write(path, text, strlen(text)), 0);
}

static int make_folders(void **state)
{
	struct folder *f = xcalloc(1, sizeof(*f));
	const char *tmp = getenv("TMPDIR");

	f->path = xasprintf("%s/fsdelta-job.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(f->path))
		return -1;
	f->first = xasprintf("%s/first", f->path);
	f->second = xasprintf("%s/second", f->path);
	if (mkdir(f->first, 0755) || mkdir(f->second, 0755))
		return -1;
	strvec_pushf(&f->dirs, "%s/missing", f->path);
	strvec_push(&f->dirs, f->first);
	strvec_push(&f->dirs, f->second);
	*state = f;
	return 0;
}

static int remove_folders(void **state)
{
	struct folder *f = *state;
	int ret = file_remove_tree(f->path);

	free(f->path);
	free(f->first);
	free(f->second);
	strvec_release(&f->dirs);
	free(f);
	return ret;
}

static void first_in_the_path_wins(void **state)
{
	struct folder *f = *state;
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	__cleanup_free char *want = xasprintf("%s/a.job", f->first);
	struct job *job;

	put(f->first, "a.job", "# first\n" PARAMS);
	put(f->second, "a.job", "# second\n" PARAMS);
	put(f->second, "b.job", "# b\n" PARAMS);
	job = job_load(&f->dirs, "a", &errors);
	assert_non_null(job);
	assert_string_equal(job->doc, "first");
	assert_string_equal(job->name, "a");
	assert_string_equal(job->path, want);
	job_free(job);
	job = job_load(&f->dirs, "b", &errors);
	assert_non_null(job);
	assert_string_equal(job->doc, "b");
	job_free(job);
	assert_int_equal(errors.n, 0);
}

/* A broken job of the user must not give way to the installed one of the same name. */
static void a_broken_first_is_an_error(void **state)
{
	struct folder *f = *state;
	__cleanup_strvec struct strvec errors = STRVEC_INIT;

	put(f->first, "a.job", "junk\n" PARAMS);
	put(f->second, "a.job", PARAMS);
	assert_null(job_load(&f->dirs, "a", &errors));
	assert_int_equal(errors.n, 1);
}

static void names_never_become_paths(void **state)
{
	static const char *const bad[] = {
		"../x/secret", "/etc/passwd", "..", ".", "", ".hidden", "-x", "a/b", ".job",
		"./.job", "./-x.job", "d/..job", "./x.job/",
	};
	struct folder *f = *state;

	put(f->path, "secret.job", PARAMS);
	put(f->first, ".hidden.job", PARAMS);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		__cleanup_strvec struct strvec errors = STRVEC_INIT;

		assert_null(job_load(&f->dirs, bad[i], &errors));
		assert_int_equal(errors.n, 1);
		assert_non_null(strstr(errors.v[0], "is no job: a name has no '/'"));
	}
}

static void a_path_is_a_path(void **state)
{
	struct folder *f = *state;
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	__cleanup_free char *path = xasprintf("%s/mine.job", f->path);
	struct job *job;

	put(f->path, "mine.job", PARAMS);
	job = job_load(&f->dirs, path, &errors);
	assert_non_null(job);
	assert_string_equal(job->name, "mine");
	assert_string_equal(job->path, path);
	job_free(job);
	assert_null(job_load(&f->dirs, "./no/such.job", &errors));
	assert_string_equal(errors.v[0], "./no/such.job: No such file or directory");
}

static void what_is_not_there(void **state)
{
	struct folder *f = *state;
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	__cleanup_free char *where = strvec_join(&f->dirs, ", ");
	__cleanup_free char *want = xasprintf("no job 'fsync-nwe' in %s, did you mean "
					      "'fsync-new'? (`fsdelta list workloads` shows "
					      "all)", where);

	put(f->second, "fsync-new.job", PARAMS);
	assert_null(job_load(&f->dirs, "fsync-nwe", &errors));
	assert_string_equal(errors.v[0], want);
}

static void what_is_no_text(void **state)
{
	struct folder *f = *state;
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	__cleanup_free char *nul = xasprintf("%s/nul.job", f->first);
	__cleanup_free char *fifo = xasprintf("%s/fifo.job", f->first);
	__cleanup_free char *big = xasprintf("%s/big.job", f->first);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;

	strbuf_pad(&text, '\n', (1 << 20) + 1);
	assert_int_equal(file_write(nul, PARAMS "\0x", sizeof(PARAMS) + 1), 0);
	assert_int_equal(mkfifo(fifo, 0644), 0);
	assert_int_equal(file_write(big, text.buf, text.len), 0);
	assert_null(job_load(&f->dirs, "nul", &errors));
	assert_null(job_load(&f->dirs, "fifo", &errors));
	assert_null(job_load(&f->dirs, "big", &errors));
	assert_int_equal(errors.n, 3);
	assert_true(str_ends(errors.v[0], "/nul.job: holds a NUL byte"));
	assert_true(str_ends(errors.v[1], "/fifo.job: is no regular file"));
	assert_true(str_ends(errors.v[2], "/big.job: is longer than 1 MiB"));
}

static void lists_each_name_once(void **state)
{
	struct folder *f = *state;
	__cleanup_strvec struct strvec names = STRVEC_INIT;
	__cleanup_free char *all = NULL;

	put(f->second, "b.job", "");
	put(f->second, "a.job", "");
	put(f->first, "b.job", "");
	put(f->first, "c.job", "");
	put(f->first, ".d.job", "");
	put(f->first, ".job", "");
	put(f->first, "e.job~", "");
	put(f->first, "README", "");
	job_list(&f->dirs, &names);
	all = strvec_join(&names, " ");
	assert_string_equal(all, "a b c");
}

static void search_path(void **state)
{
	__cleanup_strvec struct strvec a = STRVEC_INIT, b = STRVEC_INIT;
	__cleanup_free char *as = NULL, *bs = NULL;

	(void)state;
	setenv("HOME", "/h", 1);
	setenv("XDG_CONFIG_HOME", "/c", 1);
	job_dirs(&a, "/share/fsdelta");
	as = strvec_join(&a, ":");
	assert_string_equal(as, "./fsdelta.d:/c/fsdelta:/etc/fsdelta:/share/fsdelta/workloads");
	setenv("XDG_CONFIG_HOME", "relative", 1);
	job_dirs(&b, "/share/fsdelta");
	bs = strvec_join(&b, ":");
	assert_string_equal(bs, "./fsdelta.d:/h/.config/fsdelta:/etc/fsdelta:"
				"/share/fsdelta/workloads");
}

#define file_test(f) cmocka_unit_test_setup_teardown(f, make_folders, remove_folders)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_job),
		cmocka_unit_test(small_job),
		cmocka_unit_test(numbers_by_type),
		cmocka_unit_test(argument_lists),
		cmocka_unit_test(other_sections),
		cmocka_unit_test(summary_may_be_long),
		cmocka_unit_test(digest_is_of_the_meaning),
		cmocka_unit_test(mistakes_in_params),
		cmocka_unit_test(mistakes_in_the_job),
		cmocka_unit_test(mistakes_in_sections),
		cmocka_unit_test(mistakes_in_lines),
		cmocka_unit_test(long_comments_and_full_lines),
		cmocka_unit_test(all_mistakes_at_once),
		cmocka_unit_test(nothing_is_no_job),
		file_test(first_in_the_path_wins),
		file_test(a_broken_first_is_an_error),
		file_test(names_never_become_paths),
		file_test(a_path_is_a_path),
		file_test(what_is_not_there),
		file_test(what_is_no_text),
		file_test(lists_each_name_once),
		cmocka_unit_test(search_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
