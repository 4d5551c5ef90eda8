// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From fio's entries to samples: totals over all jobs, and by job name when several are
 * named differently. Times are ns here, whatever the version of fio printed.
 */
#include "workloads/tools/fio.h"

#include "lib/mem.h"
#include "workloads/tools/fio-lat.h"
#include "workloads/tools/parse.h"

#include <string.h>

/* More differently named jobs than this get no metrics of their own. */
#define MAX_NAMES 32

static const char *const directions[] = { "read", "write", "trim", "mixed" };

/* One direction, added up over the entries of one name. */
struct flow {
	uint64_t entries, count, group;
	double iops, bw;
	uint64_t n_iops, n_bw;
	bool groups_differ;
	struct fio_lat lat, clat;
};

struct sum {
	struct flow flow[ARRAY_SIZE(directions)];
	uint64_t sync_count;
	bool have_sync;
	struct fio_lat sync;
};

/* Where the samples of one sum go. */
struct sink {
	struct tool_result *r;
	const char *job; /* NULL: the totals */
	enum metric_kind rate;
};

/* "JOB.read.iops", or "read.iops" for the totals. */
static void put(const struct sink *to, const char *what, const char *leaf, const struct metric *like,
		struct value v)
{
	__cleanup_strbuf struct strbuf name = STRBUF_INIT;
	struct metric m = *like;

	if (to->job)
		strbuf_addf(&name, "%s.", to->job);
	strbuf_addf(&name, "%s.%s", what, leaf);
	m.name = strbuf_str(&name);
	tool_sample(to->r, &m, v);
}

static void put_lat(const struct sink *to, const char *what, struct fio_lat *lat, const char *text)
{
	struct metric m = { .unit = "ns", .better = BETTER_LOWER, .kind = KIND_TIME, .text = text };
	double v;

	if (!lat->entries)
		return;
	put(to, what, "mean", &m, value_double(lat->sum / lat->weight));
	m.kind = KIND_QUANTILE;
	m.text = "latency that this share of the operations did not exceed, to fio's resolution";
	for (size_t i = 0; i < tool_n_quantiles; i++)
		if (fio_lat_quantile(lat, &tool_quantiles[i], &v))
			put(to, what, tool_quantiles[i].name, &m, value_double(v));
	m.kind = KIND_MAX;
	m.text = "longest operation; grows with the number of operations";
	if (lat->have_max)
		put(to, what, "max", &m, value_double(lat->max));
	if (!to->job)
		fio_lat_put_hist(lat, what, &to->r->samples);
}

static void put_flow(const struct sink *to, const char *dir, struct flow *f)
{
	__cleanup_free char *lat = xasprintf("%s.lat", dir), *clat = xasprintf("%s.clat", dir);
	struct metric m = { .unit = "1/s", .better = BETTER_HIGHER, .kind = to->rate,
			    .text = "operations completed per second, all jobs of the name together" };

	if (!f->entries)
		return;
	/* Jobs of several groups may run one after another: their rates do not add up. */
	if (f->n_iops == f->entries && !f->groups_differ)
		put(to, dir, "iops", &m, value_double(f->iops));
	m.unit = "B/s";
	m.text = "bytes moved per second, all jobs of the name together";
	if (f->n_bw == f->entries && !f->groups_differ)
		put(to, dir, "bw", &m, value_double(f->bw));
	m = (struct metric){ .unit = "1", .better = BETTER_NEUTRAL, .kind = KIND_COUNT,
			     .text = "operations completed" };
	put(to, dir, "count", &m, value_u64(f->count));
	put_lat(to, lat, &f->lat, "mean time from the making of a request to its completion");
	put_lat(to, clat, &f->clat, "mean time from submission to completion");
}

static void put_sum(const struct sink *to, struct sum *s)
{
	struct metric count = { .unit = "1", .better = BETTER_NEUTRAL, .kind = KIND_COUNT,
				.text = "fsync, fdatasync and sync_file_range calls" };

	for (size_t i = 0; i < ARRAY_SIZE(directions); i++)
		put_flow(to, directions[i], &s->flow[i]);
	if (s->have_sync)
		put(to, "sync", "count", &count, value_u64(s->sync_count));
	put_lat(to, "sync.lat", &s->sync, "mean duration of fsync and its like");
}

