// SPDX-License-Identifier: GPL-2.0-or-later
/* Judging a run of fio: an exit status of 0 and "error": 0 prove nothing. */
#include "workloads/tools/fio.h"

#include "lib/mem.h"
#include "workloads/tools/parse.h"

#include <string.h>

struct json_object *fio_entries(struct json_object *doc, bool *remote)
{
	struct json_object *o = json_get(doc, "jobs");

	*remote = !o;
	if (!o)
		o = json_get(doc, "client_stats");
	if (!o || !json_object_is_type(o, json_type_array) || !json_object_array_length(o))
		return NULL;
	return o;
}

bool fio_is_sum(struct json_object *entries, size_t i, bool remote)
{
	struct json_object *entry = json_object_array_get_idx(entries, i);

	/* In a local run, a job may be called that. */
	return remote && json_object_array_length(entries) > 1 &&
	       str_eq(json_get_str(entry, "jobname"), "All clients");
}

/* Words that mean the end of all trust, wherever they stand. */
static bool is_fatal(const char *line)
{
	const char *err = strstr(line, ", err=");

	if (strstr(line, "got signal=") || strstr(line, "terminating on signal"))
		return true;
	/* "fio: pid=1, err=28/file:..."; the human text has "err= 0: pid=". */
	return err && err[6] >= '1' && err[6] <= '9';
}

/* The human text that json,normal adds, and the banner of the jobs, say nothing new. */
static bool is_routine(const char *line)
{
	return strstr(line, "(g=") || str_eq(line, "...") || str_starts(line, "Starting ") ||
	       str_starts(line, "fio-") || strstr(line, "): err= 0: pid=");
}

/* Is @line of the human text, which goes on from its first line to the end? */
static bool starts_human_text(const char *line)
{
	return strstr(line, "(groupid=") && strstr(line, "): err=");
}

static void judge_lines(const struct strvec *lines, struct tool_result *r)
{
	for (size_t i = 0; i < lines->n; i++)
		if (is_fatal(lines->v[i]))
			tool_fail(r, OUTCOME_FAILED, "fio says: %s", lines->v[i]);
	for (size_t i = 0; i < lines->n && !starts_human_text(lines->v[i]); i++)
		if (!is_routine(lines->v[i]))
			tool_warn(r, "fio: %s", lines->v[i]);
}

static void judge_entry(struct json_object *entry, struct tool_result *r)
{
	static const char *const dirs[] = { "read", "write", "trim", "mixed" };
	const char *name = json_get_str(entry, "jobname");
	uint64_t error, runtime, ios;
	double iops;

	if (!name)
		name = "?";
	if (json_get_u64(entry, "error", &error) && error)
		tool_fail(r, OUTCOME_FAILED, "fio job %s: error %llu (%s)", name,
			  (unsigned long long)error, error < 4096 ? strerror((int)error) : "unknown");
	/* How a killed worker looks: its start was counted, its end never came. */
	if (json_get_u64(entry, "job_runtime", &runtime) && !runtime)
		tool_fail(r, OUTCOME_FAILED,
			  "fio job %s: a run time of 0: a worker was killed, or did next to nothing",
			  name);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		struct json_object *o = json_get(entry, dirs[i]);

		if (json_get_u64(o, "total_ios", &ios) && ios &&
		    json_get_double(o, "iops", &iops) && iops <= 0)
			tool_fail(r, OUTCOME_FAILED,
				  "fio job %s: %llu operations at a rate of 0: a worker was killed",
				  name, (unsigned long long)ios);
	}
}

/*
 * With a clock, workers together run for their number times the run time. Adding up by
 * group hides a missing one anywhere but here.
 */
static void judge_runtime(struct json_object *entry, const struct job *job, uint64_t workers,
			  struct tool_result *r)
{
	const char *name = json_get_str(entry, "jobname");
	const char *runtime = fio_param(job, name, "runtime");
	const char *time_based = fio_param(job, name, "time_based");
	unsigned int asked;
	uint64_t ran;

	if (!runtime || !time_based || str_eq(time_based, "0") || str_to_seconds(runtime, &asked) ||
	    !json_get_u64(entry, "job_runtime", &ran))
		return;
	if ((double)ran < 0.95 * 1000 * (double)asked * (double)workers)
		tool_fail(r, OUTCOME_FAILED,
			  "fio job %s: incomplete: %.1f s of %.1f worker seconds ran", name ? name : "?",
			  (double)ran / 1000, (double)asked * (double)workers);
}

static void judge_entries(struct json_object *doc, const struct job *job, struct tool_result *r)
{
	bool remote, grouped = false;
	struct json_object *entries = fio_entries(doc, &remote);
	size_t n = entries ? json_object_array_length(entries) : 0;
	uint64_t workers = job ? fio_workers(job, &grouped) : 0;

	if (!n) {
		tool_fail(r, OUTCOME_FAILED, "fio reports no job");
		return;
	}
	for (size_t i = 0; i < n; i++)
		judge_entry(json_object_array_get_idx(entries, i), r);
	if (remote || !workers)
		return;
	if (!grouped && n != workers)
		tool_fail(r, OUTCOME_FAILED, "fio reports %zu workers, not %llu", n,
			  (unsigned long long)workers);
	for (size_t i = 0; i < n; i++)
		judge_runtime(json_object_array_get_idx(entries, i), job,
			      grouped && n == 1 ? workers : 1, r);
}

static const char *first_error(const struct strvec *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		if (is_fatal(lines->v[i]))
			return lines->v[i];
	for (size_t i = 0; i < lines->n; i++)
		if (str_starts(lines->v[i], "fio: "))
			return lines->v[i];
	return NULL;
}

static void add_lines(struct strvec *lines, const char *s, size_t len)
{
	struct text_lines t = TEXT_LINES(s, len);

	while (text_next(&t))
		if (*str_trim(t.line.buf))
			strvec_push(lines, str_trim(t.line.buf));
}

/* A job should name it. The rate of writes has their fsyncs in it. */
static void choose_primary(const struct job *job, struct tool_result *r)
{
	static const char *const names[] = { "write.iops", "read.iops", "mixed.iops", "trim.iops" };

	for (size_t i = 0; i < ARRAY_SIZE(names) && !(job && job->primary); i++)
		if (samples_set_primary(&r->samples, names[i]))
			return;
}

void fio_parse(const struct tool_output *o, struct tool_result *r)
{
	struct fio_stream st = FIO_STREAM_INIT;

	if (o->have_file)
		fio_stream_read(&st, o->file, o->file_len);
	else
		fio_stream_read(&st, o->out, o->out_len);
	/* Said before all else: what the workers died of is written around the document. */
	add_lines(&st.text, o->err, o->err_len);
	if (o->have_file)
		add_lines(&st.text, o->out, o->out_len);
	tool_check_status(o, r, "fio", first_error(&st.text));
	judge_lines(&st.text, r);
	if (st.broken)
		tool_fail(r, OUTCOME_FAILED, "incomplete: fio's last JSON document is not whole");
	else if (!st.doc)
		tool_fail(r, OUTCOME_FAILED, "fio printed no JSON document");
	else
		judge_entries(st.doc, o->job, r);
	if (r->outcome == OUTCOME_OK)
		fio_samples(st.doc, o->job, r);
	if (r->outcome == OUTCOME_OK && !r->samples.n)
		tool_fail(r, OUTCOME_FAILED, "fio measured nothing");
	choose_primary(o->job, r);
	fio_stream_release(&st);
}
