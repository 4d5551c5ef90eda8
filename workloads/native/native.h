/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The skeleton of the native workload programs: fixed work on files, every operation timed.
 *
 * To add one:
 *   1. write workloads/native/NAME.c (see utime.c): the operation classes, one function per
 *      phase, the table of phases, and main() calling native_main();
 *   2. add it to workloads/native/Makemodule.am and to tests/test-native.sh, and write
 *      workloads/NAME.job.
 *
 * What runs: PROGRAM [OPTIONS] DIR works in DIR/PROGRAM, which it makes, fails if it exists,
 * and removes at the end. Each of --rounds goes through all phases. A phase is run by all
 * threads at once, from a barrier; each takes its own part of the --files. Before a timed
 * phase the file system is synced (syncfs), unless --no-sync is given. A phase in which
 * anything failed is the last one.
 *
 * Files: --files is the total. Thread T of N has the indices from ceil(files * T / N) to
 * before ceil(files * (T + 1) / N); file I is in directory floor(I * dirs / files). So
 * --dirs 1 shares one directory between all threads, --dirs equal to --threads gives each
 * its own. Names are made from the index: "d3/f17".
 *
 * Times: CLOCK_MONOTONIC in nanoseconds. Classes of one timed operation each are recorded by
 * native_lap(); consecutive ones share a reading of the clock, so that nothing between them
 * is lost, and native_whole() records their total as a class of its own. --delay-ns adds a
 * busy wait to every lap, inside the time taken: for finding out which difference a
 * measurement can detect, never for anything else. --warmup-rounds come before the --rounds
 * and leave no trace in the output.
 *
 * --pad makes that many files first, in a directory of their own, which stay to the end: they
 * shift where a commit of the file system falls among the operations.
 *
 * Every operation by itself (--each FILE, and --each-cpu for the thread's processor time as
 * well): recorded in memory, and written after the work, in the form below. --instructions N
 * adds exactly N instructions to every lap, --spin N a loop of N turns, which are 2 * N. What
 * surrounds them is the same for each N, 0 included, so that with --each two runs differ by N
 * instructions and nothing else (without it, a run without these options takes a shorter
 * path). Recording costs the same whatever the values are, and is in no lap: the clock is read
 * once more behind it.
 *
 * Output: lines of JSON.
 *
 *   {"fsdelta-native":1,"program":"utime","version":"...","seed":1,"threads":1,"files":1000,
 *    "dirs":1,"size":4096,"rounds":1,"options":{"delay-ns":0,"no-sync":false,...}}
 *   {"op":"utime","count":1000,"errors":0,"seconds":S,"wall_seconds":W,"rate":R,
 *    "min_ns":..,"p50_ns":..,"p90_ns":..,"p99_ns":..,"p999_ns":..,"max_ns":..,"mean_ns":..,
 *    "hist":{"sub_bits":6,"sum":..,"buckets":[[index,count],...]}}
 *   {"done":true,"seconds":S,"errors":E}
 *
 * (each on one line). The first is printed before the work starts; without the last one the
 * program was killed. Per class:
 *   count         operations that succeeded: only these are in the times
 *   errors        operations that failed
 *   seconds       sum of the times of the operations, over threads
 *   wall_seconds  duration of the timed phases with this class: from the first thread that
 *                 starts to the last that ends, what lies between the operations included
 *   rate          count / wall_seconds, 1/s; null for a part of a longer operation, as that
 *                 would be the rate of the whole, once more
 *   *_ns          see lib/hist.h for quantiles and buckets; null when count is 0
 * A class without successes and failures has no line (the option that it needs was not
 * given, or the run ended before). "seconds" of the last line is the duration of all rounds
 * with everything untimed in them, without making and removing DIR/PROGRAM; its "errors" has
 * the failures of preparations and checks as well.
 *
 * The file of --each. A number is unsigned LEB128 (seven bits a byte, the low ones first, the
 * top bit set in all bytes but the last); a text is the number of its bytes and the bytes.
 *
 *   8 bytes   "fsdeach" and the version, 1
 *   text      program
 *   number    clocks C, and C texts: "elapsed", "cpu" (nanoseconds)
 *   number    sequences, and for each of them, all operations of a class, in order:
 *             text class, number clock (index), number round (from 0, warm-up rounds not
 *             counted), number thread, number N, and N values: each a number, the difference
 *             D from the one before (the first: from 0) as (D << 1) ^ (D >> 63)
 *   8 bytes   FNV-1a (64 bit) of all before, the low byte first
 *
 * Exit status: 0, 1 (something failed: the first failure is on stderr), 2 (usage).
 */
