// SPDX-License-Identifier: GPL-2.0-or-later
/* The room of --each, and its file; the form is in native.h. */
#include "workloads/native/native.h"

#include "lib/hash.h"

#include <errno.h>

#define MAGIC "fsdeach\1"

static const char *const clocks[] = { "elapsed", "cpu" };

/* --- room --- */

/* Not zeros: those would be pages that come with the first write. */
static uint64_t *touched(uint64_t n)
{
	uint64_t *v = calloc(n, sizeof(*v));

	if (v)
		memset(v, 0xff, n * sizeof(*v));
	return v;
}

static bool make_room(const struct native *n, const struct native_thread *t,
		      struct native_each *each)
{
	uint64_t rounds = n->rounds > n->warmup_rounds ? n->rounds : n->warmup_rounds;

	/* Every program does at most one operation of a class per file and round. */
	if (__builtin_mul_overflow(t->end - t->first, rounds, &each->room))
		return false;
	each->ns = touched(each->room);
	each->end = calloc(n->rounds, sizeof(*each->end));
	if (n->each_cpu)
		each->cpu = touched(each->room);
	return each->ns && each->end && (each->cpu || !n->each_cpu);
}

bool native_each_begin(struct native *n)
{
	const char *name = n->program->name;
	unsigned int op;
	uint64_t i;

	if (!n->each)
		return true;
	for (i = 0; i < n->threads; i++) {
		for (op = 0; n->program->ops[op].name; op++) {
			if (make_room(n, &n->thread[i], &n->thread[i].each[op]))
				continue;
			fprintf(stderr, "%s: out of memory\n", name);
			return false;
		}
	}
	n->each_file = fopen(n->each, "we");
	if (!n->each_file)
		fprintf(stderr, "%s: cannot make %s: %s\n", name, n->each, strerror(errno));
	return n->each_file;
}

void native_each_forget(struct native *n)
{
	unsigned int op;
	uint64_t i;

	for (i = 0; i < n->threads; i++)
		for (op = 0; op < NATIVE_MAX_OPS; op++)
			n->thread[i].each[op].n = 0;
}

void native_each_round(struct native *n)
{
	unsigned int op;
	uint64_t i;

	for (i = 0; n->each && i < n->threads; i++)
		for (op = 0; n->program->ops[op].name; op++)
			n->thread[i].each[op].end[n->round - n->warmup_rounds] =
				n->thread[i].each[op].n;
}

void native_each_free(struct native *n)
{
	unsigned int op;
	uint64_t i;

	for (i = 0; n->thread && i < n->threads; i++) {
		for (op = 0; op < NATIVE_MAX_OPS; op++) {
			free(n->thread[i].each[op].ns);
			free(n->thread[i].each[op].cpu);
			free(n->thread[i].each[op].end);
		}
	}
	if (n->each_file)
		fclose(n->each_file);
	n->each_file = NULL;
}

/* --- file --- */

struct out {
	FILE *file;
	struct hash64 hash;
};

/* What cannot be written is seen at the end. */
static void put_bytes(struct out *o, const void *data, size_t len)
{
	hash64_add(&o->hash, data, len);
	fwrite(data, 1, len, o->file);
}

static void put_number(struct out *o, uint64_t v)
{
	unsigned char bytes[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (unsigned char)(v | 0x80);
	bytes[n++] = (unsigned char)v;
	put_bytes(o, bytes, n);
}

static void put_text(struct out *o, const char *s)
{
	put_number(o, strlen(s));
	put_bytes(o, s, strlen(s));
}

static void put_values(struct out *o, const uint64_t *v, uint64_t n)
{
	uint64_t before = 0, d, i;

	put_number(o, n);
	for (i = 0; i < n; i++) {
		d = v[i] - before;
		put_number(o, d << 1 ^ (d >> 63 ? UINT64_MAX : 0));
		before = v[i];
	}
}

/* The rounds of one class of one thread, those without an operation left out. Returns how many. */
static uint64_t put_class(struct out *o, const struct native *n, uint64_t thread, unsigned int op,
			  unsigned int clock)
{
	const struct native_each *each = &n->thread[thread].each[op];
	const uint64_t *v = clock ? each->cpu : each->ns;
	uint64_t begin = 0, round, sequences = 0;

	for (round = 0; round < n->rounds; begin = each->end[round++]) {
		if (each->end[round] <= begin)
			continue;
		sequences++;
		if (!o)
			continue;
		put_text(o, n->program->ops[op].name);
		put_number(o, clock);
		put_number(o, round);
		put_number(o, thread);
		put_values(o, v + begin, each->end[round] - begin);
	}
	return sequences;
}

/* All sequences, those alike beside each other; @o NULL: counts only. */
static uint64_t put_sequences(struct out *o, const struct native *n)
{
	unsigned int op, clock, n_clocks = n->each_cpu ? 2 : 1;
	uint64_t thread, sum = 0;

	for (op = 0; n->program->ops[op].name; op++)
		for (clock = 0; clock < n_clocks; clock++)
			for (thread = 0; thread < n->threads; thread++)
				sum += put_class(o, n, thread, op, clock);
	return sum;
}

static bool lost_any(const struct native *n)
{
	uint64_t i;

	for (i = 0; i < n->threads; i++)
		if (n->thread[i].lost)
			return true;
	return false;
}

bool native_each_end(struct native *n)
{
	struct out o = { .file = n->each_file, .hash = HASH64_INIT };
	unsigned int clock, n_clocks = n->each_cpu ? 2 : 1;
	unsigned char trailer[8];
	int i;

	if (!n->each)
		return true;
	if (lost_any(n)) {
		fprintf(stderr, "%s: no room for all operations\n", n->program->name);
		return false;
	}
	put_bytes(&o, MAGIC, 8);
	put_text(&o, n->program->name);
	put_number(&o, n_clocks);
	for (clock = 0; clock < n_clocks; clock++)
		put_text(&o, clocks[clock]);
	put_number(&o, put_sequences(NULL, n));
	put_sequences(&o, n);
	for (i = 0; i < 8; i++)
		trailer[i] = (unsigned char)(o.hash.value >> (8 * i));
	fwrite(trailer, 1, sizeof(trailer), o.file);
	n->each_file = NULL;
	if (!ferror(o.file) && !fclose(o.file))
		return true;
	fprintf(stderr, "%s: cannot write %s: %s\n", n->program->name, n->each, strerror(errno));
	return false;
}
