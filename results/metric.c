// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/metric.h"

#include "lib/hist.h"
#include "lib/mem.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *const directions[] = {
	[BETTER_NEUTRAL] = "neutral",
	[BETTER_LOWER] = "lower",
	[BETTER_HIGHER] = "higher",
};

static const char *const kinds[] = {
	[KIND_TIME] = "time",
	[KIND_RATE_WORK] = "rate-work",
	[KIND_RATE_TIME] = "rate-time",
	[KIND_COUNT] = "count",
	[KIND_QUANTILE] = "quantile",
	[KIND_MAX] = "max",
	[KIND_RATIO] = "ratio",
};

static int find_name(const char *const *names, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], s))
			return (int)i;
	return -EINVAL;
}

const char *direction_str(enum direction d)
{
	return directions[d];
}

int direction_parse(const char *s, enum direction *out)
{
	int i = find_name(directions, ARRAY_SIZE(directions), s);

	if (i < 0)
		return i;
	*out = (enum direction)i;
	return 0;
}

const char *metric_kind_str(enum metric_kind k)
{
	return kinds[k];
}

int metric_kind_parse(const char *s, enum metric_kind *out)
{
	int i = find_name(kinds, ARRAY_SIZE(kinds), s);

	if (i < 0)
		return i;
	*out = (enum metric_kind)i;
	return 0;
}

/* The strings of all copies that were made of one; the name is the first. */
struct shared_text {
	size_t users;
	char text[];
};

static struct shared_text *shared_text(const struct metric *m)
{
	return (struct shared_text *)(m->name - offsetof(struct shared_text, text));
}

void metric_copy(struct metric *to, const struct metric *from)
{
	size_t name = strlen(from->name) + 1, unit = strlen(from->unit) + 1;
	size_t text = from->text ? strlen(from->text) + 1 : 0;
	struct shared_text *shared = xmalloc(sizeof(*shared) + name + unit + text);

	*to = *from;
	shared->users = 1;
	to->name = memcpy(shared->text, from->name, name);
	to->unit = memcpy(shared->text + name, from->unit, unit);
	if (text)
		to->text = memcpy(shared->text + name + unit, from->text, text);
}

void metric_share(struct metric *to, const struct metric *from)
{
	*to = *from;
	shared_text(to)->users++;
}

void metric_set_unit(struct metric *m, const char *unit)
{
	struct metric wanted = *m, copy;

	wanted.unit = unit;
	metric_copy(&copy, &wanted);
	metric_release(m);
	*m = copy;
}

void metric_release(struct metric *m)
{
	if (m->name && --shared_text(m)->users == 0)
		free(shared_text(m));
	memset(m, 0, sizeof(*m));
}

static void named_hist_release(struct named_hist *h)
{
	free(h->name);
	free(h->unit);
	hist_free(h->hist);
}

void samples_release(struct samples *s)
{
	for (size_t i = 0; i < s->n; i++)
		metric_release(&s->v[i].metric);
	for (size_t i = 0; i < s->n_hists; i++)
		named_hist_release(&s->hists[i]);
	free(s->v);
	free(s->hists);
	*s = (struct samples)SAMPLES_INIT;
}

static struct sample *find_sample(const struct samples *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].metric.name, name))
			return &s->v[i];
	return NULL;
}

static struct named_hist *find_hist(const struct samples *s, const char *name)
{
	for (size_t i = 0; i < s->n_hists; i++)
		if (!strcmp(s->hists[i].name, name))
			return &s->hists[i];
	return NULL;
}

void samples_reserve(struct samples *s, size_t n)
{
	if (n <= s->room)
		return;
	s->v = xreallocarray(s->v, n, sizeof(*s->v));
	s->room = n;
}

static struct sample *new_sample(struct samples *s)
{
	if (s->n == s->room)
		samples_reserve(s, s->room ? 2 * s->room : 1);
	memset(&s->v[s->n], 0, sizeof(*s->v));
	return &s->v[s->n++];
}

/* Room for a sample called @name: the old place when there is one. */
static struct sample *sample_slot(struct samples *s, const char *name)
{
	struct sample *slot = find_sample(s, name);

	return slot ? slot : new_sample(s);
}

static struct named_hist *hist_slot(struct samples *s, const char *name)
{
	struct named_hist *slot = find_hist(s, name);

	if (!slot) {
		GROW(s->hists, s->n_hists);
		slot = &s->hists[s->n_hists++];
		memset(slot, 0, sizeof(*slot));
	}
	return slot;
}

bool samples_add(struct samples *s, const struct metric *m, struct value v)
{
	struct sample *slot;
	struct metric copy;

	if (!v.whole && !isfinite(v.d))
		return false;
	/* Copied first: @m may be the declaration that is replaced. */
	metric_copy(&copy, m);
	slot = sample_slot(s, copy.name);
	metric_release(&slot->metric);
	slot->metric = copy;
	slot->value = v;
	return true;
}

bool samples_append(struct samples *s, const struct metric *m, struct value v)
{
	struct sample sample = { .value = v };

	if (!v.whole && !isfinite(v.d))
		return false;
	metric_share(&sample.metric, m);
	*new_sample(s) = sample;
	return true;
}

void samples_add_hist(struct samples *s, const char *name, const char *unit, struct hist *hist)
{
	struct named_hist copy = { xstrdup(name), xstrdup(unit), hist };
	struct named_hist *slot = hist_slot(s, copy.name);

	named_hist_release(slot);
	*slot = copy;
}

const struct sample *samples_get(const struct samples *s, const char *name)
{
	return find_sample(s, name);
}

const struct hist *samples_get_hist(const struct samples *s, const char *name)
{
	const struct named_hist *h = find_hist(s, name);

	return h ? h->hist : NULL;
}

bool samples_set_primary(struct samples *s, const char *name)
{
	struct sample *primary = find_sample(s, name);

	if (!primary)
		return false;
	for (size_t i = 0; i < s->n; i++)
		s->v[i].metric.primary = &s->v[i] == primary;
	return true;
}

void samples_move(struct samples *to, struct samples *from)
{
	for (size_t i = 0; i < from->n; i++) {
		struct sample *slot = sample_slot(to, from->v[i].metric.name);

		metric_release(&slot->metric);
		*slot = from->v[i];
	}
	for (size_t i = 0; i < from->n_hists; i++) {
		struct named_hist *slot = hist_slot(to, from->hists[i].name);

		named_hist_release(slot);
		*slot = from->hists[i];
	}
	free(from->v);
	free(from->hists);
	*from = (struct samples)SAMPLES_INIT;
}
