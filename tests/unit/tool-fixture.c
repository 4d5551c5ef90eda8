// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/tool-fixture.h"

#include "lib/file.h"
#include "lib/mem.h"

#include <dirent.h>
#include <string.h>

#define SUFFIX ".expected"

char *tool_fixture_dir(void)
{
	const char *top = getenv("top_srcdir");

	return xasprintf("%s/tests/fixtures", top ? top : ".");
}

void tool_fixture_names(const char *dir, struct strvec *names)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (str_ends(e->d_name, SUFFIX))
			strvec_pushf(names, "%.*s", (int)(strlen(e->d_name) - strlen(SUFFIX)),
				     e->d_name);
	if (d)
		closedir(d);
	strvec_sort(names);
}

static void add_param(struct job *job, const char *key, const char *value)
{
	const char *colon = strchr(key, ':');
	struct job_param *p;

	GROW(job->params, job->n_params);
	p = &job->params[job->n_params++];
	p->section = colon ? xstrndup(key, (size_t)(colon - key)) : xstrdup("params");
	p->key = xstrdup(colon ? colon + 1 : key);
	p->value = xstrdup(value);
	p->line = (int)job->n_params;
}

static bool add_metric(struct tool_fixture *f, const struct strvec *w)
{
	struct wanted_metric *m;
	bool primary = w->n == 7 && str_eq(w->v[6], "primary");

	if (w->n != 6 && !primary)
		return false;
	GROW(f->metrics, f->n_metrics);
	m = &f->metrics[f->n_metrics++];
	*m = (struct wanted_metric){
		.name = xstrdup(w->v[1]), .unit = xstrdup(w->v[2]), .value = xstrdup(w->v[3]),
		.better = xstrdup(w->v[4]), .kind = xstrdup(w->v[5]), .primary = primary,
	};
	return true;
}

static bool add_hist(struct tool_fixture *f, const struct strvec *w)
{
	unsigned long long count;

	if (w->n != 3 || str_to_u64(w->v[2], &count))
		return false;
	GROW(f->hists, f->n_hists);
	f->hists[f->n_hists++] = (struct wanted_hist){ xstrdup(w->v[1]), count };
	return true;
}

static bool read_stream(const char *dir, const char *name, struct strbuf *to)
{
	__cleanup_free char *path = xasprintf("%s/%s", dir, name);

	return file_read(path, to, 0) == 0;
}

/* Keys that take a job, whose text is behind the key and not words. */
static bool take_job_line(struct tool_fixture *f, const char *key, const char *rest,
			  const struct strvec *w)
{
	if (str_eq(key, "param") && w->n >= 2) {
		add_param(&f->job, w->v[1], str_trim((char *)rest + strlen(w->v[1])));
	} else if (str_eq(key, "job")) {
		str_replace(&f->job.name, rest);
	} else if (str_eq(key, "primary")) {
		str_replace(&f->job.primary, rest);
	} else {
		return false;
	}
	f->have_job = true;
	return true;
}

static bool take_line(struct tool_fixture *f, const char *dir, const char *key, const char *rest,
		      const struct strvec *w)
{
	unsigned long long number = 0;

	if (take_job_line(f, key, rest, w))
		return true;
	if (str_eq(key, "tool"))
		return (f->tool = tool_find(rest)) != NULL;
	if (str_eq(key, "out"))
		return read_stream(dir, rest, &f->out);
	if (str_eq(key, "err"))
		return read_stream(dir, rest, &f->err);
	if (str_eq(key, "file"))
		return (f->have_file = read_stream(dir, rest, &f->file));
	if (str_eq(key, "wall"))
		return str_to_double(rest, &f->wall_s) == 0;
	if (str_eq(key, "outcome"))
		return outcome_parse(rest, &f->outcome) == 0;
	if (str_eq(key, "metric"))
		return add_metric(f, w);
	if (str_eq(key, "hist"))
		return add_hist(f, w);
	if (str_eq(key, "reason"))
		str_replace(&f->reason, rest);
	else if (str_eq(key, "warning"))
		strvec_push(&f->warnings, rest);
	else if (str_eq(key, "uncut"))
		f->uncut = true;
	else if (str_eq(key, "exit") && !str_to_u64(rest, &number))
		f->status = (int)number << 8;
	else if (str_eq(key, "signal") && !str_to_u64(rest, &number))
		f->status = (int)number;
	else
		return false;
	return true;
}

struct tool_fixture *tool_fixture_load(const char *dir, const char *name, char **error)
{
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	__cleanup_free char *path = xasprintf("%s/%s" SUFFIX, dir, name);
	struct tool_fixture *f = xcalloc(1, sizeof(*f));
	char *rest, *line;

	*error = NULL;
	f->job.name = xstrdup(name);
	if (file_read(path, &text, 0))
		*error = xasprintf("%s cannot be read", path);
	rest = text.buf;
	while (!*error && (line = strsep(&rest, "\n"))) {
		__cleanup_strvec struct strvec w = STRVEC_INIT;
		__cleanup_free char *whole = xstrdup(str_trim(line));

		line = str_trim(line);
		if (!*line || *line == '#')
			continue;
		strvec_split(&w, line, ' ');
		line += strcspn(line, " ");
		if (!take_line(f, dir, w.v[0], str_trim(line), &w))
			*error = xasprintf("%s: \"%s\" is wrong", path, whole);
	}
	if (!*error && !f->tool)
		*error = xasprintf("%s names no tool", path);
	if (!*error)
		return f;
	tool_fixture_free(f);
	return NULL;
}

void tool_fixture_parse(const struct tool_fixture *f, struct tool_result *r)
{
	struct tool_output o = {
		.job = f->have_job ? &f->job : NULL,
		.out = strbuf_str(&f->out), .out_len = f->out.len,
		.err = strbuf_str(&f->err), .err_len = f->err.len,
		.file = strbuf_str(&f->file), .file_len = f->file.len,
		.have_file = f->have_file, .status = f->status, .wall_s = f->wall_s,
	};

	memset(r, 0, sizeof(*r));
	f->tool->parse(&o, r);
}

void tool_fixture_free(struct tool_fixture *f)
{
	for (size_t i = 0; i < f->job.n_params; i++) {
		free(f->job.params[i].section);
		free(f->job.params[i].key);
		free(f->job.params[i].value);
	}
	free(f->job.params);
	free(f->job.name);
	free(f->job.primary);
	for (size_t i = 0; i < f->n_metrics; i++) {
		free(f->metrics[i].name);
		free(f->metrics[i].unit);
		free(f->metrics[i].value);
		free(f->metrics[i].better);
		free(f->metrics[i].kind);
	}
	free(f->metrics);
	for (size_t i = 0; i < f->n_hists; i++)
		free(f->hists[i].name);
	free(f->hists);
	strbuf_release(&f->out);
	strbuf_release(&f->err);
	strbuf_release(&f->file);
	strvec_release(&f->warnings);
	free(f->reason);
	free(f);
}
