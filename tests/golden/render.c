// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * render --list              every golden file, one a line: FILE CASE WHAT FORMAT
 * render CASE WHAT FORMAT    prints it; WHAT is comparison, all (comparison with --all) or run
 */
#include "reports/report.h"

#include "lib/mem.h"
#include "tests/golden/cases.h"

#include <stdio.h>
#include <string.h>

static void list(void)
{
	static const char *const what[] = { "comparison", "all", "run" };

	for (const struct golden_case *c = golden_cases; c->name; c++) {
		for (const struct report_format *f = report_formats; f->name; f++) {
			for (size_t i = 0; i < ARRAY_SIZE(what); i++) {
				/* JSON has everything anyway. */
				if (!strcmp(what[i], "all") && !strcmp(f->name, "json"))
					continue;
				/* The first case is what a reader of the manual looks at. */
				if (c == golden_cases)
					printf("reports/examples/%s.%s %s %s %s\n", what[i], f->name,
					       c->name, what[i], f->name);
				else
					printf("tests/golden/%s.%s.%s %s %s %s\n", c->name, what[i],
					       f->name, c->name, what[i], f->name);
			}
		}
	}
}

/* Pooled runs are freed; then @n is 0. */
static struct comparison *compare(const struct golden_case *gc, struct run **runs, size_t *n)
{
	struct compare_options o = COMPARE_OPTIONS_INIT;
	struct pool_arm arms[CASE_MAX_RUNS] = { { NULL, 0 } };
	struct pool pool = POOL_INIT;
	struct comparison *c;
	size_t n_arms = 0;

	if (!gc->pool)
		return compare_runs(runs, *n, NULL);
	for (size_t i = 0; i < *n; i++) {
		if (!i || strcmp(runs[i]->label, runs[i - 1]->label))
			arms[n_arms++].runs = &runs[i];
		arms[n_arms - 1].n++;
	}
	pool_make(&pool, arms, n_arms);
	o.pool = &pool;
	c = compare_runs(pool.runs, pool.n, &o);
	pool_release(&pool);
	*n = 0;
	return c;
}

static int render(const char *name, const char *what, const char *format)
{
	const struct report_options options = { .all = !strcmp(what, "all") };
	const struct report_format *f = report_find(format);
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	__cleanup_comparison struct comparison *c = NULL;
	const struct golden_case *gc = golden_cases;
	struct run *runs[CASE_MAX_RUNS];
	size_t n;

	while (gc->name && strcmp(gc->name, name))
		gc++;
	if (!gc->name || !f) {
		fprintf(stderr, "render: no such case or format: %s %s\n", name, format);
		return 2;
	}
	n = gc->make(runs);
	if (!strcmp(what, "run")) {
		f->run(runs[n - 1], &options, &out);
	} else {
		c = compare(gc, runs, &n);
		f->comparison(c, &options, &out);
	}
	fputs(strbuf_str(&out), stdout);
	while (n)
		run_free(runs[--n]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--list")) {
		list();
		return 0;
	}
	if (argc == 4)
		return render(argv[1], argv[2], argv[3]);
	fputs("usage: render --list | CASE WHAT FORMAT\n", stderr);
	return 2;
}
