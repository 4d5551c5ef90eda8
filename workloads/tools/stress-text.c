// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The messages of stress-ng, "stress-ng: KIND: [PID] ...", in the forms of its versions:
 * rows are info or metrc, have 6 or more numbers, plain or with exponents; the other
 * metrics end with "(MEAN mean of N instances)", MEAN spelled in several ways.
 */
#include "workloads/tools/stress-ng.h"

#include "lib/mem.h"
#include "workloads/tools/parse.h"

#include <math.h>
#include <string.h>

/* Name, operations, three times, two rates, and what newer versions append. */
#define ROW_MIN 7
#define ROW_MAX 16
#define WORDS_MAX 64

/* "5 second run", "1 min, 40 secs run", "2 hours run". NaN when it is none of these. */
static double read_duration(char **w, size_t n)
{
	static const struct {
		const char *unit;
		double s;
	} units[] = { { "sec", 1 }, { "min", 60 }, { "hour", 3600 }, { "day", 86400 } };
	double total = 0, v;
	size_t i = 0;

	for (; i + 1 < n && text_number(w[i], &v); i += 2) {
		size_t k = 0;

		while (k < ARRAY_SIZE(units) && !str_starts(w[i + 1], units[k].unit))
			k++;
		if (k == ARRAY_SIZE(units))
			return NAN;
		total += v * units[k].s;
	}
	return i && i < n && str_starts(w[i], "run") ? total : NAN;
}

static void take_row(struct stress_text *t, char **w, size_t n)
{
	double v[ROW_MAX];
	struct stress_row *row;
	uint64_t ops;

	if (n < ROW_MIN || n > ROW_MAX || !text_u64(w[1], &ops))
		return;
	for (size_t i = 1; i < n; i++)
		if (!text_number(w[i], &v[i]))
			return;
	row = stress_rows_find(&t->rows, w[0]);
	/* The row of a metric may have come first. */
	if (row && row->have_ops)
		t->rows.twice = true;
	if (!row)
		row = stress_rows_add(&t->rows, w[0]);
	row->have_ops = true;
	row->ops = ops;
	row->real = v[2];
	row->user = v[3];
	row->sys = v[4];
	row->rate = v[5];
	row->cpu_rate = v[6];
}

/* Starts with "(": which mean, of how many instances? */
static enum stress_mean read_mean(char **w, size_t n, uint64_t *instances)
{
	static const struct {
		const char *word;
		enum stress_mean mean;
	} means[] = {
		{ "(geom", STRESS_MEAN_GEOMETRIC }, { "(harm", STRESS_MEAN_HARMONIC },
		{ "(arith", STRESS_MEAN_ARITHMETIC }, { "(mean", STRESS_MEAN_ARITHMETIC },
		{ "(total", STRESS_MEAN_TOTAL },
	};

	for (size_t i = 1; i < n; i++)
		if (str_starts(w[i], "instance") && text_u64(w[i - 1], instances))
			break;
	for (size_t k = 0; k < ARRAY_SIZE(means); k++)
		if (str_starts(w[0], means[k].word))
			return means[k].mean;
	return STRESS_MEAN_UNKNOWN;
}

/* Words as the YAML makes a key of them: "MB/sec read rate" is "mbsec-read-rate". */
static void add_key(struct strbuf *key, char **w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			strbuf_addc(key, '-');
		for (const char *c = w[i]; *c; c++) {
			if (*c >= 'A' && *c <= 'Z')
				strbuf_addc(key, (char)(*c - 'A' + 'a'));
			else if ((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '-')
				strbuf_addc(key, *c);
		}
	}
}

/* NAME NUMBER WORDS... (MEAN of N instances) */
static void take_extra(struct stress_text *t, char **w, size_t n)
{
	__cleanup_strbuf struct strbuf key = STRBUF_INIT;
	struct stress_row *row;
	uint64_t instances = 0;
	enum stress_mean mean;
	size_t paren = 2;
	double value;

	if (n < 4 || !text_number(w[1], &value))
		return;
	while (paren < n && w[paren][0] != '(')
		paren++;
	if (paren == 2 || paren == n || !strstr(w[n - 1], "instance"))
		return;
	mean = read_mean(w + paren, n - paren, &instances);
	add_key(&key, w + 2, paren - 2);
	if (!key.len)
		return;
	row = stress_rows_find(&t->rows, w[0]);
	if (!row)
		row = stress_rows_add(&t->rows, w[0]);
	if (!stress_row_find_extra(row, strbuf_str(&key)))
		stress_row_extra(row, strbuf_str(&key), value, mean, instances);
}

