// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/store.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/file.h"
#include "lib/hist.h"
#include "lib/mem.h"
#include "results/store-codec.h"

static const struct metric rate = {
	.name = "fsync.rate", .unit = "1/s", .better = BETTER_HIGHER, .kind = KIND_RATE_WORK,
	.primary = true, .text = "calls of fsync per second",
};
static const struct metric written = {
	.name = "disk.written", .unit = "B", .better = BETTER_NEUTRAL, .kind = KIND_COUNT,
};

/* --- a store of its own for each test --- */

static int make_root(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *root = xasprintf("%s/fsdelta-store.XXXXXX", tmp ? tmp : "/tmp");

	*state = root;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	int ret = file_remove_tree(*state);

	free(*state);
	return ret;
}

static struct run *new_run(const char *label)
{
	struct run *r = run_new();
	struct run_workload *w = run_add_workload(r);
	struct run_target *t = run_add_target(r);

	r->label = xstrdup(label);
	r->session = xstrdup("s1");
	r->role = xstrdup("base");
	r->started = xstrdup("2026-01-31T12:34:56Z");
	r->version = xstrdup("0.1.0");
	strvec_push(&r->command, "fsdelta");
	strvec_push(&r->command, "it's");
	r->seed = UINT64_MAX;
	r->planned = 3;
	strvec_push(&r->varied, "mount");
	kv_set(&r->settings, "mount", "noatime");
	kv_set(&r->host, "kernel.release", "6.1.0-18-amd64");
	kv_set(&r->host, "cpu.model", "AMD \"EPYC\" \\ 7B13");
	*w = (struct run_workload){ xstrdup("fsync-new"), xstrdup("0123456789abcdef"),
				    xstrdup("# x\n[job]\n\ttool = native\n") };
	*t = (struct run_target){ xstrdup("btrfs"), xstrdup("btrfs"), xstrdup("mkfs.btrfs -q"),
				  xstrdup(""), xstrdup("memory 4 GiB") };
	return r;
}

static struct hist *new_hist(void)
{
	struct hist *h = hist_new();

	for (uint64_t i = 1; i < 5000; i += 7)
		hist_record(h, i * i);
	return h;
}

static void fill_iteration(struct iteration *it, uint64_t seq)
{
	memset(it, 0, sizeof(*it));
	it->seq = seq;
	it->block = seq / 2;
	it->workload = xstrdup("fsync-new");
	it->target = xstrdup("btrfs");
	it->number = seq;
	it->warmup = seq == 0;
	it->started = xstrdup("2026-01-31T12:35:00Z");
	it->mono_ns = 9007199254740993ULL + seq;
	it->boot_id = xstrdup("5cf1dd24");
	strvec_push(&it->warnings, "the clock source is jiffies");
	kv_set(&it->environment, "mount", "rw,noatime");
	samples_add(&it->samples, &rate, value_double(1234.5 + (double)seq));
	samples_add(&it->samples, &written, value_u64(UINT64_MAX - seq));
	samples_add_hist(&it->samples, "fsync", "ns", new_hist());
}

static void append(struct store_writer *w, uint64_t seq)
{
	struct iteration it;

	fill_iteration(&it, seq);
	assert_int_equal(store_append(w, &it), 0);
	iteration_release(&it);
}

/* A run with iterations 0 ... @n - 1 and its writer; the folder's path is returned. */
static char *begin(const char *root, const char *label, uint64_t n, struct store_writer **w)
{
	__cleanup_run struct run *r = new_run(label);
	char *dir = NULL;

	assert_int_equal(store_create(root, r, w, &dir), 0);
	for (uint64_t i = 0; i < n; i++)
		append(*w, i);
	return dir;
}

static struct run *load(const char *path)
{
	__cleanup_free char *error = NULL;
	struct run *r = store_load(path, &error);

	if (!r)
		fail_msg("%s", error);
	assert_null(error);
	return r;
}

static char *in(const char *dir, const char *file)
{
	return xasprintf("%s/%s", dir, file);
}

