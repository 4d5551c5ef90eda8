// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/touched.h"

#include "lib/mem.h"
#include "probes/touched-internal.h"

#include <string.h>

static const char *const changes[] = {
	[TOUCHED_CHANGED] = "changed",
	[TOUCHED_NEW] = "new",
	[TOUCHED_REMOVED] = "removed",
};

const char *touched_change_str(enum touched_change c)
{
	return (size_t)c < ARRAY_SIZE(changes) ? changes[c] : "?";
}

static void join_lines(struct side *side, const struct strvec *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		strbuf_adds(&side->text, lines->v[i]);
		strbuf_addc(&side->text, '\n');
	}
}

static void mark(struct side *side, const struct patch_hunk *h, char sign, char other, size_t first)
{
	size_t line = first;

	for (size_t i = 0; i < h->n; i++) {
		if (h->v[i].sign == other)
			continue;
		line++;
		if (h->v[i].sign == sign)
			side_add_changed(side, line);
	}
}

/* Both whole sides of a file are known. */
static void compare_sides(struct touched_list *l, const char *file, const struct patch_file *f,
			  const struct strvec *old, const struct strvec *new,
			  const struct hunk_place *at, bool reverse)
{
	struct side before = SIDE_INIT, after = SIDE_INIT;

	join_lines(&before, old);
	join_lines(&after, new);
	for (size_t i = 0; i < f->n_hunks; i++) {
		mark(&before, &f->hunks[i], '-', '+', reverse ? at[i].to : at[i].from);
		mark(&after, &f->hunks[i], '+', '-', reverse ? at[i].from : at[i].to);
	}
	touched_compare(l, file, TOUCHED_KNOWN, &before, &after);
	side_release(&before);
	side_release(&after);
}

/* @to without as many leading folders as @from has more than the tree's @path. */
static const char *same_depth(const char *from, const char *path, const char *to)
{
	for (size_t extra = strlen(from) - strlen(path); extra && *from; extra--)
		if (*from++ == '/')
			to = strchr(to, '/') ? strchr(to, '/') + 1 : to;
	return to;
}

/* What the file is called behind the patch; before it, when it is removed. */
static const char *new_name(const struct touched_file *file, const char *to,
			    const struct patch_file *f, bool reverse)
{
	if (to && (!reverse || !file))
		return to;
	return file ? file->path : patch_path(f);
}

/* One file of one patch, applied to @im or taken back from it. False: it does not fit. */
static bool step(struct touched_list *l, struct touched_image *im, const struct patch_file *f,
		 bool reverse)
{
	const char *from = reverse ? f->new_path : f->old_path;
	const char *to = reverse ? f->old_path : f->new_path;
	struct touched_file *file = from && im->tree ? touched_image_get(im, from) : NULL;
	struct strvec lines = STRVEC_INIT, out = STRVEC_INIT;
	struct hunk_place *at = xcalloc(f->n_hunks + 1, sizeof(*at));
	bool fits = (file || !from) && !f->binary;

	if (file) {
		strvec_push_all(&lines, &file->lines);
		to = to ? same_depth(from, file->path, to) : NULL;
	}
	fits = fits && !touched_image_apply(&lines, f, reverse, &out, at);
	if (fits) {
		compare_sides(l, new_name(file, to, f, reverse), f, reverse ? &out : &lines,
			      reverse ? &lines : &out, at, reverse);
		if (file)
			file->gone = true;
		if (to) {
			file = touched_image_create(im, to);
			strvec_push_all(&file->lines, &out);
		}
	}
	free(at);
	strvec_release(&lines);
	strvec_release(&out);
	return fits;
}

struct pass {
	struct touched_list list;
	struct touched_image im;
	bool *fits; /* each file of the patch */
	size_t n_fit;
};

static void run_pass(struct pass *ps, const struct patch *p, const char *tree, bool reverse)
{
	*ps = (struct pass){ .im.tree = tree };
	ps->fits = xcalloc(p->n_files + 1, sizeof(*ps->fits));
	for (size_t i = 0; i < p->n_files; i++) {
		size_t at = reverse ? p->n_files - 1 - i : i;

		ps->fits[at] = step(&ps->list, &ps->im, &p->files[at], reverse);
		ps->n_fit += ps->fits[at];
	}
}

static void end_pass(struct pass *ps)
{
	touched_list_release(&ps->list);
	touched_image_release(&ps->im);
	free(ps->fits);
}

