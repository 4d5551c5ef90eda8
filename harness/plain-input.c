// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/plain-input.h"

#include "lib/file.h"
#include "lib/large.h"
#include "lib/log.h"
#include "lib/mem.h"
#include "results/numbers.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* A file this large is read into memory of its size, without growing. */
#define LARGE (1 << 20)

struct source {
	const char *name; /* for messages */
	struct stat st;
	struct numbers numbers; /* with columns asked for: only those, in their order */
};

static bool is_stdin(const char *file)
{
	return !strcmp(file, "-");
}

/* *@text is the caller's to free. */
static int read_large(const char *path, size_t size, char **text, size_t *len)
{
	__cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*text = large_alloc(size);
	for (*len = 0; *len < size;) {
		ssize_t got = read(fd, *text + *len, size - *len);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			break;
		*len += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

static int read_text(struct source *s, const char *file, char **text, size_t *len)
{
	const char *path = is_stdin(file) ? "/dev/stdin" : file;
	struct strbuf sb = STRBUF_INIT;
	int ret = stat(path, &s->st) ? -errno : 0;

	if (!ret && S_ISDIR(s->st.st_mode))
		ret = -EISDIR;
	if (!ret && S_ISREG(s->st.st_mode) && s->st.st_size >= LARGE && !is_stdin(file)) {
		ret = read_large(path, (size_t)s->st.st_size, text, len);
	} else if (!ret) {
		ret = file_read(path, &sb, 0);
		*len = sb.len;
		*text = strbuf_detach(&sb);
	}
	if (ret)
		log_error("%s: %s", s->name, strerror(-ret));
	return ret;
}

static char *series_names(const struct numbers *n)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT;

	for (size_t i = 0; i < n->n; i++)
		if (n->series[i].name)
			strvec_push(&names, n->series[i].name);
		else
			strvec_pushf(&names, "%zu", i + 1);
	return strvec_join(&names, ", ");
}

static void move_series(struct numbers *to, struct number_series *from, const char *column)
{
	GROW(to->series, to->n);
	to->series[to->n] = *from;
	if (!from->name)
		to->series[to->n].name = xstrdup(column);
	to->n++;
	*from = (struct number_series){ .name = NULL };
}

/* Keeps the columns asked for. */
static int choose(struct source *s, const struct strvec *columns)
{
	struct numbers chosen = NUMBERS_INIT;
	int ret = 0;

	for (size_t i = 0; !ret && i < columns->n; i++) {
		struct number_series *found = numbers_find(&s->numbers, columns->v[i]);

		if (found && found->n) {
			move_series(&chosen, found, columns->v[i]);
			continue;
		}
		ret = -EINVAL;
		if (found) {
			log_error("--column %s: asked for twice", columns->v[i]);
		} else {
			__cleanup_free char *known = series_names(&s->numbers);

			log_error("%s: no column '%s' (there are: %s)", s->name, columns->v[i],
				  known);
		}
	}
	numbers_release(&s->numbers);
	s->numbers = chosen;
	return ret;
}

/* Columns out of a table in which others hold no numbers. */
static int pick(struct source *s, const char *text, size_t len, const struct strvec *columns,
		bool no_negative, struct strvec *mistakes)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < columns->n; i++) {
		struct numbers one = NUMBERS_INIT;

		ret = numbers_parse_column(text, len, columns->v[i], no_negative, &one, mistakes);
		if (!ret)
			move_series(&s->numbers, &one.series[0], columns->v[i]);
		numbers_release(&one);
	}
	return ret;
}

static int read_source(struct source *s, const char *file, const struct strvec *columns,
		       bool no_negative)
{
	__cleanup_strvec struct strvec mistakes = STRVEC_INIT;
	__cleanup_free char *text = NULL;
	size_t len = 0;
	int ret;

	s->name = is_stdin(file) ? "standard input" : file;
	ret = read_text(s, file, &text, &len);
	if (ret)
		return ret;
	ret = numbers_parse(text, len, no_negative, &s->numbers, &mistakes);
	if (!ret && columns->n)
		return choose(s, columns);
	if (ret && columns->n) {
		strvec_release(&mistakes);
		ret = pick(s, text, len, columns, no_negative, &mistakes);
	}
	for (size_t i = 0; i < mistakes.n; i++)
		log_error("%s:%s%s", s->name, isdigit((unsigned char)*mistakes.v[i]) ? "" : " ",
			  mistakes.v[i]);
	return ret;
}

static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	if (is_stdin(file))
		return "stdin";
	return slash && slash[1] ? slash + 1 : file;
}

