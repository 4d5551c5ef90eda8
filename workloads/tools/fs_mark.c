// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/tools/parse.h"

#include "lib/mem.h"
#include "workloads/tools/tools.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* FSUse%, Count, Size, Files/sec, App Overhead; with -v six times min, average, maximum. */
#define ROW_MIN 5
#define ROW_MAX 64
/* Above this, the file system works in other ways than below. */
#define NEARLY_FULL 95.0

static const struct tool_param fs_mark_params[] = {
	{ "files", PARAM_U64, true, NULL, "files per thread and loop (-n)" },
	{ "size", PARAM_SIZE, false, NULL, "bytes per file (-s, default 51200)" },
	{ "dirs", PARAM_U64, false, NULL, "directories to work in (-d), one by one to the threads" },
	{ "subdirs", PARAM_U64, false, NULL, "subdirectories in each (-D)" },
	{ "files_per_subdir", PARAM_U64, false, NULL, "files before the next subdirectory (-N)" },
	{ "threads", PARAM_U64, false, NULL, "threads (-t)" },
	{ "loops", PARAM_U64, false, NULL, "loops (-L, default 1)" },
	{ "warmup_loops", PARAM_U64, false, NULL, "loops at the start that do not count" },
	{ "sync_method", PARAM_CHOICE, false, "0|1|2|3|4|5|6",
	  "0 none, 1 fsync each file, 2 sync and one fsync, 3 to 6 after all writes (-S)" },
	{ "write_size", PARAM_SIZE, false, NULL, "bytes per write (-w)" },
	{ "keep", PARAM_BOOL, false, NULL, "keep the files of each loop (-k)" },
	{ "fill", PARAM_BOOL, false, NULL, "go on until the file system is full (-F)" },
	{ "verbose", PARAM_BOOL, false, NULL, "times of the system calls, too (-v)" },
	{ .name = NULL },
};

static void fs_mark_check(const struct job *job, struct strvec *errors)
{
	uint64_t loops = 1, warmup = 0, n;

	tool_param_u64(job, "loops", &loops);
	tool_param_u64(job, "warmup_loops", &warmup);
	if (!tool_param_set(job, "fill") && warmup >= loops)
		strvec_push(errors, "warmup_loops leaves no loop that counts");
	if (tool_param_u64(job, "files", &n) && !n)
		strvec_push(errors, "files = 0 does nothing");
	if (tool_param_u64(job, "dirs", &n) && !n)
		strvec_push(errors, "dirs = 0 leaves nowhere to work in");
}

static void push_size(struct strvec *argv, const char *option, const char *value)
{
	unsigned long long v;

	if (!value || str_to_size(value, &v))
		return;
	strvec_push(argv, option);
	strvec_pushf(argv, "%llu", v);
}

static int fs_mark_argv(const struct tool_call *call, struct strvec *argv)
{
	static const struct {
		const char *key, *option;
	} numbers[] = {
		{ "files", "-n" }, { "subdirs", "-D" }, { "files_per_subdir", "-N" },
		{ "threads", "-t" }, { "loops", "-L" }, { "sync_method", "-S" },
	}, flags[] = { { "keep", "-k" }, { "fill", "-F" }, { "verbose", "-v" } };
	uint64_t dirs = 1;

	strvec_push(argv, "fs_mark");
	tool_param_u64(call->job, "dirs", &dirs);
	for (uint64_t i = 0; i < dirs; i++) {
		strvec_push(argv, "-d");
		strvec_pushf(argv, "%s/d%llu", call->dir, (unsigned long long)i);
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const char *value = tool_param_str(call->job, numbers[i].key);

		if (!value)
			continue;
		strvec_push(argv, numbers[i].option);
		strvec_push(argv, value);
	}
	push_size(argv, "-s", tool_param_str(call->job, "size"));
	push_size(argv, "-w", tool_param_str(call->job, "write_size"));
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (tool_param_set(call->job, flags[i].key))
			strvec_push(argv, flags[i].option);
	/* By default the log, and one per thread, is put below the file system under test. */
	strvec_push(argv, "-l");
	strvec_pushf(argv, "%s/%s", call->out_dir, tool_fs_mark.output_file);
	return 0;
}

/* One kind of system call of -v, over the loops that count. */
struct call_times {
	char *name;
	double mean_sum, max; /* us */
	uint64_t loops;
};

