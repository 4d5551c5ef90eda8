// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/log.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <string.h>

bool log_colour_ok(FILE *f)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(fileno(f)) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static void emit(const char *colour, const char *word, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static void emit(const char *colour, const char *word, const char *fmt, va_list ap)
{
	__cleanup_strbuf struct strbuf line = STRBUF_INIT;
	__cleanup_free char *text = xvasprintf(fmt, ap);
	bool tint = *word && log_colour_ok(stderr);

	strbuf_adds(&line, "fsdelta: ");
	if (tint)
		strbuf_adds(&line, colour);
	strbuf_adds(&line, word);
	if (tint)
		strbuf_adds(&line, "\033[0m");
	strbuf_add_printable(&line, text);
	strbuf_addc(&line, '\n');
	/* One write, so that lines of parent and child do not mix. */
	fwrite(line.buf, 1, line.len, stderr);
	fflush(stderr);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit("\033[31m", "error: ", fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit("\033[33m", "warning: ", fmt, ap);
	va_end(ap);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit("", "", fmt, ap);
	va_end(ap);
}
