// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/watch.h"

#include "harness/vm/protocol.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * Measured: 4 s under emulation from launch to command. All times patience, unless said
 * otherwise.
 */
#define SILENT_S 20 /* until the first byte on the console */
#define START_S 60  /* until the command runs */
#define STILL_S 60  /* unless said; a guest that lives writes every VM_ALIVE_SECONDS */
#define EXACT_STILL_S 600
#define EXACT_FACTOR 3 /* counting instructions takes so much longer to boot */
#define OFF_S 30    /* until QEMU has ended after the command */

/* A file that grows, and where its bytes go. */
struct stream {
	const char *name;
	int to;	  /* -1: nowhere */
	int from; /* -1: not there yet */
};

struct eyes {
	struct stream streams[2];
	int pidfd, inotify;
	uint64_t last_sign_ns, ended_ns;
	bool console;
};

static bool there(const char *dir, const char *name)
{
	__cleanup_free char *path = xasprintf("%s/%s", dir, name);

	return file_exists(path);
}

static bool is_filled(const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_size > 0;
}

/* A reader that went away misses the rest; it is in the file all the same. */
static void pass_on(const char *dir, struct stream *s)
{
	char buf[65536];
	ssize_t n;

	if (s->to < 0)
		return;
	if (s->from < 0) {
		__cleanup_free char *path = xasprintf("%s/%s", dir, s->name);

		s->from = open(path, O_RDONLY | O_CLOEXEC);
	}
	while (s->from >= 0 && s->to >= 0 && (n = read(s->from, buf, sizeof(buf))) > 0)
		if (file_write_fd(s->to, buf, (size_t)n))
			s->to = -1;
}

/* An exact guest has only its console to say so. */
static bool is_started(const struct watch *w)
{
	__cleanup_strbuf struct strbuf console = STRBUF_INIT;

	if (!w->spec->exact)
		return there(w->out, VM_FILE_STARTED);
	(void)file_read(w->console, &console, 1 << 20);
	return strstr(strbuf_str(&console), VM_SAYS_READY);
}

static void look(struct watch *w, struct eyes *e)
{
	uint64_t now = clock_mono_ns();

	for (size_t i = 0; i < ARRAY_SIZE(e->streams); i++)
		pass_on(w->out, &e->streams[i]);
	if (!e->console)
		e->console = is_filled(w->console);
	if (!w->started && is_started(w)) {
		w->started = true;
		w->started_ns = now;
		e->last_sign_ns = now;
	}
	if (w->started && !w->ended && w->expects_rc && there(w->out, VM_FILE_RC)) {
		w->ended = true;
		e->ended_ns = now;
	}
}

/* Seconds without a sign of life after which the guest counts as dead. */
static unsigned int silence(const struct vm_spec *s, unsigned int patience)
{
	if (s->silence_ns)
		return (unsigned int)(s->silence_ns / NSEC_PER_SEC);
	/* An exact one says nothing before its end, and its seconds take as long as they take. */
	return patience * (s->exact ? EXACT_STILL_S : STILL_S);
}

/* The deadline that holds now; false: none. */
static bool next_deadline(const struct watch *w, const struct eyes *e, uint64_t *at,
			  enum vm_killed *why, unsigned int *seconds)
{
	unsigned int patience = w->spec->patience ? w->spec->patience : 1;
	uint64_t from = w->launched_ns, timeout = w->spec->timeout_ns;

	if (!w->started) {
		*why = e->console ? KILLED_SLOW : KILLED_SILENT;
		*seconds = (e->console ? START_S : SILENT_S) * patience *
			   (w->spec->exact ? EXACT_FACTOR : 1);
	} else if (w->ended || !w->expects_rc) {
		if (w->spec->shell)
			return false;
		from = e->ended_ns;
		*why = KILLED_LATE;
		*seconds = OFF_S * patience;
	} else {
		from = e->last_sign_ns;
		*why = KILLED_STILL;
		*seconds = silence(w->spec, patience);
		if (timeout && w->started_ns + timeout < from + *seconds * NSEC_PER_SEC) {
			*why = KILLED_TIMEOUT;
			*seconds = (unsigned int)(timeout / NSEC_PER_SEC);
			*at = w->started_ns + timeout;
			return true;
		}
	}
	*at = from + *seconds * NSEC_PER_SEC;
	return true;
}

static void drain(struct eyes *e)
{
	char buf[4096];

	while (read(e->inotify, buf, sizeof(buf)) > 0)
		e->last_sign_ns = clock_mono_ns();
}

static int wait_ms(uint64_t until)
{
	uint64_t now = clock_mono_ns(), ms = until > now ? (until - now) / NSEC_PER_MSEC + 1 : 0;

	return ms > 3600000 ? 3600000 : (int)ms;
}

/* Until the guest ends by itself, or there is a reason to end it. */
static int keep_watching(struct watch *w, struct eyes *e)
{
	struct pollfd p[] = { { .fd = e->pidfd, .events = POLLIN },
			      { .fd = e->inotify, .events = POLLIN },
			      { .fd = w->spec->abort_fd, .events = POLLIN } };

	for (;;) {
		enum vm_killed why;
		unsigned int seconds;
		uint64_t at = 0;
		bool limited;

		look(w, e);
		limited = next_deadline(w, e, &at, &why, &seconds);
		if (limited && clock_mono_ns() >= at) {
			w->killed = why;
			w->seconds = seconds;
			return 0;
		}
		if (poll(p, ARRAY_SIZE(p), limited ? wait_ms(at) : -1) < 0 && errno != EINTR)
			return -errno;
		if (p[1].revents)
			drain(e);
		if (p[0].revents)
			return 0;
		if (p[2].revents) {
			w->killed = KILLED_ABORT;
			return 0;
		}
	}
}

static int open_eyes(const struct watch *w, struct eyes *e, pid_t pid)
{
	const uint32_t changes = IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_CLOSE_WRITE;

	e->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	e->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (e->pidfd < 0 || e->inotify < 0 ||
	    inotify_add_watch(e->inotify, w->out, changes) < 0 ||
	    inotify_add_watch(e->inotify, w->console, IN_MODIFY) < 0)
		return -errno;
	return 0;
}

static void close_eyes(struct eyes *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(e->streams); i++)
		if (e->streams[i].from >= 0)
			close(e->streams[i].from);
	if (e->pidfd >= 0)
		close(e->pidfd);
	if (e->inotify >= 0)
		close(e->inotify);
}

int watch_guest(struct watch *w, pid_t pid)
{
	struct eyes e = {
		.streams = { { VM_FILE_STDOUT, w->spec->stdout_fd, -1 },
			     { VM_FILE_STDERR, w->spec->stderr_fd, -1 } },
		.pidfd = -1, .inotify = -1,
	};
	int ret = open_eyes(w, &e, pid);

	if (!ret)
		ret = keep_watching(w, &e);
	look(w, &e);
	close_eyes(&e);
	return ret;
}
