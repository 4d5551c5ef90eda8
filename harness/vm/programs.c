// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/programs.h"

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/spawn.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#define PROGRAM_MOST (1UL << 30)
#define LIST_TIMEOUT_NS (20 * NSEC_PER_SEC)

static void add_once(struct strvec *files, const char *path)
{
	if (!strvec_has(files, path))
		strvec_push(files, path);
}

/* "\tlibc.so.6 => /lib/libc.so.6 (0x7f...)", "\t/lib64/ld-linux-x86-64.so.2 (0x7f...)" */
void programs_parse_list(const char *text, struct strvec *files)
{
	__cleanup_strvec struct strvec lines = STRVEC_INIT;

	strvec_split(&lines, text, '\n');
	for (size_t i = 0; i < lines.n; i++) {
		const char *arrow = strstr(lines.v[i], " => ");
		char *path = arrow ? lines.v[i] + (arrow - lines.v[i]) + 4 : lines.v[i];
		char *address = strstr(path, " (0x");

		if (address)
			*address = '\0';
		if (*path == '/')
			add_once(files, path);
	}
}

/* The loader that the ELF file @f names; the caller frees. NULL: none, or no ELF file. */
static char *interpreter(const struct strbuf *f)
{
	Elf64_Ehdr e;

	if (f->len < sizeof(e))
		return NULL;
	memcpy(&e, f->buf, sizeof(e));
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
	    e.e_phentsize != sizeof(Elf64_Phdr) || e.e_phoff > f->len ||
	    e.e_phnum * sizeof(Elf64_Phdr) > f->len - e.e_phoff)
		return NULL;
	for (size_t i = 0; i < e.e_phnum; i++) {
		Elf64_Phdr h;

		memcpy(&h, f->buf + e.e_phoff + i * sizeof(h), sizeof(h));
		if (h.p_type == PT_INTERP && h.p_offset < f->len &&
		    h.p_filesz <= f->len - h.p_offset)
			return xstrndup(f->buf + h.p_offset, h.p_filesz);
	}
	return NULL;
}

static int add_libraries(const char *loader, const char *path, struct strvec *files, char **why)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	int ret;

	strvec_push(&argv, loader);
	strvec_push(&argv, "--list");
	strvec_push(&argv, path);
	ret = spawn_capture(&argv, false, LIST_TIMEOUT_NS, &out);
	if (ret) {
		*why = xasprintf("%s: its libraries cannot be found (%s --list)", path, loader);
		return -ENOENT;
	}
	add_once(files, loader);
	programs_parse_list(strbuf_str(&out), files);
	return 0;
}

int programs_add(const char *path, struct strvec *files, char **why)
{
	__cleanup_strbuf struct strbuf f = STRBUF_INIT;
	__cleanup_free char *loader = NULL;
	int ret = file_read(path, &f, PROGRAM_MOST);

	if (ret) {
		*why = xasprintf("%s: %s", path, strerror(-ret));
		return ret;
	}
	add_once(files, path);
	loader = interpreter(&f);
	return loader ? add_libraries(loader, path, files, why) : 0;
}