static void add_skip(struct stress_text *t, const char *name, size_t len, const char *why)
{
	GROW(t->skips, t->n_skips);
	t->skips[t->n_skips++] = (struct stress_skip){
		.name = xstrndup(name, len), .why = xstrdup(why),
	};
}

/*
 * "rdrand stressor will be skipped, WHY"; "sctp: WHY, skipping stressor";
 * "disabled 'cpu-online' as WHY".
 */
static void take_skip(struct stress_text *t, const char *msg)
{
	size_t word = strcspn(msg, " :");
	const char *why;

	if (str_starts(msg, "disabled '")) {
		msg += strlen("disabled '");
		why = strstr(msg, "' as ");
		if (why)
			add_skip(t, msg, strcspn(msg, "'"), why + strlen("' as "));
		return;
	}
	why = strstr(msg, " will be skipped");
	if (why) {
		why += strlen(" will be skipped");
		add_skip(t, msg, word, why + strspn(why, ", "));
	} else if (msg[word] == ':' && (strstr(msg, "skipping") || strstr(msg, "skipped"))) {
		add_skip(t, msg, word, msg + word + 1 + strspn(msg + word + 1, " "));
	}
}

/* "dispatching hogs: 1 sctp, 1 utime" */
static void take_dispatched(struct stress_text *t, const char *list)
{
	__cleanup_strvec struct strvec parts = STRVEC_INIT;

	strvec_split(&parts, list, ',');
	for (size_t i = 0; i < parts.n; i++) {
		const char *name = strchr(parts.v[i], ' ');

		if (name)
			strvec_push(&t->dispatched, name + 1);
	}
}

/* Workers that ended before their time, whatever the kind of the message. */
static bool is_loss(const char *msg)
{
	return strstr(msg, "aborted early") || strstr(msg, "terminated on signal") ||
	       strstr(msg, "OOM killer") || strstr(msg, "unsuccessful run completed") ||
	       strstr(msg, "was killed");
}

static void take_message(struct stress_text *t, const char *kind, char *msg)
{
	char *w[WORDS_MAX];
	size_t n;

	take_skip(t, msg);
	if (str_starts(msg, "dispatching hogs: "))
		take_dispatched(t, msg + strlen("dispatching hogs: "));
	if (strstr(msg, "successful run completed") && !strstr(msg, "unsuccessful"))
		t->completed = true;
	/* That none was left to run is said of skipped ones. */
	if (is_loss(msg) || str_starts(kind, "fail:") ||
	    (str_starts(kind, "error:") && !strstr(msg, "No stress workers invoked")))
		strvec_push(&t->fails, msg);
	else if (str_starts(kind, "warn:"))
		strvec_push(&t->warns, msg);
	if (!str_starts(kind, "info:") && !str_starts(kind, "metrc:"))
		return;
	n = text_words(msg, w, WORDS_MAX);
	if (n > 4 && !strcmp(w[0], "setting") && !strcmp(w[2], "a"))
		t->asked_s = read_duration(w + 3, n - 3);
	take_row(t, w, n);
	take_extra(t, w, n);
}

void stress_text_read(struct stress_text *t, const char *s, size_t len)
{
	struct text_lines lines = TEXT_LINES(s, len);

	while (text_next(&lines)) {
		char *line = str_trim(lines.line.buf), *kind, *msg;

		if (!lines.whole || !str_starts(line, "stress-ng: "))
			continue;
		kind = line + strlen("stress-ng: ");
		msg = strstr(kind, "] ");
		/* With --timestamp, the time comes before the kind. */
		if (kind[0] >= '0' && kind[0] <= '9' && strchr(kind, ' '))
			kind = strchr(kind, ' ') + 1;
		if (!msg)
			continue;
		t->lines = true;
		take_message(t, kind, str_trim(msg + 2));
	}
}

void stress_text_release(struct stress_text *t)
{
	stress_rows_release(&t->rows);
	for (size_t i = 0; i < t->n_skips; i++) {
		free(t->skips[i].name);
		free(t->skips[i].why);
	}
	free(t->skips);
	strvec_release(&t->dispatched);
	strvec_release(&t->fails);
	strvec_release(&t->warns);
}
