// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/tool.h"

#include "lib/mem.h"
#include "workloads/tools/tools.h"

#include <string.h>

/* Sorted by name. How to add one: see workloads/tool.h. */
const struct tool *const tools[] = {
	&tool_command,
	&tool_dbench,
	&tool_fio,
	&tool_fs_mark,
	&tool_native,
	&tool_stress_ng,
	NULL,
};

const struct tool *tool_find(const char *name)
{
	for (size_t i = 0; tools[i]; i++)
		if (str_eq(tools[i]->name, name))
			return tools[i];
	return NULL;
}

void tool_result_release(struct tool_result *r)
{
	free(r->reason);
	r->reason = NULL;
	strvec_release(&r->warnings);
	samples_release(&r->samples);
}

/* Tool output ends up in terminals and mails: control bytes must not. */
static char *__attribute__((format(printf, 1, 0))) printable(const char *fmt, va_list ap)
{
	__cleanup_free char *raw = xvasprintf(fmt, ap);
	struct strbuf sb = STRBUF_INIT;

	strbuf_add_printable(&sb, raw);
	return strbuf_detach(&sb);
}

void tool_fail(struct tool_result *r, enum outcome o, const char *fmt, ...)
{
	va_list ap;

	samples_release(&r->samples);
	if (r->outcome != OUTCOME_OK)
		return;
	r->outcome = o;
	free(r->reason);
	va_start(ap, fmt);
	r->reason = printable(fmt, ap);
	va_end(ap);
}

void tool_warn(struct tool_result *r, const char *fmt, ...)
{
	__cleanup_free char *text = NULL;
	va_list ap;

	if (r->warnings.n > TOOL_WARNINGS_MAX)
		return;
	if (r->warnings.n == TOOL_WARNINGS_MAX) {
		strvec_push(&r->warnings, "more warnings were left out");
		return;
	}
	va_start(ap, fmt);
	text = printable(fmt, ap);
	va_end(ap);
	if (!strvec_has(&r->warnings, text))
		strvec_push(&r->warnings, text);
}

void tool_sample(struct tool_result *r, const struct metric *m, struct value v)
{
	if (r->outcome == OUTCOME_OK)
		samples_add(&r->samples, m, v);
}
