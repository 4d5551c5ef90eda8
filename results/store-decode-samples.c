// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/hist.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "results/store-codec.h"

#include <errno.h>
#include <string.h>

/* Member @key as an object with members; NULL when it is absent or empty. */
static struct json_object *take_object(struct store_decoder *d, struct json_object *o,
				       const char *key)
{
	struct json_object *v = json_get(o, key);

	if (!v)
		return NULL;
	if (!json_object_is_type(v, json_type_object)) {
		store_decode_error(d, "\"%s\" is no object", key);
		return NULL;
	}
	return json_object_object_length(v) ? v : NULL;
}

/* An object has each name once. */
static void take_sample(struct store_decoder *d, struct iteration *it, const char *name,
			struct json_object *v)
{
	const struct metric *m = store_decls_find(&d->decls, it->workload, name);
	uint64_t u;
	double x;

	if (!v)
		return;
	if (!m && d->gaps) {
		d->undeclared++;
		return;
	}
	if (!m)
		store_decode_error(d, "sample '%s' of %s: the metric is not declared", name,
				   it->workload);
	else if (json_as_u64(v, &u))
		samples_append(&it->samples, m, value_u64(u));
	else if (json_as_double(v, &x))
		samples_append(&it->samples, m, value_double(x));
	else
		store_decode_error(d, "sample '%s' of %s is no number", name, it->workload);
}

static bool take_bucket(struct hist *h, struct json_object *pair)
{
	uint64_t index, count;

	if (!pair || !json_object_is_type(pair, json_type_array) ||
	    json_object_array_length(pair) != 2)
		return false;
	return json_as_u64(json_object_array_get_idx(pair, 0), &index) &&
	       json_as_u64(json_object_array_get_idx(pair, 1), &count) &&
	       !hist_restore_bucket(h, index, count);
}

static void take_buckets(struct store_decoder *d, struct json_object *o, const char *name,
			 struct hist *h)
{
	struct json_object *a = json_get(o, "buckets");
	size_t n;

	if (!a || !json_object_is_type(a, json_type_array)) {
		store_decode_error(d, "histogram '%s': \"buckets\" is no array", name);
		return;
	}
	n = json_object_array_length(a);
	for (size_t i = 0; i < n; i++) {
		if (!take_bucket(h, json_object_array_get_idx(a, i))) {
			store_decode_error(d, "histogram '%s': bucket %zu is no pair of an index "
					   "and a count", name, i);
			return;
		}
	}
}

static void take_totals(struct store_decoder *d, struct json_object *o, const char *name,
			struct hist *h)
{
	uint64_t min = 0, max = 0, sum = UINT64_MAX;

	if (!h->count || d->error)
		return;
	store_take_u64(d, o, "min", true, &min);
	store_take_u64(d, o, "max", true, &max);
	store_take_u64(d, o, "sum", false, &sum);
	if (!d->error && hist_restore_totals(h, min, max, sum))
		store_decode_error(d, "histogram '%s': min, max or sum contradict the buckets",
				   name);
}

static void take_hist(struct store_decoder *d, struct iteration *it, const char *name,
		      struct json_object *o)
{
	__cleanup_free char *unit = NULL;
	struct hist *h = hist_new();
	uint64_t sub_bits = 0;

	store_take_str(d, o, "unit", true, &unit);
	store_take_u64(d, o, "sub_bits", true, &sub_bits);
	if (!d->error && sub_bits != HIST_SUB_BITS)
		store_decode_error(d, "histogram '%s' has other buckets than this program", name);
	if (!d->error)
		take_buckets(d, o, name, h);
	take_totals(d, o, name, h);
	if (d->error)
		hist_free(h);
	else
		samples_add_hist(&it->samples, name, unit, h);
}

void store_decode_samples(struct store_decoder *d, struct json_object *o, struct iteration *it)
{
	struct json_object *samples = take_object(d, o, "samples");
	struct json_object *hists = take_object(d, o, "histograms");

	if (it->outcome != OUTCOME_OK) {
		d->not_ok += samples || hists;
		return;
	}
	if (samples) {
		samples_reserve(&it->samples, json_object_object_length(samples));
		json_object_object_foreach(samples, name, v)
			take_sample(d, it, name, v);
	}
	if (hists && !d->error) {
		json_object_object_foreach(hists, name, v) {
			/* One at a time: the first mistake ends it. */
			if (v && !d->error)
				take_hist(d, it, name, v);
		}
	}
}
