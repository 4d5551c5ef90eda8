/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ordered list of key/value strings: parameters of a job, settings of an arm,
 * facts about a host, measurements of a cell. Keys are unique; order of insertion
 * is kept.
 */
#ifndef FSDELTA_LIB_KV_H
#define FSDELTA_LIB_KV_H

#include <stddef.h>

struct kv_pair {
	char *key;
	char *value;
};

struct kv {
	struct kv_pair *v;
	size_t n;
};

#define KV_INIT { NULL, 0 }

void kv_release(struct kv *kv);
/* Sets or replaces; @value is copied. */
void kv_set(struct kv *kv, const char *key, const char *value);
void kv_setf(struct kv *kv, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* NULL when absent. */
const char *kv_get(const struct kv *kv, const char *key);
void kv_copy(struct kv *to, const struct kv *from);

/*
 * Text form: one "key=value" line per pair, with \n, \\ and NUL-safe escapes in
 * the value. kv_parse() reads it back and adds to @kv; lines without '=' are
 * skipped and counted in the return value.
 */
struct strbuf;
void kv_format(const struct kv *kv, struct strbuf *out);
size_t kv_parse(struct kv *kv, const char *text);

#define __cleanup_kv __attribute__((cleanup(kv_release)))

#endif
