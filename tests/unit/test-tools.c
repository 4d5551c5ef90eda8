// SPDX-License-Identifier: GPL-2.0-or-later
/* The parsers of tool output against what real tools printed: see tool-fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/hist.h"
#include "lib/mem.h"
#include "tests/unit/tool-fixture.h"

#include <math.h>
#include <string.h>

/* More than this many prefixes of one output are not tried. */
#define MAX_CUTS 150

static const struct tool_fixture *wanted_of(void **state)
{
	return *state;
}

static bool same_value(const char *want, struct value got)
{
	unsigned long long u;
	double d;

	if (!str_to_u64(want, &u) && got.whole)
		return got.u == u;
	if (str_to_double(want, &d))
		return false;
	return fabs(value_as_double(got) - d) <= 1e-9 * fabs(d);
}

static void check_metric(const struct wanted_metric *want, const struct tool_result *r)
{
	const struct sample *s = samples_get(&r->samples, want->name);

	if (!s)
		fail_msg("%s was not measured", want->name);
	assert_string_equal(s->metric.unit, want->unit);
	if (!same_value(want->value, s->value))
		fail_msg("%s is %.17g, not %s", want->name, value_as_double(s->value), want->value);
	if (strcmp(direction_str(s->metric.better), want->better))
		fail_msg("%s: better is %s", want->name, direction_str(s->metric.better));
	if (strcmp(metric_kind_str(s->metric.kind), want->kind))
		fail_msg("%s: kind is %s", want->name, metric_kind_str(s->metric.kind));
	if (s->metric.primary != want->primary)
		fail_msg("%s: primary is %d", want->name, s->metric.primary);
}

/* What holds for any result: a name of the right letters, a text, a finite value. */
static void check_form(const struct tool_result *r)
{
	if (r->outcome != OUTCOME_OK) {
		assert_non_null(r->reason);
		assert_int_equal(r->samples.n, 0);
		assert_int_equal(r->samples.n_hists, 0);
		return;
	}
	assert_null(r->reason);
	assert_true(r->samples.n > 0);
	for (size_t i = 0; i < r->samples.n; i++) {
		const struct sample *s = &r->samples.v[i];

		assert_int_equal(strspn(s->metric.name, "abcdefghijklmnopqrstuvwxyz0123456789._-"),
				 strlen(s->metric.name));
		assert_non_null(s->metric.text);
		assert_true(isfinite(value_as_double(s->value)));
		assert_true(value_as_double(s->value) >= 0);
	}
}

static void check_warnings(const struct strvec *want, const struct strvec *got)
{
	for (size_t i = 0; i < want->n; i++) {
		bool found = false;

		for (size_t k = 0; k < got->n; k++)
			found |= strstr(got->v[k], want->v[i]) != NULL;
		if (!found)
			fail_msg("no warning \"%s\"", want->v[i]);
	}
	for (size_t k = 0; k < got->n; k++) {
		bool found = false;

		for (size_t i = 0; i < want->n; i++)
			found |= strstr(got->v[k], want->v[i]) != NULL;
		if (!found)
			fail_msg("unexpected warning \"%s\"", got->v[k]);
	}
}

static void check_samples(const struct tool_fixture *f, const struct tool_result *r)
{
	for (size_t i = 0; i < f->n_metrics; i++)
		check_metric(&f->metrics[i], r);
	for (size_t i = 0; i < r->samples.n; i++) {
		const char *name = r->samples.v[i].metric.name;
		bool found = false;

		for (size_t k = 0; k < f->n_metrics; k++)
			found |= str_eq(f->metrics[k].name, name);
		if (!found)
			fail_msg("%s was not expected", name);
	}
	assert_int_equal(r->samples.n_hists, f->n_hists);
	for (size_t i = 0; i < f->n_hists; i++) {
		const struct hist *h = samples_get_hist(&r->samples, f->hists[i].name);

		assert_non_null(h);
		assert_int_equal(h->count, f->hists[i].count);
	}
}

static void test_fixture(void **state)
{
	const struct tool_fixture *f = wanted_of(state);
	struct tool_result r;

	tool_fixture_parse(f, &r);
	check_form(&r);
	if (r.outcome != f->outcome)
		fail_msg("outcome %s: %s", outcome_str(r.outcome), r.reason ? r.reason : "");
	if (f->reason && !strstr(r.reason, f->reason))
		fail_msg("the reason is \"%s\"", r.reason);
	/* A failure without words, or an OK without metrics, would check nothing. */
	assert_true(f->outcome == OUTCOME_OK ? f->n_metrics > 0 : f->reason != NULL);
	check_warnings(&f->warnings, &r.warnings);
	check_samples(f, &r);
	tool_result_release(&r);
}

