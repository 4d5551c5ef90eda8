// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/cell.h"

#include "harness/cell-work.h"
#include "lib/clock.h"
#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* Beyond the tool's and the commands' own deadlines: mkfs (10 min), settling, sync, umount. */
#define OVERHEAD_NS (900 * NSEC_PER_SEC)
#define GIVE_UP_NS (15 * NSEC_PER_SEC)

struct channel {
	const struct cell *cell;
	int life[2];   /* its end tells the supervisor to stop */
	int report[2]; /* the facts come back through it */
};

static int supervisor_main(void *arg)
{
	struct channel *ch = arg;
	__cleanup_kv struct kv facts = KV_INIT;
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	FILE *f;

	close(ch->life[1]);
	close(ch->report[0]);
	cell_work(ch->cell, ch->life[0], NULL, &facts);
	kv_format(&facts, &text);
	f = fdopen(ch->report[1], "w");
	if (!f || fwrite(text.buf, 1, text.len, f) != text.len || fclose(f))
		return 1;
	return 0;
}

/* Reads until the supervisor closes its end. False: @end passed, or @cancel_fd spoke. */
static bool read_report(int fd, int cancel_fd, uint64_t end, struct strbuf *text, bool *cancelled)
{
	struct pollfd p[2] = { { .fd = fd, .events = POLLIN },
			       { .fd = cancel_fd, .events = POLLIN } };
	char buf[4096];

	for (;;) {
		uint64_t now = clock_mono_ns();

		if (now >= end)
			return false;
		if (poll(p, 2, (int)((end - now) / NSEC_PER_MSEC) + 1) <= 0)
			continue;
		if (p[1].revents) {
			*cancelled = true;
			return false;
		}
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n == 0)
			return true;
		if (n > 0)
			strbuf_add(text, buf, (size_t)n);
	}
}

static int reaped(void *arg)
{
	return waitpid(*(pid_t *)arg, NULL, WNOHANG) != 0;
}

static void set_outcome(struct kv *facts, enum outcome o, const char *reason)
{
	kv_set(facts, "outcome", outcome_str(o));
	kv_set(facts, "reason", reason);
}

/* The supervisor is asked to stop, then killed. */
static int give_up(struct channel *ch, pid_t pid)
{
	close(ch->life[1]);
	ch->life[1] = -1;
	if (clock_wait_until(reaped, &pid, GIVE_UP_NS))
		return 0;
	kill(pid, SIGKILL);
	return clock_wait_until(reaped, &pid, GIVE_UP_NS) ? 0 : -EBUSY;
}

/* Only a backstop: every step has its own deadline. No job has more commands than lines. */
static uint64_t deadline_ns(const struct cell *cell)
{
	const struct job *job = cell->plan->jobs[cell->step->job];

	return OVERHEAD_NS + (1 + job->n_params) * cell_timeout_ns(cell);
}

static int collect(struct channel *ch, pid_t pid, int cancel_fd, struct kv *facts)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	uint64_t end = clock_mono_ns() + deadline_ns(ch->cell);
	bool cancelled = false, whole;
	int ret = 0;

	whole = read_report(ch->report[0], cancel_fd, end, &text, &cancelled);
	/* The first process of a namespace cannot leave before all others are gone. */
	if (!whole || !clock_wait_until(reaped, &pid, GIVE_UP_NS))
		ret = give_up(ch, pid);
	kv_parse(facts, strbuf_str(&text));
	if (ret && !kv_get(facts, "unkillable"))
		set_outcome(facts, OUTCOME_TIMEOUT, "the supervisor cannot be killed: a task is "
			    "stuck in the kernel");
	else if (cancelled)
		ret = -ECANCELED;
	else if (!whole)
		set_outcome(facts, OUTCOME_TIMEOUT, "set-up, sync or umount did not end in time");
	else if (!kv_get(facts, "outcome"))
		set_outcome(facts, OUTCOME_CRASHED, "the supervisor died without a word");
	return ret;
}

int cell_run(const struct cell *cell, int cancel_fd, struct kv *facts)
{
	struct channel ch = { .cell = cell, .life = { -1, -1 }, .report = { -1, -1 } };
	bool privileged = cell->plan->targets[cell->step->target].fs != NULL;
	pid_t pid;
	int ret;

	if (pipe2(ch.life, O_CLOEXEC) || pipe2(ch.report, O_CLOEXEC)) {
		ret = -errno;
		goto out;
	}
	fflush(NULL);
	pid = env_supervise(privileged, supervisor_main, &ch);
	if (pid < 0) {
		ret = 0;
		set_outcome(facts, OUTCOME_BROKEN, strerror(-pid));
		goto out;
	}
	close(ch.life[0]);
	close(ch.report[1]);
	ch.life[0] = ch.report[1] = -1;
	ret = collect(&ch, pid, cancel_fd, facts);
out:
	for (int i = 0; i < 2; i++) {
		if (ch.life[i] >= 0)
			close(ch.life[i]);
		if (ch.report[i] >= 0)
			close(ch.report[i]);
	}
	return ret;
}

int cell_dry_run(const struct cell *cell, FILE *out)
{
	__cleanup_kv struct kv facts = KV_INIT;

	cell_work(cell, -1, out, &facts);
	return str_eq(kv_get(&facts, "outcome"), outcome_str(OUTCOME_OK)) ? 0 : -EIO;
}
