// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/store-fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/file.h"
#include "lib/hist.h"
#include "lib/mem.h"
#include "results/store-codec.h"

const struct metric store_rate = {
	.name = "fsync.rate", .unit = "1/s", .better = BETTER_HIGHER, .kind = KIND_RATE_WORK,
	.primary = true, .text = "calls of fsync per second",
};
const struct metric store_written = {
	.name = "disk.written", .unit = "B", .better = BETTER_NEUTRAL, .kind = KIND_COUNT,
};

/* --- a store of its own for each test --- */

int store_make_root(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *root = xasprintf("%s/fsdelta-store.XXXXXX", tmp ? tmp : "/tmp");

	*state = root;
	return mkdtemp(root) ? 0 : -1;
}

/* For tests/schema.sh: runs that have a result are copied to this folder before they go. */
static int keep_file(const struct store_entry *e, const char *to, const char *file)
{
	__cleanup_free char *from = xasprintf("%s/%s", e->dir, file);
	__cleanup_free char *path = xasprintf("%s/%s-%s", to, e->id, file);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	int ret = file_read(from, &text, 0);

	return ret ? ret : file_write(path, strbuf_str(&text), text.len);
}

static int keep_files(const char *root)
{
	const char *to = getenv("FSDELTA_TEST_KEEP");
	struct store_entry *v;
	size_t n;
	int ret = 0;

	if (!to || store_list(root, &v, &n))
		return 0;
	for (size_t i = 0; i < n && !ret; i++) {
		ret = keep_file(&v[i], to, STORE_RESULT);
		if (!ret)
			ret = keep_file(&v[i], to, STORE_JOURNAL);
		if (ret == -ENOENT)
			ret = 0;
	}
	store_entries_free(v, n);
	return ret;
}

int store_remove_root(void **state)
{
	int kept = keep_files(*state);
	int ret = file_remove_tree(*state);

	free(*state);
	return kept ? kept : ret;
}

struct run *store_new_run(const char *label)
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

struct hist *store_new_hist(void)
{
	struct hist *h = hist_new();

	for (uint64_t i = 1; i < 5000; i += 7)
		hist_record(h, i * i);
	return h;
}

void store_fill_iteration(struct iteration *it, uint64_t seq)
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
	it->exact = (struct iteration_exact){ .perturbed = true, .pad = 7, .seed = seq };
	samples_add(&it->samples, &store_rate, value_double(1234.5 + (double)seq));
	samples_add(&it->samples, &store_written, value_u64(UINT64_MAX - seq));
	samples_add_hist(&it->samples, "fsync", "ns", store_new_hist());
}

void store_append_seq(struct store_writer *w, uint64_t seq)
{
	struct iteration it;

	store_fill_iteration(&it, seq);
	assert_int_equal(store_append(w, &it), 0);
	iteration_release(&it);
}

/* A run with iterations 0 ... @n - 1 and its writer; the folder's path is returned. */
char *store_begin(const char *root, const char *label, uint64_t n, struct store_writer **w)
{
	__cleanup_run struct run *r = store_new_run(label);
	char *dir = NULL;

	assert_int_equal(store_create(root, r, w, &dir), 0);
	for (uint64_t i = 0; i < n; i++)
		store_append_seq(*w, i);
	return dir;
}

struct run *store_load_ok(const char *path)
{
	__cleanup_free char *error = NULL;
	struct run *r = store_load(path, &error);

	if (!r)
		fail_msg("%s", error);
	assert_null(error);
	return r;
}

char *store_path(const char *dir, const char *file)
{
	return xasprintf("%s/%s", dir, file);
}

char *store_slurp(const char *dir, const char *file)
{
	__cleanup_free char *path = store_path(dir, file);
	struct strbuf sb = STRBUF_INIT;

	assert_int_equal(file_read(path, &sb, 0), 0);
	return strbuf_detach(&sb);
}

void store_check_header(const struct run *r)
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

void store_check_iteration(const struct iteration *it, uint64_t seq)
{
	__cleanup_free struct hist *want = store_new_hist();
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
	assert_true(it->exact.perturbed && it->exact.pad == 7 && it->exact.seed == seq);
	assert_null(it->exact.file);
	assert_int_equal(it->samples.n, 2);
	assert_false(s->value.whole);
	assert_true(s->value.d == 1234.5 + (double)seq);
	assert_string_equal(s->metric.unit, "1/s");
	assert_string_equal(s->metric.text, store_rate.text);
	assert_int_equal(s->metric.better, BETTER_HIGHER);
	assert_int_equal(s->metric.kind, KIND_RATE_WORK);
	assert_true(s->metric.primary);
	s = samples_get(&it->samples, "disk.written");
	assert_true(s->value.whole && s->value.u == UINT64_MAX - seq);
	assert_false(s->metric.primary);
	assert_null(s->metric.text);
	assert_memory_equal(samples_get_hist(&it->samples, "fsync"), want, sizeof(*want));
}
