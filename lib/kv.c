// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/kv.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <string.h>

void kv_release(struct kv *kv)
{
	for (size_t i = 0; i < kv->n; i++) {
		free(kv->v[i].key);
		free(kv->v[i].value);
	}
	free(kv->v);
	*kv = (struct kv)KV_INIT;
}

static struct kv_pair *find(const struct kv *kv, const char *key)
{
	for (size_t i = 0; i < kv->n; i++)
		if (!strcmp(kv->v[i].key, key))
			return &kv->v[i];
	return NULL;
}

void kv_set(struct kv *kv, const char *key, const char *value)
{
	struct kv_pair *p = find(kv, key);

	if (p) {
		str_replace(&p->value, value);
		return;
	}
	GROW(kv->v, kv->n);
	kv->v[kv->n++] = (struct kv_pair){ xstrdup(key), xstrdup(value) };
}

void kv_setf(struct kv *kv, const char *key, const char *fmt, ...)
{
	__cleanup_free char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	kv_set(kv, key, s);
}

const char *kv_get(const struct kv *kv, const char *key)
{
	const struct kv_pair *p = find(kv, key);

	return p ? p->value : NULL;
}

void kv_copy(struct kv *to, const struct kv *from)
{
	for (size_t i = 0; i < from->n; i++)
		kv_set(to, from->v[i].key, from->v[i].value);
}

void kv_format(const struct kv *kv, struct strbuf *out)
{
	for (size_t i = 0; i < kv->n; i++) {
		strbuf_addf(out, "%s=", kv->v[i].key);
		for (const char *s = kv->v[i].value; *s; s++) {
			if (*s == '\n')
				strbuf_adds(out, "\\n");
			else if (*s == '\\')
				strbuf_adds(out, "\\\\");
			else
				strbuf_addc(out, *s);
		}
		strbuf_addc(out, '\n');
	}
}

static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			s++;
			*to++ = *s == 'n' ? '\n' : *s;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

size_t kv_parse(struct kv *kv, const char *text)
{
	size_t skipped = 0;

	while (*text) {
		const char *end = strchrnul(text, '\n');
		__cleanup_free char *line = xstrndup(text, (size_t)(end - text));
		char *eq = strchr(line, '=');

		if (eq) {
			*eq = '\0';
			unescape(eq + 1);
			kv_set(kv, line, eq + 1);
		} else if (*line) {
			skipped++;
		}
		text = *end ? end + 1 : end;
	}
	return skipped;
}
