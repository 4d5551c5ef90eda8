// SPDX-License-Identifier: GPL-2.0-or-later
/* Every string printed here is a literal of ours, so none needs JSON escapes. */
#include "workloads/native/native.h"

#include <inttypes.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static void print_choice(const char *choices, unsigned int n)
{
	while (n--)
		choices += strcspn(choices, "|") + 1;
	printf("\"%.*s\"", (int)strcspn(choices, "|"), choices);
}

void native_print_header(const struct native *n)
{
	const struct native_option *o = n->program->options;
	unsigned int i;

	printf("{\"fsdelta-native\":1,\"program\":\"%s\",\"version\":\"%s\",\"seed\":%" PRIu64
	       ",\"threads\":%" PRIu64 ",\"files\":%" PRIu64 ",\"dirs\":%" PRIu64
	       ",\"size\":%" PRIu64 ",\"rounds\":%" PRIu64 ",\"options\":{\"delay-ns\":%" PRIu64
	       ",\"no-sync\":%s,\"keep\":%s", n->program->name, PACKAGE_VERSION, n->seed,
	       n->threads, n->files, n->dirs, n->size, n->rounds, n->delay_ns,
	       n->no_sync ? "true" : "false", n->keep ? "true" : "false");
	printf(",\"warmup-rounds\":%" PRIu64 ",\"pad\":%" PRIu64 ",\"spin\":%" PRIu64
	       ",\"instructions\":%" PRIu64 ",\"mlock\":%s,\"each\":%s,\"each-cpu\":%s",
	       n->warmup_rounds, n->pad, n->spin, n->instructions, n->mlock ? "true" : "false",
	       n->each ? "true" : "false", n->each_cpu ? "true" : "false");
	for (i = 0; o && o[i].name; i++) {
		printf(",\"%s\":", o[i].name);
		if (o[i].choices)
			print_choice(o[i].choices, n->value[i]);
		else
			fputs(n->value[i] ? "true" : "false", stdout);
	}
	printf("}}\n");
	fflush(stdout);
}

static void print_ns(const char *name, bool known, uint64_t v)
{
	if (known)
		printf(",\"%s_ns\":%" PRIu64, name, v);
	else
		printf(",\"%s_ns\":null", name);
}

static void print_real(const char *name, bool known, double v)
{
	if (known)
		printf(",\"%s\":%.17g", name, v);
	else
		printf(",\"%s\":null", name);
}

static void print_times(const struct hist *h)
{
	static const struct {
		const char *name;
		double q;
	} quantiles[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 } };
	uint64_t v = 0;
	double mean = 0;
	size_t i;
	bool known;

	print_ns("min", h->count, h->min);
	for (i = 0; i < ARRAY_SIZE(quantiles); i++) {
		known = hist_quantile(h, quantiles[i].q, &v);
		print_ns(quantiles[i].name, known, v);
	}
	print_ns("max", h->count, h->max);
	known = hist_mean(h, &mean);
	print_real("mean_ns", known, mean);
}

static void print_hist(const struct hist *h)
{
	unsigned int i, first = hist_next(h, 0);

	printf(",\"hist\":{\"sub_bits\":%d,\"sum\":", HIST_SUB_BITS);
	if (h->count && h->sum != UINT64_MAX)
		printf("%" PRIu64, h->sum);
	else
		printf("null");
	printf(",\"buckets\":[");
	for (i = first; i < HIST_BUCKETS; i = hist_next(h, i + 1))
		printf("%s[%u,%" PRIu64 "]", i == first ? "" : ",", i, h->bucket[i]);
	printf("]}");
}

static void print_op(const struct native *n, unsigned int op)
{
	double wall = (double)n->wall_ns[op] / 1e9;
	struct hist h = { 0 };
	uint64_t errors = 0, i;

	for (i = 0; i < n->threads; i++) {
		hist_merge(&h, &n->thread[i].hist[op]);
		errors += n->thread[i].errors[op];
	}
	if (!h.count && !errors)
		return;
	printf("{\"op\":\"%s\",\"count\":%" PRIu64 ",\"errors\":%" PRIu64, n->program->ops[op].name,
	       h.count, errors);
	print_real("seconds", h.count && h.sum != UINT64_MAX, (double)h.sum / 1e9);
	print_real("wall_seconds", true, wall);
	print_real("rate", h.count && wall > 0 && !n->program->ops[op].part,
		   (double)h.count / wall);
	print_times(&h);
	print_hist(&h);
	printf("}\n");
}

uint64_t native_errors(const struct native *n)
{
	uint64_t sum = n->failed, i;
	unsigned int op;

	for (i = 0; i < n->threads; i++) {
		sum += n->thread[i].failed;
		for (op = 0; op < NATIVE_MAX_OPS; op++)
			sum += n->thread[i].errors[op];
	}
	return sum;
}

void native_print_results(const struct native *n)
{
	unsigned int op;

	for (op = 0; n->program->ops[op].name; op++)
		print_op(n, op);
	printf("{\"done\":true,\"seconds\":%.17g,\"errors\":%" PRIu64 "}\n",
	       (double)n->total_ns / 1e9, native_errors(n));
}
