// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/modules.h"

#include "harness/vm/unpack.h"
#include "lib/file.h"
#include "lib/mem.h"

#include <errno.h>
#include <fts.h>
#include <string.h>

#define MODULE_MOST (512UL << 20)
#define DEEPEST 32

/* Asked for by a module when it starts, which depends= does not say. */
static const struct {
	const char *name, *also;
} also_needed[] = {
	{ "libcrc32c", "crc32c_generic" },
	{ "ext4", "crc32c_generic" },
	{ "btrfs", "xxhash_generic" },
	{ "btrfs", "blake2b_generic" },
};

/* "a-b.ko.xz" is the module a_b; NULL: no module. The caller frees. */
static char *module_name(const char *file)
{
	const char *base = strrchr(file, '/');
	const char *ko;
	char *name;

	base = base ? base + 1 : file;
	ko = strstr(base, ".ko");
	if (!ko || ko == base || (ko[3] && ko[3] != '.'))
		return NULL;
	name = xstrndup(base, (size_t)(ko - base));
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

static bool is_modules_dir(const char *dir)
{
	__cleanup_free char *kernel = xasprintf("%s/kernel", dir);

	return file_exists(kernel);
}

char *modules_find_dir(const char *given, const char *release)
{
	static const char *const forms[] = { "%s", "%s/%s", "%s/lib/modules/%s" };
	struct strbuf path = STRBUF_INIT;

	for (size_t i = given ? 0 : ARRAY_SIZE(forms) - 1; i < ARRAY_SIZE(forms); i++) {
		if (i && !release)
			break;
		strbuf_reset(&path);
		strbuf_adds(&path, given ? given : "");
		if (i)
			strbuf_addf(&path, "%s/%s", i == 2 ? "/lib/modules" : "", release);
		if (is_modules_dir(strbuf_str(&path)))
			return strbuf_detach(&path);
	}
	strbuf_release(&path);
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct modules_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void read_builtin(struct modules *m)
{
	__cleanup_free char *path = xasprintf("%s/modules.builtin", m->dir);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	__cleanup_strvec struct strvec lines = STRVEC_INIT;

	if (file_read(path, &text, 4 << 20))
		return;
	strvec_split(&lines, strbuf_str(&text), '\n');
	for (size_t i = 0; i < lines.n; i++) {
		__cleanup_free char *name = module_name(lines.v[i]);

		if (name)
			strvec_push(&m->builtin, name);
	}
}

int modules_open(const char *dir, struct modules *m)
{
	__cleanup_free char *kernel = xasprintf("%s/kernel", dir);
	__cleanup_free char *updates = xasprintf("%s/updates", dir);
	char *roots[] = { kernel, file_exists(updates) ? updates : NULL, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	FTSENT *e;

	*m = (struct modules)MODULES_INIT;
	if (!fts)
		return -errno;
	m->dir = xstrdup(dir);
	while ((e = fts_read(fts))) {
		char *name = e->fts_info == FTS_D || e->fts_info == FTS_DP ?
				     NULL : module_name(e->fts_name);

		if (!name)
			continue;
		GROW(m->v, m->n);
		m->v[m->n++] = (struct modules_entry){ name, xstrdup(e->fts_path) };
	}
	fts_close(fts);
	if (m->n)
		qsort(m->v, m->n, sizeof(*m->v), by_name);
	read_builtin(m);
	return 0;
}

void modules_release(struct modules *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->v[i].name);
		free(m->v[i].path);
	}
	free(m->v);
	free(m->dir);
	strvec_release(&m->builtin);
	*m = (struct modules)MODULES_INIT;
}

const struct modules_entry *modules_lookup(const struct modules *m, const char *name)
{
	const struct modules_entry key = { .name = (char *)name };

	return m->n ? bsearch(&key, m->v, m->n, sizeof(*m->v), by_name) : NULL;
}

bool modules_is_builtin(const struct modules *m, const char *name)
{
	return strvec_has(&m->builtin, name);
}

void module_depends(const void *data, size_t len, struct strvec *names)
{
	static const char key[] = "\0depends="; /* strings of .modinfo end with '\0' */
	const size_t skip = sizeof(key) - 1;
	const char *p = data, *end = p + len;

	p = memmem(p, len, key, skip);
	if (!p || !memchr(p + skip, '\0', (size_t)(end - p) - skip))
		return;
	strvec_split(names, p + skip, ',');
	for (size_t i = 0; i < names->n; i++)
		for (char *c = names->v[i]; *c; c++)
			if (*c == '-')
				*c = '_';
}

static bool is_listed(const struct module_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->v[i].name, name))
			return true;
	return false;
}

static int read_module(const struct modules_entry *e, struct strbuf *out, char **why)
{
	__cleanup_strbuf struct strbuf file = STRBUF_INIT;
	__cleanup_free char *reason = NULL;
	int ret = file_read(e->path, &file, MODULE_MOST);

	if (ret)
		reason = xstrdup(strerror(-ret));
	else
		ret = unpack(image_packing(file.buf, file.len), file.buf, file.len, MODULE_MOST, out,
			     &reason);
	if (ret)
		*why = xasprintf("%s: %s", e->path, reason);
	return ret;
}

static int collect(const struct modules *m, const char *name, struct module_list *list, int depth,
		   char **why)
{
	__cleanup_strvec struct strvec depends = STRVEC_INIT;
	const struct modules_entry *e = modules_lookup(m, name);
	struct strbuf data = STRBUF_INIT;
	int ret;

	if (is_listed(list, name) || (!e && modules_is_builtin(m, name)))
		return 0;
	if (!e || depth > DEEPEST) {
		*why = xasprintf("module %s is not in %s", name, m->dir ? m->dir : "any folder");
		return -ENOENT;
	}
	ret = read_module(e, &data, why);
	if (!ret)
		module_depends(data.buf, data.len, &depends);
	for (size_t i = 0; !ret && i < depends.n; i++)
		ret = collect(m, depends.v[i], list, depth + 1, why);
	for (size_t i = 0; !ret && i < ARRAY_SIZE(also_needed); i++)
		if (str_eq(also_needed[i].name, name) && modules_lookup(m, also_needed[i].also))
			ret = collect(m, also_needed[i].also, list, depth + 1, why);
	if (ret) {
		strbuf_release(&data);
		return ret;
	}
	GROW(list->v, list->n);
	list->v[list->n++] = (struct module){ xstrdup(name), data, NULL };
	return 0;
}

int modules_collect(const struct modules *m, const char *name, struct module_list *list, char **why)
{
	return collect(m, name, list, 0, why);
}

void module_list_release(struct module_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->v[i].name);
		free(list->v[i].args);
		strbuf_release(&list->v[i].data);
	}
	free(list->v);
	*list = (struct module_list)MODULE_LIST_INIT;
}
