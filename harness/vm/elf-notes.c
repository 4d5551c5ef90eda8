// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/elf-notes.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

struct walk {
	void (*each)(const struct elf_note *note, void *arg);
	void *arg;
};

static uint64_t align4(uint64_t n)
{
	return (n + 3) & ~3ULL;
}

static void walk_segment(const uint8_t *p, uint64_t len, const struct walk *w)
{
	while (len >= sizeof(Elf64_Nhdr)) {
		struct elf_note note = { 0 };
		Elf64_Nhdr h;
		uint64_t owner, all;

		memcpy(&h, p, sizeof(h));
		owner = le32toh(h.n_namesz);
		note.len = le32toh(h.n_descsz);
		note.type = le32toh(h.n_type);
		all = sizeof(h) + align4(owner) + align4(note.len);
		if (!owner || sizeof(h) + align4(owner) + note.len > len ||
		    p[sizeof(h) + owner - 1] != '\0')
			return;
		note.owner = (const char *)p + sizeof(h);
		note.data = p + sizeof(h) + align4(owner);
		w->each(&note, w->arg);
		/* The last one may do without its padding. */
		if (all >= len)
			return;
		p += all;
		len -= all;
	}
}

int elf_notes(const void *data, size_t len, unsigned int machine,
	      void (*each)(const struct elf_note *note, void *arg), void *arg)
{
	const struct walk w = { each, arg };
	const uint8_t *p = data;
	Elf64_Ehdr e;
	uint64_t table;

	if (len < sizeof(e))
		return -ENOEXEC;
	memcpy(&e, p, sizeof(e));
	table = le64toh(e.e_phoff);
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
	    e.e_ident[EI_DATA] != ELFDATA2LSB || le16toh(e.e_machine) != machine ||
	    le16toh(e.e_phentsize) != sizeof(Elf64_Phdr) || table > len ||
	    le16toh(e.e_phnum) * sizeof(Elf64_Phdr) > len - table)
		return -ENOEXEC;
	for (size_t i = 0; i < le16toh(e.e_phnum); i++) {
		uint64_t from, n;
		Elf64_Phdr h;

		memcpy(&h, p + table + i * sizeof(h), sizeof(h));
		from = le64toh(h.p_offset);
		n = le64toh(h.p_filesz);
		if (from > len || n > len - from)
			return -ENOEXEC;
		if (le32toh(h.p_type) == PT_NOTE)
			walk_segment(p + from, n, &w);
	}
	return 0;
}
