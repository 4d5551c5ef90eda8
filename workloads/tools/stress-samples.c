// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/tools/stress-ng.h"

#include "lib/mem.h"
#include "workloads/tools/parse.h"

#include <math.h>
#include <string.h>

/* One operation more or less must not change the rate by more than a per cent. */
#define OPS_ENOUGH 100

struct sink {
	struct tool_result *r;
	bool by_time;
	const char *primary;
};

/* "utime.rate" */
static void put(const struct sink *to, const char *stressor, const char *leaf,
		const struct metric *like, struct value v)
{
	__cleanup_strbuf struct strbuf name = STRBUF_INIT;
	struct metric m = *like;

	text_add_name(&name, stressor);
	strbuf_addc(&name, '.');
	text_add_name(&name, leaf);
	m.name = strbuf_str(&name);
	m.primary = str_eq(m.name, to->primary);
	tool_sample(to->r, &m, v);
}

/* The part of the name that keeps numbers apart which were made in different ways. */
static const char *mean_suffix(enum stress_mean mean)
{
	switch (mean) {
	case STRESS_MEAN_GEOMETRIC:
		return ".gmean";
	case STRESS_MEAN_HARMONIC:
		return ".hmean";
	case STRESS_MEAN_ARITHMETIC:
		return ".amean";
	case STRESS_MEAN_TOTAL:
		return ".total";
	case STRESS_MEAN_UNKNOWN:
		break;
	}
	return "";
}

static const char *mean_text(enum stress_mean mean)
{
	switch (mean) {
	case STRESS_MEAN_GEOMETRIC:
		return "geometric mean over the instances; other versions of stress-ng have another mean";
	case STRESS_MEAN_HARMONIC:
		return "harmonic mean over the instances; other versions of stress-ng have another mean";
	case STRESS_MEAN_ARITHMETIC:
		return "mean over the instances";
	case STRESS_MEAN_TOTAL:
		return "total of the instances";
	case STRESS_MEAN_UNKNOWN:
		break;
	}
	return "over the instances, by a mean that stress-ng does not name";
}

/*
 * Unit and direction from the unit that stress-ng prints with the number. What is neither a
 * time nor a rate has no direction.
 */
static void describe_extra(const char *key, bool by_time, struct metric *m)
{
	static const struct {
		const char *prefix, *unit;
	} times[] = {
		{ "nanosec", "ns" }, { "microsec", "us" }, { "millisec", "ms" }, { "second", "s" },
		{ "secs-", "s" },
	};

	m->unit = "1";
	m->better = BETTER_NEUTRAL;
	m->kind = KIND_RATIO;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		if (!str_starts(key, times[i].prefix))
			continue;
		m->unit = times[i].unit;
		m->better = BETTER_LOWER;
		m->kind = KIND_TIME;
		return;
	}
	if (!strstr(key, "per-sec") && !str_starts(key, "mbsec"))
		return;
	m->unit = str_starts(key, "mbsec") || str_starts(key, "mb-per-sec") ? "MB/s" : "1/s";
	m->kind = by_time ? KIND_RATE_TIME : KIND_RATE_WORK;
	/* More failures per second are no gain. */
	if (!strstr(key, "fail") && !strstr(key, "error") && !strstr(key, "retr"))
		m->better = BETTER_HIGHER;
}

/*
 * The text says which mean a number is, and may print another one than the YAML; the YAML
 * has more digits. Over one instance all means agree.
 */
static void put_extra(const struct sink *to, const char *stressor, const struct stress_extra *yaml,
		      const struct stress_extra *text)
{
	const struct stress_extra *from = text ? text : yaml;
	double value = from->value;
	__cleanup_free char *leaf = xasprintf("%s%s", from->key, mean_suffix(from->mean));
	struct metric m = { .text = mean_text(from->mean) };

	if (yaml && text && text->instances == 1)
		value = yaml->value;
	/* "0.00 nanosecs per file access" was not measured, and is not infinitely fast. */
	if (value <= 0)
		return;
	describe_extra(from->key, to->by_time, &m);
	put(to, stressor, leaf, &m, value_double(value));
}

static void put_extras(const struct sink *to, const struct stress_row *row,
		       const struct stress_row *text)
{
	for (size_t i = 0; i < row->n_extra; i++)
		put_extra(to, row->name, &row->extra[i],
			  row == text ? NULL : stress_row_find_extra(text, row->extra[i].key));
	for (size_t i = 0; text && row != text && i < text->n_extra; i++)
		if (!stress_row_find_extra(row, text->extra[i].key))
			put_extra(to, row->name, NULL, &text->extra[i]);
}

static void put_row(const struct sink *to, const struct stress_row *row)
{
	enum metric_kind rate_kind = to->by_time ? KIND_RATE_TIME : KIND_RATE_WORK;
	struct metric rate = { .unit = "1/s", .better = BETTER_HIGHER, .kind = rate_kind,
			       .text = "bogo operations per second of real time" };
	struct metric cpu = { .unit = "1/s", .better = BETTER_NEUTRAL, .kind = rate_kind,
			      .text = "bogo operations per second of user and system time: "
				      "the cost in CPU, blind to waiting" };
	struct metric ops = { .unit = "1", .better = BETTER_NEUTRAL, .kind = KIND_COUNT,
			      .text = "bogo operations" };

	put(to, row->name, "rate", &rate,
	    value_double(row->rate > 0 ? row->rate : (double)row->ops / row->real));
	if (row->cpu_rate > 0)
		put(to, row->name, "cpu-rate", &cpu, value_double(row->cpu_rate));
	else if (row->user + row->sys > 0)
		put(to, row->name, "cpu-rate", &cpu,
		    value_double((double)row->ops / (row->user + row->sys)));
	put(to, row->name, "ops", &ops, value_u64(row->ops));
	if (row->ops < OPS_ENOUGH)
		tool_warn(to->r, "%s: too few operations: with %llu, one more or less is %.2g %%",
			  row->name, (unsigned long long)row->ops, 100.0 / (double)row->ops);
}

void stress_samples(const struct stress_rows *rows, const struct stress_rows *text, bool by_time,
		    const char *primary, struct tool_result *r)
{
	struct sink to = { r, by_time, primary };

	for (size_t i = 0; i < rows->n; i++) {
		const struct stress_row *row = &rows->v[i];

		if (stress_row_measured(row))
			put_row(&to, row);
		put_extras(&to, row, stress_rows_find(text, row->name));
	}
}
