/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing byte string.
 *
 * Invariant: buf is NULL only until the first append (strbuf_str() gives "" then), and
 * buf[len] is always '\0', so it may be read as a C string.
 */
#ifndef FSDELTA_LIB_STRBUF_H
#define FSDELTA_LIB_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct strbuf {
	char *buf;
	size_t len;
	size_t cap;
};

#define STRBUF_INIT { NULL, 0, 0 }

void strbuf_release(struct strbuf *sb);
void strbuf_reset(struct strbuf *sb);
/* Gives the string to the caller, who frees it; @sb is empty afterwards. Never NULL. */
char *strbuf_detach(struct strbuf *sb);
/* The content as a C string; "" when nothing was ever added. */
const char *strbuf_str(const struct strbuf *sb);

void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_adds(struct strbuf *sb, const char *s);
void strbuf_addc(struct strbuf *sb, char c);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* @n copies of @c. */
void strbuf_pad(struct strbuf *sb, char c, size_t n);

/*
 * Appends @s so that a POSIX shell reads it as one word. For showing commands to
 * people; nothing here is ever given to a shell.
 */
void strbuf_add_shell_word(struct strbuf *sb, const char *s);
/* Appends @s with control bytes and invalid ASCII shown as \xNN: safe for a terminal. */
void strbuf_add_printable(struct strbuf *sb, const char *s);

#define __cleanup_strbuf __attribute__((cleanup(strbuf_release)))

/* String helpers that need no buffer. */
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
bool str_eq(const char *a, const char *b); /* NULL equals only NULL */
/* Strips white space at both ends, in place; returns a pointer into @s. */
char *str_trim(char *s);

/*
 * Whole-string number readers: 0, or -EINVAL (not a number, or trailing bytes,
 * negative where unsigned) or -ERANGE. @out is untouched on error.
 */
int str_to_u64(const char *s, unsigned long long *out);
int str_to_double(const char *s, double *out); /* finite only */
/* "8G", "512M", "4096", "1T": bytes, binary multiples K M G T, optional "iB"/"B". */
int str_to_size(const char *s, unsigned long long *out);
/* "90", "90s", "5m", "2h": seconds. */
int str_to_seconds(const char *s, unsigned int *out);

#endif
