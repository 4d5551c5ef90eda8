/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Included before every source file (-include): using one of these functions does not
 * compile. To ban another one: add its prototype here, as the C library has it, and its
 * name to tests/lint-banned.sh, which shows that the ban works.
 */
#ifndef FSDELTA_LIB_BANNED_H
#define FSDELTA_LIB_BANNED_H

/* First of all, since it may change what the headers of the C library declare. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* Declared before the ban, since the ban must not hit the headers themselves. */
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * When optimising, some of these are inline functions in the headers: gcc takes the
 * attribute all the same, clang ignores it for them.
 */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-attributes"
#endif

#define BANNED(instead) __attribute__((unavailable("banned, use " instead)))

/* No bound, or a bound that does not end the string. */
char *strcpy(char *, const char *) BANNED("strbuf or xstrdup()");
char *strncpy(char *, const char *, size_t) BANNED("strbuf or snprintf()");
char *stpcpy(char *, const char *) BANNED("strbuf");
char *strcat(char *, const char *) BANNED("strbuf");
char *strncat(char *, const char *, size_t) BANNED("strbuf");
#undef sprintf
int sprintf(char *, const char *, ...) BANNED("strbuf, xasprintf() or snprintf()");
#undef vsprintf
int vsprintf(char *, const char *, va_list) BANNED("strbuf, xvasprintf() or vsnprintf()");
char *gets(char *) BANNED("getline()");
#undef alloca
void *alloca(size_t) BANNED("xmalloc() and __cleanup_free");

/* Hidden state. */
char *strtok(char *, const char *) BANNED("strsep() or strvec");
void (*signal(int, void (*)(int)))(int) BANNED("signalfd() or sigaction()");

/* A mistake in the input goes unnoticed. */
int atoi(const char *) BANNED("a parser that reports errors");
long atol(const char *) BANNED("a parser that reports errors");
long long atoll(const char *) BANNED("a parser that reports errors");
double atof(const char *) BANNED("a parser that reports errors");

/* A shell reads what was meant to be data. */
int system(const char *) BANNED("spawn with an argument vector");
FILE *popen(const char *, const char *) BANNED("spawn with an argument vector");

/* Hopes instead of waiting for the condition, with a deadline. */
unsigned int sleep(unsigned int) BANNED("a wait for the condition");
int usleep(useconds_t) BANNED("a wait for the condition");
int nanosleep(const struct timespec *, struct timespec *) BANNED("a wait for the condition");

#undef BANNED
#ifdef __clang__
#pragma clang diagnostic pop
#endif

#endif
