// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/image.h"

#include "harness/vm/elf-notes.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

/* Offsets in the setup header of a bzImage. */
#define SETUP_SECTS 0x1f1
#define HEADER_MAGIC 0x202
#define BOOT_PROTOCOL 0x206
#define KERNEL_VERSION 0x20e
#define PAYLOAD_OFFSET 0x248
#define PAYLOAD_LENGTH 0x24c
#define SECTOR 512

#define BANNER_START "Linux version "
#define BANNER_MOST 512

#define NOTE_PVH_ENTRY 18 /* XEN_ELFNOTE_PHYS32_ENTRY, of "Xen" */
#define NOTE_BUILD_ID 3	  /* NT_GNU_BUILD_ID, of "GNU" */

static const struct {
	const char *name;
	const char *magic;
	size_t len;
} packings[] = {
	[PACKED_NOT] = { "none", "\177ELF", 4 },
	[PACKED_GZIP] = { "gzip", "\037\213\010", 3 },
	[PACKED_XZ] = { "xz", "\3757zXZ", 6 },
	[PACKED_ZSTD] = { "zstd", "\050\265\057\375", 4 },
	[PACKED_LZMA] = { "lzma", "\135\0\0", 3 },
	[PACKED_BZIP2] = { "bzip2", "BZh", 3 },
	/* The legacy frame, which the kernel's build uses. */
	[PACKED_LZ4] = { "lz4", "\002\041\114\030", 4 },
	[PACKED_LZO] = { "lzo", "\211LZO", 4 },
};

enum image_packing image_packing(const void *data, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(packings); i++)
		if (len >= packings[i].len && !memcmp(data, packings[i].magic, packings[i].len))
			return (enum image_packing)i;
	return PACKED_UNKNOWN;
}

const char *image_packing_name(enum image_packing p)
{
	return p < PACKED_UNKNOWN ? packings[p].name : "unknown";
}

static uint16_t le16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static uint32_t le32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

/* The printable text at @p, at most BANNER_MOST bytes of it; NULL when there is none. */
static char *text_at(const uint8_t *data, size_t len, size_t p)
{
	size_t n = 0;

	while (p + n < len && n < BANNER_MOST && data[p + n] >= 0x20 && data[p + n] < 0x7f)
		n++;
	return n ? xstrndup((const char *)data + p, n) : NULL;
}

static char *first_word(const char *s)
{
	size_t n = strcspn(s, " ");

	return n ? xstrndup(s, n) : NULL;
}

static int parse_bzimage(const uint8_t *data, size_t len, struct image *out, const char **why)
{
	uint64_t setup = data[SETUP_SECTS] ? data[SETUP_SECTS] : 4;
	uint64_t start, version;

	out->format = IMAGE_BZIMAGE;
	out->packing = PACKED_UNKNOWN;
	if (le16(data + BOOT_PROTOCOL) < 0x208) {
		*why = "its boot protocol is older than 2.08";
		return -ENOEXEC;
	}
	version = le16(data + KERNEL_VERSION);
	if (version)
		out->banner = text_at(data, len, version + SECTOR);
	if (out->banner)
		out->release = first_word(out->banner);
	start = (setup + 1) * SECTOR + le32(data + PAYLOAD_OFFSET);
	if (start >= len || le32(data + PAYLOAD_LENGTH) > len - start) {
		*why = "it is cut off: its payload lies behind its end";
		return -ENOEXEC;
	}
	out->payload = start;
	out->payload_len = le32(data + PAYLOAD_LENGTH);
	out->packing = image_packing(data + start, out->payload_len);
	return 0;
}

static bool is_pvh(const struct elf_note *note)
{
	return note->type == NOTE_PVH_ENTRY && str_eq(note->owner, "Xen") && note->len >= 4;
}

static void take_note(const struct elf_note *note, void *arg)
{
	struct image *out = arg;
	struct strbuf hex = STRBUF_INIT;

	out->pvh |= is_pvh(note);
	if (note->type != NOTE_BUILD_ID || !str_eq(note->owner, "GNU") || out->build_id ||
	    !note->len || note->len > 64)
		return;
	for (size_t i = 0; i < note->len; i++)
		strbuf_addf(&hex, "%02x", note->data[i]);
	out->build_id = strbuf_detach(&hex);
}

/* The format string of the banner is in there too: a release starts with a digit. */
static void find_banner(const uint8_t *data, size_t len, struct image *out)
{
	const size_t skip = strlen(BANNER_START);
	const uint8_t *p = data, *end = data + len;

	while ((p = memmem(p, (size_t)(end - p), BANNER_START, skip))) {
		p += skip;
		if (p < end && *p >= '0' && *p <= '9')
			break;
	}
	if (!p)
		return;
	out->banner = text_at(data, len, (size_t)(p - data));
	if (out->banner)
		out->release = first_word(out->banner);
}

static int parse_elf(const uint8_t *data, size_t len, struct image *out, const char **why)
{
	out->format = IMAGE_ELF;
	out->packing = PACKED_NOT;
	if (elf_notes(data, len, EM_X86_64, take_note, out)) {
		*why = "it is an ELF file, but not a whole one for x86-64";
		return -ENOEXEC;
	}
	find_banner(data, len, out);
	return 0;
}

int image_parse(const void *data, size_t len, struct image *out, const char **why)
{
	const uint8_t *p = data;
	int ret = -ENOEXEC;

	*out = (struct image)IMAGE_INIT;
	*why = "it is neither a bzImage nor an ELF file";
	if (len >= SELFMAG && !memcmp(p, ELFMAG, SELFMAG))
		ret = parse_elf(p, len, out, why);
	else if (len >= PAYLOAD_LENGTH + 4 && !memcmp(p + HEADER_MAGIC, "HdrS", 4))
		ret = parse_bzimage(p, len, out, why);
	if (ret)
		image_release(out);
	else
		*why = NULL;
	return ret;
}

void image_release(struct image *img)
{
	free(img->release);
	free(img->banner);
	free(img->build_id);
	*img = (struct image)IMAGE_INIT;
}
