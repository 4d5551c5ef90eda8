// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta probe: what it prints of functions. */
#include "harness/cmd-probe.h"

#include "lib/log.h"
#include "lib/mem.h"
#include "probes/generate.h"

#include <errno.h>
#include <string.h>

#define WIDTH 75

/* Words behind @lead, wrapped; lines after the first are indented by @indent. */
static void add_wrapped(struct strbuf *out, const char *lead, const struct strvec *words,
			size_t indent)
{
	size_t column = strlen(lead);

	strbuf_adds(out, lead);
	for (size_t i = 0; i < words->n; i++) {
		size_t len = strlen(words->v[i]);

		if (column + 1 + len > WIDTH && column > indent) {
			strbuf_addc(out, '\n');
			strbuf_pad(out, ' ', indent);
			column = indent;
		} else if (column) {
			strbuf_addc(out, ' ');
			column++;
		}
		strbuf_add_printable(out, words->v[i]);
		column += len;
	}
	strbuf_addc(out, '\n');
}

static void add_text(struct strbuf *out, const char *lead, const char *text, size_t indent)
{
	__cleanup_strvec struct strvec words = STRVEC_INIT;

	strvec_split(&words, text, ' ');
	add_wrapped(out, lead, &words, indent);
}

/* --- what a patch touches --- */

static void add_touched(struct strbuf *out, const struct touched *t)
{
	bool function = t->kind == CSCAN_FUNCTION;
	const char *members = t->members.n ? ", members:" : "";

	strbuf_addf(out, "  %-36s %s%s%s%s%s", t->name, touched_change_str(t->change),
		    function ? "" : " ", function ? "" : cscan_kind_str(t->kind),
		    t->how == TOUCHED_GUESS ? " (a guess)" : "", members);
	for (size_t i = 0; i < t->members.n; i++)
		strbuf_addf(out, "%s %s", i ? "," : "", t->members.v[i]);
	strbuf_addc(out, '\n');
	if (!function && t->users.n)
		add_wrapped(out, "      used by", &t->users, 8);
}

int probe_show_touched(const struct touched_list *l, struct strbuf *out)
{
	bool others = false;

	for (size_t i = 0; i < l->n; i++) {
		if (!i || strcmp(l->v[i].file, l->v[i - 1].file)) {
			strbuf_add_printable(out, l->v[i].file);
			strbuf_adds(out, ":\n");
		}
		add_touched(out, &l->v[i]);
		others |= l->v[i].kind != CSCAN_FUNCTION;
	}
	if (others)
		strbuf_adds(out, "\nOnly functions can be probed by name: for the rest, count those that use it.\n");
	return EXIT_OK;
}

/* --- the functions to ask for --- */

struct wanted {
	const char *name;
	const char *file;	  /* NULL: not of a patch */
	bool removed, added;
};

struct wanted_list {
	struct wanted *v;
	size_t n;
};

static void want(struct wanted_list *w, struct wanted one)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->v[i].name, one.name))
			return;
	GROW(w->v, w->n);
	w->v[w->n++] = one;
}

/* Functions that a patch changes, and those that use what is no function. */
static void want_all(struct wanted_list *w, const struct probe_args *a, const struct touched_list *l)
{
	for (int i = 0; i < a->n_names; i++)
		want(w, (struct wanted){ .name = a->names[i] });
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].kind == CSCAN_FUNCTION)
			want(w, (struct wanted){ .name = l->v[i].name, .file = l->v[i].file,
						 .removed = l->v[i].change == TOUCHED_REMOVED,
						 .added = l->v[i].change == TOUCHED_NEW });
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->v[i].users.n; k++)
			want(w, (struct wanted){ .name = l->v[i].users.v[k],
						 .file = l->v[i].file });
}

/* "btrfs" of "fs/btrfs/inode.c"; the caller frees. NULL: no module is suggested. */
static char *module_of(const char *file)
{
	const char *end;

	if (!file || !str_starts(file, "fs/"))
		return NULL;
	file += 3;
	end = strchr(file, '/');
	return end ? xstrndup(file, (size_t)(end - file)) : NULL;
}

static void ask(const struct symbols *s, const struct wanted *w, struct probe_answer *answer)
{
	__cleanup_free char *module = module_of(w->file);

	symbols_check(s, w->name, module, NULL, answer);
}

int probe_check(const struct app *app, const struct probe_args *a, const struct touched_list *l,
		struct strbuf *out)
{
	struct wanted_list w = { .v = NULL };
	struct symbols s;
	int ret = EXIT_OK;

	symbols_load(&s, app->sysroot);
	want_all(&w, a, l);
	for (size_t i = 0; i < w.n; i++) {
		struct probe_answer answer;
		const char *note = w.v[i].added ? " (new in the patch: only a patched kernel has it)" :
				   w.v[i].removed ? " (removed by the patch)" : "";
		__cleanup_free char *text = NULL;

		ask(&s, &w.v[i], &answer);
		text = xasprintf("%s%s", answer.sentence, note);
		add_text(out, "", text, 4);
		if (!probeable_counts(answer.result))
			ret = EXIT_INCONCLUSIVE;
		probe_answer_release(&answer);
	}
	if (!w.n)
		ret = EXIT_INCONCLUSIVE;
	free(w.v);
	symbols_release(&s);
	return ret;
}

/* --- the script --- */

static int write_script(const struct probe_args *a, const struct generate_function *v, size_t n,
			struct strbuf *out)
{
	struct generate g = { .v = v, .n = n, .cgroup = a->cgroup, .stacks = a->stacks };
	int ret = n ? generate_script(&g, out) : -ENOENT;

	if (ret == -E2BIG)
		log_error("probe: more than %d symbols: name fewer functions", GENERATE_MAX_PROBES);
	else if (ret)
		log_error("probe: no function that can be counted");
	return ret ? EXIT_TROUBLE : EXIT_OK;
}

int probe_script(const struct app *app, const struct probe_args *a, const struct touched_list *l,
		 struct strbuf *out)
{
	struct wanted_list w = { .v = NULL };
	struct probe_answer *answers;
	struct generate_function *v;
	struct symbols s;
	size_t n = 0;
	int ret, left_out = EXIT_OK;

	symbols_load(&s, app->sysroot);
	want_all(&w, a, l);
	answers = xcalloc(w.n + 1, sizeof(*answers));
	v = xcalloc(w.n + 1, sizeof(*v));
	for (size_t i = 0; i < w.n; i++) {
		ask(&s, &w.v[i], &answers[i]);
		if (probeable_counts(answers[i].result)) {
			v[n++] = (struct generate_function){ w.v[i].name, &answers[i].probe };
			continue;
		}
		log_warn("%s", answers[i].sentence);
		left_out = EXIT_INCONCLUSIVE;
	}
	ret = write_script(a, v, n, out);
	for (size_t i = 0; i < w.n; i++)
		probe_answer_release(&answers[i]);
	free(answers);
	free(v);
	free(w.v);
	symbols_release(&s);
	return ret ? ret : left_out;
}
