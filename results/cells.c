// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/cells.h"

#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include <string.h>

#define FIRST_SLOTS 64

bool iteration_is_of(const struct iteration *it, const char *workload, const char *target)
{
	return (!workload || str_eq(it->workload, workload)) &&
	       (!target || str_eq(it->target, target));
}

struct cell_counts cell_count(const struct run *r, const char *workload, const char *target)
{
	struct cell_counts c = { 0 };

	for (size_t i = 0; i < r->n_iterations; i++) {
		const struct iteration *it = &r->iterations[i];

		if (!iteration_is_of(it, workload, target))
			continue;
		if (it->warmup) {
			c.warmups++;
			continue;
		}
		c.outcomes[it->outcome]++;
		if (it->outcome == OUTCOME_OK)
			c.valid++;
		else
			c.invalid++;
	}
	return c;
}

/* Keys while they are collected: found by open addressing. */
struct key_table {
	struct cell_keys *keys;
	size_t *slots; /* 1 + place in keys->v, 0 when free */
	size_t n_slots; /* a power of two, or 0 */
};

/* The slot of @k, or the free one where it belongs. */
static size_t *find_slot(const struct key_table *t, const struct cell_key *k)
{
	struct hash64 h = HASH64_INIT;
	size_t i;

	hash64_add(&h, k->workload, strlen(k->workload) + 1);
	hash64_add(&h, k->target, strlen(k->target) + 1);
	hash64_add(&h, k->metric, strlen(k->metric));
	for (i = h.value & (t->n_slots - 1); t->slots[i]; i = (i + 1) & (t->n_slots - 1)) {
		const struct cell_key *known = &t->keys->v[t->slots[i] - 1];

		if (!strcmp(known->metric, k->metric) && !strcmp(known->workload, k->workload) &&
		    !strcmp(known->target, k->target))
			break;
	}
	return &t->slots[i];
}

/* Half of the slots stay free, so that there are few collisions. */
static void make_room(struct key_table *t)
{
	if (2 * (t->keys->n + 1) <= t->n_slots)
		return;
	free(t->slots);
	t->n_slots = t->n_slots ? 2 * t->n_slots : FIRST_SLOTS;
	t->slots = xcalloc(t->n_slots, sizeof(*t->slots));
	for (size_t i = 0; i < t->keys->n; i++)
		*find_slot(t, &t->keys->v[i]) = i + 1;
}

static struct cell_key *take_key(struct key_table *t, const struct cell_key *k)
{
	size_t *slot;

	make_room(t);
	slot = find_slot(t, k);
	if (!*slot) {
		GROW(t->keys->v, t->keys->n);
		t->keys->v[t->keys->n++] = *k;
		*slot = t->keys->n;
	}
	return &t->keys->v[*slot - 1];
}

static void add_samples(struct key_table *t, const struct iteration *it)
{
	for (size_t i = 0; i < it->samples.n; i++) {
		const struct sample *sample = &it->samples.v[i];
		struct cell_key *key = take_key(t, &(struct cell_key){
			.workload = it->workload, .target = it->target,
			.metric = sample->metric.name,
		});

		key->primary |= sample->metric.primary;
		GROW(key->samples, key->n_samples);
		key->samples[key->n_samples++] = (struct cell_sample){ it, sample };
	}
}

static int by_cell(const void *a, const void *b)
{
	const struct cell_key *x = a, *y = b;
	int order = strcmp(x->workload, y->workload);

	if (!order)
		order = strcmp(x->target, y->target);
	if (!order)
		order = y->primary - x->primary;
	return order ? order : strcmp(x->metric, y->metric);
}

void cell_keys_collect(struct run *const *runs, size_t n, struct cell_keys *keys)
{
	struct key_table table = { .keys = keys };

	*keys = (struct cell_keys){ NULL, 0 };
	for (size_t r = 0; r < n; r++) {
		for (size_t i = 0; i < runs[r]->n_iterations; i++) {
			const struct iteration *it = &runs[r]->iterations[i];

			if (iteration_is_valid(it) && it->workload && it->target)
				add_samples(&table, it);
		}
	}
	free(table.slots);
	if (keys->n)
		qsort(keys->v, keys->n, sizeof(*keys->v), by_cell);
}

void cell_keys_release(struct cell_keys *keys)
{
	for (size_t i = 0; i < keys->n; i++)
		free(keys->v[i].samples);
	free(keys->v);
	*keys = (struct cell_keys){ NULL, 0 };
}

static void add_value(struct series *s, const struct iteration *it, const struct sample *sample)
{
	if (!s->metric)
		s->metric = &sample->metric;
	if (!str_eq(s->metric->unit, sample->metric.unit)) {
		s->foreign++;
		return;
	}
	if (sample->value.whole && sample->value.u > 1ULL << 53)
		s->rounded = true;
	s->values[s->n] = value_as_double(sample->value);
	s->seqs[s->n] = it->seq;
	s->blocks[s->n] = it->block;
	s->boots[s->n] = it->boot_id;
	s->n++;
}

void series_collect(const struct run *r, const struct cell_key *key, struct series *s)
{
	const struct iteration *first = r->iterations, *end = first + r->n_iterations;
	size_t n = key->n_samples;

	*s = (struct series){
		.values = xcalloc(n, sizeof(*s->values)),
		.seqs = xcalloc(n, sizeof(*s->seqs)),
		.blocks = xcalloc(n, sizeof(*s->blocks)),
		.boots = xcalloc(n, sizeof(*s->boots)),
	};
	for (size_t i = 0; i < n; i++) {
		const struct iteration *it = key->samples[i].iteration;

		if (it >= first && it < end)
			add_value(s, it, key->samples[i].sample);
	}
}

void series_release(struct series *s)
{
	free(s->values);
	free(s->seqs);
	free(s->blocks);
	free(s->boots);
	memset(s, 0, sizeof(*s));
}
