// SPDX-License-Identifier: GPL-2.0-or-later
/* Our own programs: see workloads/native/native.h for what they print. */
#include "lib/hist.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "workloads/tools/parse.h"
#include "workloads/tools/tools.h"

#include <errno.h>
#include <string.h>

#define FORMAT 1

static const struct tool_param native_params[] = {
	{ "program", PARAM_STRING, true, NULL, "which one: fsync-new, unlink-many, ..." },
	{ "files", PARAM_U64, false, NULL, "files in all" },
	{ "threads", PARAM_U64, false, NULL, "threads, which divide the files" },
	{ "dirs", PARAM_U64, false, NULL, "directories in all" },
	{ "size", PARAM_SIZE, false, NULL, "bytes written to a file" },
	{ "rounds", PARAM_U64, false, NULL, "how often all of it is done" },
	{ "seed", PARAM_U64, false, NULL, "instead of the seed of the run" },
	{ "delay-ns", PARAM_U64, false, NULL, "busy wait per operation: to test a measurement" },
	{ "warmup-rounds", PARAM_U64, false, NULL, "before those, not reported" },
	{ "pad", PARAM_U64, false, NULL, "files made first, to shift where commits fall" },
	{ "spin", PARAM_U64, false, NULL, "turns of a loop per operation: to test a measurement" },
	{ "instructions", PARAM_U64, false, NULL,
	  "more instructions per operation: to test a measurement" },
	{ "mlock", PARAM_BOOL, false, NULL, "keep all memory of the program in memory" },
	{ "no-sync", PARAM_BOOL, false, NULL, "no syncfs before a timed phase" },
	{ "keep", PARAM_BOOL, false, NULL, "always: the files go with the file system" },
	{ .name = NULL },
};

static void native_check(const struct job *job, struct strvec *errors)
{
	const char *program = tool_param_str(job, "program");

	/* A path here would run anything; that is what the tool command is for. */
	if (program && (strchr(program, '/') || program[0] == '.' || program[0] == '-'))
		strvec_pushf(errors, "program \"%s\" is no plain name", program);
	for (size_t i = 0; i < job->n_params; i++) {
		const struct job_param *p = &job->params[i];

		if (!str_eq(p->section, "params"))
			strvec_pushf(errors, "line %d: tool native has no section [%s]", p->line,
				     p->section);
		if (p->key[0] == '-' || p->key[strspn(p->key, "abcdefghijklmnopqrstuvwxyz"
							       "0123456789-")])
			strvec_pushf(errors, "line %d: \"%s\" is no name of an option", p->line,
				     p->key);
		if (str_eq(p->key, "selftest"))
			strvec_pushf(errors, "line %d: selftest measures no file system", p->line);
	}
}

static int native_argv(const struct tool_call *call, struct strvec *argv)
{
	const char *program = tool_param_str(call->job, "program");

	if (!program)
		return -EINVAL;
	strvec_pushf(argv, "%s/%s", call->libexec, program);
	for (size_t i = 0; i < call->job->n_params; i++) {
		const struct job_param *p = &call->job->params[i];
		bool number = false;

		if (str_eq(p->key, "program") || str_eq(p->key, "keep"))
			continue;
		for (const struct tool_param *t = native_params; t->name; t++)
			number |= str_eq(t->name, p->key) && t->type != PARAM_BOOL;
		/* What the table does not have is a flag, or a choice of words. */
		if (!number && str_eq(p->value, "0"))
			continue;
		strvec_pushf(argv, "--%s", p->key);
		if (number || !str_eq(p->value, "1"))
			strvec_push(argv, p->value);
	}
	/* Removing the files would be part of what is measured; they go with the file system. */
	strvec_push(argv, "--keep");
	if (!tool_param_str(call->job, "seed")) {
		strvec_push(argv, "--seed");
		strvec_pushf(argv, "%llu", (unsigned long long)call->seed);
	}
	strvec_push(argv, call->dir);
	return 0;
}

