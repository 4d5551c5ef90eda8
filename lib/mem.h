/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocation that cannot fail, and scoped release of what a function owns.
 *
 * The x*() functions end the program with a message when memory is out: the only
 * case in which a library of this project exits.
 *
 * The __cleanup_* attributes release a local variable at the end of its scope.
 * They are for memory, descriptors and streams; what the *system* must undo
 * (mounts, loop devices, settings) is the undo stack's work, never mixed with these.
 */
#ifndef FSDELTA_LIB_MEM_H
#define FSDELTA_LIB_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
/* n * size is checked for overflow. */
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* Replaces *slot by a copy of @s (NULL allowed), freeing what was there. */
void str_replace(char **slot, const char *s);

/* Makes room for one more element in a growing array: (v, n) are its members. */
#define GROW(v, n)                                                              \
	do {                                                                    \
		if (((n) & ((n) - 1)) == 0)                                     \
			(v) = xreallocarray((v), (n) ? 2 * (n) : 1, sizeof(*(v))); \
	} while (0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void cleanup_freep(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define __cleanup_free __attribute__((cleanup(cleanup_freep)))
#define __cleanup_close __attribute__((cleanup(cleanup_closep)))
#define __cleanup_fclose __attribute__((cleanup(cleanup_fclosep)))

#endif