/* The name of a file without its folder, unless another one has the same. */
static const char *file_label(const struct plain_input *in, size_t i)
{
	if (in->labels.n)
		return in->labels.v[i];
	for (size_t j = 0; j < in->n_files; j++)
		if (j != i && !strcmp(base_name(in->files[i]), base_name(in->files[j])))
			return in->files[i];
	return base_name(in->files[i]);
}

static void take_sample(struct plain_row *row, const char *label, struct number_series *s)
{
	plain_add_sample(row, label, s->v, s->n);
	s->v = NULL;
}

static int check_labels(const struct plain_input *in, size_t samples)
{
	if (!in->labels.n || in->labels.n == samples)
		return 0;
	log_error("--label: %zu of them for %zu samples", in->labels.n, samples);
	return -EINVAL;
}

static int lay_out_one(const struct plain_input *in, struct source *s, struct plain *p)
{
	bool columns = in->columns.n > 1;
	struct plain_row *row = columns ? plain_add_row(p, NULL) : NULL;

	if (check_labels(in, s->numbers.n))
		return -EINVAL;
	for (size_t i = 0; i < s->numbers.n; i++) {
		__cleanup_free char *position = xasprintf("column %zu", i + 1);
		struct number_series *series = &s->numbers.series[i];
		const char *label = series->name ?: position;

		if (s->numbers.n == 1 && !in->columns.n)
			label = file_label(in, 0);
		if (in->labels.n)
			label = in->labels.v[i];
		if (!columns)
			row = plain_add_row(p, NULL);
		take_sample(row, label, series);
	}
	if (!columns && s->numbers.n > 1)
		log_info("%s: %zu series, described one by one; to compare: --column BASE "
			 "--column ARM", s->name, s->numbers.n);
	return 0;
}

/* The series of @s that belongs to the @i-th one of @base; NULL with the message printed. */
static struct number_series *partner(const struct source *base, struct source *s, size_t i)
{
	const char *name = base->numbers.series[i].name;

	if (s->numbers.n != base->numbers.n) {
		log_error("%s has %zu series, %s has %zu: choose one with --column", base->name,
			  base->numbers.n, s->name, s->numbers.n);
		return NULL;
	}
	if (s->numbers.n == 1 || !name)
		return &s->numbers.series[i];
	for (size_t j = 0; j < s->numbers.n; j++)
		if (str_eq(s->numbers.series[j].name, name))
			return &s->numbers.series[j];
	log_error("%s has a series '%s', %s does not", base->name, name, s->name);
	return NULL;
}

static int check_files(const struct plain_input *in, const struct source *s)
{
	for (size_t i = 1; i < in->n_files; i++)
		if (s[i].st.st_dev == s[0].st.st_dev && s[i].st.st_ino == s[0].st.st_ino &&
		    (S_ISREG(s[i].st.st_mode) || is_stdin(in->files[i]))) {
			log_error("%s and %s are the same file: there is nothing to compare",
				  s[0].name, s[i].name);
			return -EINVAL;
		}
	return check_labels(in, in->n_files);
}

static int lay_out_many(const struct plain_input *in, struct source *s, struct plain *p)
{
	if (check_files(in, s))
		return -EINVAL;
	for (size_t i = 0; i < s[0].numbers.n; i++) {
		const char *name = s[0].numbers.series[i].name;
		bool only = s[0].numbers.n == 1 && !in->columns.n;
		__cleanup_free char *position = xasprintf("column %zu", i + 1);
		struct plain_row *row = plain_add_row(p, only ? NULL : name ?: position);

		for (size_t f = 0; f < in->n_files; f++) {
			struct number_series *series = partner(&s[0], &s[f], i);

			if (!series)
				return -EINVAL;
			take_sample(row, file_label(in, f), series);
		}
	}
	return 0;
}

static int check_stdin(const struct plain_input *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->n_files; i++)
		n += is_stdin(in->files[i]);
	if (n < 2)
		return 0;
	log_error("standard input can be read once only");
	return -EINVAL;
}

int plain_input_read(const struct plain_input *in, struct plain *p)
{
	struct source *sources = xcalloc(in->n_files, sizeof(*sources));
	int ret = check_stdin(in), failed = 0;

	/* All files, so that all mistakes are named. */
	for (size_t i = 0; !ret && i < in->n_files; i++)
		failed |= read_source(&sources[i], in->files[i], &in->columns, p->options.rate);
	if (!ret && !failed)
		ret = in->n_files == 1 ? lay_out_one(in, sources, p) :
					 lay_out_many(in, sources, p);
	for (size_t i = 0; i < in->n_files; i++)
		numbers_release(&sources[i].numbers);
	free(sources);
	return ret || failed ? -EINVAL : 0;
}