static char *slurp(const char *dir, const char *file)
{
	__cleanup_free char *path = in(dir, file);
	struct strbuf sb = STRBUF_INIT;

	assert_int_equal(file_read(path, &sb, 0), 0);
	return strbuf_detach(&sb);
}

/* --- writing and reading back --- */

static void check_header(const struct run *r)
{
	assert_string_equal(r->label, "before");
	assert_string_equal(r->role, "base");
	assert_string_equal(r->started, "2026-01-31T12:34:56Z");
	assert_string_equal(r->version, "0.1.0");
	assert_int_equal(r->command.n, 2);
	assert_string_equal(r->command.v[1], "it's");
	assert_true(r->seed == UINT64_MAX);
	assert_int_equal(r->planned, 3);
	assert_string_equal(r->varied.v[0], "mount");
	assert_string_equal(kv_get(&r->settings, "mount"), "noatime");
	assert_string_equal(r->host.v[0].key, "kernel.release");
	assert_string_equal(kv_get(&r->host, "cpu.model"), "AMD \"EPYC\" \\ 7B13");
	assert_string_equal(run_find_workload(r, "fsync-new")->text,
			    "# x\n[job]\n\ttool = native\n");
	assert_string_equal(r->targets[0].device, "memory 4 GiB");
	assert_string_equal(r->targets[0].mount, "");
	assert_int_equal(r->load_warnings.n, 0);
}

static void check_iteration(const struct iteration *it, uint64_t seq)
{
	__cleanup_free struct hist *want = new_hist();
	const struct sample *s = samples_get(&it->samples, "fsync.rate");

	assert_int_equal(it->seq, seq);
	assert_int_equal(it->block, seq / 2);
	assert_int_equal(it->warmup, seq == 0);
	assert_int_equal(it->outcome, OUTCOME_OK);
	assert_null(it->reason);
	assert_true(it->mono_ns == 9007199254740993ULL + seq);
	assert_string_equal(it->boot_id, "5cf1dd24");
	assert_string_equal(it->warnings.v[0], "the clock source is jiffies");
	assert_string_equal(kv_get(&it->environment, "mount"), "rw,noatime");
	assert_int_equal(it->samples.n, 2);
	assert_false(s->value.whole);
	assert_true(s->value.d == 1234.5 + (double)seq);
	assert_string_equal(s->metric.unit, "1/s");
	assert_string_equal(s->metric.text, rate.text);
	assert_int_equal(s->metric.better, BETTER_HIGHER);
	assert_int_equal(s->metric.kind, KIND_RATE_WORK);
	assert_true(s->metric.primary);
	s = samples_get(&it->samples, "disk.written");
	assert_true(s->value.whole && s->value.u == UINT64_MAX - seq);
	assert_false(s->metric.primary);
	assert_null(s->metric.text);
	assert_memory_equal(samples_get_hist(&it->samples, "fsync"), want, sizeof(*want));
}

static void reads_back_what_was_written(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 3, &w);
	__cleanup_run struct run *going = load(dir), *done = NULL;

	check_header(going);
	assert_null(going->finished);
	assert_false(going->complete);
	assert_int_equal(going->n_iterations, 3);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	done = load(dir);
	check_header(done);
	assert_string_equal(done->id, strrchr(dir, '/') + 1);
	assert_string_equal(done->finished, "2026-01-31T12:40:00Z");
	assert_true(done->complete);
	assert_null(done->end_reason);
	assert_int_equal(done->n_iterations, 3);
	for (uint64_t i = 0; i < 3; i++) {
		check_iteration(&going->iterations[i], i);
		check_iteration(&done->iterations[i], i);
	}
}

/* Journal and result are two forms of one thing. */
static void folding_loses_nothing(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 3, &w);
	__cleanup_free char *journal = in(dir, STORE_JOURNAL);
	__cleanup_strbuf struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	__cleanup_run struct run *from_journal = NULL, *from_result = NULL;
	__cleanup_free char *result = NULL;

	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", false, "interrupted"), 0);
	from_journal = load(journal);
	from_result = load(dir);
	assert_int_equal(store_encode_result(from_journal, &a), 0);
	assert_int_equal(store_encode_result(from_result, &b), 0);
	assert_string_equal(a.buf, b.buf);
	result = slurp(dir, STORE_RESULT);
	assert_string_equal(a.buf, result);
	assert_string_equal(from_result->end_reason, "interrupted");
	assert_false(from_result->complete);
}

