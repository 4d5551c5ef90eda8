// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of a tree, and patches applied to them in memory. */
#include "lib/file.h"
#include "lib/mem.h"
#include "probes/touched-internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_MAX (64U << 20)

static bool leads_out(const char *path)
{
	return *path == '/' || !strcmp(path, "..") || str_starts(path, "../") ||
	       strstr(path, "/../") || str_ends(path, "/..");
}

int touched_image_read(const char *tree, const char *path, struct strbuf *out)
{
	__cleanup_free char *full = xasprintf("%s/%s", tree, path);
	struct stat st;

	if (leads_out(path))
		return -EINVAL;
	if (stat(full, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EBADF;
	return file_read(full, out, SOURCE_MAX);
}

static void split_lines(struct strvec *lines, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((stop ? stop : end) - text);
		__cleanup_free char *line = xstrndup(text, n);

		if (n && line[n - 1] == '\r')
			line[n - 1] = '\0';
		strvec_push(lines, line);
		text = stop ? stop + 1 : end;
	}
}

static struct touched_file *find(struct touched_image *im, const char *path)
{
	for (size_t i = 0; i < im->n; i++)
		if (!strcmp(im->v[i].path, path))
			return &im->v[i];
	return NULL;
}

struct touched_file *touched_image_create(struct touched_image *im, const char *path)
{
	struct touched_file *f = find(im, path);

	if (f) {
		strvec_release(&f->lines);
		f->gone = false;
		return f;
	}
	GROW(im->v, im->n);
	im->v[im->n] = (struct touched_file){ .path = xstrdup(path) };
	return &im->v[im->n++];
}

struct touched_file *touched_image_get(struct touched_image *im, const char *path)
{
	/* "linux-6.1.orig/fs/x.c" of a diff that is not git's */
	for (; path; path = strchr(path, '/') ? strchr(path, '/') + 1 : NULL) {
		__cleanup_strbuf struct strbuf text = STRBUF_INIT;
		struct touched_file *f = find(im, path);

		if (f)
			return f->gone ? NULL : f;
		if (touched_image_read(im->tree, path, &text))
			continue;
		f = touched_image_create(im, path);
		split_lines(&f->lines, strbuf_str(&text), text.len);
		return f;
	}
	return NULL;
}

void touched_image_release(struct touched_image *im)
{
	for (size_t i = 0; i < im->n; i++) {
		free(im->v[i].path);
		strvec_release(&im->v[i].lines);
	}
	free(im->v);
	*im = (struct touched_image){ .tree = NULL };
}

/* --- hunks --- */

/* Does the hunk's old side (without lines of sign @skip) stand at @at? */
static bool stands_at(const struct strvec *lines, const struct patch_hunk *h, char skip, size_t at)
{
	for (size_t i = 0; i < h->n; i++) {
		if (h->v[i].sign == skip)
			continue;
		if (at >= lines->n || strcmp(lines->v[at++], h->v[i].text))
			return false;
	}
	return true;
}

/* The place nearest to @want, not before @min. lines->n + 1: nowhere. */
static size_t find_place(const struct strvec *lines, const struct patch_hunk *h, char skip,
			 size_t want, size_t min)
{
	want = want < min ? min : want > lines->n ? lines->n : want;
	for (size_t d = 0; d <= lines->n; d++) {
		if (want + d <= lines->n && stands_at(lines, h, skip, want + d))
			return want + d;
		if (d && want >= min + d && stands_at(lines, h, skip, want - d))
			return want - d;
	}
	return lines->n + 1;
}

static void copy_lines(struct strvec *out, const struct strvec *lines, size_t from, size_t to)
{
	for (; from < to; from++)
		strvec_push(out, lines->v[from]);
}

static size_t first_line(size_t number, size_t count)
{
	/* "-3,0" means behind line 3. */
	return count ? number - (number > 0) : number;
}

int touched_image_apply(const struct strvec *lines, const struct patch_file *f, bool reverse,
		struct strvec *out, struct hunk_place *at)
{
	char skip = reverse ? '-' : '+', drop = reverse ? '+' : '-';
	size_t done = 0;

	for (size_t i = 0; i < f->n_hunks; i++) {
		const struct patch_hunk *h = &f->hunks[i];
		size_t want = reverse ? first_line(h->new_first, h->new_count) :
					first_line(h->old_first, h->old_count);
		size_t place = find_place(lines, h, skip, want, done);

		if (place > lines->n)
			return -ESTALE;
		copy_lines(out, lines, done, place);
		at[i] = (struct hunk_place){ place, out->n };
		done = place;
		for (size_t k = 0; k < h->n; k++) {
			if (h->v[k].sign != drop)
				strvec_push(out, h->v[k].text);
			done += h->v[k].sign != skip;
		}
	}
	copy_lines(out, lines, done, lines->n);
	return 0;
}
