// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/numbers.h"

#include "lib/large.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/numbers-scan.h"

#include <errno.h>
#include <string.h>

#define LOOK_AHEAD 4096

enum shape {
	SHAPE_UNKNOWN,
	SHAPE_TABLE,
	SHAPE_ROWS,
};

struct reader {
	struct scan scan;
	struct numbers *out;
	struct strvec *mistakes;
	bool no_negative;
	enum shape shape;
	struct strvec heads; /* of a table, until its first row */
	struct strbuf name;  /* of the next series of SHAPE_ROWS, so far */
	size_t rows;	     /* of a table */
};

void numbers_release(struct numbers *n)
{
	for (size_t i = 0; i < n->n; i++) {
		free(n->series[i].name);
		free(n->series[i].v);
	}
	free(n->series);
	*n = (struct numbers)NUMBERS_INIT;
}

struct number_series *numbers_find(const struct numbers *n, const char *column)
{
	unsigned long long position;

	for (size_t i = 0; i < n->n; i++)
		if (n->series[i].name && !strcmp(n->series[i].name, column))
			return &n->series[i];
	if (!str_to_u64(column, &position) && position >= 1 && position <= n->n)
		return &n->series[position - 1];
	return NULL;
}

static void mistake(struct reader *r, const struct token *t, const char *why)
{
	scan_mistake(&r->scan, t, why, r->mistakes);
}

static struct number_series *new_series(struct numbers *out, char *name)
{
	GROW(out->series, out->n);
	out->series[out->n] = (struct number_series){ .name = name };
	return &out->series[out->n++];
}

static void reserve(struct number_series *s, size_t cap)
{
	double *v;

	if (cap <= s->cap)
		return;
	v = large_alloc(cap * sizeof(*v));
	if (s->n)
		memcpy(v, s->v, s->n * sizeof(*v));
	free(s->v);
	s->v = v;
	s->cap = cap;
}

static void push(struct number_series *s, double v)
{
	if (s->n == s->cap)
		reserve(s, s->n ? 2 * s->n : 8);
	s->v[s->n++] = v;
}

static bool read_number(struct reader *r, const struct token *t, double *v)
{
	const char *why = t->empty ? "there is no value between the separators" :
				     number_parse(t->s, t->len, v);

	if (!why && r->no_negative && *v < 0)
		why = "is negative, and a rate cannot be";
	if (why)
		mistake(r, t, why);
	return !why;
}

/* The heading's names: fields where there are commas, else words. */
static void read_heading(struct reader *r)
{
	struct scan s = r->scan;
	__cleanup_strbuf struct strbuf field = STRBUF_INIT;
	struct token t;
	bool commas = false;

	while (scan_token(&s, &t))
		commas |= t.behind_comma;
	s = r->scan;
	while (scan_token(&s, &t)) {
		if (field.len && (t.behind_comma || !commas)) {
			strvec_push(&r->heads, strbuf_str(&field));
			strbuf_reset(&field);
		}
		token_add_word(&t, &field);
	}
	if (field.len)
		strvec_push(&r->heads, strbuf_str(&field));
}

/* What the first line says of the others. */
static void decide_shape(struct reader *r)
{
	struct scan s = r->scan;
	struct token t;
	double v;

	scan_bullet(&s);
	if (!scan_token(&s, &t))
		return;
	r->shape = SHAPE_TABLE;
	if (!token_is_word(&t))
		return;
	while (scan_token(&s, &t))
		if (!token_is_word(&t) && !number_parse(t.s, t.len, &v))
			r->shape = SHAPE_ROWS;
	if (r->shape == SHAPE_TABLE) {
		read_heading(r);
		scan_rest(&r->scan);
	}
}

/* The first row of a table makes its columns. */
static void name_columns(struct reader *r, const struct token *first)
{
	struct numbers *out = r->out;

	if (out->n == 1 && r->heads.n > 1) {
		out->series[0].name = strvec_join(&r->heads, " ");
		return;
	}
	if (r->heads.n && r->heads.n != out->n) {
		__cleanup_free char *why = xasprintf("starts a row of %zu, and the heading has "
						     "%zu names", out->n, r->heads.n);

		mistake(r, first, why);
		return;
	}
	for (size_t i = 0; i < r->heads.n; i++)
		out->series[i].name = xstrdup(r->heads.v[i]);
}

static void read_table_row(struct reader *r)
{
	struct token t, first = { .len = 0 };
	size_t n = 0;
	double v;

	while (scan_token(&r->scan, &t)) {
		if (!n++)
			first = t;
		if (!r->rows)
			new_series(r->out, NULL);
		if (read_number(r, &t, &v) && n <= r->out->n)
			push(&r->out->series[n - 1], v);
	}
	if (!n)
		return;
	if (!r->rows++) {
		name_columns(r, &first);
	} else if (n != r->out->n) {
		__cleanup_free char *why = xasprintf("starts a row of %zu, and the lines above "
						     "have %zu", n, r->out->n);

		mistake(r, &first, why);
	}
}

/* About how many lines are left, if all are like the next ones. */
static size_t lines_ahead(const struct scan *s)
{
	size_t rest = (size_t)(s->end - s->at), look = rest < LOOK_AHEAD ? rest : LOOK_AHEAD;
	size_t lines = 0;

	for (size_t i = 0; i < look; i++)
		lines += s->at[i] == '\n';
	return (size_t)(1.02 * (double)rest / (double)look * (double)lines);
}

