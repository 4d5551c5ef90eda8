// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The YAML file of stress-ng: not YAML in general, but one "key: value" per line, where the
 * depth of the key says what it belongs to. Newer versions quote strings and put the
 * numbers of each instance, under the same keys, deeper below a stressor.
 */
#include "workloads/tools/stress-ng.h"

#include "lib/mem.h"
#include "workloads/tools/parse.h"

#include <math.h>
#include <string.h>

struct reader {
	struct stress_yaml *y;
	bool in_metrics;
	size_t depth;	/* of the keys of the stressor being read; 0: none */
	ssize_t row;	/* its index, since rows move when they grow; -1: none */
};

static void unquote(char **value)
{
	size_t len = strlen(*value);

	if (len >= 2 && strchr("'\"", (*value)[0]) && (*value)[len - 1] == (*value)[0]) {
		(*value)[len - 1] = '\0';
		(*value)++;
	}
}

static void take_number(struct stress_row *row, const char *key, const char *value)
{
	double v;

	if (!text_number(value, &v))
		return;
	if (!strcmp(key, "bogo-ops"))
		row->have_ops |= text_u64(value, &row->ops);
	else if (!strcmp(key, "bogo-ops-per-second-real-time"))
		row->rate = v;
	else if (!strcmp(key, "bogo-ops-per-second-usr-sys-time"))
		row->cpu_rate = v;
	else if (!strcmp(key, "wall-clock-time"))
		row->real = v;
	else if (!strcmp(key, "user-time"))
		row->user = v;
	else if (!strcmp(key, "system-time"))
		row->sys = v;
	else if (strcmp(key, "cpu-usage-per-instance") && strcmp(key, "max-rss") &&
		 !stress_row_find_extra(row, key))
		stress_row_extra(row, key, v, STRESS_MEAN_UNKNOWN, 0);
}

/* "    - stressor: NAME": the keys of the stressor stand below its first letter. */
static void begin_stressor(struct reader *rd, const char *name, size_t depth)
{
	if (stress_rows_find(&rd->y->rows, name))
		rd->y->rows.twice = true;
	stress_rows_add(&rd->y->rows, name);
	rd->row = (ssize_t)rd->y->rows.n - 1;
	rd->depth = depth;
}

static void take_line(struct reader *rd, char *line)
{
	size_t depth = strspn(line, " ");
	char *key = line + depth, *colon, *value;
	bool item = key[0] == '-' && key[1] == ' ';

	if (item) {
		key += 2 + strspn(key + 2, " ");
		depth = (size_t)(key - line);
	}
	colon = strchr(key, ':');
	if (!colon)
		return;
	*colon = '\0';
	value = str_trim(colon + 1);
	unquote(&value);
	if (depth == 0) {
		rd->in_metrics = !strcmp(key, "metrics");
		rd->y->metrics |= rd->in_metrics;
		rd->row = -1;
		return;
	}
	if (!rd->in_metrics)
		return;
	if (item && !strcmp(key, "stressor"))
		begin_stressor(rd, value, depth);
	else if (rd->row >= 0 && !item && depth == rd->depth)
		take_number(&rd->y->rows.v[rd->row], key, value);
}

void stress_yaml_read(struct stress_yaml *y, const char *s, size_t len)
{
	struct text_lines t = TEXT_LINES(s, len);
	struct reader rd = { .y = y, .row = -1 };

	while (text_next(&t)) {
		if (!strcmp(t.line.buf, "---")) {
			/* A second document is a second run. */
			y->rows.twice |= y->begun;
			y->begun = true;
			y->ended = false;
		} else if (!strcmp(t.line.buf, "...")) {
			y->ended = true;
		} else {
			take_line(&rd, t.line.buf);
		}
	}
}
