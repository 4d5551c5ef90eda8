// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/tools/fio-lat.h"

#include "lib/hist.h"
#include "lib/mem.h"

#include <math.h>

/* What a double can have and still be turned into a whole number: 292 years. */
#define MAX_NS 9.2e18

/* Appends the bins of one entry: "bins": { "1449984": 1, ... }, keys in ns. */
static void add_bins(struct fio_lat *lat, struct json_object *bins)
{
	uint64_t total = 0;

	if (!json_object_is_type(bins, json_type_object) || !json_object_object_length(bins))
		return;
	json_object_object_foreach(bins, key, val) {
		struct fio_bin bin;

		if (!text_u64(key, &bin.ns) || !json_as_u64(val, &bin.count))
			return;
		total += bin.count;
		GROW(lat->bins, lat->n_bins);
		lat->bins[lat->n_bins++] = bin;
	}
	if (total)
		lat->with_bins++;
	lat->sorted = false;
}

void fio_lat_add(struct fio_lat *lat, struct json_object *o, const char *key, uint64_t count)
{
	__cleanup_free char *key_ns = xasprintf("%s_ns", key);
	struct json_object *b = json_get(o, key_ns);
	double unit = 1, mean, min, max;
	uint64_t n = 0;

	if (!b) {
		b = json_get(o, key);
		unit = 1000;
	}
	if (!json_get_double(b, "mean", &mean) || mean <= 0)
		return;
	if (json_get(b, "N") && (!json_get_u64(b, "N", &n) || !n))
		return;
	lat->entries++;
	lat->n += n;
	lat->weight += (double)(n ? n : count);
	lat->sum += mean * unit * (double)(n ? n : count);
	if (json_get_double(b, "max", &max) && max > 0) {
		lat->max = fmax(lat->max, max * unit);
		lat->have_max = true;
	}
	if (json_get_double(b, "min", &min) && min >= 0)
		lat->min = lat->entries == 1 ? min * unit : fmin(lat->min, min * unit);
	lat->percentile = lat->entries == 1 ? json_get(b, "percentile") : NULL;
	lat->unit = unit;
	if (unit == 1)
		add_bins(lat, json_get(b, "bins"));
}

static int compare_bins(const void *a, const void *b)
{
	const struct fio_bin *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Are the bins all there is? Sorts them: their order in the file is not by value everywhere. */
static bool bins_complete(struct fio_lat *lat)
{
	uint64_t total = 0;

	if (!lat->n_bins || lat->with_bins != lat->entries)
		return false;
	if (!lat->sorted)
		qsort(lat->bins, lat->n_bins, sizeof(*lat->bins), compare_bins);
	lat->sorted = true;
	for (size_t i = 0; i < lat->n_bins; i++)
		total += lat->bins[i].count;
	return total == lat->n;
}

/* The same rule as fio's own: the first bin at which the share is reached. */
static double bins_quantile(const struct fio_lat *lat, double q)
{
	double need = q * (double)lat->n, sum = 0;

	for (size_t i = 0; i < lat->n_bins; i++) {
		sum += (double)lat->bins[i].count;
		if (sum >= need)
			return (double)lat->bins[i].ns;
	}
	return (double)lat->bins[lat->n_bins - 1].ns;
}

/* "99.000000": the keys are text, the digits depend on the version. */
static bool percentile_find(struct json_object *o, double q, double *out)
{
	double k;

	if (!json_object_is_type(o, json_type_object))
		return false;
	json_object_object_foreach(o, key, val) {
		if (text_number(key, &k) && fabs(k - 100 * q) < 1e-6)
			return json_as_double(val, out) && *out > 0;
	}
	return false;
}

bool fio_lat_quantile(struct fio_lat *lat, const struct tool_quantile *q, double *out)
{
	double n = lat->n ? (double)lat->n : lat->weight;

	if (n < (double)q->min_n)
		return false;
	if (bins_complete(lat)) {
		*out = bins_quantile(lat, q->q);
	} else {
		if (!percentile_find(lat->percentile, q->q, out))
			return false;
		*out *= lat->unit;
	}
	/* fio prints a value that stands for the whole bucket: it may lie above the maximum. */
	if (lat->have_max)
		*out = fmin(*out, lat->max);
	return true;
}

void fio_lat_put_hist(struct fio_lat *lat, const char *name, struct samples *to)
{
	struct hist *h;

	if (!bins_complete(lat))
		return;
	h = hist_new();
	for (size_t i = 0; i < lat->n_bins; i++) {
		const struct fio_bin *bin = &lat->bins[i];

		if (bin->count && hist_restore_bucket(h, hist_index(bin->ns), bin->count)) {
			hist_free(h);
			return;
		}
	}
	/* Without them, the extremes and the sum are those of the buckets. */
	if (lat->have_max && lat->max < MAX_NS && lat->sum < MAX_NS)
		hist_restore_totals(h, (uint64_t)lat->min, (uint64_t)lat->max, (uint64_t)lat->sum);
	samples_add_hist(to, name, "ns", h);
}

void fio_lat_release(struct fio_lat *lat)
{
	free(lat->bins);
	lat->bins = NULL;
	lat->n_bins = 0;
}