static void add_flow(struct flow *f, struct json_object *entry, struct json_object *o)
{
	uint64_t count = 0, group = 0;
	double v;

	/* An unused direction is a block full of zeros: not measured. */
	if (!json_get_u64(o, "total_ios", &count) || !count)
		return;
	json_get_u64(entry, "groupid", &group);
	f->groups_differ |= f->entries && group != f->group;
	f->group = group;
	f->entries++;
	f->count += count;
	if (json_get_double(o, "iops", &v)) {
		f->iops += v;
		f->n_iops++;
	}
	/* "bw" is KiB/s in every version. */
	if (json_get_double(o, "bw_bytes", &v)) {
		f->bw += v;
		f->n_bw++;
	} else if (json_get_double(o, "bw", &v)) {
		f->bw += v * 1024;
		f->n_bw++;
	}
	fio_lat_add(&f->lat, o, "lat", count);
	fio_lat_add(&f->clat, o, "clat", count);
}

static void add_sync(struct sum *s, struct json_object *o)
{
	uint64_t count = 0, n = 0;

	/* total_ios leaves fdatasync out; the latencies do not, but may be switched off. */
	json_get_u64(o, "total_ios", &count);
	if (json_get_u64(json_get(o, "lat_ns"), "N", &n) && n)
		count = n;
	if (!count)
		return;
	s->have_sync = true;
	s->sync_count += count;
	fio_lat_add(&s->sync, o, "lat", count);
}

static void add_entry(struct sum *s, struct json_object *entry)
{
	for (size_t i = 0; i < ARRAY_SIZE(directions); i++)
		add_flow(&s->flow[i], entry, json_get(entry, directions[i]));
	add_sync(s, json_get(entry, "sync"));
}

static void sum_release(struct sum *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(directions); i++) {
		fio_lat_release(&s->flow[i].lat);
		fio_lat_release(&s->flow[i].clat);
	}
	fio_lat_release(&s->sync);
}

static char *entry_name(struct json_object *entry)
{
	const char *s = json_get_str(entry, "jobname");
	struct strbuf name = STRBUF_INIT;

	text_add_name(&name, s && *s ? s : "job");
	return strbuf_detach(&name);
}

/* Sums the entries called @job (NULL: all) and puts the samples. */
static void put_name(struct json_object *entries, bool remote, const struct sink *to)
{
	struct sum s;

	memset(&s, 0, sizeof(s));
	for (size_t i = 0; i < json_object_array_length(entries); i++) {
		struct json_object *entry = json_object_array_get_idx(entries, i);
		__cleanup_free char *name = entry_name(entry);

		if (fio_is_sum(entries, i, remote))
			continue;
		if (!to->job || str_eq(to->job, name))
			add_entry(&s, entry);
	}
	put_sum(to, &s);
	sum_release(&s);
}

/* Is there a clock that ends the work? Otherwise the size does. */
static bool timed(struct json_object *doc, struct json_object *entries, const struct job *job)
{
	struct json_object *first = json_object_array_get_idx(entries, 0);

	if (job) {
		for (size_t i = 0; i < job->n_params; i++)
			if (str_eq(job->params[i].key, "time_based") &&
			    !str_eq(job->params[i].value, "0"))
				return true;
		return false;
	}
	return json_get(json_get(first, "job options"), "runtime") ||
	       json_get(json_get(doc, "global options"), "runtime");
}

void fio_samples(struct json_object *doc, const struct job *job, struct tool_result *r)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT;
	bool remote;
	struct json_object *entries = fio_entries(doc, &remote);
	struct sink to = { r, NULL,
			   timed(doc, entries, job) ? KIND_RATE_TIME : KIND_RATE_WORK };

	put_name(entries, remote, &to);
	for (size_t i = 0; i < json_object_array_length(entries) && names.n <= MAX_NAMES; i++) {
		__cleanup_free char *name = entry_name(json_object_array_get_idx(entries, i));

		if (!fio_is_sum(entries, i, remote) && !strvec_has(&names, name))
			strvec_push(&names, name);
	}
	if (names.n > MAX_NAMES)
		tool_warn(r, "more than %d job names: only the totals are kept", MAX_NAMES);
	for (size_t i = 0; i < names.n && names.n > 1 && names.n <= MAX_NAMES; i++) {
		to.job = names.v[i];
		put_name(entries, remote, &to);
	}
}
