// SPDX-License-Identifier: GPL-2.0-or-later
/* What is in the store. */
#include "lib/file.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "results/store-codec.h"
#include "results/store-scan.h"
#include "results/store.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* How the lines of store_encode_*() begin: no need to parse a histogram to count it. */
#define ITERATION_START "{\"type\":\"iteration\",\"seq\":"

struct summary {
	struct store_entry *entry;
	struct store_decoder d; /* takes the header */
	bool header_only;
	struct seen {
		uint64_t seq;
		size_t order;
		bool ok;
	} *seen;
	size_t n_seen;
};

static void add_seq(struct summary *s, uint64_t seq, bool ok)
{
	GROW(s->seen, s->n_seen);
	s->seen[s->n_seen] = (struct seen){ seq, s->n_seen, ok };
	s->n_seen++;
}

/* A quote inside a string would have a backslash before it. */
static bool says_ok(const char *text, size_t len)
{
	static const char word[] = "\"outcome\":\"OK\"";

	return memmem(text, len, word, sizeof(word) - 1) != NULL;
}

/* Written by us, and whole as far as one can see without parsing it? */
static bool quick_seq(const char *text, size_t len, uint64_t *seq)
{
	size_t start = strlen(ITERATION_START);
	char *end;

	if (len <= start || memcmp(text, ITERATION_START, start) || text[len - 1] != '}')
		return false;
	errno = 0;
	*seq = strtoull(text + start, &end, 10);
	return end > text + start && *end == ',' && !errno;
}

static void other_line(struct summary *s, const char *text, size_t len)
{
	__cleanup_json struct json_object *o = json_parse(text, len, NULL);
	const char *type = json_get_str(o, "type");
	uint64_t seq;

	if (str_eq(type, "end")) {
		s->entry->finished = true;
		json_get_bool(o, "complete", &s->entry->complete);
	} else if (str_eq(type, "iteration") && json_get_u64(o, "seq", &seq)) {
		add_seq(s, seq, str_eq(json_get_str(o, "outcome"), "OK"));
	}
}

static int header_line(struct summary *s, const char *text, size_t len)
{
	__cleanup_json struct json_object *o = json_parse(text, len, NULL);

	if (!str_eq(json_get_str(o, "type"), "header"))
		store_decode_error(&s->d, "is no journal of fsdelta: its first line is no header");
	else
		store_decode_header(&s->d, o);
	return s->d.error || s->header_only;
}

static int summary_line(void *arg, const char *text, size_t len, size_t number, bool cut)
{
	struct summary *s = arg;
	uint64_t seq;

	(void)cut;
	s->d.line = number;
	if (number == 1)
		return header_line(s, text, len);
	if (quick_seq(text, len, &seq))
		add_seq(s, seq, says_ok(text, len));
	else
		other_line(s, text, len);
	return 0;
}

