// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/store-noise.h"

#include "lib/file.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "results/store-codec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#define FILE_MAX (1U << 28)

/* --- encoding --- */

static void set_text(struct json_object *o, const char *key, const char *s)
{
	__cleanup_strbuf struct strbuf sb = STRBUF_INIT;

	store_add_utf8(&sb, s ? s : "");
	json_set_str(o, key, strbuf_str(&sb));
}

static struct json_object *rows_json(const struct noise_session *s)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < s->n_rows; i++) {
		struct json_object *o = json_object_new_object();

		set_text(o, "metric", s->rows[i].metric);
		json_set_bool(o, "primary", s->rows[i].primary);
		json_set_double(o, "pct", s->rows[i].pct);
		json_object_array_add(a, o);
	}
	return a;
}

static struct json_object *session_json(const struct noise_session *s)
{
	struct json_object *o = json_object_new_object();

	set_text(o, "session", s->id);
	set_text(o, "date", s->date);
	set_text(o, "host", s->cell.host);
	set_text(o, "kernel", s->kernel);
	set_text(o, "workload", s->cell.workload);
	set_text(o, "digest", s->cell.digest);
	set_text(o, "target", s->target);
	set_text(o, "fs", s->cell.fs);
	set_text(o, "mkfs", s->cell.mkfs);
	set_text(o, "mount", s->cell.mount);
	set_text(o, "device", s->cell.device);
	json_set_u64(o, "units", s->units);
	json_set(o, "rows", rows_json(s));
	return o;
}

void store_noise_encode(const struct noise *n, struct strbuf *out)
{
	strbuf_addf(out, "{\"schema\":\"%s\",\n\"sessions\":[", NOISE_SCHEMA);
	for (size_t i = 0; i < n->n; i++) {
		__cleanup_json struct json_object *o = session_json(&n->v[i]);

		strbuf_adds(out, i ? ",\n" : "\n");
		strbuf_adds(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
								JSON_C_TO_STRING_NOSLASHESCAPE));
	}
	strbuf_adds(out, "]}\n");
}

/* --- decoding --- */

static void take_text(struct store_decoder *d, struct json_object *o, const char *key,
		      bool required, char **out)
{
	store_take_str(d, o, key, required, out);
	if (!*out)
		*out = xstrdup("");
}

static void take_row(struct store_decoder *d, struct json_object *o, struct noise_session *s)
{
	struct noise_row *row = noise_add_row(s);

	take_text(d, o, "metric", true, &row->metric);
	store_take_bool(d, o, "primary", true, &row->primary);
	if (!json_get_double(o, "pct", &row->pct))
		store_decode_error(d, "a row has no number \"pct\"");
}

static void take_session(struct store_decoder *d, struct json_object *o, struct noise *n)
{
	struct noise_session *s = noise_add_session(n);
	struct json_object *rows = json_get(o, "rows");
	size_t n_rows;

	take_text(d, o, "session", true, &s->id);
	take_text(d, o, "date", true, &s->date);
	take_text(d, o, "kernel", false, &s->kernel);
	take_text(d, o, "target", false, &s->target);
	take_text(d, o, "host", true, &s->cell.host);
	take_text(d, o, "workload", true, &s->cell.workload);
	take_text(d, o, "digest", true, &s->cell.digest);
	take_text(d, o, "fs", false, &s->cell.fs);
	take_text(d, o, "mkfs", false, &s->cell.mkfs);
	take_text(d, o, "mount", false, &s->cell.mount);
	take_text(d, o, "device", true, &s->cell.device);
	store_take_u64(d, o, "units", true, &s->units);
	if (!rows || !json_object_is_type(rows, json_type_array)) {
		store_decode_error(d, "\"rows\" is no array");
		return;
	}
	n_rows = json_object_array_length(rows);
	for (size_t i = 0; i < n_rows && !d->error; i++)
		take_row(d, json_object_array_get_idx(rows, i), s);
}

/* Later programs may add members to version 1; what they must not read is version 2. */
static void take_document(struct store_decoder *d, struct json_object *o, struct noise *n)
{
	struct json_object *sessions = json_get(o, "sessions");
	const char *schema = json_get_str(o, "schema");
	size_t count;

	if (!schema || (strcmp(schema, NOISE_SCHEMA) && !str_starts(schema, NOISE_SCHEMA ".")))
		store_decode_error(d, "its schema is '%s', and this program reads %s",
				   schema ? schema : "none", NOISE_SCHEMA);
	else if (!sessions || !json_object_is_type(sessions, json_type_array))
		store_decode_error(d, "\"sessions\" is no array");
	if (d->error)
		return;
	count = json_object_array_length(sessions);
	for (size_t i = 0; i < count && !d->error; i++)
		take_session(d, json_object_array_get_idx(sessions, i), n);
}

/* Moves all sessions of @from to the end of @to. */
static void move_sessions(struct noise *to, struct noise *from)
{
	for (size_t i = 0; i < from->n; i++)
		*noise_add_session(to) = from->v[i];
	free(from->v);
	*from = (struct noise)NOISE_INIT;
}

int store_noise_parse(const char *name, const char *text, size_t len, struct noise *out,
		      char **error)
{
	__cleanup_noise struct noise read = NOISE_INIT;
	struct store_decoder d = { .name = name };
	__cleanup_json struct json_object *o = json_parse(text, len, NULL);

	*error = NULL;
	if (!o || !json_object_is_type(o, json_type_object))
		store_decode_error(&d, "is no JSON object");
	else
		take_document(&d, o, &read);
	if (d.error) {
		*error = d.error;
		return -EBADMSG;
	}
	move_sessions(out, &read);
	return 0;
}

/* --- the file --- */

int store_noise_load(const char *root, struct noise *out, char **error)
{
	__cleanup_free char *path = xasprintf("%s/" STORE_NOISE, root);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	int ret = file_read(path, &text, FILE_MAX);

	*error = NULL;
	if (ret == -ENOENT)
		return 0;
	if (!ret)
		return store_noise_parse(path, strbuf_str(&text), text.len, out, error);
	*error = xasprintf("%s: %s", path, strerror(-ret));
	return ret;
}

static int add_locked(const char *root, const struct noise *more, char **error)
{
	__cleanup_free char *path = xasprintf("%s/" STORE_NOISE, root);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	struct noise all = NOISE_INIT;
	size_t old;
	int ret = store_noise_load(root, &all, error);

	if (ret)
		return ret;
	old = all.n;
	for (size_t i = 0; i < more->n; i++)
		*noise_add_session(&all) = more->v[i];
	store_noise_encode(&all, &text);
	ret = file_write_atomic(path, text.buf, text.len);
	if (ret)
		*error = xasprintf("%s: %s", path, strerror(-ret));
	/* The others are @more's. */
	all.n = old;
	noise_release(&all);
	return ret;
}

int store_noise_add(const char *root, const struct noise *more, char **error)
{
	__cleanup_close int lock = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	int ret = lock < 0 ? -errno : 0;

	if (ret) {
		*error = xasprintf("%s: %s", root, strerror(-ret));
		return ret;
	}
	/* Where there are no locks, the rule is the user's. */
	while (flock(lock, LOCK_EX) && errno == EINTR)
		;
	return add_locked(root, more, error);
}
