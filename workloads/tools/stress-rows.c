// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/tools/stress-ng.h"

#include "lib/mem.h"

#include <math.h>
#include <string.h>

/* "sync_file" on one command line is "sync-file" in another. */
static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !(strchr("-_", *a) && strchr("-_", *b)))
			return false;
	return *a == *b;
}

struct stress_row *stress_rows_find(const struct stress_rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->n; i++)
		if (same_name(rows->v[i].name, name))
			return &rows->v[i];
	return NULL;
}

struct stress_row *stress_rows_add(struct stress_rows *rows, const char *name)
{
	struct stress_row *row;

	GROW(rows->v, rows->n);
	row = &rows->v[rows->n++];
	memset(row, 0, sizeof(*row));
	row->name = xstrdup(name);
	row->real = row->user = row->sys = row->rate = row->cpu_rate = NAN;
	return row;
}

void stress_row_extra(struct stress_row *row, const char *key, double value, enum stress_mean mean,
		      uint64_t instances)
{
	GROW(row->extra, row->n_extra);
	row->extra[row->n_extra++] = (struct stress_extra){
		.key = xstrdup(key), .value = value, .mean = mean, .instances = instances,
	};
}

const struct stress_extra *stress_row_find_extra(const struct stress_row *row, const char *key)
{
	for (size_t i = 0; row && i < row->n_extra; i++)
		if (!strcmp(row->extra[i].key, key))
			return &row->extra[i];
	return NULL;
}

bool stress_row_measured(const struct stress_row *row)
{
	return row && row->have_ops && row->ops && (row->rate > 0 || row->real > 0);
}

void stress_rows_release(struct stress_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		for (size_t k = 0; k < rows->v[i].n_extra; k++)
			free(rows->v[i].extra[k].key);
		free(rows->v[i].extra);
		free(rows->v[i].name);
	}
	free(rows->v);
	rows->v = NULL;
	rows->n = 0;
}

const char *stress_text_skip(const struct stress_text *t, const char *name)
{
	for (size_t i = 0; i < t->n_skips; i++)
		if (same_name(t->skips[i].name, name))
			return t->skips[i].why;
	return NULL;
}
