// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/tools/stress-ng.h"

#include "lib/mem.h"
#include "workloads/tools/parse.h"
#include "workloads/tools/tools.h"

#include <string.h>

static const struct tool_param stress_params[] = {
	{ "stressor", PARAM_STRING, true, NULL,
	  "what to run: \"utime\", or several at once: \"utime, rename\"" },
	{ "instances", PARAM_U64, false, NULL, "workers of each stressor (default 1)" },
	{ "ops", PARAM_U64, false, NULL, "end each stressor after this many operations" },
	{ "timeout", PARAM_SECONDS, false, NULL, "end after this time" },
	{ "options", PARAM_ARGV, false, NULL, "further words for the command line" },
	{ .name = NULL },
};

/* What the harness sets, and what changes the output that the parser reads. */
static const char *const reserved[] = {
	"--log-brief", "--log-file", "--metrics", "--metrics-brief", "--no-rand-seed", "--quiet",
	"--seed", "--stdout", "--temp-path", "--timeout", "--yaml", "-M", "-Y", "-q", "-t",
};

static void stress_check(const struct job *job, struct strvec *errors)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT, words = STRVEC_INIT;
	const char *list = tool_param_str(job, "stressor");
	uint64_t n;

	strvec_split(&names, list ? list : "", ',');
	if (!names.n)
		strvec_push(errors, "stressor names none");
	for (size_t i = 0; i < names.n; i++)
		if (names.v[i][0] == '-' || names.v[i][strspn(names.v[i], "abcdefghijklmnopqrstuvwxyz"
									  "0123456789-_")])
			strvec_pushf(errors, "stressor: \"%s\" is no name of one", names.v[i]);
	if (!tool_param_str(job, "ops") && !tool_param_str(job, "timeout"))
		strvec_push(errors, "neither ops nor timeout: it would run for a day");
	/* For stress-ng, 0 instances are as many as there are CPUs, and 0 is no end. */
	if (tool_param_u64(job, "instances", &n) && !n)
		strvec_push(errors, "instances = 0 depends on the machine: give a number");
	if (tool_param_u64(job, "ops", &n) && !n)
		strvec_push(errors, "ops = 0 is no end");
	if (tool_param_seconds(job, "timeout", &n) && !n)
		strvec_push(errors, "timeout = 0 is no end");
	if (tool_param_words(job, "options", &words))
		return; /* the loader has said it */
	for (size_t i = 0; i < words.n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(reserved); k++)
			if (str_eq(words.v[i], reserved[k]))
				strvec_pushf(errors, "options: \"%s\" is not a job's to set",
					     words.v[i]);
}

static int stress_argv(const struct tool_call *call, struct strvec *argv)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT;
	const char *instances = tool_param_str(call->job, "instances");
	const char *ops = tool_param_str(call->job, "ops");
	uint64_t seconds;

	strvec_split(&names, tool_param_str(call->job, "stressor"), ',');
	strvec_push(argv, "stress-ng");
	for (size_t i = 0; i < names.n; i++) {
		strvec_pushf(argv, "--%s", names.v[i]);
		strvec_push(argv, instances ? instances : "1");
		if (!ops)
			continue;
		strvec_pushf(argv, "--%s-ops", names.v[i]);
		strvec_push(argv, ops);
	}
	if (tool_param_seconds(call->job, "timeout", &seconds)) {
		strvec_push(argv, "--timeout");
		strvec_pushf(argv, "%llus", (unsigned long long)seconds);
	}
	strvec_push(argv, "--metrics");
	strvec_push(argv, "--yaml");
	strvec_pushf(argv, "%s/%s", call->out_dir, tool_stress_ng.output_file);
	strvec_push(argv, "--temp-path");
	strvec_push(argv, call->dir);
	strvec_push(argv, "--seed");
	strvec_pushf(argv, "%llu", (unsigned long long)call->seed);
	return tool_param_words(call->job, "options", argv);
}

static const char *const version_argv[] = { "stress-ng", "--version", NULL };

const struct tool tool_stress_ng = {
	.name = "stress-ng",
	.program = "stress-ng",
	.package = "stress-ng",
	.summary = "one stressor of stress-ng, or several at once",
	.version_argv = version_argv,
	.output_file = "stress-ng.yaml",
	.params = stress_params,
	.check = stress_check,
	.argv = stress_argv,
	.parse = stress_parse,
};
