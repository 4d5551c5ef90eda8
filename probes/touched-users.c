// SPDX-License-Identifier: GPL-2.0-or-later
/* Which functions use a macro, an inline function, a type or data? */
#include "lib/mem.h"
#include "probes/touched-internal.h"

#include <dirent.h>
#include <string.h>

/* More would tell nobody anything: it is used everywhere. */
#define MAX_USERS 200

/* A file; scanned when a word that is looked for is in it. */
struct source {
	char *text;
	size_t len;
	struct cscan scan;
	bool scanned;
};

struct sources {
	struct source *v;
	size_t n;
};

static void add_text(struct sources *src, const char *text, size_t len)
{
	GROW(src->v, src->n);
	src->v[src->n++] = (struct source){ .text = xstrndup(text, len), .len = strnlen(text, len) };
}

static void release_sources(struct sources *src)
{
	for (size_t i = 0; i < src->n; i++) {
		free(src->v[i].text);
		if (src->v[i].scanned)
			cscan_release(&src->v[i].scan);
	}
	free(src->v);
}

static void add_folder(struct sources *src, const char *tree, const char *folder)
{
	__cleanup_free char *full = xasprintf("%s/%s", tree, folder);
	DIR *d = opendir(full);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		__cleanup_free char *path = xasprintf("%s/%s", folder, entry->d_name);
		__cleanup_strbuf struct strbuf text = STRBUF_INIT;

		if ((str_ends(path, ".c") || str_ends(path, ".h")) &&
		    !touched_image_read(tree, path, &text))
			add_text(src, strbuf_str(&text), text.len);
	}
	if (d)
		closedir(d);
}

static void add_folders(struct sources *src, const struct touched_list *l, const char *tree)
{
	__cleanup_strvec struct strvec folders = STRVEC_INIT;

	for (size_t i = 0; i < l->n; i++) {
		const char *slash = strrchr(l->v[i].file, '/');
		__cleanup_free char *folder = slash ? xstrndup(l->v[i].file,
							       (size_t)(slash - l->v[i].file)) :
						      xstrdup(".");

		if (strvec_has(&folders, folder))
			continue;
		strvec_push(&folders, folder);
		add_folder(src, tree, folder);
	}
}

/* The files as the patch leaves them: what is new in it may be used in them alone. */
static void add_image(struct sources *src, const struct touched_image *im)
{
	for (size_t i = 0; i < im->n; i++) {
		__cleanup_free char *text = NULL;

		if (im->v[i].gone || !im->v[i].lines.n)
			continue;
		text = strvec_join(&im->v[i].lines, "\n");
		add_text(src, text, strlen(text));
	}
}

struct walk {
	const struct sources *src;
	struct touched *t;
	struct strvec passed; /* macros and inline functions on the way: names still to look for */
};

static void take_user(const struct cscan_item *item, void *arg)
{
	struct walk *w = arg;
	bool through = item->kind == CSCAN_MACRO || item->kind == CSCAN_INLINE;

	if (through && !strvec_has(&w->passed, item->name))
		strvec_push(&w->passed, item->name);
	if (item->kind == CSCAN_FUNCTION && w->t->users.n < MAX_USERS &&
	    !strvec_has(&w->t->users, item->name))
		strvec_push(&w->t->users, item->name);
}

static void look_in(struct walk *w, struct source *s, const char *word, bool member)
{
	if (!strstr(s->text, word))
		return;
	if (!s->scanned)
		cscan_text(&s->scan, s->text, s->len);
	s->scanned = true;
	cscan_users(&s->scan, word, member, take_user, w);
}

static void look_for(struct walk *w, const char *word)
{
	for (size_t i = 0; i < w->src->n; i++)
		look_in(w, &w->src->v[i], word, false);
}

/* Other types have members of the same name; a file that uses this one names its type. */
static void look_for_member(struct walk *w, const char *member)
{
	for (size_t i = 0; i < w->src->n; i++)
		if (strstr(w->src->v[i].text, w->t->name))
			look_in(w, &w->src->v[i], member, true);
}

static void find_users(const struct sources *src, struct touched *t)
{
	struct walk w = { .src = src, .t = t };

	for (size_t i = 0; i < t->members.n; i++)
		look_for_member(&w, t->members.v[i]);
	if (!t->members.n)
		look_for(&w, t->name);
	for (size_t i = 0; i < w.passed.n && t->users.n < MAX_USERS; i++) {
		/* The vector grows, and moves. */
		__cleanup_free char *word = xstrdup(w.passed.v[i]);

		look_for(&w, word);
	}
	strvec_sort(&t->users);
	strvec_release(&w.passed);
}

void touched_users(struct touched_list *l, const char *tree, struct touched_image *im)
{
	struct sources src = { .v = NULL };
	bool needed = false;

	for (size_t i = 0; i < l->n; i++)
		needed |= l->v[i].kind != CSCAN_FUNCTION;
	if (!needed)
		return;
	add_folders(&src, l, tree);
	add_image(&src, im);
	for (size_t i = 0; i < l->n; i++) {
		struct touched *t = &l->v[i];

		if (t->kind == CSCAN_FUNCTION)
			continue;
		find_users(&src, t);
		if (t->users.n == MAX_USERS)
			strvec_pushf(&l->warnings, "%s: more than %d functions use it", t->name,
				     MAX_USERS);
	}
	release_sources(&src);
}
