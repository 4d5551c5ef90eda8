// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/tools/parse.h"

#include "lib/mem.h"
#include "lib/spawn.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

const struct tool_quantile tool_quantiles[] = {
	{ "p50", 0.5, 20 },
	{ "p90", 0.9, 100 },
	{ "p99", 0.99, 1000 },
	{ "p999", 0.999, 10000 },
};

const size_t tool_n_quantiles = ARRAY_SIZE(tool_quantiles);

bool text_next(struct text_lines *t)
{
	const char *nl;
	size_t len;

	if (t->at >= t->end) {
		text_end(t);
		return false;
	}
	nl = memchr(t->at, '\n', (size_t)(t->end - t->at));
	len = (size_t)((nl ? nl : t->end) - t->at);
	strbuf_reset(&t->line);
	strbuf_add(&t->line, t->at, len);
	for (size_t i = 0; i < t->line.len; i++)
		if (!t->line.buf[i])
			t->line.buf[i] = '?';
	if (t->line.len && t->line.buf[t->line.len - 1] == '\r')
		t->line.buf[--t->line.len] = '\0';
	t->whole = nl != NULL;
	t->at = nl ? nl + 1 : t->end;
	return true;
}

void text_end(struct text_lines *t)
{
	t->at = t->end;
	strbuf_release(&t->line);
}

size_t text_words(char *line, char **words, size_t max)
{
	size_t n = 0;

	while (n < max) {
		line += strspn(line, " \t");
		if (!*line)
			break;
		words[n++] = line;
		line += strcspn(line, " \t");
		if (!*line)
			break;
		*line++ = '\0';
	}
	return n;
}

bool text_number(const char *word, double *out)
{
	if (!*word || word[strspn(word, "0123456789.+-eE")])
		return false;
	return str_to_double(word, out) == 0;
}

bool text_u64(const char *word, uint64_t *out)
{
	unsigned long long v;

	if (!*word || word[strspn(word, "0123456789")] || str_to_u64(word, &v))
		return false;
	*out = v;
	return true;
}

void text_add_name(struct strbuf *out, const char *s)
{
	for (; *s; s++) {
		if (*s >= 'A' && *s <= 'Z')
			strbuf_addc(out, (char)(*s - 'A' + 'a'));
		else if ((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || strchr("._-", *s))
			strbuf_addc(out, *s);
		else
			strbuf_addc(out, '-');
	}
}

const char *tool_param_str(const struct job *job, const char *key)
{
	return job ? job_param(job, key) : NULL;
}

bool tool_param_u64(const struct job *job, const char *key, uint64_t *out)
{
	const char *s = tool_param_str(job, key);

	return s && text_u64(s, out);
}

bool tool_param_seconds(const struct job *job, const char *key, uint64_t *out)
{
	const char *s = tool_param_str(job, key);
	unsigned int v;

	if (!s || str_to_seconds(s, &v))
		return false;
	*out = v;
	return true;
}

bool tool_param_set(const struct job *job, const char *key)
{
	const char *s = tool_param_str(job, key);

	return s && !str_eq(s, "0");
}

int tool_param_words(const struct job *job, const char *key, struct strvec *out)
{
	int ret = 0;

	for (size_t i = 0; job && i < job->n_params && !ret; i++) {
		const struct job_param *p = &job->params[i];

		if (str_eq(p->section, "params") && str_eq(p->key, key))
			ret = strvec_split_words(out, p->value);
	}
	return ret;
}

bool tool_check_status(const struct tool_output *o, struct tool_result *r, const char *program,
		       const char *detail)
{
	__cleanup_free char *text = NULL;

	if (WIFEXITED(o->status) && WEXITSTATUS(o->status) == 0)
		return false;
	text = spawn_status_text(o->status);
	tool_fail(r, OUTCOME_FAILED, "%s %s%s%s", program, text, detail ? ": " : "",
		  detail ? detail : "");
	return true;
}