static void each_metric_is_declared_once(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 3, &w);
	__cleanup_free char *text = slurp(dir, STORE_JOURNAL);
	size_t lines = 0;

	store_abandon(w);
	for (const char *s = text; (s = strstr(s, "{\"type\":\"metric\"")); s++)
		lines++;
	assert_int_equal(lines, 2);
}

/* Cost and content: an append writes its own line and touches nothing else. */
static void an_append_only_adds(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 1, &w);
	size_t growth = 0;

	for (uint64_t seq = 1; seq < 200; seq++) {
		__cleanup_free char *old = seq == 1 || seq == 199 ? slurp(dir, STORE_JOURNAL) : NULL;
		__cleanup_free char *new = NULL;

		append(w, seq);
		if (!old)
			continue;
		new = slurp(dir, STORE_JOURNAL);
		assert_memory_equal(old, new, strlen(old));
		if (!growth)
			growth = strlen(new) - strlen(old);
		/* The numbers have a few digits more. */
		assert_true(strlen(new) - strlen(old) < growth + 16);
	}
	store_abandon(w);
}

static void failures_have_no_samples(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 1, &w);
	struct iteration it;
	__cleanup_run struct run *r = NULL;

	fill_iteration(&it, 1);
	it.outcome = OUTCOME_TIMEOUT;
	it.reason = xstrdup("did not end within 5 s");
	assert_int_equal(store_append(w, &it), 0);
	iteration_release(&it);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	r = load(dir);
	assert_int_equal(r->n_iterations, 2);
	assert_int_equal(r->iterations[1].outcome, OUTCOME_TIMEOUT);
	assert_string_equal(r->iterations[1].reason, "did not end within 5 s");
	assert_int_equal(r->iterations[1].samples.n, 0);
	assert_int_equal(r->iterations[1].samples.n_hists, 0);
	assert_int_equal(r->load_warnings.n, 0);
}

static void check_number(const char *root, struct value v)
{
	struct store_writer *w;
	__cleanup_free char *dir = begin(root, "numbers", 0, &w);
	struct iteration it;
	__cleanup_run struct run *r = NULL;
	const struct sample *s;

	fill_iteration(&it, 0);
	samples_add(&it.samples, &rate, v);
	assert_int_equal(store_append(w, &it), 0);
	iteration_release(&it);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	r = load(dir);
	s = samples_get(&r->iterations[0].samples, "fsync.rate");
	assert_int_equal(s->value.whole, v.whole);
	assert_memory_equal(&s->value.u, &v.u, sizeof(v.u));
}

static void numbers_survive(void **state)
{
	static const uint64_t whole[] = { 0, 1, 9007199254740993ULL, INT64_MAX, UINT64_MAX };
	static const double d[] = {
		0.1, -0.0, 3, -7, 1e300, 5e-324, 1.7976931348623157e308, 1.0 / 3, 1234567890123456789.0,
		1e21,
	};

	for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
		check_number(*state, value_u64(whole[i]));
	for (size_t i = 0; i < ARRAY_SIZE(d); i++)
		check_number(*state, value_double(d[i]));
}

static void not_finite_is_left_out(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 0, &w);
	struct iteration it;
	__cleanup_run struct run *r = NULL;
	__cleanup_free char *text = NULL;

	fill_iteration(&it, 0);
	it.samples.v[0].value = value_double(NAN);
	assert_int_equal(store_append(w, &it), 0);
	iteration_release(&it);
	text = slurp(dir, STORE_JOURNAL);
	assert_null(strcasestr(text, "nan"));
	store_abandon(w);
	r = load(dir);
	assert_null(samples_get(&r->iterations[0].samples, "fsync.rate"));
	assert_non_null(samples_get(&r->iterations[0].samples, "disk.written"));
}

