/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest's console tells about its end. Pure: any bytes in. */
#ifndef FSDELTA_HARNESS_VM_CONSOLE_H
#define FSDELTA_HARNESS_VM_CONSOLE_H

#include "lib/strbuf.h"
#include "lib/strvec.h"

#include <stdbool.h>
#include <stddef.h>

enum console_kind {
	CONSOLE_PANIC,
	CONSOLE_OOPS,	  /* also "BUG: unable to handle", general protection fault */
	CONSOLE_BUG,	  /* kernel BUG at, BUG: */
	CONSOLE_KASAN,	  /* KASAN, KFENCE, KCSAN, UBSAN */
	CONSOLE_HUNG,	  /* hung task */
	CONSOLE_LOCKUP,	  /* soft or hard */
	CONSOLE_STALL,	  /* RCU */
	CONSOLE_LOCKDEP,
	CONSOLE_WARNING,
	CONSOLE_OOM,
	CONSOLE_KINDS,
};

struct console_finding {
	enum console_kind kind;
	char *line; /* the telling one, without time stamp and colour, control bytes as \xNN */
};

struct console {
	struct console_finding *v; /* the first CONSOLE_MOST, in their order */
	size_t n;
	bool started;	 /* our PID 1 came to life */
	bool ready;	 /* an exact guest's command was started */
	char *error;	 /* what it said went wrong, in the same form; NULL: nothing */
	char *last_line; /* likewise; NULL: the console is empty */
};

#define CONSOLE_MOST 20
#define CONSOLE_INIT { NULL, 0, false, false, NULL, NULL }

void console_scan(const void *text, size_t len, struct console *c);
void console_release(struct console *c);

/* Is the kernel not to be trusted any more after this? */
bool console_is_fatal(enum console_kind kind);
/* "kernel panic" */
const char *console_kind_name(enum console_kind kind);

#define __cleanup_console __attribute__((cleanup(console_release)))

#endif
