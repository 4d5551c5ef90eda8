/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing vector of owned strings. v is NULL or NULL-terminated at v[n], so
 * that it can be given to execvp() as it is once something was pushed.
 */
#ifndef FSDELTA_LIB_STRVEC_H
#define FSDELTA_LIB_STRVEC_H

#include <stdbool.h>
#include <stddef.h>

struct strvec {
	char **v;
	size_t n;
};

#define STRVEC_INIT { NULL, 0 }

void strvec_release(struct strvec *sv);
void strvec_push(struct strvec *sv, const char *s);
void strvec_pushf(struct strvec *sv, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strvec_push_all(struct strvec *sv, const struct strvec *from);
/* Splits @s at @sep; empty parts are kept out; white space around parts is trimmed. */
void strvec_split(struct strvec *sv, const char *s, char sep);
/*
 * Splits @s into words as a shell would with quotes ('..', "..", backslash) but
 * with nothing expanded. -EINVAL: a quote is not closed (@sv then has the words before it).
 */
int strvec_split_words(struct strvec *sv, const char *s);
bool strvec_has(const struct strvec *sv, const char *s);
void strvec_sort(struct strvec *sv);
/* The words quoted for reading by people ("mkfs.xfs -f '/dev/a b'"); the caller frees. */
char *strvec_shell(const struct strvec *sv);
/* Joined with @sep between; the caller frees. */
char *strvec_join(const struct strvec *sv, const char *sep);

#define __cleanup_strvec __attribute__((cleanup(strvec_release)))

#endif