static void bytes_that_are_no_text(void **state)
{
	/* A lone byte, an overlong '/', a surrogate, a cut sequence; then good ones. */
	static const char bad[] = "a\xff" "b\xc0\xaf" "c\xed\xa0\x80" "d\xe2\x82";
	static const char good[] = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7\x01\x7f\n\"\\/";
	__cleanup_run struct run *r = new_run("before"), *back = NULL;
	struct store_writer *w;
	__cleanup_free char *dir = NULL;

	kv_set(&r->host, "bad", bad);
	kv_set(&r->host, "good", good);
	kv_set(&r->host, "k\xffy", "v");
	assert_int_equal(store_create(*state, r, &w, &dir), 0);
	assert_int_equal(store_finish(w, NULL, true, "x\xfe"), 0);
	back = load(dir);
	assert_string_equal(kv_get(&back->host, "good"), good);
	assert_string_equal(kv_get(&back->host, "bad"),
			    "a\xef\xbf\xbd" "b\xef\xbf\xbd\xef\xbf\xbd"
			    "c\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" "d\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(kv_get(&back->host, "k\xef\xbf\xbdy"), "v");
	assert_string_equal(back->end_reason, "x\xef\xbf\xbd");
	assert_null(back->finished);
}

static void one_metric_has_one_unit(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 1, &w);
	__cleanup_free char *old = slurp(dir, STORE_JOURNAL), *new = NULL;
	struct metric other = rate;
	struct iteration it;

	other.unit = "1/min";
	fill_iteration(&it, 1);
	samples_add(&it.samples, &other, value_u64(1));
	assert_int_equal(store_append(w, &it), -EINVAL);
	iteration_release(&it);
	new = slurp(dir, STORE_JOURNAL);
	assert_string_equal(old, new);
	append(w, 1);
	store_abandon(w);
}

/* --- what can go wrong while writing --- */

/* The last line is cut at every byte: nothing before it is lost, and it can be done again. */
static void a_cut_line_costs_one_iteration(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 2, &w);
	__cleanup_free char *journal = in(dir, STORE_JOURNAL), *result = in(dir, STORE_RESULT);
	__cleanup_free char *one = slurp(dir, STORE_JOURNAL), *two = NULL;

	append(w, 2);
	store_abandon(w);
	two = slurp(dir, STORE_JOURNAL);
	for (size_t len = strlen(one) + 1; len < strlen(two) - 1; len += 13) {
		__cleanup_run struct run *cut = NULL, *again = NULL;

		assert_int_equal(file_write(journal, two, len), 0);
		cut = load(dir);
		assert_int_equal(cut->n_iterations, 2);
		assert_int_equal(cut->load_warnings.n, 1);
		assert_non_null(strstr(cut->load_warnings.v[0], "the last line was cut"));
		assert_int_equal(store_reopen(dir, &w), 0);
		append(w, 2);
		assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
		again = load(journal);
		assert_int_equal(again->n_iterations, 3);
		check_iteration(&again->iterations[2], 2);
		assert_int_equal(again->load_warnings.n, 1);
		assert_true(again->complete);
		free(again->load_warnings.v[0]);
		again->load_warnings.n = 0;
		check_header(again);
		/* For the next round: a run without its end. */
		assert_int_equal(unlink(result), 0);
	}
}

/* Cut in the line that declares a metric: it is declared again. */
static void a_cut_declaration_is_made_again(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 0, &w);
	__cleanup_free char *journal = in(dir, STORE_JOURNAL);
	__cleanup_free char *none = slurp(dir, STORE_JOURNAL), *one = NULL;
	__cleanup_run struct run *r = NULL;

	append(w, 0);
	store_abandon(w);
	one = slurp(dir, STORE_JOURNAL);
	assert_int_equal(file_write(journal, one, strlen(none) + 40), 0);
	assert_int_equal(store_reopen(dir, &w), 0);
	append(w, 0);
	store_abandon(w);
	r = load(dir);
	assert_int_equal(r->n_iterations, 1);
	check_iteration(&r->iterations[0], 0);
}

