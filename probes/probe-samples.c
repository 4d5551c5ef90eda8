// SPDX-License-Identifier: GPL-2.0-or-later
/* From the maps of a probe to metrics. */
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "probes/probe.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

struct quantile {
	const char *name;
	double q;
	uint64_t min_n; /* fewer values say nothing: 10 / (1 - q) */
};

static const struct quantile quantiles[] = {
	{ "p50", 0.5, 20 },
	{ "p90", 0.9, 100 },
	{ "p99", 0.99, 1000 },
};

struct maker {
	struct bt_result *r;
	struct samples *out;
	struct strvec *notes;
};

static void add(struct maker *mk, const struct metric *like, const char *suffix, struct value v)
{
	__cleanup_free char *name = xasprintf("%s%s", like->name, suffix);
	struct metric m = *like;

	m.name = name;
	samples_add(mk->out, &m, v);
}

/* How many there were: says how far the rest can be trusted. */
static void add_n(struct maker *mk, const struct metric *like, uint64_t n)
{
	struct metric m = *like;

	m.unit = "1";
	m.better = BETTER_NEUTRAL;
	m.kind = KIND_COUNT;
	m.text = "how many were measured";
	add(mk, &m, ".n", value_u64(n));
}

static void add_stats(struct maker *mk, const struct metric *m, const struct bt_value *v)
{
	add_n(mk, m, v->count);
	if (!v->count || v->negative || v->average < 0)
		return;
	/* bpftrace cuts the mean to a whole number. */
	add(mk, m, ".mean", value_double((double)v->u / (double)v->count));
	add(mk, m, ".total", value_u64(v->u));
}

/* The upper bound of the bucket that holds the quantile; false when that one is open. */
static bool hist_quantile(const struct bt_value *v, double q, int64_t *out)
{
	uint64_t rank = (uint64_t)ceil(q * (double)v->count), seen = 0;

	for (size_t i = 0; i < v->n_buckets; i++) {
		seen += v->buckets[i].count;
		if (seen < rank)
			continue;
		*out = v->buckets[i].max;
		return v->buckets[i].has_max;
	}
	return false;
}

static void add_hist(struct maker *mk, const struct metric *m, const struct bt_value *v)
{
	int64_t bound;

	add_n(mk, m, v->count);
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		__cleanup_free char *suffix = xasprintf(".%s", quantiles[i].name);

		if (v->count < quantiles[i].min_n || !hist_quantile(v, quantiles[i].q, &bound))
			continue;
		add(mk, m, suffix, bound < 0 ? value_double((double)bound) :
					       value_u64((uint64_t)bound));
	}
}

static void add_value(struct maker *mk, const struct metric *m, const struct bt_value *v)
{
	if (v->kind == BT_STATS)
		add_stats(mk, m, v);
	else if (v->kind == BT_HIST)
		add_hist(mk, m, v);
	else if (v->kind == BT_NUMBER && v->negative)
		add(mk, m, "", value_double((double)(int64_t)v->u));
	else if (v->kind == BT_NUMBER)
		add(mk, m, "", value_u64(v->u));
}

/* NAME.* becomes NAME.key */
static void add_key(struct maker *mk, const struct metric *m, const struct bt_entry *e)
{
	__cleanup_strbuf struct strbuf name = STRBUF_INIT;
	struct metric one = *m;

	strbuf_add(&name, m->name, strlen(m->name) - 1);
	for (const char *s = e->key; *s; s++) {
		char c = (char)tolower((unsigned char)*s);

		strbuf_addc(&name, isalnum((unsigned char)c) || strchr("._-", c) ? c : '-');
	}
	one.name = strbuf_str(&name);
	if (*e->key)
		add_value(mk, &one, &e->value);
}

/* The map when its numbers may become metrics. */
static const struct bt_map *usable(struct maker *mk, const char *name, const char *metric)
{
	const struct bt_map *m = bt_map(mk->r, name);

	if (!m)
		strvec_pushf(mk->notes, "%s: not measured: %s was not printed", metric, name);
	else if (m->status != BT_EXACT)
		strvec_pushf(mk->notes, "%s: not taken, %s: %s: %s", metric, bt_status_str(m->status),
			     name, m->reason);
	return m && m->status == BT_EXACT ? m : NULL;
}

static void add_ratio(struct maker *mk, const struct probe_metric *pm)
{
	const struct bt_map *a = usable(mk, pm->map, pm->metric.name);
	const struct bt_map *b = usable(mk, pm->divisor, pm->metric.name);
	uint64_t above, below;

	if (bt_total(a, &above) && bt_total(b, &below) && below)
		add(mk, &pm->metric, "", value_double((double)above / (double)below));
}

static void add_metric(struct maker *mk, const struct probe_metric *pm)
{
	const struct bt_map *m;
	uint64_t total;

	if (pm->divisor) {
		add_ratio(mk, pm);
		return;
	}
	m = usable(mk, pm->map, pm->metric.name);
	if (!m)
		return;
	if (str_ends(pm->metric.name, ".*"))
		for (size_t i = 0; i < m->n; i++)
			add_key(mk, &pm->metric, &m->v[i]);
	else if (!m->keyed && m->n)
		add_value(mk, &pm->metric, &m->v[0].value);
	else if (bt_total(m, &total))
		add(mk, &pm->metric, "", value_u64(total));
}

/* The result is ours to mark. */
static struct bt_map *find_map(struct bt_result *r, const char *name)
{
	return (struct bt_map *)bt_map(r, name);
}

/* Calls whose end was not seen: returns that were missed, or still under way. */
static void check_balance(struct bt_result *r, const struct probe_balance *b)
{
	struct bt_map *ended = find_map(r, b->ended);
	uint64_t n_began, n_ended = 0;

	if (!bt_total(find_map(r, b->began), &n_began))
		return;
	bt_total(ended, &n_ended);
	if (!ended || n_began == n_ended)
		return;
	bt_distrust(ended, BT_LOWER_BOUND, "%llu began (%s), %llu ended",
		    (unsigned long long)n_began, b->began, (unsigned long long)n_ended);
}

/* What else is measured where @ended is suffers as well: the distribution beside the mean. */
static void spread(struct bt_result *r, const struct probe *p, const struct probe_balance *b)
{
	const struct bt_map *ended = bt_map(r, b->ended);
	uint64_t n_ended, n_other;

	if (!ended || ended->status != BT_LOWER_BOUND || !bt_total(ended, &n_ended))
		return;
	for (size_t i = 0; i < p->n_metrics; i++) {
		struct bt_map *m = find_map(r, p->metrics[i].map);

		if (m && m != ended && m->n && m->v[0].value.kind == BT_HIST &&
		    bt_total(m, &n_other) && n_other == n_ended)
			bt_distrust(m, BT_LOWER_BOUND, "%s", ended->reason);
	}
}

void probe_samples(const struct probe *p, struct bt_result *r, struct samples *out,
		   struct strvec *notes)
{
	struct maker mk = { .r = r, .out = out, .notes = notes };

	for (size_t i = 0; i < p->n_balances; i++) {
		check_balance(r, &p->balances[i]);
		spread(r, p, &p->balances[i]);
	}
	for (size_t i = 0; i < p->n_metrics; i++)
		add_metric(&mk, &p->metrics[i]);
}