struct reading {
	const struct job *job;
	uint64_t warmup;
	size_t headers;
	uint64_t rows, last_count, files;
	uint64_t per_loop; /* files of the first loop */
	double seconds, overhead; /* of the loops that count */
	double use;		  /* FSUse% of the last row */
	bool wrong_order, zero_rate;
	bool cut; /* the last row has no line end */
	char *message; /* about space or inodes */
	struct call_times *calls;
	size_t n_calls;
};

/* The header of -v names each triple: "FSYNC (Min/Avg/Max)". */
static void take_header(struct reading *rd, char **w, size_t n)
{
	rd->headers++;
	for (size_t i = 1; i < n && rd->headers == 1; i++) {
		__cleanup_strbuf struct strbuf name = STRBUF_INIT;

		if (strcmp(w[i], "(Min/Avg/Max)"))
			continue;
		text_add_name(&name, w[i - 1]);
		GROW(rd->calls, rd->n_calls);
		rd->calls[rd->n_calls++] = (struct call_times){ .name = strbuf_detach(&name) };
	}
}

static void take_calls(struct reading *rd, const double *v, size_t n)
{
	for (size_t i = 0; i < rd->n_calls && ROW_MIN + 3 * i + 2 < n; i++) {
		const double *t = v + ROW_MIN + 3 * i;

		/* Zeros: not called. */
		if (t[2] <= 0)
			continue;
		rd->calls[i].mean_sum += t[1];
		rd->calls[i].max = fmax(rd->calls[i].max, t[2]);
		rd->calls[i].loops++;
	}
}

/* Is it a row? A line of numbers alone; headers and the summaries of newer versions are not. */
static bool take_row(struct reading *rd, char **w, size_t n)
{
	double v[ROW_MAX];
	uint64_t count, files;

	if (n < ROW_MIN || n > ROW_MAX || !text_u64(w[1], &count))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!text_number(w[i], &v[i]))
			return false;
	/* Count goes on from loop to loop. */
	rd->wrong_order |= count <= rd->last_count;
	rd->zero_rate |= v[3] <= 0;
	files = count - rd->last_count;
	if (!rd->rows)
		rd->per_loop = files;
	rd->last_count = count;
	rd->use = v[0];
	if (rd->rows++ < rd->warmup)
		return true;
	rd->files += files;
	rd->seconds += (double)files / v[3];
	rd->overhead += v[4];
	take_calls(rd, v, n);
	return true;
}

static void read_table(struct reading *rd, const char *s, size_t len)
{
	struct text_lines t = TEXT_LINES(s, len);
	char *w[ROW_MAX + 1];
	size_t n;

	while (text_next(&t)) {
		char *line = str_trim(t.line.buf);

		if (!rd->message && (str_starts(line, "Insufficient free") ||
				     strstr(line, "No space left") || strstr(line, "failed")))
			rd->message = xstrdup(line);
		n = text_words(line, w, ARRAY_SIZE(w));
		if (n && !strcmp(w[0], "FSUse%"))
			take_header(rd, w, n);
		else if (rd->headers)
			rd->cut |= take_row(rd, w, n) && !t.whole;
	}
}

static void judge(const struct reading *rd, struct tool_result *r)
{
	bool fill = tool_param_set(rd->job, "fill");
	uint64_t loops = 1, files, threads = 1, dirs = 1;

	if (rd->headers > 1 || rd->wrong_order)
		tool_fail(r, OUTCOME_FAILED, "the table of fs_mark is of several runs");
	else if (rd->cut)
		tool_fail(r, OUTCOME_FAILED, "incomplete: the last row of fs_mark has no end");
	else if (!rd->rows)
		tool_fail(r, OUTCOME_FAILED, "fs_mark printed no row%s%s", rd->message ? ": " : "",
			  rd->message ? rd->message : "");
	else if (rd->zero_rate)
		tool_fail(r, OUTCOME_FAILED, "fs_mark measured a rate of 0");
	else if (rd->rows <= rd->warmup)
		tool_fail(r, OUTCOME_FAILED, "fs_mark printed no row behind those for warming up");
	if (!rd->job || fill)
		return;
	tool_param_u64(rd->job, "loops", &loops);
	if (rd->rows != loops)
		tool_fail(r, OUTCOME_FAILED, "incomplete: %llu of %llu loops%s%s",
			  (unsigned long long)rd->rows, (unsigned long long)loops,
			  rd->message ? ": " : "", rd->message ? rd->message : "");
	tool_param_u64(rd->job, "threads", &threads);
	tool_param_u64(rd->job, "dirs", &dirs);
	/* There is a thread for each directory at least. */
	if (dirs > threads)
		threads = dirs;
	if (tool_param_u64(rd->job, "files", &files) && rd->per_loop != files * threads)
		tool_fail(r, OUTCOME_FAILED, "fs_mark made %llu files per loop, not %llu",
			  (unsigned long long)rd->per_loop, (unsigned long long)(files * threads));
}

