// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta reparse: rebuild a result from its raw output, so that a parser fix repairs old data. */
#include "harness/results-args.h"

#include "harness/harvest.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/mem.h"
#include "results/store.h"
#include "workloads/tool.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char help[] =
	"Usage: fsdelta reparse [--store DIR] RESULT...\n"
	"\n"
	"Rebuilds result.json from the raw output that was kept, with the parsers of this\n"
	"version. The raw files and the journal stay as they are.\n"
	"\n"
	"  fsdelta reparse before after\n"
	"  fsdelta reparse ./fsdelta-results/20260131T123456Z-before-1a2b\n"
	"\n"
	"      --store DIR   where labels are looked up; default ./fsdelta-results, or\n"
	"                    $FSDELTA_STORE\n"
	"  -h, --help\n"
	"\n"
	"Exit status: 0 rebuilt; 2 a result or its raw output cannot be read; 3 rebuilt,\n"
	"but some iterations are not OK.\n";

static int cmp_seq(const void *a, const void *b)
{
	const struct iteration *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* The jobs as they were when the result was measured. */
static struct job *job_of(const struct run *r, const char *name)
{
	__cleanup_strvec struct strvec errors = STRVEC_INIT;
	const struct run_workload *w = name ? run_find_workload(r, name) : NULL;
	struct job *job = w ? job_parse(w->name, NULL, w->text, &errors) : NULL;

	for (size_t i = 0; i < errors.n; i++)
		log_error("%s", errors.v[i]);
	return job;
}

/* The record that these facts replace, emptied; or a new one, whose line a crash cut off. */
static struct iteration *slot_for(struct run *r, const struct kv *facts)
{
	const char *text = kv_get(facts, "seq");
	unsigned long long seq = 0;

	if (text && !str_to_u64(text, &seq)) {
		for (size_t i = 0; i < r->n_iterations; i++) {
			struct iteration *it = &r->iterations[i];
			struct iteration_exact exact = it->exact;

			if (it->seq != seq)
				continue;
			/* The single operations have a file of their own, and no raw output. */
			it->exact = (struct iteration_exact){ 0 };
			iteration_release(it);
			*it = (struct iteration){ .exact = exact };
			return it;
		}
	}
	return run_add_iteration(r);
}

static int reparse_one(struct run *r, const char *dir)
{
	__cleanup_kv struct kv facts = KV_INIT;
	__cleanup_free char *key = NULL;
	struct job *job;
	int ret = harvest_read_facts(dir, &facts);

	if (ret) {
		log_error("%s/" RAW_FACTS ": %s", dir, strerror(-ret));
		return ret;
	}
	job = job_of(r, kv_get(&facts, "workload"));
	if (!job) {
		log_error("%s: the result does not have its workload", dir);
		return -EINVAL;
	}
	key = xasprintf("tool.%s", job->tool->name);
	harvest(dir, &facts, job, kv_get(&r->host, key), slot_for(r, &facts));
	job_free(job);
	return 0;
}

static int only_numbers(const struct dirent *e)
{
	unsigned long long v;

	return str_to_u64(e->d_name, &v) == 0;
}

static int reparse_all(struct run *r, const char *raw, size_t *rebuilt)
{
	struct dirent **names = NULL;
	int n = scandir(raw, &names, only_numbers, alphasort), ret = 0;

	if (n < 0) {
		log_error("%s: %s", raw, strerror(errno));
		return -errno;
	}
	for (int i = 0; i < n; i++) {
		__cleanup_free char *dir = xasprintf("%s/%s", raw, names[i]->d_name);

		if (!ret)
			ret = reparse_one(r, dir);
		free(names[i]);
	}
	free(names);
	*rebuilt = (size_t)n;
	return ret;
}

/* What has no raw output any more stays as it was parsed then. */
static void count_kept(const struct run *r, size_t rebuilt)
{
	if (r->n_iterations > rebuilt)
		log_warn("%s: %zu iteration%s without raw output: as before", r->label,
			 r->n_iterations - rebuilt, r->n_iterations - rebuilt == 1 ? "" : "s");
}

/* Header and jobs come from the journal if there is one: a damaged result.json is no hindrance. */
static struct run *load(const char *dir)
{
	__cleanup_free char *journal = xasprintf("%s/journal.jsonl", dir);
	__cleanup_free char *error = NULL;
	struct run *r = store_load(file_exists(journal) ? journal : dir, &error);

	if (!r)
		log_error("%s", error);
	return r;
}

static int reparse(const struct app *app, const char *name)
{
	__cleanup_free char *error = NULL, *raw = NULL;
	__cleanup_free char *dir = store_resolve(app->store, name, &error);
	__cleanup_run struct run *r = dir ? load(dir) : NULL;
	size_t rebuilt = 0;
	uint64_t ok = 0;
	int ret;

	if (!dir)
		log_error("%s", error);
	if (!r)
		return EXIT_TROUBLE;
	raw = xasprintf("%s/raw", dir);
	if (reparse_all(r, raw, &rebuilt))
		return EXIT_TROUBLE;
	count_kept(r, rebuilt);
	if (r->n_iterations)
		qsort(r->iterations, r->n_iterations, sizeof(*r->iterations), cmp_seq);
	ret = store_write_result(dir, r);
	if (ret) {
		log_error("%s/result.json: %s", dir, strerror(-ret));
		return EXIT_TROUBLE;
	}
	for (size_t i = 0; i < r->n_iterations; i++)
		ok += r->iterations[i].outcome == OUTCOME_OK;
	log_info("%s: %zu iteration%s rebuilt, %" PRIu64 " of all OK, in %s", r->label, rebuilt,
		 rebuilt == 1 ? "" : "s", ok, dir);
	return ok == r->n_iterations ? EXIT_OK : EXIT_INCONCLUSIVE;
}

static int reparse_main(struct app *app, int argc, char **argv)
{
	struct results_args a;
	int ret = EXIT_OK;

	if (results_args_parse(&a, app, argc, argv, false))
		return command_usage_error(&cmd_reparse);
	if (a.help)
		return command_help(&cmd_reparse);
	if (!a.n_names) {
		log_error("reparse: which result? `fsdelta list results` shows them");
		return command_usage_error(&cmd_reparse);
	}
	for (int i = 0; i < a.n_names; i++) {
		int one = reparse(app, a.names[i]);

		/* Trouble with one does not keep the others from being rebuilt. */
		if (ret == EXIT_OK || one == EXIT_TROUBLE)
			ret = one;
	}
	return ret;
}

const struct command cmd_reparse = {
	.name = "reparse",
	.summary = "rebuild a result from its raw output with today's parsers",
	.help = help,
	.main = reparse_main,
};
