/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latencies of one kind, added up over the entries of a fio document. ns. */
#ifndef FSDELTA_WORKLOADS_TOOLS_FIO_LAT_H
#define FSDELTA_WORKLOADS_TOOLS_FIO_LAT_H

#include "lib/json.h"
#include "results/metric.h"
#include "workloads/tools/parse.h"

struct fio_bin {
	uint64_t ns, count;
};

struct fio_lat {
	uint64_t entries; /* that measured this latency; 0: not measured */
	uint64_t n;	  /* operations measured; 0: fio does not say (versions before 3) */
	double weight;	  /* of sum: n, or the operations of the direction */
	double sum;	  /* sum / weight is the mean */
	double min, max;
	bool have_max;
	/* Percentiles cannot be added up; bins can. */
	struct json_object *percentile; /* of the only entry; borrowed */
	double unit;			/* ns per unit of percentile */
	struct fio_bin *bins;
	size_t n_bins;
	uint64_t with_bins; /* entries that had bins */
	bool sorted;
};

/*
 * Adds what @o says under "@key_ns", or "@key" in microseconds (before fio 2.99). A block with
 * N = 0 was not measured. @count: operations, the weight when N is not printed.
 */
void fio_lat_add(struct fio_lat *lat, struct json_object *o, const char *key, uint64_t count);
/* False: too few operations, or not to be had over several entries. */
bool fio_lat_quantile(struct fio_lat *lat, const struct tool_quantile *q, double *out);
/* Adds the histogram @name when all entries had bins. */
void fio_lat_put_hist(struct fio_lat *lat, const char *name, struct samples *to);
void fio_lat_release(struct fio_lat *lat);

#endif