/* "fsync.mean" */
static void put(struct tool_result *r, const char *op, const char *leaf, const struct metric *like,
		struct value v)
{
	__cleanup_strbuf struct strbuf name = STRBUF_INIT;
	struct metric m = *like;

	text_add_name(&name, op);
	strbuf_addf(&name, ".%s", leaf);
	m.name = strbuf_str(&name);
	tool_sample(r, &m, v);
}

/* Reads the buckets back. NULL: they are missing, or contradict the count and the extremes. */
static struct hist *read_hist(struct json_object *line)
{
	struct json_object *o = json_get(line, "hist"), *buckets = json_get(o, "buckets");
	struct hist *h = hist_new();
	uint64_t bits, index, n, count, min, max, sum = UINT64_MAX;
	bool ok;

	ok = json_get_u64(o, "sub_bits", &bits) && bits == HIST_SUB_BITS && buckets &&
	     json_object_is_type(buckets, json_type_array);
	for (size_t i = 0; ok && i < json_object_array_length(buckets); i++) {
		struct json_object *pair = json_object_array_get_idx(buckets, i);

		ok = pair && json_object_is_type(pair, json_type_array) &&
		     json_object_array_length(pair) == 2 &&
		     json_as_u64(json_object_array_get_idx(pair, 0), &index) &&
		     json_as_u64(json_object_array_get_idx(pair, 1), &n) &&
		     hist_restore_bucket(h, index, n) == 0;
	}
	json_get_u64(o, "sum", &sum);
	ok = ok && json_get_u64(line, "min_ns", &min) && json_get_u64(line, "max_ns", &max) &&
	     json_get_u64(line, "count", &count) && count == h->count &&
	     hist_restore_totals(h, min, max, sum) == 0;
	if (ok)
		return h;
	hist_free(h);
	return NULL;
}

static void put_times(struct tool_result *r, const char *op, const struct hist *h)
{
	struct metric m = { .unit = "ns", .better = BETTER_LOWER, .kind = KIND_TIME,
			    .text = "mean time of one operation" };
	double mean;
	uint64_t v;

	if (hist_mean(h, &mean))
		put(r, op, "mean", &m, value_double(mean));
	m.kind = KIND_QUANTILE;
	m.text = "time that this share of the operations did not exceed, within 0.8 %";
	for (size_t i = 0; i < tool_n_quantiles; i++)
		if (h->count >= tool_quantiles[i].min_n &&
		    hist_quantile(h, tool_quantiles[i].q, &v))
			put(r, op, tool_quantiles[i].name, &m, value_u64(v));
	m.kind = KIND_MAX;
	m.text = "longest operation; grows with the number of operations";
	put(r, op, "max", &m, value_u64(h->max));
	m = (struct metric){ .unit = "1", .better = BETTER_NEUTRAL, .kind = KIND_COUNT,
			     .text = "operations" };
	put(r, op, "count", &m, value_u64(h->count));
}

static void take_op(struct json_object *line, struct tool_result *r)
{
	struct metric rate = { .unit = "1/s", .better = BETTER_HIGHER, .kind = KIND_RATE_WORK,
			       .text = "operations per second of the timed phase" };
	const char *op = json_get_str(line, "op");
	__cleanup_strbuf struct strbuf name = STRBUF_INIT;
	uint64_t count, errors;
	struct hist *h;
	double v;

	if (!json_get_u64(line, "count", &count) || !json_get_u64(line, "errors", &errors)) {
		tool_fail(r, OUTCOME_FAILED, "the program's line about %s makes no sense", op);
		return;
	}
	if (errors)
		tool_fail(r, OUTCOME_FAILED, "%llu of the %s operations failed",
			  (unsigned long long)errors, op);
	if (!count || r->outcome != OUTCOME_OK)
		return;
	text_add_name(&name, op);
	if (samples_get_hist(&r->samples, strbuf_str(&name))) {
		tool_fail(r, OUTCOME_FAILED, "the output has %s twice", op);
		return;
	}
	h = read_hist(line);
	if (!h) {
		tool_fail(r, OUTCOME_FAILED, "the program's histogram of %s makes no sense", op);
		return;
	}
	/* Absent for a part of a longer operation. */
	if (json_get_double(line, "rate", &v) && v > 0)
		put(r, op, "rate", &rate, value_double(v));
	put_times(r, op, h);
	samples_add_hist(&r->samples, strbuf_str(&name), "ns", h);
}