static void put_calls(const struct reading *rd, struct tool_result *r)
{
	struct metric mean = { .unit = "us", .better = BETTER_LOWER, .kind = KIND_TIME,
			       .text = "mean time of the call, averaged over the loops" };
	struct metric max = { .unit = "us", .better = BETTER_LOWER, .kind = KIND_MAX,
			      .text = "longest call; grows with their number" };

	for (size_t i = 0; i < rd->n_calls; i++) {
		const struct call_times *c = &rd->calls[i];
		__cleanup_free char *mean_name = xasprintf("%s.mean", c->name);
		__cleanup_free char *max_name = xasprintf("%s.max", c->name);

		if (!c->loops)
			continue;
		mean.name = mean_name;
		max.name = max_name;
		/* Whole microseconds are printed: 0 was not measured. */
		if (c->mean_sum > 0)
			tool_sample(r, &mean, value_double(c->mean_sum / (double)c->loops));
		tool_sample(r, &max, value_double(c->max));
	}
}

static void put(const struct reading *rd, struct tool_result *r)
{
	static const struct metric rate = {
		.name = "files.rate", .unit = "1/s", .better = BETTER_HIGHER,
		.kind = KIND_RATE_WORK, .primary = true,
		.text = "files made per second: all files of the loops by the time of the loops",
	};
	static const struct metric count = {
		.name = "files.count", .unit = "1", .better = BETTER_NEUTRAL, .kind = KIND_COUNT,
		.text = "files made in the loops that count",
	};
	static const struct metric overhead = {
		.name = "app-overhead", .unit = "us", .better = BETTER_NEUTRAL, .kind = KIND_TIME,
		.text = "time of fs_mark itself per loop, no result of the file system",
	};

	tool_sample(r, &rate, value_double((double)rd->files / rd->seconds));
	tool_sample(r, &count, value_u64(rd->files));
	tool_sample(r, &overhead, value_double(rd->overhead / (double)(rd->rows - rd->warmup)));
	put_calls(rd, r);
	if (rd->use > NEARLY_FULL && !tool_param_set(rd->job, "fill"))
		tool_warn(r, "the file system was %.0f %% full at the end", rd->use);
}

static void fs_mark_parse(const struct tool_output *o, struct tool_result *r)
{
	struct reading rd = { .job = o->job };
	bool fill = tool_param_set(o->job, "fill");

	tool_param_u64(o->job, "warmup_loops", &rd.warmup);
	read_table(&rd, o->out, o->out_len);
	/* The log holds the same table, and may be all that was kept. */
	if (!rd.headers && o->have_file)
		read_table(&rd, o->file, o->file_len);
	/* Status 1 is how filling ends. */
	if (!(fill && rd.message && str_starts(rd.message, "Insufficient free")))
		tool_check_status(o, r, "fs_mark", rd.message);
	judge(&rd, r);
	if (rd.message && !fill && o->job)
		tool_fail(r, OUTCOME_FAILED, "fs_mark says: %s", rd.message);
	else if (rd.message)
		tool_warn(r, "fs_mark: %s", rd.message);
	if (r->outcome == OUTCOME_OK)
		put(&rd, r);
	free(rd.message);
	for (size_t i = 0; i < rd.n_calls; i++)
		free(rd.calls[i].name);
	free(rd.calls);
}

const struct tool tool_fs_mark = {
	.name = "fs_mark",
	.program = "fs_mark",
	.package = "fsmark",
	.summary = "many files made and synced: fs_mark",
	.output_file = "fs_mark.log",
	.primary = "files.rate",
	.params = fs_mark_params,
	.check = fs_mark_check,
	.argv = fs_mark_argv,
	.parse = fs_mark_parse,
};
