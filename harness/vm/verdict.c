// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/verdict.h"

#include "lib/mem.h"

#include <errno.h>
#include <string.h>

const char *vm_outcome_name(enum vm_outcome o)
{
	static const char *const names[] = {
		[VM_OK] = "OK",		  [VM_CRASHED] = "CRASHED", [VM_TIMEOUT] = "TIMEOUT",
		[VM_BROKEN] = "BROKEN",	  [VM_ABORTED] = "ABORTED",
	};

	return names[o];
}

int vm_parse_rc(const char *text, int *status)
{
	__cleanup_strvec struct strvec words = STRVEC_INIT;
	unsigned long long n;

	if (strvec_split_words(&words, text) || words.n != 2 || !str_ends(text, "\n") ||
	    str_to_u64(words.v[1], &n) || n > 255)
		return -EINVAL;
	if (str_eq(words.v[0], "exit"))
		*status = (int)n;
	else if (str_eq(words.v[0], "signal") && n < 128)
		*status = 128 + (int)n;
	else if (str_eq(words.v[0], "exec"))
		*status = n == ENOENT ? 127 : 126;
	else
		return -EINVAL;
	return 0;
}

static const struct console_finding *fatal(const struct console *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (console_is_fatal(c->v[i].kind))
			return &c->v[i];
	return NULL;
}

static void set(struct vm_result *res, enum vm_outcome outcome, char *reason)
{
	res->outcome = outcome;
	free(res->reason);
	res->reason = reason;
}

/* The first line of @text that says something; the caller frees. */
static char *first_line(const char *text)
{
	__cleanup_free char *line = NULL;
	struct strbuf safe = STRBUF_INIT;

	text += strspn(text, " \t\n");
	line = xstrndup(text, strcspn(text, "\n"));
	strbuf_add_printable(&safe, line);
	return strbuf_detach(&safe);
}

static char *qemu_sentence(const struct vm_traces *t)
{
	__cleanup_free char *line = first_line(t->qemu_says ? t->qemu_says : "");
	const char *colon = *line ? ": " : "";

	if (t->qemu > 128)
		return xasprintf("QEMU was killed by signal %d%s%s", t->qemu - 128, colon, line);
	return xasprintf("QEMU ended with status %d%s%s", t->qemu, colon, line);
}

static char *with_last_line(const struct vm_traces *t, char *sentence)
{
	char *all;

	if (!t->console->last_line)
		return sentence;
	all = xasprintf("%s; last on the console: %s", sentence, t->console->last_line);
	free(sentence);
	return all;
}

static void not_started(const struct vm_traces *t, struct vm_result *res)
{
	if (t->console->error)
		set(res, VM_BROKEN, xstrdup(t->console->error));
	else if (t->killed == KILLED_SILENT)
		set(res, VM_BROKEN, xasprintf("nothing on the console for %u s%s", t->seconds,
					      t->kvm ? "; does it boot emulated (--accel tcg)?" :
						       ""));
	else if (t->killed == KILLED_SLOW)
		set(res, VM_BROKEN, with_last_line(t, xasprintf("the command was not started "
								"within %u s", t->seconds)));
	else if (t->qemu)
		set(res, VM_BROKEN, qemu_sentence(t));
	else
		set(res, VM_BROKEN, with_last_line(t, xstrdup("the guest ended before the command "
							      "was started")));
}

static void not_ended(const struct vm_traces *t, struct vm_result *res)
{
	if (t->killed == KILLED_TIMEOUT)
		set(res, VM_TIMEOUT, xasprintf("the command did not end within %u s", t->seconds));
	else if (t->killed == KILLED_STILL)
		set(res, VM_CRASHED, with_last_line(t, xasprintf("the guest stands still: no sign of "
								 "life for %u s", t->seconds)));
	else if (t->console->error)
		set(res, VM_BROKEN, xstrdup(t->console->error));
	else if (t->qemu)
		set(res, VM_BROKEN, qemu_sentence(t));
	else
		set(res, VM_CRASHED, with_last_line(t, xstrdup("the guest ended before the command "
							       "did")));
}

static void ended(const struct vm_traces *t, struct vm_result *res)
{
	if (t->rc && vm_parse_rc(t->rc, &res->status)) {
		set(res, VM_BROKEN, xstrdup("the status of the command is damaged"));
		return;
	}
	set(res, VM_OK, NULL);
	if (t->killed == KILLED_LATE)
		res->note = xasprintf("the guest did not power off within %u s", t->seconds);
	else if (t->qemu)
		res->note = qemu_sentence(t);
}

void vm_verdict(const struct vm_traces *t, struct vm_result *res)
{
	const struct console_finding *f = fatal(t->console);

	if (t->killed == KILLED_ABORT)
		set(res, VM_ABORTED, xstrdup("interrupted"));
	else if (f)
		set(res, VM_CRASHED, xasprintf("%s: %s", console_kind_name(f->kind), f->line));
	else if (t->rc || (t->started && !t->expects_rc))
		ended(t, res);
	else if (t->started)
		not_ended(t, res);
	else
		not_started(t, res);
}