/* Did the program do what the job says? An old binary may lack an option's effect. */
static void check_header(struct json_object *line, const struct job *job, struct tool_result *r)
{
	static const char *const numbers[] = { "files", "threads", "dirs", "rounds" };
	const char *program = tool_param_str(job, "program");
	uint64_t want, got;

	if (!json_get_u64(line, "fsdelta-native", &got) || got != FORMAT)
		tool_fail(r, OUTCOME_FAILED, "the program's output has another version");
	if (program && !str_eq(json_get_str(line, "program"), program))
		tool_fail(r, OUTCOME_FAILED, "the output is not of %s", program);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (tool_param_u64(job, numbers[i], &want) &&
		    (!json_get_u64(line, numbers[i], &got) || got != want))
			tool_fail(r, OUTCOME_FAILED, "the program did not use %s = %llu",
				  numbers[i], (unsigned long long)want);
}

struct seen {
	size_t headers, ends;
};

static void take_line(const struct tool_output *o, const char *text, struct seen *seen,
		      struct tool_result *r)
{
	__cleanup_json struct json_object *line = json_parse(text, strlen(text), NULL);
	uint64_t errors;
	bool done;

	if (!line) {
		if (text[0] == '{')
			tool_fail(r, OUTCOME_FAILED, "incomplete: a line of the output is not whole");
		else if (*text)
			tool_warn(r, "the program printed: %s", text);
		return;
	}
	if (json_get(line, "fsdelta-native")) {
		seen->headers++;
		check_header(line, o->job, r);
	} else if (json_get_str(line, "op")) {
		take_op(line, r);
	} else if (json_get_bool(line, "done", &done) && done) {
		seen->ends++;
		if (json_get_u64(line, "errors", &errors) && errors)
			tool_fail(r, OUTCOME_FAILED, "%llu operations or checks failed",
				  (unsigned long long)errors);
	}
}

/* A job should name it; else the rate of the first class of operations that has one. */
static void choose_primary(const struct job *job, struct tool_result *r)
{
	for (size_t i = 0; i < r->samples.n; i++) {
		const char *name = r->samples.v[i].metric.name;

		if (!(job && job->primary) && str_ends(name, ".rate")) {
			samples_set_primary(&r->samples, name);
			return;
		}
	}
}

static void native_parse(const struct tool_output *o, struct tool_result *r)
{
	struct text_lines out = TEXT_LINES(o->out, o->out_len);
	struct text_lines err = TEXT_LINES(o->err, o->err_len);
	struct seen seen = { 0, 0 };

	/* The first failure is on stderr. */
	tool_check_status(o, r, "the program", text_next(&err) ? str_trim(err.line.buf) : NULL);
	text_end(&err);
	while (text_next(&out))
		take_line(o, str_trim(out.line.buf), &seen, r);
	if (!seen.headers)
		tool_fail(r, OUTCOME_FAILED, "the program printed no results");
	else if (seen.headers > 1 || seen.ends > 1)
		tool_fail(r, OUTCOME_FAILED, "the output is of several runs");
	else if (!seen.ends)
		tool_fail(r, OUTCOME_FAILED, "incomplete: the program's output has no end");
	if (r->outcome == OUTCOME_OK && !r->samples.n)
		tool_fail(r, OUTCOME_FAILED, "the program measured nothing");
	choose_primary(o->job, r);
}

const struct tool tool_native = {
	.name = "native",
	.summary = "one of fsdelta's own programs: every operation timed",
	.params = native_params,
	.any_param = true,
	.check = native_check,
	.argv = native_argv,
	.parse = native_parse,
};
