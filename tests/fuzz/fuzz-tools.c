// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes are the output of a tool, on any of its streams: samples that keep the
 * contract come out of it, or a reason why there are none.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "lib/mem.h"
#include "workloads/tool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One job for all tools: each reads its own keys. */
#define PARAM(k, v) { .section = (char *)"params", .key = (char *)(k), .value = (char *)(v) }

static struct job_param params[] = {
	PARAM("numjobs", "2"),	       PARAM("runtime", "3"),  PARAM("time_based", "1"),
	PARAM("stressor", "utime, rename"), PARAM("timeout", "1"),  PARAM("clients", "2"),
	PARAM("files", "200"),	       PARAM("loops", "2"),    PARAM("warmup_loops", "1"),
	PARAM("program", "fsync-new"), PARAM("argv", "true"),
};

/* What the output of a tool has in it, so that most of the work is not for the wrong parser. */
static const struct {
	const char *tool, *sign;
} signs[] = {
	{ "fio", "jobs\"" },	   { "fio", "fio" },	      { "fio", "client_stats" },
	{ "stress-ng", "stress" }, { "stress-ng", "bogo" },   { "dbench", "Throughput" },
	{ "dbench", "dbench" },	   { "fs_mark", "FSUse%" },   { "native", "fsdelta-native" },
	{ "native", "\"op\"" },	   { "command", "Command " },
};

static void check_text(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7f)
			abort();
}

static void check_samples(const struct samples *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct metric *m = &s->v[i].metric;

		if (!*m->name || m->name[strspn(m->name, "abcdefghijklmnopqrstuvwxyz0123456789._-")])
			abort();
		if (!*m->unit || !m->text || !isfinite(value_as_double(s->v[i].value)))
			abort();
	}
}

static void check(const struct tool_result *r)
{
	bool ok = r->outcome == OUTCOME_OK;

	if (ok != !r->reason || ok != (r->samples.n > 0) || (!ok && r->samples.n_hists))
		abort();
	if (r->reason)
		check_text(r->reason);
	if (r->warnings.n > TOOL_WARNINGS_MAX + 1)
		abort();
	for (size_t i = 0; i < r->warnings.n; i++)
		check_text(r->warnings.v[i]);
	check_samples(&r->samples);
}

static void parse(const struct tool *tool, const struct job *job, const char *s, size_t len,
		  unsigned int stream)
{
	struct tool_result r;
	struct tool_output o = { .job = job, .out = "", .err = "", .file = "", .wall_s = 1.5 };

	memset(&r, 0, sizeof(r));
	if (stream == 0) {
		o.out = s;
		o.out_len = len;
	} else if (stream == 1) {
		o.err = s;
		o.err_len = len;
	} else {
		o.file = s;
		o.file_len = len;
		o.have_file = true;
	}
	tool->parse(&o, &r);
	check(&r);
	tool_result_release(&r);
}

static bool wanted(const struct tool *tool, const char *s, size_t len)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		if (!memmem(s, len, signs[i].sign, strlen(signs[i].sign)))
			continue;
		any = true;
		if (str_eq(signs[i].tool, tool->name))
			return true;
	}
	return !any;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct job job = { .name = (char *)"fuzz", .params = params,
				 .n_params = ARRAY_SIZE(params) };
	char *text = xmalloc(size + 1);

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	for (size_t i = 0; tools[i]; i++) {
		if (!wanted(tools[i], text, size))
			continue;
		/* Both kinds of callers, without doubling the work: the length decides. */
		for (unsigned int stream = 0; stream < 3; stream++)
			parse(tools[i], (size + stream) % 2 ? &job : NULL, text, size, stream);
	}
	free(text);
	return 0;
}