#ifndef FSDELTA_WORKLOADS_NATIVE_NATIVE_H
#define FSDELTA_WORKLOADS_NATIVE_NATIVE_H

#include "lib/hist.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NATIVE_MAX_OPS 8
#define NATIVE_MAX_OPTIONS 2
/* Room for "d", "/f" and two numbers of 20 digits. */
#define NATIVE_PATH 48

struct native_thread;

/* A class of operations. */
struct native_op {
	const char *name;
	bool part;	  /* of a longer operation: has no rate of its own */
	const char *text; /* what exactly is timed */
};

/* An option of one program; the common ones are in native-options.c. */
struct native_option {
	const char *name;
	const char *choices; /* "a|b|c", a the default; NULL: a flag */
	const char *text;
};

enum {
	NATIVE_TIMED = 1, /* has laps; the file system is synced before */
	NATIVE_ONCE = 2,  /* in the first round only */
};

/* Exactly one of the functions is set. */
struct native_phase {
	int flags;
	void (*file)(struct native_thread *t, uint64_t i); /* for each file of the thread */
	void (*thread)(struct native_thread *t);	   /* once per thread */
};

/* Tables end with an entry of zeros. */
struct native_program {
	const char *name;
	const char *text; /* for --help: what is done, in full sentences */
	const char *sets; /* "de": --dirs directories d0, d1, ... and as many e0, e1, ... */
	const char *example; /* the options of a good first call */
	const struct native_op *ops;
	const struct native_option *options; /* may be NULL */
	const struct native_phase *phases;
};

struct native {
	const struct native_program *program;
	const char *dir;
	uint64_t threads, files, dirs, size, seed, rounds, delay_ns;
	uint64_t warmup_rounds, pad, spin, instructions;
	const char *each; /* NULL: not wanted */
	unsigned int no_sync, keep, selftest, each_cpu, mlock;
	unsigned int value[NATIVE_MAX_OPTIONS]; /* flag: 0 or 1; else number of the choice */

	uint64_t round; /* from 0, warm-up rounds included */
	FILE *each_file;
	int dir_fd, top_fd; /* DIR and DIR/PROGRAM */
	pthread_barrier_t barrier;
	atomic_flag reported; /* the first failure was printed */
	struct native_thread *thread;
	uint64_t wall_ns[NATIVE_MAX_OPS];
	uint64_t total_ns;
	uint64_t failed; /* outside of the threads */
};

/* Every lap of one class by one thread: --each. */
struct native_each {
	uint64_t *ns, *cpu; /* NULL: not wanted */
	uint64_t n, room;
	uint64_t *end; /* [round]: how many there were at its end */
};

struct native_thread {
	struct native *n;
	bool exact; /* laps take the way of native-exact.c */
	const struct native_phase *phase;
	pthread_t id;
	unsigned int index;
	uint64_t first, end; /* its files: first <= i < end */
	uint64_t begin_ns, end_ns; /* of the phase */
	uint64_t start, last; /* readings of the clock: native_begin(), latest lap */
	uint64_t cpu_start, cpu_last; /* the same of the processor time; --each-cpu */
	uint64_t lost; /* laps without room in each[] */
	uint64_t failed; /* untimed operations and checks */
	uint64_t errors[NATIVE_MAX_OPS];
	struct hist hist[NATIVE_MAX_OPS];
	struct native_each each[NATIVE_MAX_OPS];
	uint64_t *order; /* the program's, for its own use; freed at the end */
	unsigned char *buf; /* n->size bytes, see native_stamp() */
};

