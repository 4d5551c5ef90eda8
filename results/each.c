// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/each.h"

#include "lib/hash.h"
#include "lib/mem.h"

#include <string.h>

#define MAGIC "fsdeach\1"
#define MAGIC_LEN 8
#define HASH_LEN 8
#define NAME_MAX_LEN 64

void each_free(struct each *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n; i++) {
		free(e->seqs[i].op);
		free(e->seqs[i].v);
	}
	free(e->seqs);
	strvec_release(&e->clocks);
	free(e->program);
	free(e);
}

const struct each_seq *each_find(const struct each *e, const char *op, const char *clock,
				 uint64_t round, uint64_t thread)
{
	for (size_t i = 0; i < e->n; i++) {
		const struct each_seq *s = &e->seqs[i];

		if (s->round == round && s->thread == thread && !strcmp(s->op, op) &&
		    !strcmp(e->clocks.v[s->clock], clock))
			return s;
	}
	return NULL;
}

/* --- reading --- */

struct in {
	const unsigned char *p;
	size_t left;
	const char *error; /* the first mistake */
};

static void fail(struct in *in, const char *why)
{
	if (!in->error)
		in->error = why;
	in->left = 0;
}

/* 0 after a mistake. */
static uint64_t take_number(struct in *in)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		unsigned char byte;

		if (!in->left) {
			fail(in, "it ends too early");
			return 0;
		}
		byte = *in->p++;
		in->left--;
		/* One way only to write a number, and all of it within 64 bits. */
		if ((shift == 63 && byte > 1) || (shift && !byte))
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	fail(in, "a number in it is none");
	return 0;
}

static char *take_name(struct in *in)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz0123456789-._";
	uint64_t len = take_number(in);
	char *name;

	if (!len || len > NAME_MAX_LEN || len > in->left) {
		fail(in, "a name in it is none");
		return xstrdup("");
	}
	name = xstrndup((const char *)in->p, len);
	if (strspn(name, good) != len)
		fail(in, "a name in it is none");
	in->p += in->error ? 0 : len;
	in->left -= in->error ? 0 : len;
	return name;
}

static void take_values(struct in *in, struct each_seq *s)
{
	uint64_t n = take_number(in), v = 0;

	/* Each has at least one byte: no more memory than eight times the file. */
	if (n > in->left) {
		fail(in, "it ends too early");
		return;
	}
	s->v = xcalloc(n ? n : 1, sizeof(*s->v));
	for (; s->n < n && !in->error; s->n++) {
		uint64_t z = take_number(in);

		v += z >> 1 ^ (z & 1 ? UINT64_MAX : 0);
		s->v[s->n] = v;
	}
}

static int compare_seqs(const void *a, const void *b)
{
	const struct each_seq *x = *(const struct each_seq *const *)a;
	const struct each_seq *y = *(const struct each_seq *const *)b;
	int order = strcmp(x->op, y->op);

	if (!order)
		order = (x->clock > y->clock) - (x->clock < y->clock);
	if (!order)
		order = (x->round > y->round) - (x->round < y->round);
	return order ? order : (x->thread > y->thread) - (x->thread < y->thread);
}

static bool has_twins(const struct each *e)
{
	__cleanup_free const struct each_seq **v = xcalloc(e->n ? e->n : 1, sizeof(*v));

	for (size_t i = 0; i < e->n; i++)
		v[i] = &e->seqs[i];
	qsort(v, e->n, sizeof(*v), compare_seqs);
	for (size_t i = 1; i < e->n; i++)
		if (!compare_seqs(&v[i - 1], &v[i]))
			return true;
	return false;
}

static void take_seq(struct in *in, struct each *e)
{
	struct each_seq *s;

	GROW(e->seqs, e->n);
	s = &e->seqs[e->n++];
	*s = (struct each_seq){ .op = take_name(in) };
	s->clock = take_number(in);
	s->round = take_number(in);
	s->thread = take_number(in);
	if (s->clock >= e->clocks.n)
		fail(in, "a clock in it has no name");
	take_values(in, s);
}

static void take_all(struct in *in, struct each *e)
{
	uint64_t n;

	e->program = take_name(in);
	n = take_number(in);
	if (!n || n > 2)
		fail(in, "it has not one or two clocks");
	while (e->clocks.n < n && !in->error) {
		__cleanup_free char *name = take_name(in);

		if (strvec_has(&e->clocks, name))
			fail(in, "it has a clock twice");
		strvec_push(&e->clocks, name);
	}
	n = take_number(in);
	while (e->n < n && !in->error)
		take_seq(in, e);
	if (!in->error && in->left)
		fail(in, "it goes on behind its end");
	if (!in->error && has_twins(e))
		fail(in, "it has a sequence twice");
}

static uint64_t get_u64(const unsigned char *p)
{
	uint64_t v = 0;

	for (int i = 7; i >= 0; i--)
		v = v << 8 | p[i];
	return v;
}

struct each *each_parse(const void *data, size_t len, char **error)
{
	struct in in = { .p = data };
	struct hash64 h = HASH64_INIT;
	struct each *e;

	*error = NULL;
	if (len < MAGIC_LEN + HASH_LEN || memcmp(data, MAGIC, MAGIC_LEN - 1)) {
		*error = xstrdup("it is no file of --each");
		return NULL;
	}
	if (in.p[MAGIC_LEN - 1] != (unsigned char)MAGIC[MAGIC_LEN - 1]) {
		*error = xasprintf("it is of version %u, and this program reads %u",
				   in.p[MAGIC_LEN - 1], MAGIC[MAGIC_LEN - 1]);
		return NULL;
	}
	hash64_add(&h, data, len - HASH_LEN);
	if (h.value != get_u64(in.p + len - HASH_LEN)) {
		*error = xstrdup("it is damaged: its hash is another one");
		return NULL;
	}
	in.p += MAGIC_LEN;
	in.left = len - MAGIC_LEN - HASH_LEN;
	e = xcalloc(1, sizeof(*e));
	take_all(&in, e);
	if (!in.error)
		return e;
	*error = xstrdup(in.error);
	each_free(e);
	return NULL;
}

/* --- writing --- */

static void put_number(struct strbuf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		strbuf_addc(out, (char)(v | 0x80));
	strbuf_addc(out, (char)v);
}

static void put_name(struct strbuf *out, const char *s)
{
	put_number(out, strlen(s));
	strbuf_adds(out, s);
}

static void put_seq(struct strbuf *out, const struct each_seq *s)
{
	uint64_t before = 0;

	put_name(out, s->op);
	put_number(out, s->clock);
	put_number(out, s->round);
	put_number(out, s->thread);
	put_number(out, s->n);
	for (size_t i = 0; i < s->n; i++) {
		uint64_t d = s->v[i] - before;

		put_number(out, d << 1 ^ (d >> 63 ? UINT64_MAX : 0));
		before = s->v[i];
	}
}

void each_encode(const struct each *e, struct strbuf *out)
{
	size_t start = out->len;
	struct hash64 h = HASH64_INIT;

	strbuf_add(out, MAGIC, MAGIC_LEN);
	put_name(out, e->program);
	put_number(out, e->clocks.n);
	for (size_t i = 0; i < e->clocks.n; i++)
		put_name(out, e->clocks.v[i]);
	put_number(out, e->n);
	for (size_t i = 0; i < e->n; i++)
		put_seq(out, &e->seqs[i]);
	hash64_add(&h, out->buf + start, out->len - start);
	for (int i = 0; i < HASH_LEN; i++)
		strbuf_addc(out, (char)(h.value >> (8 * i)));
}
