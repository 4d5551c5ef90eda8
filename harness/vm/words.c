// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/words.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <string.h>

#define MEMORY_LEAST (64ULL << 20)
#define CPUS_MOST 64

static int take_text(char **slot, const char *value, char **why)
{
	if (!*value) {
		*why = xstrdup("nothing stands behind '='");
		return -EINVAL;
	}
	str_replace(slot, value);
	return 0;
}

static int take_modules(struct vm_words *w, const char *value, char **why)
{
	return take_text(&w->modules, value, why);
}

static int take_initrd(struct vm_words *w, const char *value, char **why)
{
	return take_text(&w->initrd, value, why);
}

static int take_append(struct vm_words *w, const char *value, char **why)
{
	return take_text(&w->append, value, why);
}

static int take_load(struct vm_words *w, const char *value, char **why)
{
	(void)why;
	strvec_split(&w->load, value, ':');
	return 0;
}

static int take_memory(struct vm_words *w, const char *value, char **why)
{
	unsigned long long n;

	if (str_to_size(value, &n) || n < MEMORY_LEAST) {
		*why = xasprintf("'%s' is no size of 64M or more", value);
		return -EINVAL;
	}
	w->memory = n;
	return 0;
}

static int take_cpus(struct vm_words *w, const char *value, char **why)
{
	unsigned long long n;

	if (str_to_u64(value, &n) || n < 1 || n > CPUS_MOST) {
		*why = xasprintf("'%s' is no number from 1 to %d", value, CPUS_MOST);
		return -EINVAL;
	}
	w->cpus = (unsigned int)n;
	return 0;
}

static const struct {
	const char *key;
	int (*take)(struct vm_words *w, const char *value, char **why);
} words[] = {
	{ "append=", take_append }, { "cpus=", take_cpus },	  { "initrd=", take_initrd },
	{ "load=", take_load },	    { "memory=", take_memory }, { "modules=", take_modules },
};

/* Of the word that starts at @s; ARRAY_SIZE(words): none. */
static size_t which(const char *s)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(words) && !str_starts(s, words[i].key))
		i++;
	return i;
}

static const char *end_of(const char *s)
{
	for (; *s; s++)
		if (*s == ',' && which(s + 1) < ARRAY_SIZE(words))
			break;
	return s;
}

int vm_words_parse(const char *text, struct vm_words *w, char **why)
{
	const char *p = text, *end = end_of(text);
	int ret = 0;

	*w = (struct vm_words)VM_WORDS_INIT;
	*why = NULL;
	w->image = xstrndup(p, (size_t)(end - p));
	if (!*w->image || which(w->image) < ARRAY_SIZE(words)) {
		*why = xstrdup("the kernel image comes first");
		ret = -EINVAL;
	}
	for (p = end; *p && !ret; p = end) {
		size_t i = which(++p);
		__cleanup_free char *value = NULL;

		end = end_of(p);
		p += strlen(words[i].key);
		value = xstrndup(p, (size_t)(end - p));
		ret = words[i].take(w, value, why);
	}
	if (ret)
		vm_words_release(w);
	return ret;
}

void vm_words_release(struct vm_words *w)
{
	free(w->image);
	free(w->modules);
	free(w->initrd);
	free(w->append);
	strvec_release(&w->load);
	*w = (struct vm_words)VM_WORDS_INIT;
}
