// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/tools/parse.h"

#include "lib/mem.h"
#include "workloads/tools/tools.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/*
 * The headline latency is taken once per second, over clients that are still in an
 * operation, too. A client that was killed stays "in" its last one, and dbench ends with
 * status 0: then the headline exceeds all operations by whole seconds.
 */
#define SILENT_MS 900.0

static const struct tool_param dbench_params[] = {
	{ "clients", PARAM_U64, true, NULL, "number of clients" },
	{ "runtime", PARAM_SECONDS, true, NULL,
	  "duration; a fifth of it comes before as warm-up; at least 2 s" },
	{ "loadfile", PARAM_STRING, false, NULL, "which load (default: the installed one)" },
	{ "sync", PARAM_BOOL, false, NULL, "open with O_SYNC (-s)" },
	{ "sync-dir", PARAM_BOOL, false, NULL, "fsync directories after changes (-S)" },
	{ "fsync", PARAM_BOOL, false, NULL, "fsync after each write (-F)" },
	{ "xattr", PARAM_BOOL, false, NULL, "use extended attributes (-x)" },
	{ "rate", PARAM_STRING, false, NULL, "limit of the throughput, MB/s (-R)" },
	{ "options", PARAM_ARGV, false, NULL, "further words for the command line" },
	{ .name = NULL },
};

static void dbench_check(const struct job *job, struct strvec *errors)
{
	uint64_t n;

	if (tool_param_u64(job, "clients", &n) && !n)
		strvec_push(errors, "clients = 0 does nothing");
	/* Throughput is sampled at each full second but the last. */
	if (tool_param_seconds(job, "runtime", &n) && n < 2)
		strvec_push(errors, "runtime: in less than 2 s dbench samples no throughput");
}

static int dbench_argv(const struct tool_call *call, struct strvec *argv)
{
	static const struct {
		const char *key, *option;
	} flags[] = {
		{ "sync", "--sync" }, { "sync-dir", "--sync-dir" }, { "fsync", "--fsync" },
		{ "xattr", "--xattr" },
	};
	const char *loadfile = tool_param_str(call->job, "loadfile");
	const char *rate = tool_param_str(call->job, "rate");
	const char *clients = tool_param_str(call->job, "clients");
	uint64_t seconds;

	if (!clients || !tool_param_seconds(call->job, "runtime", &seconds))
		return -EINVAL;
	strvec_push(argv, "dbench");
	strvec_pushf(argv, "--timelimit=%llu", (unsigned long long)seconds);
	strvec_pushf(argv, "--directory=%s", call->dir);
	if (loadfile)
		strvec_pushf(argv, "--loadfile=%s", loadfile);
	if (rate)
		strvec_pushf(argv, "--target-rate=%s", rate);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (tool_param_set(call->job, flags[i].key))
			strvec_push(argv, flags[i].option);
	if (tool_param_words(call->job, "options", argv))
		return -EINVAL;
	strvec_push(argv, clients);
	return 0;
}

/* What the output says. Absent numbers are NaN. */
struct reading {
	double throughput, headline; /* MB/s, ms */
	double slowest;		     /* largest MaxLat of the table, ms */
	double seconds;		     /* latest time on a progress line */
	double asked;		     /* "Running for N seconds" */
	uint64_t clients;
	size_t executes, results, starts;
	char *error; /* first message of a client or of dbench about a failure */
	struct strvec coarse;
};

/* "   2      8382    44.01 MB/sec  execute   1 sec  latency 100.722 ms", "   2  cleanup   5 sec" */
static void take_progress(struct reading *rd, char **w, size_t n)
{
	double v;

	for (size_t i = 1; i + 2 < n; i++) {
		bool execute = !strcmp(w[i], "execute");

		if ((!execute && strcmp(w[i], "cleanup")) || strcmp(w[i + 2], "sec") ||
		    !text_number(w[i + 1], &v))
			continue;
		rd->executes += execute;
		rd->seconds = fmax(rd->seconds, v);
	}
}

/* "Throughput 20.7 MB/sec (sync open) (sync dirs)  2 clients  2 procs  max_latency=21.084 ms" */
static void take_result(struct reading *rd, char **w, size_t n)
{
	rd->results++;
	if (n < 3 || strcmp(w[2], "MB/sec") || !text_number(w[1], &rd->throughput))
		return;
	for (size_t i = 3; i < n; i++) {
		if (!strcmp(w[i], "clients"))
			text_u64(w[i - 1], &rd->clients);
		/* Without its unit, the number may have been cut. */
		if (str_starts(w[i], "max_latency=") && i + 1 < n && !strcmp(w[i + 1], "ms"))
			text_number(w[i] + strlen("max_latency="), &rd->headline);
	}
}

static void put_op(struct tool_result *r, const char *op, const char *leaf, const struct metric *like,
		   struct value v)
{
	__cleanup_strbuf struct strbuf name = STRBUF_INIT;
	struct metric m = *like;

	text_add_name(&name, op);
	strbuf_addf(&name, ".%s", leaf);
	m.name = strbuf_str(&name);
	tool_sample(r, &m, v);
}

/* " Flush   656   12.899   113.685" */
static void take_op(struct reading *rd, char **w, struct tool_result *r)
{
	struct metric count = { .unit = "1", .better = BETTER_NEUTRAL, .kind = KIND_COUNT,
				.text = "operations" };
	struct metric mean = { .unit = "ms", .better = BETTER_LOWER, .kind = KIND_TIME,
			       .text = "mean duration of the operation" };
	struct metric max = { .unit = "ms", .better = BETTER_LOWER, .kind = KIND_MAX,
			      .text = "longest operation; grows with their number" };
	uint64_t n;
	double avg, longest;

	if (!text_u64(w[1], &n) || !text_number(w[2], &avg) || !text_number(w[3], &longest))
		return;
	rd->slowest = fmax(rd->slowest, longest);
	if (!n)
		return;
	put_op(r, w[0], "count", &count, value_u64(n));
	/* Three decimals are printed: 0.000 was not measured. */
	if (avg > 0)
		put_op(r, w[0], "latency.mean", &mean, value_double(avg));
	if (avg < 0.010)
		strvec_push(&rd->coarse, w[0]);
	if (longest > 0)
		put_op(r, w[0], "latency.max", &max, value_double(longest));
}

