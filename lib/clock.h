/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time: monotonic nanoseconds inside, UTC text at the edges. */
#ifndef FSDELTA_LIB_CLOCK_H
#define FSDELTA_LIB_CLOCK_H

#include <stdint.h>

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

/* CLOCK_MONOTONIC, nanoseconds. */
uint64_t clock_mono_ns(void);

/* Now in UTC as "2026-01-31T12:34:56Z". The caller frees. */
char *clock_utc(void);
/* Now in UTC as "20260131T123456Z", fit for a file name. The caller frees. */
char *clock_utc_compact(void);

/*
 * Calls @done(@arg) until it returns non-zero or @timeout_ns has passed, waiting a
 * little longer between calls each time (1 ms to 50 ms). Returns what @done
 * returned last: 0 means the deadline passed. The one place in the project that
 * waits by time, always for a condition.
 */
int clock_wait_until(int (*done)(void *arg), void *arg, uint64_t timeout_ns);

#endif
