// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Judging a run of stress-ng. It exits with 0 when stressors were skipped, when it was
 * interrupted, and when it could not write its YAML.
 */
#include "workloads/tools/stress-ng.h"

#include "lib/mem.h"
#include "workloads/tools/parse.h"

#include <math.h>
#include <string.h>

/* Without --timeout stress-ng is set to a day, and something else ends it. */
#define NO_TIMEOUT 86400.0

struct run {
	const struct tool_output *o;
	struct tool_result *r;
	struct stress_text text;
	struct stress_yaml yaml;
	const struct stress_rows *rows; /* of the two forms, the one that counts */
	struct strvec requested;
};

static void read_output(struct run *run)
{
	const struct tool_output *o = run->o;

	run->text.asked_s = NAN;
	stress_text_read(&run->text, o->err, o->err_len);
	stress_text_read(&run->text, o->out, o->out_len);
	if (o->have_file)
		stress_yaml_read(&run->yaml, o->file, o->file_len);
	else if (!run->text.lines)
		stress_yaml_read(&run->yaml, o->out, o->out_len);
	run->rows = run->yaml.rows.n ? &run->yaml.rows : &run->text.rows;
}

/* What was to be measured: as the job says, else as the messages do. */
static void find_requested(struct run *run)
{
	const char *list = tool_param_str(run->o->job, "stressor");

	if (list) {
		strvec_split(&run->requested, list, ',');
		return;
	}
	strvec_push_all(&run->requested, &run->text.dispatched);
	for (size_t i = 0; i < run->text.n_skips; i++)
		if (!strvec_has(&run->requested, run->text.skips[i].name))
			strvec_push(&run->requested, run->text.skips[i].name);
	for (size_t i = 0; i < run->rows->n; i++)
		if (!strvec_has(&run->requested, run->rows->v[i].name))
			strvec_push(&run->requested, run->rows->v[i].name);
}

/* "sctp (SCTP protocol not supported), dentry (no reason given)"; false: all were measured. */
static bool list_missing(const struct run *run, struct strbuf *list, size_t *missing,
			 bool *explained)
{
	*missing = 0;
	*explained = true;
	for (size_t i = 0; i < run->requested.n; i++) {
		const char *name = run->requested.v[i];
		const char *why = stress_text_skip(&run->text, name);

		if (stress_row_measured(stress_rows_find(run->rows, name)))
			continue;
		strbuf_addf(list, "%s%s (%s)", *missing ? ", " : "", name,
			    why ? why : "no reason given");
		*explained &= why != NULL;
		(*missing)++;
	}
	return *missing > 0;
}

/* Other stressors than asked for are another load: the numbers of the rest do not count. */
static void judge_missing(struct run *run)
{
	__cleanup_strbuf struct strbuf list = STRBUF_INIT;
	size_t missing;
	bool explained;

	if (!list_missing(run, &list, &missing, &explained))
		return;
	if (run->o->job || missing == run->requested.n)
		tool_fail(run->r, explained ? OUTCOME_SKIPPED : OUTCOME_FAILED,
			  "stress-ng did not measure %s", strbuf_str(&list));
	else
		tool_warn(run->r, "stress-ng did not measure %s", strbuf_str(&list));
}

/* Messages of failure, and whether the output is whole. */
static void judge_whole(struct run *run)
{
	const struct stress_text *t = &run->text;
	const struct stress_yaml *y = &run->yaml;
	const struct tool_output *o = run->o;

	/* A YAML that lies about is then from another run. */
	if (t->lines && !t->rows.n && t->n_skips && !t->fails.n)
		run->rows = &t->rows;
	else if (o->have_file && !o->file_len)
		tool_fail(run->r, OUTCOME_FAILED, "stress-ng wrote nothing into its YAML file");
	else if (y->begun && !y->ended)
		tool_fail(run->r, OUTCOME_FAILED, "incomplete: the YAML of stress-ng has no end");
	else if (y->begun && !y->metrics)
		tool_fail(run->r, OUTCOME_FAILED, "the YAML of stress-ng has no metrics");
	else if (o->have_file && !y->rows.n)
		tool_fail(run->r, OUTCOME_FAILED, "the YAML of stress-ng has no stressor");
	else if (y->rows.twice || t->rows.twice)
		tool_fail(run->r, OUTCOME_FAILED, "the output of stress-ng is of several runs");
	else if (t->lines && !t->completed && o->job)
		tool_fail(run->r, OUTCOME_FAILED,
			  "incomplete: stress-ng does not say that its run was successful");
}

