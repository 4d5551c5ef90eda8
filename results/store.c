// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/store.h"

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/hash.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "results/journal.h"
#include "results/store-codec.h"
#include "results/store-scan.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define LABEL_MAX 40
#define ID_TRIES 100

struct store_writer {
	struct journal journal;
	struct store_decls decls; /* what the journal has declared */
	char *dir;
};

static void free_writer(struct store_writer *w)
{
	store_decls_release(&w->decls);
	free(w->dir);
	free(w);
}

/* --- a new run --- */

/* "20260131T123456Z" of "2026-01-31T12:34:56Z"; of now when @started is nothing like that. */
static char *compact_time(const char *started)
{
	static const char pattern[] = "0000-00-00T00:00:00Z";
	struct strbuf sb = STRBUF_INIT;

	if (!started || strlen(started) != strlen(pattern))
		return clock_utc_compact();
	for (size_t i = 0; pattern[i]; i++) {
		bool digit = started[i] >= '0' && started[i] <= '9';

		if (pattern[i] == '0' ? !digit : started[i] != pattern[i]) {
			strbuf_release(&sb);
			return clock_utc_compact();
		}
		if (digit || started[i] == 'T' || started[i] == 'Z')
			strbuf_addc(&sb, started[i]);
	}
	return strbuf_detach(&sb);
}

/* The label as a part of a file name. */
static void add_label(struct strbuf *sb, const char *label)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-";

	if (!label || !*label)
		label = "run";
	for (size_t i = 0; label[i] && i < LABEL_MAX; i++)
		strbuf_addc(sb, strchr(good, label[i]) ? label[i] : '_');
}

/* Early in a boot the kernel may have no random bytes yet: then the clock has to do. */
static unsigned int random_part(void)
{
	struct { uint64_t random, now, pid; } seed = {
		.now = clock_mono_ns(), .pid = (uint64_t)getpid(),
	};
	struct hash64 h = HASH64_INIT;

	if (getrandom(&seed.random, sizeof(seed.random), GRND_NONBLOCK) < 0)
		seed.random = 0;
	hash64_add(&h, &seed, sizeof(seed));
	return (unsigned int)(h.value & 0xffff);
}

static char *new_id(const struct run *r)
{
	__cleanup_free char *when = compact_time(r->started);
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s-", when);
	add_label(&sb, r->label);
	strbuf_addf(&sb, "-%04x", random_part());
	return strbuf_detach(&sb);
}

/* Makes a folder that nobody else has; its path, and the id in r->id. */
static int make_folder(const char *root, struct run *r, char **dir)
{
	int ret = file_mkdir_p(root);

	for (int i = 0; !ret && i < ID_TRIES; i++) {
		__cleanup_free char *id = new_id(r);
		char *path = xasprintf("%s/%s", root, id);

		if (!mkdir(path, 0755)) {
			str_replace(&r->id, id);
			*dir = path;
			return 0;
		}
		free(path);
		if (errno != EEXIST)
			ret = -errno;
	}
	return ret ? ret : -EEXIST;
}

static int begin_journal(struct store_writer *w, const char *root, const struct run *r)
{
	__cleanup_free char *path = xasprintf("%s/" STORE_JOURNAL, w->dir);
	__cleanup_strbuf struct strbuf line = STRBUF_INIT;
	int ret = journal_create(&w->journal, path);

	if (ret)
		return ret;
	store_encode_header(r, &line);
	ret = journal_append(&w->journal, line.buf, line.len);
	if (!ret)
		ret = file_sync_dir(w->dir);
	if (!ret)
		ret = file_sync_dir(root);
	if (ret) {
		/* No run without a header: that would be an unreadable entry for ever. */
		journal_close(&w->journal);
		unlink(path);
	}
	return ret;
}

int store_create(const char *root, struct run *r, struct store_writer **out, char **dir)
{
	struct store_writer *w;
	char *path = NULL;
	int ret;

	if (!r->started)
		r->started = clock_utc();
	ret = make_folder(root, r, &path);
	if (ret)
		return ret;
	w = xcalloc(1, sizeof(*w));
	w->dir = path;
	ret = begin_journal(w, root, r);
	if (ret) {
		rmdir(path);
		free_writer(w);
		return ret;
	}
	*out = w;
	*dir = xstrdup(path);
	return 0;
}

/* --- an unfinished run --- */

