// SPDX-License-Identifier: GPL-2.0-or-later
/* How bpftrace is called, and what its standard error says. */
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "probes/bpftrace.h"

#include <errno.h>
#include <string.h>

/* --- version --- */

static const char *take_part(const char *s, unsigned int *out)
{
	char *end;
	unsigned long v;

	if (*s < '0' || *s > '9')
		return NULL;
	v = strtoul(s, &end, 10);
	if (v > 100000)
		return NULL;
	*out = (unsigned int)v;
	return end;
}

/* MAJOR.MINOR[.PATCH], and where it ends. */
static const char *take_version(const char *s, struct bt_version *out)
{
	struct bt_version v = { .patch = 0 };

	s = take_part(s, &v.major);
	if (!s || *s != '.')
		return NULL;
	s = take_part(s + 1, &v.minor);
	if (s && *s == '.')
		s = take_part(s + 1, &v.patch);
	if (s)
		*out = v;
	return s;
}

int bt_version_read(const char *text, struct bt_version *out)
{
	struct bt_version v;
	const char *end = take_version(text, &v);

	if (!end || *end)
		return -EINVAL;
	*out = v;
	return 0;
}

int bt_version_parse(const char *text, struct bt_version *out)
{
	/* Warnings may stand before it. */
	const char *s = strstr(text, "bpftrace v");

	if (!s)
		return -EINVAL;
	return take_version(s + strlen("bpftrace v"), out) ? 0 : -EINVAL;
}

int bt_version_cmp(const struct bt_version *a, const struct bt_version *b)
{
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor < b->minor ? -1 : 1;
	return a->patch < b->patch ? -1 : a->patch > b->patch;
}

void bt_argv(struct strvec *argv, struct strvec *env, const struct bt_version *version,
	     const char *script, const char *out, const struct strvec *args, uint64_t keys_max)
{
	static const struct bt_version warns_by_itself = { 0, 20, 0 };

	strvec_push(argv, "bpftrace");
	strvec_push(argv, "-f");
	strvec_push(argv, "json");
	/* So that "attached" can be read when it is true. */
	strvec_push(argv, "-B");
	strvec_push(argv, "none");
	if (bt_version_cmp(version, &warns_by_itself) < 0)
		strvec_push(argv, "-k");
	strvec_push(argv, "-o");
	strvec_push(argv, out);
	strvec_push(argv, script);
	if (args)
		strvec_push_all(argv, args);
	if (!keys_max)
		return;
	/* The name was turned round between versions; each ignores the other. */
	strvec_pushf(env, "BPFTRACE_MAP_KEYS_MAX=%llu", (unsigned long long)keys_max);
	strvec_pushf(env, "BPFTRACE_MAX_MAP_KEYS=%llu", (unsigned long long)keys_max);
}

/* --- standard error --- */

/* Words that carry "ERROR" and mean nothing. */
static bool harmless(const char *line)
{
	return strstr(line, "RLIMIT_MEMLOCK") != NULL;
}

static void add_missing(struct bt_verdict *v, const char *kind, const char *name)
{
	size_t len = strcspn(name, " \t");
	__cleanup_free char *probe = xasprintf("%s:%.*s", kind, (int)len, name);

	if (len && !strvec_has(&v->not_attached, probe))
		strvec_push(&v->not_attached, probe);
}

/* The first error that is one; the caller frees. NULL: none. */
static char *read_errors(struct bt_verdict *v, const struct strvec *lines)
{
	static const char tracepoint[] = "tracepoint not found: ";
	static const char no_kprobe[] = "Unable to attach probe: ";
	char *first = NULL;

	for (size_t i = 0; i < lines->n; i++) {
		const char *line = lines->v[i], *at = strstr(line, tracepoint);

		if (harmless(line))
			continue;
		if (at)
			add_missing(v, "tracepoint", at + strlen(tracepoint));
		at = strstr(line, no_kprobe);
		if (at)
			add_missing(v, "kprobe", at + strlen(no_kprobe) +
				    (str_starts(at + strlen(no_kprobe), "kprobe:") ? 7 : 0));
		at = strstr(line, "ERROR: ");
		if (at && !first)
			first = xstrdup(at + strlen("ERROR: "));
	}
	return first;
}

void bt_judge(struct bt_verdict *v, const struct bt_result *r, const char *errors, int status,
	      bool tracefs)
{
	__cleanup_strvec struct strvec lines = STRVEC_INIT;
	__cleanup_free char *error = NULL;

	*v = (struct bt_verdict){ .failure = NULL };
	strvec_split(&lines, errors, '\n');
	error = read_errors(v, &lines);
	if (v->not_attached.n && !tracefs)
		v->failure = xstrdup("tracefs is not mounted: mount -t tracefs nodev "
				     "/sys/kernel/tracing");
	else if (status)
		v->failure = xasprintf("bpftrace ended with status %d: %s", status,
				       error ? error : "it does not say why");
	else if (error && !r->n_maps)
		v->failure = xasprintf("bpftrace: %s", error);
	else if (!r->attached)
		v->failure = xstrdup("bpftrace attached no probe");
}

void bt_verdict_release(struct bt_verdict *v)
{
	free(v->failure);
	strvec_release(&v->not_attached);
	*v = (struct bt_verdict){ .failure = NULL };
}