static bool is_error(const char *line)
{
	/* "[678] open NAME failed ..." and its like come from the clients. */
	bool client = line[0] == '[' && line[1] >= '0' && line[1] <= '9';

	/* "failed to create barrier semaphore" is harmless. */
	return client || str_starts(line, "Child failed") || strstr(line, "ERROR:") ||
	       str_starts(line, "Failed to ") || str_starts(line, "FAILED TO START") ||
	       str_starts(line, "dbench: error");
}

static void read_output(struct reading *rd, const struct tool_output *o, struct tool_result *r)
{
	struct text_lines t = TEXT_LINES(o->out, o->out_len);
	char *w[24];
	size_t n;

	while (text_next(&t)) {
		char *line = str_trim(t.line.buf);

		if (!rd->error && is_error(line))
			rd->error = xstrdup(line);
		n = text_words(line, w, ARRAY_SIZE(w));
		if (n >= 3 && !strcmp(w[0], "Running") && !strcmp(w[1], "for")) {
			rd->starts++;
			text_number(w[2], &rd->asked);
		} else if (n && !strcmp(w[0], "Throughput")) {
			take_result(rd, w, n);
		} else if (n == 4 && t.whole) {
			take_op(rd, w, r);
		}
		take_progress(rd, w, n);
	}
}

static void read_errors(struct reading *rd, const struct tool_output *o)
{
	struct text_lines t = TEXT_LINES(o->err, o->err_len);

	while (text_next(&t))
		if (!rd->error && is_error(str_trim(t.line.buf)))
			rd->error = xstrdup(str_trim(t.line.buf));
}

static void judge_result(const struct reading *rd, const struct tool_output *o,
			 struct tool_result *r)
{
	uint64_t clients;

	if (rd->error)
		tool_fail(r, OUTCOME_FAILED, "dbench says: %s", rd->error);
	if (!rd->results || isnan(rd->throughput) || (o->job && isnan(rd->headline)))
		tool_fail(r, OUTCOME_FAILED, "incomplete: dbench printed no throughput, or half of it");
	else if (rd->results > 1 || rd->starts > 1)
		tool_fail(r, OUTCOME_FAILED, "the output of dbench is of several runs");
	else if (rd->throughput <= 0 || (o->job && !rd->executes))
		tool_fail(r, OUTCOME_FAILED,
			  "dbench never sampled a throughput: its run was too short");
	if (tool_param_u64(o->job, "clients", &clients) && rd->clients != clients)
		tool_fail(r, OUTCOME_FAILED, "dbench ran %llu clients, not %llu",
			  (unsigned long long)rd->clients, (unsigned long long)clients);
	if (rd->slowest > 0 && rd->headline > rd->slowest + SILENT_MS)
		tool_fail(r, OUTCOME_FAILED,
			  "a client was silent for %.0f ms although no operation took more than %.0f ms: "
			  "it was killed or starved", rd->headline, rd->slowest);
}

static void judge_length(const struct reading *rd, const struct job *job, struct tool_result *r)
{
	double asked = rd->asked;
	uint64_t seconds;

	if (tool_param_seconds(job, "runtime", &seconds))
		asked = (double)seconds;
	if (rd->seconds > 0 && rd->seconds < asked - 1)
		tool_fail(r, OUTCOME_FAILED, "incomplete: dbench ran for %g s of %g s", rd->seconds,
			  asked);
}

static void dbench_parse(const struct tool_output *o, struct tool_result *r)
{
	static const struct metric throughput = {
		.name = "throughput", .unit = "MB/s", .better = BETTER_HIGHER,
		.kind = KIND_RATE_TIME, .primary = true,
		.text = "bytes moved per second, as of the last full second that was sampled",
	};
	static const struct metric headline = {
		.name = "headline-max-latency", .unit = "ms", .better = BETTER_LOWER,
		.kind = KIND_MAX,
		.text = "longest wait at the sampled seconds; not the maximum of all operations",
	};
	struct reading rd = { .throughput = NAN, .headline = NAN, .asked = NAN };

	read_output(&rd, o, r);
	read_errors(&rd, o);
	tool_check_status(o, r, "dbench", rd.error);
	judge_result(&rd, o, r);
	judge_length(&rd, o->job, r);
	tool_sample(r, &throughput, value_double(rd.throughput));
	if (rd.headline > 0)
		tool_sample(r, &headline, value_double(rd.headline));
	if (r->outcome == OUTCOME_OK && rd.coarse.n) {
		__cleanup_free char *ops = strvec_join(&rd.coarse, ", ");

		tool_warn(r, "dbench prints mean latencies in steps of 0.001 ms, which is coarse for %s",
			  ops);
	}
	free(rd.error);
	strvec_release(&rd.coarse);
}

static const char *const version_argv[] = { "dbench", "--help", NULL };

const struct tool tool_dbench = {
	.name = "dbench",
	.program = "dbench",
	.package = "dbench",
	.summary = "the load of a file server: dbench",
	.version_argv = version_argv,
	.primary = "throughput",
	.params = dbench_params,
	.check = dbench_check,
	.argv = dbench_argv,
	.parse = dbench_parse,
};
