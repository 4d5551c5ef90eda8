// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/store-scan.h"

#include "lib/mem.h"

#include <errno.h>
#include <stdio.h>

int store_scan(const char *path,
	       int (*line)(void *arg, const char *text, size_t len, size_t number, bool cut),
	       void *arg)
{
	__cleanup_fclose FILE *f = fopen(path, "re");
	__cleanup_free char *text = NULL;
	size_t cap = 0, number = 0;
	ssize_t len;
	int ret = 0;

	if (!f)
		return -errno;
	errno = 0;
	while (!ret && (len = getline(&text, &cap, f)) >= 0) {
		bool whole = len && text[len - 1] == '\n';

		ret = line(arg, text, (size_t)len - whole, ++number, !whole);
		errno = 0;
	}
	if (!ret && ferror(f))
		ret = errno ? -errno : -EIO;
	return ret;
}
