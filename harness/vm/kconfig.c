// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/kconfig.h"

#include "harness/vm/unpack.h"
#include "lib/file.h"
#include "lib/mem.h"

#include <libgen.h>
#include <string.h>

#define START "IKCFG_ST"
#define CONFIG_MOST (4UL << 20)

enum kconfig_value kconfig_get(const char *config, const char *name)
{
	__cleanup_free char *key = xasprintf("CONFIG_%s=", name);
	const char *p = config;

	if (!config)
		return KCONFIG_UNKNOWN;
	while ((p = strstr(p, key))) {
		if (p == config || p[-1] == '\n')
			break;
		p++;
	}
	if (!p || p[strlen(key)] == 'n')
		return KCONFIG_NO;
	return p[strlen(key)] == 'm' ? KCONFIG_MODULE : KCONFIG_YES;
}

char *kconfig_embedded(const void *vmlinux, size_t len)
{
	const char *p = vmlinux, *end = p + len;
	struct strbuf text = STRBUF_INIT;

	while ((p = memmem(p, (size_t)(end - p), START, strlen(START)))) {
		__cleanup_free char *why = NULL;

		p += strlen(START);
		strbuf_reset(&text);
		if (image_packing(p, (size_t)(end - p)) == PACKED_GZIP &&
		    !unpack(PACKED_GZIP, p, (size_t)(end - p), CONFIG_MOST, &text, &why) &&
		    strstr(strbuf_str(&text), "CONFIG_"))
			return strbuf_detach(&text);
	}
	strbuf_release(&text);
	return NULL;
}

/* Takes over @path. */
static char *try_path(char *path, char **source)
{
	struct strbuf text = STRBUF_INIT;

	if (!file_read(path, &text, CONFIG_MOST) && strstr(strbuf_str(&text), "CONFIG_")) {
		*source = path;
		return strbuf_detach(&text);
	}
	strbuf_release(&text);
	free(path);
	return NULL;
}

char *kconfig_read(const char *image_path, const char *release, const char *modules_dir,
		   char **source)
{
	__cleanup_free char *copy = xstrdup(image_path);
	const char *dir = dirname(copy);
	char *text = NULL;

	*source = NULL;
	if (str_ends(dir, "arch/x86/boot"))
		text = try_path(xasprintf("%s/../../../.config", dir), source);
	else if (str_ends(image_path, "/vmlinux"))
		text = try_path(xasprintf("%s/.config", dir), source);
	if (!text && release)
		text = try_path(xasprintf("%s/config-%s", dir, release), source);
	if (!text && modules_dir)
		text = try_path(xasprintf("%s/config", modules_dir), source);
	if (!text && modules_dir)
		text = try_path(xasprintf("%s/build/.config", modules_dir), source);
	if (!text && release)
		text = try_path(xasprintf("/boot/config-%s", release), source);
	return text;
}
