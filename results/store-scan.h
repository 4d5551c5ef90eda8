/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a journal line by line, without keeping it. Inside results/ only.
 */
#ifndef FSDELTA_RESULTS_STORE_SCAN_H
#define FSDELTA_RESULTS_STORE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls @line for each line of @path (without its end; @cut: it has none) until it does not
 * return 0. What it returned last, or -errno.
 */
int store_scan(const char *path,
	       int (*line)(void *arg, const char *text, size_t len, size_t number, bool cut),
	       void *arg);

#endif
