/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages for people, on standard error, one line each, prefixed "fsdelta: ".
 * Control bytes in the text are shown as \xNN. Colour only on a terminal, and not
 * when NO_COLOR is set. No state.
 */
#ifndef FSDELTA_LIB_LOG_H
#define FSDELTA_LIB_LOG_H

#include <stdbool.h>
#include <stdio.h>

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* May colour be written to @f? (a terminal, NO_COLOR unset, TERM not "dumb") */
bool log_colour_ok(FILE *f);

#endif