/* Lines that need no second look; the next one does, and there is one. */
static void read_list(struct reader *r)
{
	struct scan *s = &r->scan;
	const char *next;
	double v;

	if (r->rows == 1)
		reserve(&r->out->series[0], 1 + lines_ahead(s));
	while ((next = number_line(s->at + 1, s->end, &v)) && next < s->end) {
		if (r->no_negative && v < 0)
			return;
		push(&r->out->series[0], v);
		s->start = s->at + 1;
		s->at = next - 1;
		s->line++;
		r->rows++;
	}
}

static struct number_series *named_series(struct reader *r)
{
	struct numbers *out = r->out;

	if (r->name.len) {
		new_series(out, xstrdup(r->name.buf));
		strbuf_reset(&r->name);
	}
	return &out->series[out->n - 1];
}

static void read_named_row(struct reader *r)
{
	bool may_name = true;
	struct token t;
	double v;

	scan_bullet(&r->scan);
	while (scan_token(&r->scan, &t)) {
		may_name |= t.behind_comma;
		/* Elsewhere a word is a misspelt number. */
		if (may_name && token_is_word(&t)) {
			token_add_word(&t, &r->name);
			continue;
		}
		if (read_number(r, &t, &v))
			push(named_series(r), v);
		may_name = false;
	}
}

static void read_line(struct reader *r)
{
	if (r->shape == SHAPE_UNKNOWN)
		decide_shape(r);
	if (r->shape == SHAPE_ROWS)
		read_named_row(r);
	else
		read_table_row(r);
	if (r->shape == SHAPE_TABLE && r->out->n == 1 && r->scan.at < r->scan.end &&
	    *r->scan.at == '\n')
		read_list(r);
}

/* A single line of numbers was read as columns of one value each. */
static void join_single_row(struct reader *r)
{
	struct number_series all = { .name = NULL };

	if (r->rows != 1 || r->heads.n || r->out->n < 2 || r->mistakes->n)
		return;
	for (size_t i = 0; i < r->out->n; i++)
		push(&all, r->out->series[i].v[0]);
	numbers_release(r->out);
	*new_series(r->out, NULL) = all;
}

/* "sys", and the next one of that name "sys (2)". */
static void tell_apart(struct numbers *out, size_t i)
{
	__cleanup_free char *name = xstrdup(out->series[i].name);

	for (size_t j = 0, n = 2; j < i; j++) {
		if (!str_eq(out->series[j].name, out->series[i].name))
			continue;
		free(out->series[i].name);
		out->series[i].name = xasprintf("%s (%zu)", name, n++);
		/* That one may be taken as well. */
		j = (size_t)-1;
	}
}

static void check_series(struct reader *r)
{
	struct numbers *out = r->out;

	if (r->name.len)
		strvec_pushf(r->mistakes, "%zu: no numbers behind '%s'", r->scan.line, r->name.buf);
	if (!out->n && !r->mistakes->n)
		strvec_push(r->mistakes, "there are no numbers");
	for (size_t i = 0; i < out->n; i++)
		if (out->series[i].name)
			tell_apart(out, i);
}

int numbers_parse(const char *text, size_t len, bool no_negative, struct numbers *out,
		  struct strvec *mistakes)
{
	struct reader r = { .out = out, .mistakes = mistakes, .no_negative = no_negative };

	scan_init(&r.scan, text, len);
	while (mistakes->n < NUMBERS_MISTAKES_MAX && scan_line(&r.scan))
		read_line(&r);
	join_single_row(&r);
	check_series(&r);
	strvec_release(&r.heads);
	strbuf_release(&r.name);
	if (!mistakes->n)
		return 0;
	numbers_release(out);
	return -EINVAL;
}

/* Where @column is in the first line; *@heading: that line has no value. */
static size_t find_column(struct scan s, const char *column, bool *heading)
{
	unsigned long long position;
	struct token t;
	double v;

	*heading = true;
	for (size_t i = 1; scan_field(&s, &t); i++) {
		__cleanup_strbuf struct strbuf name = STRBUF_INIT;

		token_add_word(&t, &name);
		if (!strcmp(strbuf_str(&name), column))
			return i;
		if (!str_to_u64(column, &position) && position == i) {
			*heading = number_parse(t.s, t.len, &v) != NULL;
			return i;
		}
	}
	return 0;
}

static void read_field(struct reader *r, size_t position)
{
	struct token t, first = { .len = 0 };
	size_t i = 0;
	double v;

	while (i < position && scan_field(&r->scan, &t))
		if (!i++)
			first = t;
	if (!i)
		return;
	if (i < position)
		mistake(r, &first, "starts a line without this column");
	else if (read_number(r, &t, &v))
		push(&r->out->series[0], v);
	scan_rest(&r->scan);
}

int numbers_parse_column(const char *text, size_t len, const char *column, bool no_negative,
			 struct numbers *out, struct strvec *mistakes)
{
	struct reader r = { .out = out, .mistakes = mistakes, .no_negative = no_negative };
	size_t position = 0;
	bool heading;

	new_series(out, xstrdup(column));
	scan_init(&r.scan, text, len);
	while (mistakes->n < NUMBERS_MISTAKES_MAX && scan_line(&r.scan)) {
		if (!position) {
			position = find_column(r.scan, column, &heading);
			if (!position) {
				strvec_pushf(mistakes, "%zu: no column '%s'", r.scan.line, column);
				break;
			}
			if (heading)
				continue;
		}
		read_field(&r, position);
	}
	if (!out->series[0].n && !mistakes->n)
		strvec_push(mistakes, "there are no numbers");
	if (!mistakes->n)
		return 0;
	numbers_release(out);
	return -EINVAL;
}