/* What a journal says to one who wants to go on with it. */
static int reopen_line(void *arg, const char *text, size_t len, size_t number, bool cut)
{
	struct store_decoder *d = arg;
	const char *type;
	__cleanup_json struct json_object *o = NULL;

	(void)cut;
	d->line = number;
	/* Iterations are the bulk, and say nothing here. */
	if (number > 1 && len > 20 && !strncmp(text, "{\"type\":\"iteration\",", 20))
		return 0;
	o = json_parse(text, len, NULL);
	type = json_get_str(o, "type");
	if (number == 1) {
		store_decode_header(d, o);
		return d->error || !str_eq(type, "header") ? -EBADMSG : 0;
	}
	if (str_eq(type, "end"))
		return -EALREADY;
	if (str_eq(type, "metric"))
		store_decode_metric(d, o);
	return d->error ? -EBADMSG : 0;
}

static int read_back(struct store_writer *w, const char *journal)
{
	struct store_decoder d = { .name = journal, .run = run_new() };
	int ret = store_scan(journal, reopen_line, &d);

	if (!ret && !d.line)
		ret = -EBADMSG;
	w->decls = d.decls;
	d.decls = (struct store_decls)STORE_DECLS_INIT;
	store_decoder_release(&d);
	return ret;
}

int store_reopen(const char *dir, struct store_writer **out)
{
	__cleanup_free char *journal = xasprintf("%s/" STORE_JOURNAL, dir);
	__cleanup_free char *result = xasprintf("%s/" STORE_RESULT, dir);
	struct store_writer *w;
	int ret;

	if (file_exists(result))
		return -EALREADY;
	w = xcalloc(1, sizeof(*w));
	w->dir = xstrdup(dir);
	/* Opened, and so locked, before it is read. */
	ret = journal_open(&w->journal, journal);
	if (!ret)
		ret = read_back(w, journal);
	if (ret) {
		store_abandon(w);
		return ret;
	}
	*out = w;
	return 0;
}

/* --- appending --- */

static int declare(struct store_writer *w, const struct iteration *it, struct strbuf *lines)
{
	for (size_t i = 0; it->outcome == OUTCOME_OK && i < it->samples.n; i++) {
		const struct metric *m = &it->samples.v[i].metric;
		int ret = store_decls_add(&w->decls, it->workload, m);

		if (ret < 0)
			return ret;
		if (ret)
			store_encode_metric(it->workload, m, lines);
	}
	return 0;
}

int store_append(struct store_writer *w, const struct iteration *it)
{
	__cleanup_strbuf struct strbuf lines = STRBUF_INIT;
	size_t declared = w->decls.n;
	int ret = declare(w, it, &lines);

	if (!ret) {
		store_encode_iteration(it, &lines);
		ret = journal_append(&w->journal, lines.buf, lines.len);
	}
	if (ret)
		store_decls_truncate(&w->decls, declared);
	return ret;
}

/* --- the end --- */

int store_stop(struct store_writer *w, const struct stopped *stopped)
{
	__cleanup_strbuf struct strbuf line = STRBUF_INIT;

	store_encode_stopped(stopped, &line);
	return journal_append(&w->journal, line.buf, line.len);
}

int store_write_result(const char *dir, const struct run *r)
{
	__cleanup_free char *path = xasprintf("%s/" STORE_RESULT, dir);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	int ret = store_encode_result(r, &text);

	return ret ? ret : file_write_atomic(path, text.buf, text.len);
}

static int fold(const char *dir)
{
	__cleanup_free char *path = xasprintf("%s/" STORE_JOURNAL, dir);
	__cleanup_free char *error = NULL;
	__cleanup_run struct run *r = store_load(path, &error);

	return r ? store_write_result(dir, r) : -EBADMSG;
}

int store_finish(struct store_writer *w, const char *finished, bool complete, const char *reason)
{
	__cleanup_strbuf struct strbuf line = STRBUF_INIT;
	int ret, closed;

	store_encode_end(finished, complete, reason, &line);
	ret = journal_append(&w->journal, line.buf, line.len);
	closed = journal_close(&w->journal);
	if (!ret)
		ret = closed;
	if (!ret)
		ret = fold(w->dir);
	free_writer(w);
	return ret;
}

void store_abandon(struct store_writer *w)
{
	journal_close(&w->journal);
	free_writer(w);
}
