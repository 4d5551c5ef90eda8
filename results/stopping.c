// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/stopping.h"

#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/multiple.h"
#include "results/verdict.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *const rules[] = {
	[STOPPING_FIXED] = "fixed",
	[STOPPING_WIDTH] = "width",
	[STOPPING_DECIDED] = "decided",
};

static const char *const whys[] = {
	[STOPPED_NOT] = "",
	[STOPPED_REACHED] = "reached",
	[STOPPED_BUDGET] = "budget",
	[STOPPED_TIME] = "time",
};

const char *stopping_rule_str(enum stopping_rule rule)
{
	return rules[rule];
}

const char *stopped_why_str(enum stopped_why why)
{
	return whys[why];
}

static int parse(const char *s, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(s, names[i]))
			return (int)i;
	return -EINVAL;
}

int stopping_rule_parse(const char *s, enum stopping_rule *out)
{
	int ret = parse(s, rules, ARRAY_SIZE(rules));

	if (ret < 0)
		return ret;
	*out = (enum stopping_rule)ret;
	return 0;
}

int stopped_why_parse(const char *s, enum stopped_why *out)
{
	int ret = parse(s, whys, ARRAY_SIZE(whys));

	if (ret < 0)
		return ret;
	*out = (enum stopped_why)ret;
	return 0;
}

void stopping_share(struct stopping *s)
{
	double sum = (double)s->n_looks * (double)(s->n_looks + 1) / 2;

	for (size_t i = 0; i < s->n_looks; i++)
		s->looks[i].alpha = VERDICT_ALPHA * ((double)(i + 1) / sum);
}

uint64_t stopping_most(const struct stopping *s)
{
	if (s->rule == STOPPING_DECIDED)
		return s->n_looks ? s->looks[s->n_looks - 1].units : 0;
	return s->rule == STOPPING_WIDTH ? s->most : 0;
}

bool stopping_is_look(const struct stopping *s, uint64_t units)
{
	if (s->rule == STOPPING_WIDTH)
		return units >= s->first;
	for (size_t i = 0; s->rule == STOPPING_DECIDED && i < s->n_looks; i++)
		if (s->looks[i].units == units)
			return true;
	return false;
}

/* Without a row there is nothing that could be narrow. */
static bool all_narrow(double width_pct, const struct stopping_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(rows[i].pct_hi - rows[i].pct_lo <= 2 * width_pct))
			return false;
	return n > 0;
}

static bool all_decided(double alpha, const struct stopping_row *rows, size_t n)
{
	__cleanup_free double *p = xcalloc(n, sizeof(*p));

	for (size_t i = 0; i < n; i++)
		p[i] = rows[i].p;
	multiple_holm(p, n, p);
	for (size_t i = 0; i < n; i++)
		if (!(p[i] <= alpha))
			return false;
	return n > 0;
}

/* The look that is taken at @units; 0: none. */
static size_t look_at(const struct stopping *s, uint64_t units)
{
	for (size_t i = 0; i < s->n_looks; i++)
		if (s->looks[i].units == units)
			return i + 1;
	return 0;
}

bool stopping_judge(const struct stopping *s, uint64_t units, const struct stopping_row *rows,
		    size_t n, struct stopped *out)
{
	bool reached = false;

	if (s->rule == STOPPING_FIXED)
		return false;
	out->units = units;
	if (s->rule == STOPPING_WIDTH) {
		reached = units >= s->first && all_narrow(s->width_pct, rows, n);
	} else if (look_at(s, units)) {
		out->look = look_at(s, units);
		reached = all_decided(s->looks[out->look - 1].alpha, rows, n);
	}
	if (reached)
		out->why = STOPPED_REACHED;
	else if (units >= stopping_most(s))
		out->why = STOPPED_BUDGET;
	return out->why != STOPPED_NOT;
}

/* A look that is due at exactly @units may have been cut off: it counts as the next one. */
static size_t next_look(const struct stopping *s, const struct stopped *end, uint64_t units)
{
	for (size_t i = end->look; i < s->n_looks; i++)
		if (s->looks[i].units >= units)
			return i;
	return s->n_looks - 1;
}

double stopping_level(const struct stopping *s, const struct stopped *end, uint64_t units)
{
	if (s->rule != STOPPING_DECIDED || !s->n_looks)
		return VERDICT_ALPHA;
	if (end->look && end->look <= s->n_looks &&
	    (end->why == STOPPED_REACHED || end->why == STOPPED_BUDGET))
		return s->looks[end->look - 1].alpha;
	return s->looks[next_look(s, end, units)].alpha;
}

double stopping_spent(const struct stopping *s, const struct stopped *end)
{
	double spent = 0;

	for (size_t i = 0; s->rule == STOPPING_DECIDED && i < end->look && i < s->n_looks; i++)
		spent += s->looks[i].alpha;
	return spent;
}

static void add_rule(const struct stopping *s, struct strbuf *sb)
{
	if (s->rule == STOPPING_WIDTH) {
		strbuf_addf(sb, "until the 95 %% interval of every primary metric is within +-%g %%, "
			    "%llu to %llu of each arm", s->width_pct, (unsigned long long)s->first,
			    (unsigned long long)s->most);
	} else {
		strbuf_adds(sb, "until every primary metric is decided, looks after ");
		for (size_t i = 0; i < s->n_looks; i++)
			strbuf_addf(sb, "%s%llu", i ? ", " : "",
				    (unsigned long long)s->looks[i].units);
		strbuf_adds(sb, " of each arm");
	}
}

char *stopping_text(const struct stopping *s, const struct stopped *end, uint64_t units)
{
	struct strbuf sb = STRBUF_INIT;
	double level = stopping_level(s, end, units);
	bool look = s->rule == STOPPING_DECIDED;

	if (s->rule == STOPPING_FIXED)
		return NULL;
	add_rule(s, &sb);
	switch (end->why) {
	case STOPPED_REACHED:
	case STOPPED_BUDGET:
		if (look)
			strbuf_addf(&sb, "; ended at look %zu, after %llu%s", end->look,
				    (unsigned long long)end->units,
				    end->why == STOPPED_BUDGET ? ", undecided" : "");
		else
			strbuf_addf(&sb, "; ended after %llu%s", (unsigned long long)end->units,
				    end->why == STOPPED_BUDGET ? ", not reached" : "");
		break;
	case STOPPED_TIME:
		strbuf_addf(&sb, "; out of time after %llu", (unsigned long long)end->units);
		break;
	case STOPPED_NOT:
		strbuf_addf(&sb, "; not ended by this rule, but after %llu",
			    (unsigned long long)units);
		break;
	}
	if (look && (end->why == STOPPED_NOT || end->why == STOPPED_TIME))
		strbuf_addf(&sb, ", so judged at the share of the next look not taken, %.3g %%",
			    100 * level);
	else if (look)
		strbuf_addf(&sb, "; judged at the share of that look, %.3g %%", 100 * level);
	return strbuf_detach(&sb);
}