/* Without a tree only what the patch holds whole is known: files that are new or removed. */
static void no_tree(struct pass *ps, const struct patch *p)
{
	*ps = (struct pass){ .im.tree = NULL };
	ps->fits = xcalloc(p->n_files + 1, sizeof(*ps->fits));
	for (size_t i = 0; i < p->n_files; i++)
		if (!p->files[i].binary && (!p->files[i].old_path || !p->files[i].new_path))
			ps->fits[i] = step(&ps->list, &ps->im, &p->files[i], !p->files[i].new_path);
}

static bool is_c(const char *path)
{
	return str_ends(path, ".c") || str_ends(path, ".h");
}

static void guess_file(struct touched_list *l, const struct patch_file *f, const char *tree)
{
	const char *path = patch_path(f);

	if (f->binary) {
		strvec_pushf(&l->warnings, "%s: binary: nothing in it can be named", path);
		return;
	}
	if (!is_c(path) || !f->n_hunks)
		return;
	if (tree) {
		struct touched_image im = { .tree = tree };

		strvec_pushf(&l->warnings, "%s: %s: its functions are guessed from the hunks", path,
			     touched_image_get(&im, path) ? "the patch does not fit this tree" :
						    "not in this tree");
		touched_image_release(&im);
	}
	for (size_t i = 0; i < f->n_hunks; i++)
		touched_guess(l, path, &f->hunks[i]);
}

/* Only C has functions that can be probed; of the rest the scanner knows nothing. */
static void drop_other_files(struct touched_list *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct touched_list one = { .v = NULL };

		if (is_c(l->v[i].file)) {
			l->v[kept++] = l->v[i];
			continue;
		}
		GROW(one.v, one.n);
		one.v[one.n++] = l->v[i];
		touched_list_release(&one);
	}
	l->n = kept;
}

/* A function that leaves one file and comes up in another was moved: it is there on both sides. */
static void join_moved(struct touched_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].change != TOUCHED_NEW)
			continue;
		for (size_t j = 0; j < l->n; j++) {
			if (l->v[j].change != TOUCHED_REMOVED || l->v[j].kind != l->v[i].kind ||
			    strcmp(l->v[j].name, l->v[i].name))
				continue;
			l->v[i].change = l->v[j].change = TOUCHED_CHANGED;
			str_replace(&l->v[j].file, l->v[i].file);
		}
	}
}

static int by_file_and_name(const void *a, const void *b)
{
	const struct touched *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	order = order ? order : strcmp(x->name, y->name);
	return order ? order : (int)x->kind - (int)y->kind;
}

static void sort_unique(struct touched_list *l)
{
	size_t kept = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_file_and_name);
	for (size_t i = 0; i < l->n; i++) {
		struct touched_list twin = { .v = NULL };

		if (!kept || by_file_and_name(&l->v[kept - 1], &l->v[i])) {
			l->v[kept++] = l->v[i];
			continue;
		}
		GROW(twin.v, twin.n);
		twin.v[twin.n++] = l->v[i];
		touched_list_release(&twin);
	}
	l->n = kept;
}

void touched_find(struct touched_list *out, const struct patch *p, const char *tree)
{
	struct pass forward, reverse = { .fits = NULL }, *best = &forward;

	if (tree) {
		run_pass(&forward, p, tree, false);
		/* Is the patch in the tree already? */
		if (forward.n_fit < p->n_files)
			run_pass(&reverse, p, tree, true);
		if (reverse.n_fit > forward.n_fit)
			best = &reverse;
	} else {
		no_tree(&forward, p);
	}
	*out = best->list;
	best->list = (struct touched_list)TOUCHED_LIST_INIT;
	for (size_t i = 0; i < p->n_files; i++)
		if (!best->fits[i])
			guess_file(out, &p->files[i], tree);
	drop_other_files(out);
	join_moved(out);
	sort_unique(out);
	if (tree)
		touched_users(out, tree, &best->im);
	end_pass(&forward);
	end_pass(&reverse);
}

void touched_list_release(struct touched_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].name);
		free(l->v[i].file);
		strvec_release(&l->v[i].members);
		strvec_release(&l->v[i].users);
	}
	free(l->v);
	strvec_release(&l->warnings);
	*l = (struct touched_list)TOUCHED_LIST_INIT;
}