/* A prefix of an output is a failure, or says the same as far as it goes. */
static void check_cut(const struct tool_fixture *f, const struct tool_result *whole, size_t len)
{
	struct tool_result r;

	tool_fixture_parse(f, &r);
	check_form(&r);
	for (size_t i = 0; i < r.samples.n; i++) {
		const struct sample *s = &r.samples.v[i];
		const struct sample *t = samples_get(&whole->samples, s->metric.name);

		if (!t || value_as_double(t->value) != value_as_double(s->value))
			fail_msg("cut after %zu bytes, %s is %.17g", len, s->metric.name,
				 value_as_double(s->value));
	}
	/* The numbers of a job are all there or none. */
	if (f->have_job && r.outcome == OUTCOME_OK && r.samples.n != whole->samples.n)
		fail_msg("cut after %zu bytes, %zu of %zu metrics are left", len, r.samples.n,
			 whole->samples.n);
	tool_result_release(&r);
}

static void test_cut(void **state)
{
	struct tool_fixture *f = *state;
	struct strbuf *stream = f->have_file ? &f->file : f->out.len ? &f->out : &f->err;
	__cleanup_free char *all = xstrndup(strbuf_str(stream), stream->len);
	size_t len = stream->len, step = len / MAX_CUTS + 1;
	struct tool_result whole;

	if (f->outcome != OUTCOME_OK || f->uncut)
		return;
	tool_fixture_parse(f, &whole);
	for (size_t cut = 0; cut < len; cut += cut + 120 < len ? step : 1) {
		/* A copy of its own, so that a read behind the end is noticed. */
		strbuf_release(stream);
		strbuf_add(stream, all, cut);
		check_cut(f, &whole, cut);
	}
	strbuf_release(stream);
	strbuf_add(stream, all, len);
	tool_result_release(&whole);
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; tools[i]; i++) {
		if (i)
			assert_true(strcmp(tools[i - 1]->name, tools[i]->name) < 0);
		assert_ptr_equal(tool_find(tools[i]->name), tools[i]);
		assert_non_null(tools[i]->summary);
		assert_non_null(tools[i]->argv);
		assert_non_null(tools[i]->parse);
		assert_true(!tools[i]->program == !tools[i]->package);
		for (const struct tool_param *p = tools[i]->params; p->name; p++) {
			assert_non_null(p->help);
			assert_true((p->type == PARAM_CHOICE) == (p->choices != NULL));
		}
	}
	assert_null(tool_find("nothing"));
}

int main(void)
{
	__cleanup_free char *dir = tool_fixture_dir();
	__cleanup_strvec struct strvec names = STRVEC_INIT, cuts = STRVEC_INIT;
	struct tool_fixture **fixtures;
	struct CMUnitTest *tests;
	size_t n = 0;
	int ret;

	tool_fixture_names(dir, &names);
	fixtures = xcalloc(names.n + 1, sizeof(*fixtures));
	tests = xcalloc(2 * names.n + 1, sizeof(*tests));
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_table);
	for (size_t i = 0; i < names.n; i++) {
		char *error;

		fixtures[i] = tool_fixture_load(dir, names.v[i], &error);
		if (!fixtures[i]) {
			printf("Bail out! %s\n", error);
			return 99;
		}
		tests[n++] = (struct CMUnitTest){ names.v[i], test_fixture, NULL, NULL, fixtures[i] };
	}
	if (!names.n) {
		printf("Bail out! no fixtures in %s\n", dir);
		return 99;
	}
	for (size_t i = 0; i < names.n; i++) {
		strvec_pushf(&cuts, "%s cut short", names.v[i]);
		tests[n++] = (struct CMUnitTest){ cuts.v[i], test_cut, NULL, NULL, fixtures[i] };
	}
	ret = _cmocka_run_group_tests("tools", tests, n, NULL, NULL);
	for (size_t i = 0; i < names.n; i++)
		tool_fixture_free(fixtures[i]);
	free(fixtures);
	free(tests);
	return ret;
}