int native_main(const struct native_program *p, int argc, char **argv);

/* native-options.c: 0 go on, 1 all was said (--help, --version), -EINVAL (said why). */
int native_options(struct native *n, int argc, char **argv);
/* native-output.c */
void native_print_header(const struct native *n);
void native_print_results(const struct native *n);
uint64_t native_errors(const struct native *n);
/* native-selftest.c: cost of the timing, and error of the histogram. Returns the exit status. */
int native_selftest(struct native *n);

/* native-exact.c: what --each, --delay-ns, --spin and --instructions do to a lap. */
void native_exact_begin(struct native_thread *t);
void native_exact_whole(struct native_thread *t, unsigned int op);
/* A lap that failed, or one of native_thread.exact. */
bool native_rare_lap(struct native_thread *t, unsigned int op, bool ok, const char *path);
/*
 * native-each.c: opens the file and makes room. The room is touched, and with --mlock locked, so
 * that no page fault falls into a lap. False, said why.
 */
bool native_each_begin(struct native *n);
void native_each_forget(struct native *n); /* what was recorded: the end of the warm-up */
void native_each_round(struct native *n); /* the end of a round that counts */
bool native_each_end(struct native *n); /* writes and closes the file; false, said why */
void native_each_free(struct native *n);

/* Failures. errno says why, except for native_wrong(). */
void native_op_failed(struct native_thread *t, unsigned int op, const char *path);
void native_failed(struct native_thread *t, const char *what, const char *path);
void native_wrong(struct native_thread *t, const char *path, const char *why);

/* native-files.c. "d<directory of i>/<prefix><number>" */
void native_path(const struct native *n, char path[NATIVE_PATH], char set, uint64_t i,
		 char prefix, uint64_t number);
/* Makes t->buf content that depends on the seed, on @number and on nothing else. */
void native_stamp(struct native_thread *t, uint64_t number);
/* Writes t->buf, timed or not. False with errno set. */
bool native_write(const struct native_thread *t, int fd);
/* Untimed: makes a file with the content of @number. */
void native_create(struct native_thread *t, const char *path, uint64_t number);
/*
 * Timed: opens (O_WRONLY | @flags), writes t->buf, fsyncs and closes; these are classes
 * @op ... @op + 3. True when all went well.
 */
bool native_put(struct native_thread *t, unsigned int op, const char *path, int flags);
/* Checks: the file has @size bytes, of which the last n->size are the content of @number. */
void native_check_file(struct native_thread *t, const char *path, uint64_t number, uint64_t size);
void native_check_absent(struct native_thread *t, const char *path);
/* The thread's part of the directories of @set is empty. */
void native_check_empty(struct native_thread *t, char set);
/* DIR/PROGRAM and its directories; the working directory becomes DIR/PROGRAM. */
bool native_make_tree(struct native *n);
void native_remove_tree(struct native *n);
/* The --pad files; failures are counted. */
void native_make_pad(struct native *n);

/* splitmix64: a sequence of numbers that depends on the first @state only. */
static inline uint64_t native_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline uint64_t native_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The next lap starts here. */
static inline void native_begin(struct native_thread *t)
{
	if (__builtin_expect(t->exact, 0))
		native_exact_begin(t);
	else
		t->start = t->last = native_now();
}

/*
 * Ends an operation of class @op, which began with native_begin() or the lap before: records
 * its time if it was @ok, else counts a failure of @path with the errno of now. Returns @ok.
 */
static inline bool native_lap(struct native_thread *t, unsigned int op, bool ok, const char *path)
{
	uint64_t now;

	if (__builtin_expect(!ok || t->exact, 0))
		return native_rare_lap(t, op, ok, path);
	now = native_now();
	hist_record(&t->hist[op], now - t->last);
	t->last = now;
	return true;
}

/* Records everything since native_begin() as one operation of class @op. */
static inline void native_whole(struct native_thread *t, unsigned int op)
{
	if (__builtin_expect(t->exact, 0))
		native_exact_whole(t, op);
	else
		hist_record(&t->hist[op], t->last - t->start);
}

#endif
