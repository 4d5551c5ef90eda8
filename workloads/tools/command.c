// SPDX-License-Identifier: GPL-2.0-or-later
/* Any command: it is timed and must end with status 0; what it prints is kept, not read. */
#include "workloads/tools/parse.h"

#include "lib/mem.h"
#include "workloads/tools/tools.h"

#include <errno.h>
#include <string.h>

static const struct tool_param command_params[] = {
	{ "argv", PARAM_ARGV, true, NULL,
	  "the command; {dir}, {out} and {seed} are replaced in each word" },
	{ "setup", PARAM_ARGV, false, NULL, "run before the timed window; may repeat" },
	{ "cleanup", PARAM_ARGV, false, NULL, "run after the timed window; may repeat" },
	{ .name = NULL },
};

/* Appends @word with the placeholders replaced; other braces stay as they are. */
static void push_expanded(struct strvec *argv, const char *word, const struct tool_call *call)
{
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;

	while (*word) {
		if (str_starts(word, "{dir}")) {
			strbuf_adds(&sb, call->dir);
			word += strlen("{dir}");
		} else if (str_starts(word, "{out}")) {
			strbuf_adds(&sb, call->out_dir);
			word += strlen("{out}");
		} else if (str_starts(word, "{seed}")) {
			strbuf_addf(&sb, "%llu", (unsigned long long)call->seed);
			word += strlen("{seed}");
		} else {
			strbuf_addc(&sb, *word++);
		}
	}
	strvec_push(argv, strbuf_str(&sb));
}

/* The words of one value. 0 or -EINVAL. */
static int expand(struct strvec *argv, const char *value, const struct tool_call *call)
{
	__cleanup_strvec struct strvec words = STRVEC_INIT;
	int ret = strvec_split_words(&words, value);

	for (size_t i = 0; !ret && i < words.n; i++)
		push_expanded(argv, words.v[i], call);
	return ret;
}

static int command_argv(const struct tool_call *call, struct strvec *argv)
{
	const char *value = job_param(call->job, "argv");

	return value ? expand(argv, value, call) : -EINVAL;
}

/* One command per value of @key. */
static int commands(const struct tool_call *call, const char *key, struct strvec **cmds, size_t *n)
{
	const struct job *job = call->job;
	int ret = 0;

	*cmds = NULL;
	*n = 0;
	for (size_t i = 0; i < job->n_params && !ret; i++) {
		const struct job_param *p = &job->params[i];

		if (!str_eq(p->section, "params") || !str_eq(p->key, key))
			continue;
		GROW(*cmds, *n);
		(*cmds)[*n] = (struct strvec)STRVEC_INIT;
		ret = expand(&(*cmds)[(*n)++], p->value, call);
	}
	return ret;
}

static int command_setup(const struct tool_call *call, struct strvec **cmds, size_t *n)
{
	return commands(call, "setup", cmds, n);
}

static int command_cleanup(const struct tool_call *call, struct strvec **cmds, size_t *n)
{
	return commands(call, "cleanup", cmds, n);
}

static void command_check(const struct job *job, struct strvec *errors)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n_params; i++)
		if (str_eq(job->params[i].key, "argv") && n++)
			strvec_pushf(errors, "line %d: a second argv: only one command is timed",
				     job->params[i].line);
}

/* GNU time ends with the status of the command and hides a signal in a line of its own. */
static void judge_time(const char *s, size_t len, struct tool_result *r)
{
	struct text_lines t = TEXT_LINES(s, len);

	while (text_next(&t))
		if (str_starts(t.line.buf, "Command terminated by signal ") ||
		    str_starts(t.line.buf, "Command exited with non-zero status "))
			tool_fail(r, OUTCOME_FAILED, "time says: %s", t.line.buf);
}

/* The first line of stderr names the cause, what follows are its consequences. */
static char *first_line(const char *s, size_t len)
{
	struct text_lines t = TEXT_LINES(s, len);
	char *first = NULL;

	while (text_next(&t)) {
		const char *line = str_trim(t.line.buf);

		if (*line && !first)
			first = xstrdup(line);
	}
	return first;
}

static void command_parse(const struct tool_output *o, struct tool_result *r)
{
	static const struct metric wall = {
		.name = "command.wall", .unit = "s", .better = BETTER_LOWER, .kind = KIND_TIME,
		.text = "wall time of the command",
	};
	__cleanup_free char *first = first_line(o->err, o->err_len);

	judge_time(o->err, o->err_len, r);
	tool_check_status(o, r, "the command", first);
	if (o->wall_s > 0)
		tool_sample(r, &wall, value_double(o->wall_s));
	else
		tool_fail(r, OUTCOME_FAILED, "the duration of the command is not known");
}

const struct tool tool_command = {
	.name = "command",
	.summary = "any command, timed as a whole",
	.primary = "command.wall",
	.params = command_params,
	.check = command_check,
	.argv = command_argv,
	.setup = command_setup,
	.cleanup = command_cleanup,
	.parse = command_parse,
};
