// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/clock.h"

#include "lib/mem.h"

#include <poll.h>
#include <time.h>

uint64_t clock_mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static struct tm utc_now(void)
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	return tm;
}

char *clock_utc(void)
{
	struct tm tm = utc_now();
	char buf[32] = "";

	strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return xstrdup(buf);
}

char *clock_utc_compact(void)
{
	struct tm tm = utc_now();
	char buf[32] = "";

	strftime(buf, sizeof(buf), "%Y%m%dT%H%M%SZ", &tm);
	return xstrdup(buf);
}

int clock_wait_until(int (*done)(void *arg), void *arg, uint64_t timeout_ns)
{
	uint64_t start = clock_mono_ns();
	int pause_ms = 1, ret;

	while (!(ret = done(arg)) && clock_mono_ns() - start < timeout_ns) {
		poll(NULL, 0, pause_ms);
		if (pause_ms < 50)
			pause_ms += pause_ms / 2 + 1;
	}
	return ret;
}
