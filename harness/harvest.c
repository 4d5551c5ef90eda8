// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/harvest.h"

#include "harness/measures.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "workloads/tool.h"

#include <errno.h>
#include <string.h>

#define OUTPUT_MAX (64UL << 20)

int harvest_read_facts(const char *dir, struct kv *facts)
{
	__cleanup_free char *path = xasprintf("%s/" RAW_FACTS, dir);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	int ret = file_read(path, &text, 1 << 20);

	if (!ret)
		kv_parse(facts, strbuf_str(&text));
	return ret;
}

static uint64_t fact_u64(const struct kv *facts, const char *key)
{
	const char *text = kv_get(facts, key);
	unsigned long long v;

	return text && !str_to_u64(text, &v) ? v : 0;
}

static double fact_double(const struct kv *facts, const char *key, double fallback)
{
	const char *text = kv_get(facts, key);
	double v;

	return text && !str_to_double(text, &v) ? v : fallback;
}

static void identify(struct iteration *it, const struct kv *facts)
{
	it->seq = fact_u64(facts, "seq");
	it->block = fact_u64(facts, "block");
	it->number = fact_u64(facts, "number");
	it->warmup = str_eq(kv_get(facts, "warmup"), "1");
	str_replace(&it->workload, kv_get(facts, "workload"));
	str_replace(&it->target, kv_get(facts, "target"));
	str_replace(&it->started, kv_get(facts, "started"));
	str_replace(&it->boot_id, kv_get(facts, "boot.id"));
	it->mono_ns = fact_u64(facts, "mono_ns");
	for (size_t i = 0; i < facts->n; i++) {
		if (str_starts(facts->v[i].key, "env."))
			kv_set(&it->environment, facts->v[i].key + 4, facts->v[i].value);
		if (str_starts(facts->v[i].key, "warning."))
			strvec_push(&it->warnings, facts->v[i].value);
	}
}

static void set_failed(struct iteration *it, enum outcome o, const char *reason)
{
	it->outcome = o;
	str_replace(&it->reason, reason ? reason : "no reason was given");
	samples_release(&it->samples);
}

static bool read_output(const char *dir, const char *name, struct strbuf *out,
			struct iteration *it)
{
	__cleanup_free char *path = xasprintf("%s/%s", dir, name);
	int ret = file_read(path, out, OUTPUT_MAX);

	if (ret == -EFBIG)
		strvec_pushf(&it->warnings, "%s: only its first %lu MiB were read", name,
			     OUTPUT_MAX >> 20);
	return !ret || ret == -EFBIG;
}

static void parse(const char *dir, const struct kv *facts, const struct job *job,
		  const char *version, struct iteration *it)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT, err = STRBUF_INIT, file = STRBUF_INIT;
	struct tool_result r = { .outcome = OUTCOME_OK };
	struct tool_output o = { .job = job, .version = version };

	read_output(dir, RAW_STDOUT, &out, it);
	read_output(dir, RAW_STDERR, &err, it);
	if (job->tool->output_file)
		o.have_file = read_output(dir, job->tool->output_file, &file, it);
	o.out = strbuf_str(&out);
	o.out_len = out.len;
	o.err = strbuf_str(&err);
	o.err_len = err.len;
	o.file = strbuf_str(&file);
	o.file_len = file.len;
	o.status = (int)fact_u64(facts, "tool.status");
	o.wall_s = fact_double(facts, "wall", 0);
	job->tool->parse(&o, &r);
	strvec_push_all(&it->warnings, &r.warnings);
	if (r.outcome == OUTCOME_OK)
		samples_move(&it->samples, &r.samples);
	else
		set_failed(it, r.outcome, r.reason);
	tool_result_release(&r);
}

static void check_fill(const struct kv *facts, struct iteration *it)
{
	static const struct {
		const char *key, *what;
	} limits[] = { { "fill.bytes", "space" }, { "fill.synced", "space" },
		       { "fill.inodes", "inodes" } };

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		double pct = fact_double(facts, limits[i].key, 0);
		__cleanup_free char *why = NULL;

		if (pct <= FILL_LIMIT)
			continue;
		why = xasprintf("the file system ended with %.1f %% of its %s in use (limit %.0f %%): "
				"use a larger --size", pct, limits[i].what, FILL_LIMIT);
		set_failed(it, OUTCOME_FAILED, why);
	}
}

/* Does the metric that matters say how much was done in a given time? */
static bool is_fixed_time(const struct job *job, const struct samples *samples)
{
	const char *name = job->primary ? job->primary : job->tool->primary;

	for (size_t i = 0; i < samples->n; i++)
		if (name ? !strcmp(samples->v[i].metric.name, name) : samples->v[i].metric.primary)
			return samples->v[i].metric.kind == KIND_RATE_TIME;
	return false;
}

static void set_primary(const struct job *job, struct iteration *it)
{
	const char *name = job->primary ? job->primary : job->tool->primary;

	if (name && !samples_set_primary(&it->samples, name))
		strvec_pushf(&it->warnings, "the primary metric %s was not measured", name);
}

void harvest(const char *dir, const struct kv *facts, const struct job *job, const char *version,
	     struct iteration *it)
{
	const char *outcome = kv_get(facts, "outcome");

	identify(it, facts);
	if (!outcome || outcome_parse(outcome, &it->outcome))
		it->outcome = OUTCOME_BROKEN;
	if (it->outcome != OUTCOME_OK) {
		set_failed(it, it->outcome, kv_get(facts, "reason"));
		return;
	}
	parse(dir, facts, job, version, it);
	check_fill(facts, it);
	if (it->outcome != OUTCOME_OK)
		return;
	measures_add(facts, is_fixed_time(job, &it->samples), &it->samples);
	set_primary(job, it);
}