static void going_on_needs_no_new_declarations(void **state)
{
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 1, &w);
	__cleanup_free char *text = NULL;
	const char *first;
	__cleanup_run struct run *r = NULL;

	store_abandon(w);
	assert_int_equal(store_reopen(dir, &w), 0);
	append(w, 1);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	text = slurp(dir, STORE_JOURNAL);
	first = strstr(text, "\"name\":\"disk.written\"");
	assert_non_null(first);
	assert_null(strstr(first + 1, "\"name\":\"disk.written\""));
	r = load(dir);
	assert_int_equal(r->n_iterations, 2);
	check_iteration(&r->iterations[1], 1);
}

static void only_an_unfinished_run_goes_on(void **state)
{
	struct store_writer *w, *second;
	__cleanup_free char *dir = begin(*state, "before", 1, &w);
	__cleanup_free char *result = in(dir, STORE_RESULT), *journal = in(dir, STORE_JOURNAL);

	assert_int_equal(store_reopen(dir, &second), -EBUSY);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	assert_int_equal(store_reopen(dir, &second), -EALREADY);
	assert_int_equal(unlink(result), 0);
	assert_int_equal(store_reopen(dir, &second), -EALREADY);
	assert_int_equal(file_write(journal, "", 0), 0);
	assert_int_equal(store_reopen(dir, &second), -EBADMSG);
	assert_int_equal(file_write(journal, "{}\n", 3), 0);
	assert_int_equal(store_reopen(dir, &second), -EBADMSG);
	assert_int_equal(unlink(journal), 0);
	assert_int_equal(store_reopen(dir, &second), -ENOENT);
	assert_int_equal(store_reopen("/dev/null", &second), -ENOTDIR);
}

static void limit_files(rlim_t size)
{
	struct rlimit rl;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &rl), 0);
	rl.rlim_cur = size == RLIM_INFINITY ? rl.rlim_max : size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &rl), 0);
}

/* The limit on file sizes stands for a full disk: a part of the line is written, then no more. */
static void a_full_disk_keeps_the_lines(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 1, &w);
	__cleanup_free char *old = slurp(dir, STORE_JOURNAL), *new = NULL;
	__cleanup_run struct run *r = NULL;
	struct iteration it;
	int ret;

	assert_int_equal(sigaction(SIGXFSZ, &ignore, NULL), 0);
	fill_iteration(&it, 1);
	limit_files(strlen(old) + 100);
	ret = store_append(w, &it);
	limit_files(RLIM_INFINITY);
	assert_int_equal(ret, -EFBIG);
	iteration_release(&it);
	new = slurp(dir, STORE_JOURNAL);
	assert_string_equal(old, new);
	append(w, 1);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	r = load(dir);
	assert_int_equal(r->n_iterations, 2);
	assert_int_equal(r->load_warnings.n, 0);
}

static void a_full_disk_leaves_no_empty_run(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	__cleanup_run struct run *r = new_run("before");
	struct store_entry *v;
	struct store_writer *w;
	char *dir;
	size_t n;
	int ret;

	assert_int_equal(sigaction(SIGXFSZ, &ignore, NULL), 0);
	limit_files(100);
	ret = store_create(*state, r, &w, &dir);
	limit_files(RLIM_INFINITY);
	assert_int_equal(ret, -EFBIG);
	assert_int_equal(store_list(*state, &v, &n), 0);
	assert_int_equal(n, 0);
	store_entries_free(v, n);
}

static void a_result_is_replaced_in_one_step(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct store_writer *w;
	__cleanup_free char *dir = begin(*state, "before", 1, &w);
	__cleanup_free char *old = NULL, *new = NULL;
	__cleanup_run struct run *r = NULL;
	int ret;

	assert_int_equal(sigaction(SIGXFSZ, &ignore, NULL), 0);
	assert_int_equal(store_finish(w, "2026-01-31T12:40:00Z", true, NULL), 0);
	old = slurp(dir, STORE_RESULT);
	r = load(dir);
	str_replace(&r->label, "other");
	limit_files(100);
	ret = store_write_result(dir, r);
	limit_files(RLIM_INFINITY);
	assert_int_equal(ret, -EFBIG);
	new = slurp(dir, STORE_RESULT);
	assert_string_equal(old, new);
	assert_int_equal(store_write_result(dir, r), 0);
	free(new);
	new = slurp(dir, STORE_RESULT);
	assert_non_null(strstr(new, "\"label\":\"other\""));
}

