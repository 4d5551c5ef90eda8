// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/generate.h"

#include "lib/mem.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define STACK_DEPTH 12
#define MAX_STACKS 5

/* Names go into a script: nothing but what kallsyms can hold of C. */
static bool is_symbol(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_' && *s != '.')
			return false;
	return true;
}

static int check(const struct generate *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		for (size_t k = 0; k < g->v[i].symbols->n; k++)
			if (!is_symbol(g->v[i].symbols->v[k]))
				return -EINVAL;
		if (!g->v[i].symbols->n)
			return -EINVAL;
		n += g->v[i].symbols->n;
	}
	return n > GENERATE_MAX_PROBES ? -E2BIG : 0;
}

static void add_header(const struct generate *g, struct strbuf *out)
{
	strbuf_addf(out, "// Made by fsdelta.\n/*\n * summary: hits of %zu function%s\n", g->n,
		    g->n == 1 ? "" : "s");
	strbuf_adds(out, " * needs: kprobe:" GENERATE_CANARY "\n");
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].symbols->n; k++)
			strbuf_addf(out, " * needs: kprobe:%s\n", g->v[i].symbols->v[k]);
	if (g->stacks)
		strbuf_adds(out, " * stacks: @stack\n * cost: heavy: a kernel stack per hit\n");
	else
		strbuf_adds(out, " * cost: cheap: a per-CPU counter per hit\n");
	strbuf_adds(out, " * bpftrace: 0.17\n *\n");
	for (size_t i = 0; i < g->n; i++)
		strbuf_addf(out, " * %zu is %s\n", i, is_symbol(g->v[i].name) ? g->v[i].name : "?");
	strbuf_adds(out, " */\n");
}

static void add_function(const struct generate *g, size_t i, struct strbuf *out)
{
	const struct strvec *symbols = g->v[i].symbols;

	for (size_t k = 0; k < symbols->n; k++)
		strbuf_addf(out, "%skprobe:%s", k ? ",\n" : "\n", symbols->v[k]);
	strbuf_addf(out, "\n{\n\t@all[%zu] = count();\n", i);
	if (g->cgroup)
		strbuf_addf(out, "\tif (cgroup == %" PRIu64 ") {\n\t\t@mine[%zu] = count();\n", g->cgroup,
			    i);
	if (g->stacks)
		strbuf_addf(out, "%s@stack[%zu, kstack(%d)] = count();\n", g->cgroup ? "\t\t" : "\t", i,
			    STACK_DEPTH);
	if (g->cgroup)
		strbuf_adds(out, "\t}\n");
	strbuf_adds(out, "}\n");
}

int generate_script(const struct generate *g, struct strbuf *out)
{
	int ret = check(g);

	if (ret)
		return ret;
	add_header(g, out);
	strbuf_adds(out, "kprobe:" GENERATE_CANARY "\n{\n\t@canary = count();\n}\n");
	for (size_t i = 0; i < g->n; i++)
		add_function(g, i, out);
	return 0;
}

/* --- back --- */

/* "3,\n    foo+12\n    bar+34\n" of function 3: the stack without offsets. */
static char *stack_of(const char *key, size_t i)
{
	__cleanup_free char *index = xasprintf("%zu,", i);
	struct strbuf out = STRBUF_INIT;

	if (!str_starts(key, index))
		return NULL;
	for (const char *s = key + strlen(index); *s; s += strcspn(s, "\n"), s += *s == '\n') {
		const char *frame = s + strspn(s, " \t");
		size_t len = strcspn(frame, "+\n");

		if (frame >= s + strcspn(s, "\n"))
			continue;
		strbuf_add(&out, frame, len);
		strbuf_addc(&out, '\n');
	}
	return strbuf_detach(&out);
}

/* Stacks that differ by offsets only are one. */
static void add_stack(struct generate_hits *h, char *text, uint64_t hits)
{
	for (size_t i = 0; i < h->n_stacks; i++) {
		if (strcmp(h->stacks[i].text, text))
			continue;
		h->stacks[i].hits += hits;
		free(text);
		return;
	}
	GROW(h->stacks, h->n_stacks);
	h->stacks[h->n_stacks++] = (struct generate_stack){ text, hits };
}

static int by_hits(const void *a, const void *b)
{
	const struct generate_stack *x = a, *y = b;

	if (x->hits != y->hits)
		return x->hits < y->hits ? 1 : -1;
	return strcmp(x->text, y->text);
}

static void read_stacks(const struct bt_result *r, size_t i, struct generate_hits *out)
{
	const struct bt_map *m = bt_map(r, "@stack");

	for (size_t k = 0; m && m->status != BT_INVALID && k < m->n; k++) {
		char *text = m->v[k].value.kind == BT_NUMBER ? stack_of(m->v[k].key, i) : NULL;

		if (text)
			add_stack(out, text, m->v[k].value.u);
	}
	if (out->n_stacks)
		qsort(out->stacks, out->n_stacks, sizeof(*out->stacks), by_hits);
	while (out->n_stacks > MAX_STACKS)
		free(out->stacks[--out->n_stacks].text);
}

/* 0 when the map, or its key, is not there: the canary has shown that probes fire. */
static bool read_count(const struct bt_result *r, const char *name, size_t i, uint64_t *out,
		       struct generate_hits *h)
{
	__cleanup_free char *key = xasprintf("%zu", i);
	const struct bt_map *m = bt_map(r, name);
	const struct bt_value *v = bt_get(m, key);

	*out = v && v->kind == BT_NUMBER && !v->negative ? v->u : 0;
	if (!m || m->status == BT_EXACT)
		return true;
	if (m->status == BT_LOWER_BOUND)
		h->lower_bound = true;
	str_replace(&h->reason, m->reason);
	return m->status != BT_INVALID;
}

void generate_read(const struct generate *g, const struct bt_result *r, size_t i,
		   struct generate_hits *out)
{
	uint64_t canary = 0;

	*out = (struct generate_hits){ .known = false };
	if (!r->attached) {
		out->reason = xstrdup("no probe was attached");
		return;
	}
	if (!bt_total(bt_map(r, "@canary"), &canary) || !canary) {
		out->reason = xstrdup("the probes never fired, not even that of " GENERATE_CANARY);
		return;
	}
	out->known = read_count(r, "@all", i, &out->all, out);
	out->hits = out->all;
	if (out->known && g->cgroup)
		out->known = read_count(r, "@mine", i, &out->hits, out);
	if (out->known)
		read_stacks(r, i, out);
}

void generate_hits_release(struct generate_hits *h)
{
	for (size_t i = 0; i < h->n_stacks; i++)
		free(h->stacks[i].text);
	free(h->stacks);
	free(h->reason);
	*h = (struct generate_hits){ .known = false };
}
