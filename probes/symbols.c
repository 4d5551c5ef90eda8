// SPDX-License-Identifier: GPL-2.0-or-later
/* What a kernel says about its functions. */
#include "probes/symbols.h"

#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <string.h>

#define TRACEFS "/sys/kernel/tracing"
#define TRACEFS_OLD "/sys/kernel/debug/tracing"

/* Calls @line with each line of @text, cut at its end. */
static void each_line(char *text, void (*line)(struct symbols *s, char *line), struct symbols *s)
{
	while (text && *text) {
		char *end = strchr(text, '\n');

		if (end)
			*end = '\0';
		line(s, text);
		text = end ? end + 1 : NULL;
	}
}

/* The next word of *at, cut out; NULL: none. */
static char *word(char **at)
{
	char *s = *at + strspn(*at, " \t");
	size_t len = strcspn(s, " \t");

	if (!len)
		return NULL;
	*at = s + len + (s[len] != '\0');
	s[len] = '\0';
	return s;
}

static bool has_part(const char *suffix, const char *part)
{
	size_t len = strlen(part);

	for (const char *s = strstr(suffix, part); s; s = strstr(s + 1, part))
		if (!s[len] || s[len] == '.')
			return true;
	return false;
}

/* "foo.isra.0.cold": everything from the first '.' was appended by the compiler. */
static void set_suffix(struct symbol *sym)
{
	const char *dot = strchr(sym->name + 1, '.');

	sym->base = dot ? xstrndup(sym->name, (size_t)(dot - sym->name)) : xstrdup(sym->name);
	sym->part = dot && has_part(dot, ".part");
	sym->cold = dot && has_part(dot, ".cold");
}

/* "ffffffff81000000 t name.isra.0	[module]" */
static void take_symbol(struct symbols *s, char *line)
{
	char *address = word(&line), *type = word(&line), *name = word(&line), *module = word(&line);

	if (!address || !type || !name || !strchr("tTwW", *type) || type[1])
		return;
	if (!strcmp(name, "register_kprobe"))
		s->has_kprobes = true;
	GROW(s->v, s->n);
	s->v[s->n] = (struct symbol){ .name = xstrdup(name) };
	if (module && *module == '[')
		s->v[s->n].module = xstrndup(module + 1, strcspn(module + 1, "]"));
	set_suffix(&s->v[s->n++]);
}

static int by_base(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int order = strcmp(x->base, y->base);

	return order ? order : strcmp(x->name, y->name);
}

/* "name [module]"; newer kernels append more words. */
static void take_traceable(struct symbols *s, char *line)
{
	char *name = word(&line);

	if (name)
		strvec_push(&s->traceable, name);
}

/* "0xffffffff81000000-0xffffffff81000010	name" */
static void take_blacklisted(struct symbols *s, char *line)
{
	char *range = word(&line), *name = word(&line);

	if (range && name)
		strvec_push(&s->blacklist, name);
}

static char *read_tracefs(const char *root, const char *file)
{
	char *text = proc_read(root, TRACEFS "/%s", file);

	return text ? text : proc_read(root, TRACEFS_OLD "/%s", file);
}

/* "kernel/fs/xfs/xfs.ko.xz: ..." */
static void take_module(struct symbols *s, char *line)
{
	char *end = strstr(line, ".ko"), *name;

	if (!end)
		return;
	*end = '\0';
	name = strrchr(line, '/') ? strrchr(line, '/') + 1 : line;
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	strvec_push(&s->not_loaded, name);
}

static void drop_loaded(struct symbols *s, const char *modules)
{
	struct strvec left = STRVEC_INIT;

	for (size_t i = 0; i < s->not_loaded.n; i++) {
		__cleanup_free char *start = xasprintf("%s ", s->not_loaded.v[i]);
		__cleanup_free char *behind = xasprintf("\n%s ", s->not_loaded.v[i]);

		if (!str_starts(modules, start) && !strstr(modules, behind))
			strvec_push(&left, s->not_loaded.v[i]);
	}
	strvec_release(&s->not_loaded);
	s->not_loaded = left;
}

static void load_modules(struct symbols *s, const char *root)
{
	__cleanup_free char *release = proc_read_line(root, "/proc/sys/kernel/osrelease");
	__cleanup_free char *loaded = proc_read(root, "/proc/modules");
	__cleanup_free char *on_disk =
		release ? proc_read(root, "/lib/modules/%s/modules.dep", release) : NULL;

	each_line(on_disk, take_module, s);
	if (loaded)
		drop_loaded(s, loaded);
	strvec_sort(&s->not_loaded);
}

void symbols_load(struct symbols *s, const char *root)
{
	__cleanup_free char *kallsyms = proc_read(root, "/proc/kallsyms");
	int error = errno;
	__cleanup_free char *traceable = read_tracefs(root, "available_filter_functions");
	__cleanup_free char *blacklist = proc_read(root, "/sys/kernel/debug/kprobes/blacklist");
	__cleanup_free char *lockdown = proc_read(root, "/sys/kernel/security/lockdown");

	*s = (struct symbols){ .v = NULL };
	each_line(kallsyms, take_symbol, s);
	each_line(traceable, take_traceable, s);
	each_line(blacklist, take_blacklisted, s);
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_base);
	else
		s->trouble = xasprintf("/proc/kallsyms %s%s",
				       kallsyms ? "lists no function" : "cannot be read: ",
				       kallsyms ? "" : strerror(error));
	strvec_sort(&s->traceable);
	strvec_sort(&s->blacklist);
	s->locked_down = lockdown && strstr(lockdown, "[confidentiality]");
	load_modules(s, root);
}

void symbols_release(struct symbols *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].name);
		free(s->v[i].base);
		free(s->v[i].module);
	}
	free(s->v);
	free(s->trouble);
	strvec_release(&s->traceable);
	strvec_release(&s->blacklist);
	strvec_release(&s->not_loaded);
	*s = (struct symbols){ .v = NULL };
}
