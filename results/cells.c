// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/cells.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <string.h>

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

static struct cell_key *find_key(struct cell_keys *keys, const struct cell_key *k)
{
	for (size_t i = 0; i < keys->n; i++)
		if (!strcmp(keys->v[i].metric, k->metric) &&
		    !strcmp(keys->v[i].workload, k->workload) &&
		    !strcmp(keys->v[i].target, k->target))
			return &keys->v[i];
	return NULL;
}

static void add_samples(struct cell_keys *keys, const struct iteration *it)
{
	for (size_t i = 0; i < it->samples.n; i++) {
		const struct metric *m = &it->samples.v[i].metric;
		struct cell_key key = { it->workload, it->target, m->name, m->primary };
		struct cell_key *known = find_key(keys, &key);

		if (known) {
			known->primary |= m->primary;
			continue;
		}
		GROW(keys->v, keys->n);
		keys->v[keys->n++] = key;
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
	*keys = (struct cell_keys){ NULL, 0 };
	for (size_t r = 0; r < n; r++) {
		for (size_t i = 0; i < runs[r]->n_iterations; i++) {
			const struct iteration *it = &runs[r]->iterations[i];

			if (iteration_is_valid(it) && it->workload && it->target)
				add_samples(keys, it);
		}
	}
	if (keys->n)
		qsort(keys->v, keys->n, sizeof(*keys->v), by_cell);
}

void cell_keys_release(struct cell_keys *keys)
{
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
	uint64_t n = cell_count(r, key->workload, key->target).valid;

	*s = (struct series){
		.values = xcalloc(n, sizeof(*s->values)),
		.seqs = xcalloc(n, sizeof(*s->seqs)),
		.blocks = xcalloc(n, sizeof(*s->blocks)),
		.boots = xcalloc(n, sizeof(*s->boots)),
	};
	for (size_t i = 0; i < r->n_iterations; i++) {
		const struct iteration *it = &r->iterations[i];
		const struct sample *sample;

		if (!iteration_is_valid(it) || !iteration_is_of(it, key->workload, key->target))
			continue;
		sample = samples_get(&it->samples, key->metric);
		if (sample)
			add_value(s, it, sample);
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
