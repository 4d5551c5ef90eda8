// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finding fio's JSON among text. Notes, a banner of the jobs, errors of workers and words
 * about signals come before, between and behind the documents, and with
 * --status-interval there are several documents.
 */
#include "workloads/tools/fio.h"

#include "workloads/tools/parse.h"

#include <string.h>

/* Text that looks like JSON over and over is no output of fio; stops quadratic work. */
#define MAX_REJECTED 256

/* Length of the object that begins at @s, strings minded; 0: it does not end. */
static size_t object_length(const char *s, size_t len)
{
	size_t depth = 0;
	bool in_string = false;

	for (size_t i = 0; i < len; i++) {
		if (in_string) {
			if (s[i] == '\\')
				i++;
			else if (s[i] == '"')
				in_string = false;
		} else if (s[i] == '"') {
			in_string = true;
		} else if (s[i] == '{') {
			depth++;
		} else if (s[i] == '}' && --depth == 0) {
			return i + 1;
		}
	}
	return 0;
}

/* Does an object with one of fio's first keys begin at @s? "{x}" in a note does not. */
static bool looks_like_document(const char *s, size_t len)
{
	static const char *const keys[] = { "\"fio version\"", "\"jobs\"", "\"client_stats\"" };
	size_t i = 1;

	if (!len || s[0] != '{')
		return false;
	while (i < len && s[i] && strchr(" \t\r\n", s[i]))
		i++;
	/* A document cut right behind its brace. */
	if (i == len)
		return true;
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		size_t n = strlen(keys[k]);

		if (!strncmp(s + i, keys[k], len - i < n ? len - i : n))
			return true;
	}
	return false;
}

/*
 * Takes the document that begins at @s. Returns its length; 0 when there is none. One that
 * is begun but not whole must not fall back to an earlier one with smaller totals.
 */
static size_t take_document(struct fio_stream *st, const char *s, size_t len)
{
	size_t n = object_length(s, len);
	struct json_object *doc;

	if (!n) {
		st->broken = true;
		return 0;
	}
	doc = json_parse(s, n, NULL);
	if (!doc || (!json_get(doc, "jobs") && !json_get(doc, "client_stats"))) {
		json_object_put(doc);
		st->broken = true;
		return 0;
	}
	json_object_put(st->doc);
	st->doc = doc;
	st->broken = false;
	return n;
}

static void take_text(struct fio_stream *st, const char *s, size_t len)
{
	struct text_lines t = TEXT_LINES(s, len);

	if (text_next(&t) && *str_trim(t.line.buf))
		strvec_push(&st->text, str_trim(t.line.buf));
	text_end(&t);
}

void fio_stream_read(struct fio_stream *st, const char *text, size_t len)
{
	size_t at = 0, rejected = 0;

	while (at < len) {
		const char *nl = memchr(text + at, '\n', len - at);
		size_t end = nl ? (size_t)(nl - text) + 1 : len, n = 0, first = at;

		while (first < end && (text[first] == ' ' || text[first] == '\t'))
			first++;
		if (looks_like_document(text + first, len - first)) {
			if (rejected == MAX_REJECTED)
				return;
			n = take_document(st, text + first, len - first);
			rejected += !n;
		}
		if (n)
			at = first + n;
		else if (!st->broken)
			take_text(st, text + at, end - at);
		if (!n)
			at = end;
	}
}

void fio_stream_release(struct fio_stream *st)
{
	json_object_put(st->doc);
	st->doc = NULL;
	strvec_release(&st->text);
}