/* Do the two forms tell of the same run? */
static void cross_check(struct run *run)
{
	if (!run->text.lines || run->rows != &run->yaml.rows)
		return;
	if (!run->text.rows.n && !run->o->job)
		return;
	for (size_t i = 0; i < run->rows->n; i++) {
		const struct stress_row *y = &run->rows->v[i];
		const struct stress_row *t = stress_rows_find(&run->text.rows, y->name);

		/* --metrics-brief has no row of zeros. */
		if (!stress_row_measured(y) && !stress_row_measured(t))
			continue;
		if (!t || !t->have_ops || t->ops != y->ops)
			tool_fail(run->r, OUTCOME_FAILED,
				  "%s: the YAML of stress-ng contradicts its messages: another run's",
				  y->name);
	}
}

/* Interrupted, stress-ng reports what it had until then as a success. */
static void judge_length(struct run *run, bool by_time)
{
	uint64_t ops = 0, seconds = 0;
	double asked = run->text.asked_s;

	tool_param_u64(run->o->job, "ops", &ops);
	if (run->o->job)
		asked = tool_param_seconds(run->o->job, "timeout", &seconds) ? (double)seconds : NAN;
	if (asked >= NO_TIMEOUT && !run->o->job)
		asked = NAN;
	for (size_t i = 0; i < run->rows->n; i++) {
		const struct stress_row *row = &run->rows->v[i];

		if (!stress_row_measured(row) || (!by_time && row->ops >= ops))
			continue;
		if (row->real < 0.95 * asked)
			tool_fail(run->r, OUTCOME_FAILED, "%s: incomplete: ran for %.2f s of %g s",
				  row->name, row->real, asked);
		else if (!by_time)
			tool_fail(run->r, OUTCOME_FAILED,
				  "%s: incomplete: %llu of %llu operations", row->name,
				  (unsigned long long)row->ops, (unsigned long long)ops);
	}
}

static void add_warnings(struct run *run)
{
	for (size_t i = 0; i < run->text.warns.n; i++)
		tool_warn(run->r, "stress-ng: %s", run->text.warns.v[i]);
	if (run->o->job && !run->o->have_file)
		tool_warn(run->r, "stress-ng wrote no YAML file: its messages were read instead");
}

static char *primary_name(const struct run *run)
{
	struct strbuf name = STRBUF_INIT;

	if (run->o->job && run->o->job->primary)
		return xstrdup(run->o->job->primary);
	if (run->requested.n) {
		text_add_name(&name, run->requested.v[0]);
		strbuf_adds(&name, ".rate");
	}
	strbuf_adds(&name, "");
	return strbuf_detach(&name);
}

static void judge(struct run *run)
{
	bool by_time = !tool_param_str(run->o->job, "ops");
	__cleanup_free char *primary = NULL;

	judge_whole(run);
	find_requested(run);
	if (!run->requested.n)
		tool_fail(run->r, OUTCOME_FAILED, "stress-ng printed no metrics");
	cross_check(run);
	if (run->r->outcome == OUTCOME_OK)
		judge_missing(run);
	judge_length(run, by_time);
	primary = primary_name(run);
	if (run->r->outcome == OUTCOME_OK)
		stress_samples(run->rows, &run->text.rows, by_time, primary, run->r);
}

void stress_parse(const struct tool_output *o, struct tool_result *r)
{
	struct run run = { .o = o, .r = r };
	bool skipped;

	read_output(&run);
	add_warnings(&run);
	/* Status 4 and its like are also given when all that was asked for was skipped. */
	skipped = run.text.n_skips && !run.text.rows.n && !run.text.fails.n;
	if (!skipped)
		tool_check_status(o, r, "stress-ng", run.text.fails.n ? run.text.fails.v[0] : NULL);
	if (run.text.fails.n)
		tool_fail(r, OUTCOME_FAILED, "stress-ng says: %s", run.text.fails.v[0]);
	judge(&run);
	if (r->outcome == OUTCOME_OK && !r->samples.n)
		tool_fail(r, OUTCOME_FAILED, "stress-ng measured nothing");
	strvec_release(&run.requested);
	stress_rows_release(&run.yaml.rows);
	stress_text_release(&run.text);
}
