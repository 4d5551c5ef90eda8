// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long does `fsdelta compare` take for two large results? Beside it, what a fixed piece
 * of work takes in the same minute: reading the same two files with json-c and nothing else.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <json-c/json.h>

#include "bench/sample-run.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/mem.h"
#include "lib/spawn.h"
#include "results/ranktest.h"
#include "results/stats.h"
#include "results/store.h"

#define SEED 20240229
#define METRICS 1000
#define SAMPLES 40
#define REPEATS 7
/* 0.3 s where reading takes 0.09 s. */
#define GOAL 3.3

/* The results on disk: DIR/0/result.json and DIR/1/result.json. */
struct files {
	char *dir;
	char *arm[2], *file[2];
};

static int write_files(struct files *f, struct run *const runs[2])
{
	int ret = 0;

	for (size_t i = 0; i < 2 && !ret; i++) {
		f->arm[i] = xasprintf("%s/%zu", f->dir, i);
		f->file[i] = xasprintf("%s/result.json", f->arm[i]);
		ret = file_mkdir_p(f->arm[i]);
		if (!ret)
			ret = store_write_result(f->arm[i], runs[i]);
	}
	return ret;
}

static int make_files(struct files *f, struct run *const runs[2])
{
	const char *tmp = getenv("TMPDIR");
	int ret;

	f->dir = xasprintf("%s/fsdelta-bench.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(f->dir)) {
		log_error("%s: %s", f->dir, strerror(errno));
		free(f->dir);
		f->dir = NULL;
		return -errno;
	}
	ret = write_files(f, runs);
	if (ret)
		log_error("%s: %s", f->dir, strerror(-ret));
	return ret;
}

static void remove_files(struct files *f)
{
	if (f->dir)
		file_remove_tree(f->dir);
	for (size_t i = 0; i < 2; i++) {
		free(f->arm[i]);
		free(f->file[i]);
	}
	free(f->dir);
}

/* Other work on the machine changes it least. */
static double processor_time(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static int time_compare(const char *program, const struct files *f, const char *format,
			double *seconds)
{
	const char *const words[] = {
		program, "compare", "--all", "--format", format, f->arm[0], f->arm[1],
	};
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct spawn s = SPAWN_INIT;
	double start = processor_time(RUSAGE_CHILDREN);
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		strvec_push(&argv, words[i]);
	s.argv = &argv;
	s.stderr_fd = STDERR_FILENO;
	ret = spawn_run(&s);
	/* 0 to 3 say what the comparison came to; 2 that there was none. */
	if (!ret && (!WIFEXITED(s.status) || WEXITSTATUS(s.status) == 2 ||
		     WEXITSTATUS(s.status) > 3))
		ret = -EPROTO;
	if (ret)
		log_error("%s compare: %s", program, strerror(-ret));
	*seconds = processor_time(RUSAGE_CHILDREN) - start;
	return ret;
}

/* The fixed piece of work. */
static int time_reading(const struct files *f, double *seconds)
{
	double start = processor_time(RUSAGE_SELF);

	for (size_t i = 0; i < 2; i++) {
		struct json_object *json = json_object_from_file(f->file[i]);

		if (!json) {
			log_error("%s: %s", f->file[i], json_util_get_last_err());
			return -EBADMSG;
		}
		json_object_put(json);
	}
	*seconds = processor_time(RUSAGE_SELF) - start;
	return 0;
}

/* Values of one metric, in the order of the run's iterations. */
static void take_side(const struct run *r, size_t metric, struct ranktest_side *side,
		      double *value, uint64_t *block)
{
	for (size_t i = 0; i < r->n_iterations; i++) {
		value[i] = value_as_double(r->iterations[i].samples.v[metric].value);
		block[i] = r->iterations[i].block;
	}
	*side = (struct ranktest_side) { value, block, r->n_iterations };
}

/* Test and the three intervals of every metric, without anything around them. */
static int time_testing(struct run *const runs[2], double *seconds)
{
	double value[2][SAMPLES];
	uint64_t block[2][SAMPLES];
	static const double conf[] = { 0.95, 0.9, 0.999 };
	double start = processor_time(RUSAGE_SELF);
	int ret = 0;

	for (size_t m = 0; m < METRICS && !ret; m++) {
		struct ranktest_input in = { .raw = false };
		struct ranktest_interval ci[ARRAY_SIZE(conf)];
		struct ranktest r;

		take_side(runs[0], m, &in.base, value[0], block[0]);
		take_side(runs[1], m, &in.arm, value[1], block[1]);
		ret = ranktest_run(&in, &r);
		if (!ret)
			ret = ranktest_intervals(&in, conf, ARRAY_SIZE(conf), ci);
	}
	if (ret)
		log_error("testing: %s", strerror(-ret));
	*seconds = processor_time(RUSAGE_SELF) - start;
	return ret;
}

/* Of two things that are timed by turns: the median, since what slows a turn slows both. */
static double ratio(const double *seconds, const double *reference)
{
	double r[REPEATS];

	for (size_t i = 0; i < REPEATS; i++)
		r[i] = seconds[i] / reference[i];
	return stats_median(r, REPEATS);
}

static void print_row(const char *what, const double *seconds, const double *reference)
{
	double sorted[REPEATS];

	memcpy(sorted, seconds, sizeof(sorted));
	stats_sort(sorted, REPEATS);
	printf("  %-42s %6.3f s  (%.3f to %.3f)", what, sorted[REPEATS / 2], sorted[0],
	       sorted[REPEATS - 1]);
	if (seconds != reference)
		printf("  %5.2f x", ratio(seconds, reference));
	printf("\n");
}

static bool reached(double r)
{
	printf("  goal for fsdelta compare: %.1f times what reading takes; it took %.2f times: %s\n",
	       GOAL, r, r <= GOAL ? "reached" : "missed");
	return r <= GOAL;
}

static int measure(const char *program, const struct files *f, struct run *const runs[2],
		   bool *goal)
{
	double reading[REPEATS], text[REPEATS], json[REPEATS], testing[REPEATS];
	int ret = 0;

	/* By turns, so that a slow moment of the machine hits all of them. */
	for (size_t i = 0; i < REPEATS && !ret; i++) {
		ret = time_reading(f, &reading[i]);
		if (!ret)
			ret = time_compare(program, f, "text", &text[i]);
		if (!ret)
			ret = time_compare(program, f, "json", &json[i]);
		if (!ret)
			ret = time_testing(runs, &testing[i]);
	}
	if (ret)
		return ret;
	printf("Two results of %d metrics with %d samples, processor time: median of %d (least to "
	       "most)\n",
	       METRICS, SAMPLES, REPEATS);
	print_row("reading both with json-c alone", reading, reading);
	print_row("fsdelta compare --all", text, reading);
	print_row("fsdelta compare --all --format json", json, reading);
	print_row("test and three intervals of every metric", testing, reading);
	*goal = reached(ratio(text, reading));
	return 0;
}

int main(int argc, char **argv)
{
	struct files f = { .dir = NULL };
	struct run *runs[2];
	bool goal = false;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "Usage: bench-compare FSDELTA\n"
			"Times `FSDELTA compare`; FSDELTA is the program, by its path. Fails when\n"
			"that takes too long beside reading the same files.\n");
		return 2;
	}
	sample_runs(SEED, METRICS, SAMPLES, runs);
	ret = make_files(&f, runs);
	if (!ret)
		ret = measure(argv[1], &f, runs, &goal);
	remove_files(&f);
	for (size_t i = 0; i < 2; i++)
		run_free(runs[i]);
	return ret ? 2 : !goal;
}