static int by_seq(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Of an iteration that was done again the later line counts. */
static void count_iterations(const struct summary *s, struct store_entry *e)
{
	if (s->n_seen)
		qsort(s->seen, s->n_seen, sizeof(*s->seen), by_seq);
	for (size_t i = 0; i < s->n_seen; i++) {
		if (i + 1 < s->n_seen && s->seen[i + 1].seq == s->seen[i].seq)
			continue;
		e->done++;
		e->ok += s->seen[i].ok;
	}
}

static void take_header(struct store_entry *e, const struct run *r)
{
	str_replace(&e->id, r->id);
	str_replace(&e->label, r->label);
	str_replace(&e->started, r->started);
	str_replace(&e->session, r->session);
	e->planned = r->planned;
}

static void sum_up_journal(struct store_entry *e, const char *path, bool header_only)
{
	struct summary s = { .entry = e, .header_only = header_only,
			     .d = { .name = path, .run = run_new() } };
	int ret = store_scan(path, summary_line, &s);

	if (ret < 0)
		store_decode_error(&s.d, "%s", strerror(-ret));
	else if (!s.d.line)
		store_decode_error(&s.d, "the file is empty");
	if (s.d.error) {
		e->error = s.d.error;
		s.d.error = NULL;
	} else {
		take_header(e, s.d.run);
		count_iterations(&s, e);
	}
	free(s.seen);
	store_decoder_release(&s.d);
}

/* Without a journal beside it, a result has to be read as a whole. */
static void sum_up_result(struct store_entry *e, const char *path)
{
	__cleanup_run struct run *r = store_load(path, &e->error);

	if (!r)
		return;
	take_header(e, r);
	e->done = r->n_iterations;
	for (size_t i = 0; i < r->n_iterations; i++)
		e->ok += r->iterations[i].outcome == OUTCOME_OK;
	e->finished = r->finished != NULL;
	e->complete = r->complete;
}

/* Does the file look as we write it, from one end to the other? */
static void glance_at_result(struct store_entry *e, const char *path)
{
	__cleanup_fclose FILE *f = fopen(path, "re");
	char first[2] = "", last[3] = "";
	bool ok = f && fread(first, 1, 1, f) == 1 && !fseek(f, -2, SEEK_END) &&
		  fread(last, 1, 2, f) == 2 && !strcmp(first, "{") && !strcmp(last, "}\n");

	if (!ok && !e->error)
		e->error = xasprintf("%s: cannot be read, or is cut; `fsdelta reparse` rebuilds it",
				     path);
}

static void sum_up(struct store_entry *e, bool header_only)
{
	__cleanup_free char *journal = xasprintf("%s/" STORE_JOURNAL, e->dir);
	__cleanup_free char *result = xasprintf("%s/" STORE_RESULT, e->dir);
	bool have_journal = file_exists(journal), have_result = file_exists(result);

	if (have_journal)
		sum_up_journal(e, journal, header_only);
	else if (have_result)
		sum_up_result(e, result);
	else
		e->error = xasprintf("%s: there is neither %s nor %s in it", e->dir, STORE_RESULT,
				     STORE_JOURNAL);
	if (have_journal && have_result)
		glance_at_result(e, result);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int compare(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_age(const void *a, const void *b)
{
	const struct store_entry *x = a, *y = b;
	int ret = compare(x->started, y->started);

	if (!ret)
		ret = compare(x->id, y->id);
	return ret ? ret : compare(x->dir, y->dir);
}

static int list(const char *root, bool header_only, struct store_entry **out, size_t *n)
{
	DIR *d = opendir(root);
	struct dirent *entry;

	*out = NULL;
	*n = 0;
	if (!d)
		return -errno;
	while ((entry = readdir(d))) {
		__cleanup_free char *dir = xasprintf("%s/%s", root, entry->d_name);
		struct store_entry *e;

		if (entry->d_name[0] == '.' || !is_folder(dir))
			continue;
		GROW(*out, *n);
		e = &(*out)[(*n)++];
		*e = (struct store_entry){ .id = xstrdup(entry->d_name), .dir = xstrdup(dir) };
		sum_up(e, header_only);
	}
	closedir(d);
	if (*n)
		qsort(*out, *n, sizeof(**out), by_age);
	return 0;
}

int store_list(const char *root, struct store_entry **out, size_t *n)
{
	return list(root, false, out, n);
}

void store_entries_free(struct store_entry *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(v[i].id);
		free(v[i].label);
		free(v[i].started);
		free(v[i].session);
		free(v[i].dir);
		free(v[i].error);
	}
	free(v);
}

/* --- names --- */

static bool has_run(const char *path)
{
	__cleanup_free char *journal = xasprintf("%s/" STORE_JOURNAL, path);
	__cleanup_free char *result = xasprintf("%s/" STORE_RESULT, path);

	return file_exists(journal) || file_exists(result);
}

/* A file in the current folder needs its ending, so that it is not taken for a label. */
static bool is_result_path(const char *name)
{
	if (is_folder(name))
		return has_run(name);
	return file_exists(name) && (strchr(name, '/') || str_ends(name, ".json") ||
				     str_ends(name, ".jsonl"));
}

static bool is_called(const struct store_entry *e, const char *name)
{
	return str_eq(e->label, name) || str_eq(e->id, name) ||
	       str_eq(strrchr(e->dir, '/') + 1, name);
}

static char *not_found(const char *root, const char *name, size_t unreadable)
{
	if (unreadable)
		return xasprintf("no run '%s' in %s (but %zu that cannot be read)", name, root,
				 unreadable);
	return xasprintf("no run '%s' in %s", name, root);
}

/* Of the runs called @name the newest; with @all and where it is a label, all with it. */
static int find_runs(const char *root, const char *name, bool all, struct strvec *dirs,
		     char **error)
{
	struct store_entry *v;
	size_t n, unreadable = 0, newest;
	int ret = list(root, true, &v, &n);

	if (ret) {
		*error = xasprintf("no run '%s': %s: %s", name, root, strerror(-ret));
		return -ENOENT;
	}
	/* One that cannot be read is found by its folder: its error is worth knowing. */
	for (newest = n; newest > 0 && !is_called(&v[newest - 1], name); newest--)
		unreadable += v[newest - 1].error != NULL;
	for (size_t i = 0; all && i + 1 < newest; i++)
		if (str_eq(v[newest - 1].label, name) && str_eq(v[i].label, name))
			strvec_push(dirs, v[i].dir);
	if (newest)
		strvec_push(dirs, v[newest - 1].dir);
	else
		*error = not_found(root, name, unreadable);
	store_entries_free(v, n);
	return newest ? 0 : -ENOENT;
}

static int resolve(const char *root, const char *name, bool all, struct strvec *dirs, char **error)
{
	*error = NULL;
	if (*name != '-' && is_result_path(name)) {
		strvec_push(dirs, name);
		return 0;
	}
	if (strchr(name, '/'))
		*error = xasprintf("%s: is neither a file nor a folder with a result", name);
	else if (!file_is_plain_name(name))
		*error = xasprintf("'%s' is no run: a label or id is not empty and does not begin "
				   "with '.' or '-'", name);
	return *error ? -ENOENT : find_runs(root, name, all, dirs, error);
}

char *store_resolve(const char *root, const char *name, char **error)
{
	__cleanup_strvec struct strvec dirs = STRVEC_INIT;

	return resolve(root, name, false, &dirs, error) ? NULL : xstrdup(dirs.v[0]);
}

int store_resolve_all(const char *root, const char *name, struct strvec *dirs, char **error)
{
	return resolve(root, name, true, dirs, error);
}

struct run *store_load_header(const char *path, char **error)
{
	__cleanup_free char *journal = xasprintf("%s/" STORE_JOURNAL, path);
	struct store_entry unused = { .id = NULL };
	struct summary s = { .entry = &unused, .header_only = true, .d = { .name = journal } };
	struct run *r;
	int ret;

	*error = NULL;
	if (!file_exists(journal))
		return store_load(path, error);
	s.d.run = run_new();
	ret = store_scan(journal, summary_line, &s);
	if (ret < 0)
		store_decode_error(&s.d, "%s", strerror(-ret));
	else if (!s.d.line)
		store_decode_error(&s.d, "the file is empty");
	*error = s.d.error;
	s.d.error = NULL;
	r = s.d.run;
	s.d.run = NULL;
	store_decoder_release(&s.d);
	if (*error)
		run_free(r);
	return *error ? NULL : r;
}