/* --- many writers --- */

#define WRITERS 4
#define RUNS 25

static void create_runs(const char *root)
{
	for (int i = 0; i < RUNS; i++) {
		struct run *r = new_run("same");
		struct store_writer *w;
		char *dir;

		if (store_create(root, r, &w, &dir) || store_finish(w, NULL, true, NULL))
			_exit(1);
		run_free(r);
		free(dir);
	}
	_exit(0);
}

/* All in the same second: the random parts must differ, and each folder has one owner. */
static void writers_do_not_meet(void **state)
{
	__cleanup_free char *root = in(*state, "deep/store");
	pid_t pids[WRITERS];
	struct store_entry *v;
	size_t n;
	int status;

	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			create_runs(root);
	}
	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(store_list(root, &v, &n), 0);
	assert_int_equal(n, WRITERS * RUNS);
	for (size_t i = 0; i < n; i++) {
		assert_null(v[i].error);
		assert_true(v[i].finished);
		assert_string_equal(v[i].id, strrchr(v[i].dir, '/') + 1);
	}
	store_entries_free(v, n);
}

static void check_id(const char *root, const char *label, const char *started, const char *start)
{
	__cleanup_run struct run *r = new_run(label);
	__cleanup_free char *dir = NULL;
	struct store_writer *w;
	const char *end;

	str_replace(&r->started, started);
	assert_int_equal(store_create(root, r, &w, &dir), 0);
	store_abandon(w);
	assert_true(file_is_plain_name(r->id));
	if (!str_starts(r->id, start))
		fail_msg("%s does not begin with %s", r->id, start);
	end = r->id + strlen(start);
	assert_int_equal(strlen(end), 4);
	assert_int_equal(strspn(end, "0123456789abcdef"), 4);
}

static void ids(void **state)
{
	static const char when[] = "2026-01-31T12:34:56Z";

	check_id(*state, "before", when, "20260131T123456Z-before-");
	check_id(*state, "../../etc/x y\n\xc3\xa9", when, "20260131T123456Z-.._.._etc_x_y___-");
	check_id(*state, "", when, "20260131T123456Z-run-");
	check_id(*state, "0123456789012345678901234567890123456789tail", when,
		 "20260131T123456Z-0123456789012345678901234567890123456789-");
}

static void a_bad_start_is_not_used_for_the_id(void **state)
{
	static const char *const bad[] = { "../../../x-2026-01-3", "2026-01-31 12:34:56Z", "" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		__cleanup_run struct run *r = new_run("a");
		__cleanup_free char *dir = NULL;
		struct store_writer *w;

		str_replace(&r->started, bad[i]);
		assert_int_equal(store_create(*state, r, &w, &dir), 0);
		store_abandon(w);
		assert_int_equal(strspn(r->id, "0123456789TZ"), strlen("20260131T123456Z"));
	}
}

#define store_test(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		store_test(reads_back_what_was_written),
		store_test(folding_loses_nothing),
		store_test(each_metric_is_declared_once),
		store_test(an_append_only_adds),
		store_test(failures_have_no_samples),
		store_test(numbers_survive),
		store_test(not_finite_is_left_out),
		store_test(bytes_that_are_no_text),
		store_test(one_metric_has_one_unit),
		store_test(a_cut_line_costs_one_iteration),
		store_test(a_cut_declaration_is_made_again),
		store_test(going_on_needs_no_new_declarations),
		store_test(only_an_unfinished_run_goes_on),
		store_test(a_full_disk_keeps_the_lines),
		store_test(a_full_disk_leaves_no_empty_run),
		store_test(a_result_is_replaced_in_one_step),
		store_test(writers_do_not_meet),
		store_test(ids),
		store_test(a_bad_start_is_not_used_for_the_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
