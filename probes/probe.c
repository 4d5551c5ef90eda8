// SPDX-License-Identifier: GPL-2.0-or-later
/* The comment at the top of a probe. */
#include "probes/probe.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <string.h>

struct reader {
	struct probe *p;
	const char *where;
	int line;
	struct strvec *errors;
};

static void mistake(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void mistake(struct reader *r, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	strvec_pushf(r->errors, "%s:%d: %s", r->where, r->line, text);
	free(text);
}

/* --- values --- */

static void take_summary(struct reader *r, char *value)
{
	str_replace(&r->p->summary, value);
}

static void take_cost(struct reader *r, char *value)
{
	if (!str_starts(value, "cheap") && !str_starts(value, "some") && !str_starts(value, "heavy"))
		mistake(r, "cost: '%s' does not begin with cheap, some or heavy", value);
	str_replace(&r->p->cost, value);
}

static void take_arg(struct reader *r, char *value)
{
	strvec_push(&r->p->args, value);
}

static void take_fs(struct reader *r, char *value)
{
	strvec_split(&r->p->fs, value, ' ');
}

static bool is_kind_of_probe(const char *s)
{
	static const char *const kinds[] = { "kprobe:", "kretprobe:", "tracepoint:", NULL };

	for (size_t i = 0; kinds[i]; i++)
		if (str_starts(s, kinds[i]) && s[strlen(kinds[i])])
			return true;
	return false;
}

static void take_needs(struct reader *r, char *value)
{
	__cleanup_strvec struct strvec words = STRVEC_INIT;

	strvec_split(&words, value, ' ');
	for (size_t i = 0; i < words.n; i++)
		if (!is_kind_of_probe(words.v[i]))
			mistake(r, "needs: '%s' is no kprobe, kretprobe or tracepoint", words.v[i]);
	strvec_push_all(&r->p->needs, &words);
}

static void take_stacks(struct reader *r, char *value)
{
	strvec_split(&r->p->stacks, value, ' ');
}

static void take_version(struct reader *r, char *value)
{
	if (bt_version_read(value, &r->p->oldest))
		mistake(r, "bpftrace: '%s' is no version such as 0.17", value);
}

static bool is_map(const char *s)
{
	return *s == '@' && s[1] && !s[1 + strspn(s + 1, "abcdefghijklmnopqrstuvwxyz"
						  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static void take_balance(struct reader *r, char *value)
{
	__cleanup_strvec struct strvec words = STRVEC_INIT;
	struct probe *p = r->p;

	strvec_split(&words, value, ' ');
	if (words.n != 2 || !is_map(words.v[0]) || !is_map(words.v[1])) {
		mistake(r, "balance: '%s' is not two maps", value);
		return;
	}
	GROW(p->balances, p->n_balances);
	p->balances[p->n_balances++] = (struct probe_balance){ xstrdup(words.v[0]),
							       xstrdup(words.v[1]) };
}

/* Cuts the next word off *at; "" when there is none. */
static char *word(char **at)
{
	char *s = *at + strspn(*at, " ");
	size_t len = strcspn(s, " ");

	*at = s + len + (s[len] != '\0');
	s[len] = '\0';
	return s;
}

static bool is_metric_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789._-");

	return n && (!s[n] || (str_eq(s + n, "*") && s[n - 1] == '.'));
}

static void take_metric(struct reader *r, char *value)
{
	struct probe *p = r->p;
	char *map = word(&value), *name = word(&value), *unit = word(&value);
	char *better = word(&value), *kind = word(&value), *divisor = strchr(map, '/');
	struct metric m = { .name = name, .unit = unit, .text = value };

	if (divisor)
		*divisor++ = '\0';
	if (!is_map(map) || (divisor && !is_map(divisor)))
		mistake(r, "metric: '%s' is no map", map);
	else if (!is_metric_name(name))
		mistake(r, "metric: '%s' is no name of a metric", name);
	else if (!*unit || direction_parse(better, &m.better) || metric_kind_parse(kind, &m.kind))
		mistake(r, "metric: %s: a unit, a direction and a kind must follow", name);
	else {
		GROW(p->metrics, p->n_metrics);
		p->metrics[p->n_metrics] = (struct probe_metric){
			.map = xstrdup(map), .divisor = divisor ? xstrdup(divisor) : NULL };
		metric_copy(&p->metrics[p->n_metrics++].metric, &m);
	}
}

static const struct probe_key {
	const char *name;
	void (*take)(struct reader *r, char *value); /* may change @value */
} keys[] = {
	{ "arg", take_arg },
	{ "balance", take_balance },
	{ "bpftrace", take_version },
	{ "cost", take_cost },
	{ "fs", take_fs },
	{ "metric", take_metric },
	{ "needs", take_needs },
	{ "stacks", take_stacks },
	{ "summary", take_summary },
};

static void take_line(struct reader *r, char *line)
{
	char *colon = strchr(line, ':'), *value;

	if (!colon) {
		mistake(r, "'%s' is not \"key: value\"", line);
		return;
	}
	*colon = '\0';
	value = str_trim(colon + 1);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(line, keys[i].name))
			continue;
		if (*value)
			keys[i].take(r, value);
		else
			mistake(r, "%s: nothing behind it", line);
		return;
	}
	mistake(r, "'%s' is no key of a probe", line);
}

/* --- the comment --- */

/* " * text" without its margin; NULL at the end of the comment. */
static char *comment_text(char *line)
{
	if (strstr(line, "*/"))
		return NULL;
	line += strspn(line, " \t");
	if (*line == '*')
		line++;
	return str_trim(line);
}

static void read_comment(struct reader *r, char *text)
{
	__cleanup_strbuf struct strbuf doc = STRBUF_INIT;
	bool in_comment = false, in_keys = true;

	for (char *line = text, *next; line && *line; line = next) {
		char *end = strchr(line, '\n'), *s;

		next = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		r->line++;
		if (!in_comment) {
			in_comment = str_starts(line, "/*");
			continue;
		}
		s = comment_text(line);
		if (!s)
			break;
		if (in_keys && *s)
			take_line(r, s);
		else if (!in_keys)
			strbuf_addf(&doc, "%s\n", s);
		in_keys = in_keys && *s;
	}
	r->p->doc = strbuf_detach(&doc);
}

/* Is the map named behind the first comment? */
static bool in_script(const struct probe *p, const char *map)
{
	const char *script = strstr(p->text, "*/");

	return script && strstr(script, map);
}

static void check_whole(struct reader *r)
{
	const struct probe *p = r->p;
	static const struct bt_version none;

	r->line = 1;
	if (!p->summary)
		mistake(r, "no summary in the first comment");
	if (!p->needs.n)
		mistake(r, "no needs in the first comment");
	if (!p->cost)
		mistake(r, "no cost in the first comment");
	if (!bt_version_cmp(&p->oldest, &none))
		mistake(r, "no version of bpftrace in the first comment");
	for (size_t i = 0; i < p->n_metrics; i++)
		if (!in_script(p, p->metrics[i].map))
			mistake(r, "the map %s is not in the script", p->metrics[i].map);
}

struct probe *probe_parse(const char *name, const char *path, const char *text,
			  struct strvec *errors)
{
	struct probe *p = xcalloc(1, sizeof(*p));
	struct reader r = { .p = p, .where = path ? path : name, .errors = errors };
	__cleanup_free char *copy = xstrdup(text);
	size_t before = errors->n;

	p->name = xstrdup(name);
	p->path = path ? xstrdup(path) : NULL;
	p->text = xstrdup(text);
	read_comment(&r, copy);
	check_whole(&r);
	if (errors->n == before)
		return p;
	probe_free(p);
	return NULL;
}

void probe_free(struct probe *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_metrics; i++) {
		free(p->metrics[i].map);
		free(p->metrics[i].divisor);
		metric_release(&p->metrics[i].metric);
	}
	for (size_t i = 0; i < p->n_balances; i++) {
		free(p->balances[i].began);
		free(p->balances[i].ended);
	}
	free(p->metrics);
	free(p->balances);
	strvec_release(&p->args);
	strvec_release(&p->fs);
	strvec_release(&p->needs);
	strvec_release(&p->stacks);
	free(p->name);
	free(p->path);
	free(p->text);
	free(p->summary);
	free(p->cost);
	free(p->doc);
	free(p);
}
