// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/console.h"

#include "harness/vm/frame.h"
#include "harness/vm/protocol.h"
#include "lib/mem.h"

#include <errno.h>
#include <string.h>

/* The longest line that is looked at; a terminal shows no more either. */
#define LINE_MOST 400

static const struct {
	const char *name;
	bool fatal;
} kinds[CONSOLE_KINDS] = {
	[CONSOLE_PANIC] = { "kernel panic", true },
	[CONSOLE_OOPS] = { "oops", true },
	[CONSOLE_BUG] = { "kernel BUG", true },
	[CONSOLE_KASAN] = { "sanitizer report", true },
	[CONSOLE_HUNG] = { "hung task", true },
	/* A busy host makes these too: a finding, but no crash by itself. */
	[CONSOLE_LOCKUP] = { "lockup", false },
	[CONSOLE_STALL] = { "RCU stall", false },
	[CONSOLE_LOCKDEP] = { "locking report", false },
	[CONSOLE_WARNING] = { "kernel warning", false },
	[CONSOLE_OOM] = { "out of memory", false },
};

/* The first that fits names the line: what is more special comes first. */
static const struct {
	const char *sign;
	enum console_kind kind;
} signs[] = {
	{ "Kernel panic - not syncing", CONSOLE_PANIC },
	{ "BUG: KASAN:", CONSOLE_KASAN },
	{ "BUG: KFENCE:", CONSOLE_KASAN },
	{ "BUG: KCSAN:", CONSOLE_KASAN },
	{ "BUG: KMSAN:", CONSOLE_KASAN },
	{ "UBSAN:", CONSOLE_KASAN },
	{ "soft lockup - CPU#", CONSOLE_LOCKUP },
	{ "hard LOCKUP on cpu", CONSOLE_LOCKUP },
	{ "BUG: workqueue lockup", CONSOLE_LOCKUP },
	{ "self-detected stall on CPU", CONSOLE_STALL },
	{ "detected stalls on CPUs/tasks", CONSOLE_STALL },
	{ "detected expedited stalls", CONSOLE_STALL },
	{ "BUG: unable to handle", CONSOLE_OOPS },
	{ "BUG: kernel NULL pointer dereference", CONSOLE_OOPS },
	{ "general protection fault", CONSOLE_OOPS },
	{ "Oops:", CONSOLE_OOPS },
	{ "invalid opcode:", CONSOLE_OOPS },
	{ "stack segment:", CONSOLE_OOPS },
	{ "double fault:", CONSOLE_OOPS },
	{ "kernel BUG at", CONSOLE_BUG },
	{ "BUG: sleeping function called", CONSOLE_LOCKDEP },
	{ "BUG: scheduling while atomic", CONSOLE_BUG },
	{ "BUG: Bad page", CONSOLE_BUG },
	{ "BUG: Bad rss-counter", CONSOLE_BUG },
	{ "WARNING: possible circular locking", CONSOLE_LOCKDEP },
	{ "WARNING: possible recursive locking", CONSOLE_LOCKDEP },
	{ "WARNING: possible irq lock inversion", CONSOLE_LOCKDEP },
	{ "WARNING: inconsistent lock state", CONSOLE_LOCKDEP },
	{ "WARNING: bad unlock balance", CONSOLE_LOCKDEP },
	{ "WARNING: lock held when returning", CONSOLE_LOCKDEP },
	{ "WARNING: suspicious RCU usage", CONSOLE_LOCKDEP },
	{ "WARNING: CPU:", CONSOLE_WARNING },
	{ "WARNING: at ", CONSOLE_WARNING },
	{ "invoked oom-killer:", CONSOLE_OOM },
	{ "Out of memory: Killed process", CONSOLE_OOM },
};

bool console_is_fatal(enum console_kind kind)
{
	return kinds[kind].fatal;
}

const char *console_kind_name(enum console_kind kind)
{
	return kinds[kind].name;
}

/* "INFO: task NAME:PID blocked for more than N seconds." */
static bool is_hung_task(const char *line)
{
	const char *p = strstr(line, "INFO: task ");

	return p && strstr(p, " blocked for more than ");
}

static bool classify(const char *line, enum console_kind *kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		if (strstr(line, signs[i].sign)) {
			*kind = signs[i].kind;
			return true;
		}
	}
	*kind = CONSOLE_HUNG;
	return is_hung_task(line);
}

/* Without sequences that set colours or move the cursor: ESC [ ... letter. */
static void add_without_escapes(struct strbuf *out, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (p[i] == '\033' && i + 1 < len && p[i + 1] == '[') {
			i += 2;
			while (i < len && (unsigned char)(p[i] - 0x40) >= 0x3f)
				i++;
		} else if (p[i] && p[i] != '\r' && p[i] != '\n') {
			strbuf_addc(out, p[i]);
		}
	}
}

/* "[    1.234567] text" and "[    1.234567][  T123] text": the text. */
static const char *skip_stamp(const char *s)
{
	const char *p = s;

	while (*p == '[') {
		size_t n = strspn(p + 1, " .0123456789TC");

		if (p[1 + n] != ']')
			break;
		p += n + 2;
	}
	return p == s ? s : p + strspn(p, " ");
}

static char *clean_line(const char *p, size_t len)
{
	__cleanup_strbuf struct strbuf plain = STRBUF_INIT;
	struct strbuf safe = STRBUF_INIT;

	add_without_escapes(&plain, p, len < LINE_MOST ? len : LINE_MOST);
	strbuf_add_printable(&safe, skip_stamp(strbuf_str(&plain)));
	return strbuf_detach(&safe);
}

/* Takes over @line. */
static void take_line(struct console *c, char *line)
{
	const char *ours = strstr(line, VM_SAYS);
	enum console_kind kind;

	if (ours && str_starts(ours, VM_SAYS_START))
		c->started = true;
	if (ours && str_starts(ours, VM_SAYS_READY))
		c->ready = true;
	if (ours && str_starts(ours, VM_SAYS_ERROR) && !c->error)
		c->error = xstrdup(ours + strlen(VM_SAYS_ERROR));
	if (c->n < CONSOLE_MOST && !ours && classify(line, &kind)) {
		GROW(c->v, c->n);
		c->v[c->n++] = (struct console_finding){ kind, xstrdup(line) };
	}
	if (line[strspn(line, " ")]) {
		free(c->last_line);
		c->last_line = line;
	} else {
		free(line);
	}
}

void console_scan(const void *text, size_t len, struct console *c)
{
	const char *p = text, *end = p + len;
	struct frame frame;

	*c = (struct console)CONSOLE_INIT;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);

		/* What the command wrote is no message of the kernel's. */
		if (frame_decode(p, n - (n && p[n - 1] == '\r'), &frame) == -ENOENT)
			take_line(c, clean_line(p, n));
		p = nl ? nl + 1 : end;
	}
}

void console_release(struct console *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].line);
	free(c->v);
	free(c->error);
	free(c->last_line);
	*c = (struct console)CONSOLE_INIT;
}
