// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/native/native.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

static void report(struct native *n, const char *what, const char *path, const char *why)
{
	if (atomic_flag_test_and_set(&n->reported))
		return;
	fprintf(stderr, "%s: %s %s/%s/%s: %s\n", n->program->name, what, n->dir,
		n->program->name, path, why);
}

void native_op_failed(struct native_thread *t, unsigned int op, const char *path)
{
	t->errors[op]++;
	report(t->n, t->n->program->ops[op].name, path, strerror(errno));
}

void native_failed(struct native_thread *t, const char *what, const char *path)
{
	t->failed++;
	report(t->n, what, path, strerror(errno));
}

void native_wrong(struct native_thread *t, const char *path, const char *why)
{
	t->failed++;
	report(t->n, "check", path, why);
}

static void *thread_main(void *arg)
{
	struct native_thread *t = arg;
	const struct native_phase *phase = t->phase;
	uint64_t i;

	pthread_barrier_wait(&t->n->barrier);
	t->begin_ns = native_now();
	if (phase->thread)
		phase->thread(t);
	else
		for (i = t->first; i < t->end; i++)
			phase->file(t, i);
	t->end_ns = native_now();
	return NULL;
}

/*
 * Wall time of a phase, all threads together. The first one is the caller's: a process of
 * one thread spares the kernel the reference counts of shared descriptors.
 */
static uint64_t run_threads(struct native *n, const struct native_phase *phase)
{
	uint64_t begin, end;
	unsigned int i;
	int err;

	for (i = 0; i < n->threads; i++)
		n->thread[i].phase = phase;
	for (i = 1; i < n->threads; i++) {
		err = pthread_create(&n->thread[i].id, NULL, thread_main, &n->thread[i]);
		if (err) {
			/* The others wait for it at the barrier: nothing to save. */
			fprintf(stderr, "%s: thread %u: %s\n", n->program->name, i, strerror(err));
			exit(1);
		}
	}
	thread_main(&n->thread[0]);
	begin = n->thread[0].begin_ns;
	end = n->thread[0].end_ns;
	for (i = 1; i < n->threads; i++) {
		pthread_join(n->thread[i].id, NULL);
		if (n->thread[i].begin_ns < begin)
			begin = n->thread[i].begin_ns;
		if (n->thread[i].end_ns > end)
			end = n->thread[i].end_ns;
	}
	return end - begin;
}

static uint64_t attempts(const struct native *n, unsigned int op)
{
	uint64_t sum = 0, i;

	for (i = 0; i < n->threads; i++)
		sum += n->thread[i].hist[op].count + n->thread[i].errors[op];
	return sum;
}

static void run_phase(struct native *n, const struct native_phase *phase)
{
	uint64_t before[NATIVE_MAX_OPS], wall;
	unsigned int op;

	if ((phase->flags & NATIVE_TIMED) && !n->no_sync && syncfs(n->top_fd) < 0) {
		n->failed++;
		report(n, "syncfs", "", strerror(errno));
		return;
	}
	for (op = 0; n->program->ops[op].name; op++)
		before[op] = attempts(n, op);
	wall = run_threads(n, phase);
	for (op = 0; n->program->ops[op].name; op++)
		if (attempts(n, op) != before[op])
			n->wall_ns[op] += wall;
}

/* The times of the warm-up. Its failures remain. */
static void forget(struct native *n)
{
	uint64_t i;

	for (i = 0; i < n->threads; i++)
		memset(n->thread[i].hist, 0, sizeof(n->thread[i].hist));
	memset(n->wall_ns, 0, sizeof(n->wall_ns));
	native_each_forget(n);
}

static void run_rounds(struct native *n)
{
	const struct native_phase *phase;
	uint64_t begin = native_now();

	for (n->round = 0; n->round < n->warmup_rounds + n->rounds; n->round++) {
		if (n->round && n->round == n->warmup_rounds) {
			forget(n);
			begin = native_now();
		}
		for (phase = n->program->phases; phase->file || phase->thread; phase++) {
			if ((phase->flags & NATIVE_ONCE) && n->round)
				continue;
			run_phase(n, phase);
			if (native_errors(n))
				goto out;
		}
		if (n->round >= n->warmup_rounds)
			native_each_round(n);
	}
out:
	if (n->round < n->warmup_rounds)
		forget(n);
	else if (n->round < n->warmup_rounds + n->rounds)
		native_each_round(n);
	n->total_ns = native_now() - begin;
}

static bool make_threads(struct native *n)
{
	uint64_t state = n->seed, i, k;

	n->thread = calloc(n->threads, sizeof(*n->thread));
	if (!n->thread)
		return false;
	for (i = 0; i < n->threads; i++) {
		struct native_thread *t = &n->thread[i];

		t->n = n;
		t->exact = n->each || n->delay_ns || n->spin || n->instructions;
		t->index = (unsigned int)i;
		t->first = (n->files * i + n->threads - 1) / n->threads;
		t->end = (n->files * (i + 1) + n->threads - 1) / n->threads;
		t->buf = malloc(n->size);
		if (!t->buf)
			return false;
		if (i) {
			memcpy(t->buf, n->thread[0].buf, n->size);
			continue;
		}
		/* Random, so that compression has no part in the result. */
		for (k = 0; k < n->size; k++)
			t->buf[k] = (unsigned char)native_random(&state);
	}
	return !pthread_barrier_init(&n->barrier, NULL, (unsigned int)n->threads);
}

static void free_threads(struct native *n)
{
	uint64_t i;

	for (i = 0; n->thread && i < n->threads; i++) {
		free(n->thread[i].order);
		free(n->thread[i].buf);
	}
	free(n->thread);
}

static bool lock_memory(const struct native *n)
{
	if (!n->mlock || mlockall(MCL_CURRENT | MCL_FUTURE) == 0)
		return true;
	fprintf(stderr, "%s: cannot lock the memory: %s\n", n->program->name, strerror(errno));
	return false;
}

static int run(struct native *n)
{
	int status = 1;

	if (!make_threads(n)) {
		fprintf(stderr, "%s: out of memory\n", n->program->name);
		goto out;
	}
	if (!native_each_begin(n) || !lock_memory(n) || !native_make_tree(n))
		goto out;
	native_print_header(n);
	native_make_pad(n);
	if (!native_errors(n))
		run_rounds(n);
	if (!n->keep)
		native_remove_tree(n);
	native_print_results(n);
	status = native_each_end(n) && !native_errors(n) ? 0 : 1;
out:
	native_each_free(n);
	free_threads(n);
	return status;
}

int native_main(const struct native_program *p, int argc, char **argv)
{
	struct native n = { .program = p, .dir_fd = -1, .top_fd = -1,
			    .reported = ATOMIC_FLAG_INIT };
	int status, ret;

	ret = native_options(&n, argc, argv);
	if (ret < 0)
		return 2;
	if (ret > 0)
		status = 0;
	else
		status = n.selftest ? native_selftest(&n) : run(&n);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "%s: cannot write the output: %s\n", p->name, strerror(errno));
		status = 1;
	}
	return status;
}
