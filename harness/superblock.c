// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/superblock.h"

#include "lib/mem.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define BITS 40

/* A word of flags: its place, and what its bits are called; "" for what is left out. */
struct word {
	size_t at, width;
	const char *names[BITS];
};

/* A number that mkfs chose. */
struct size {
	const char *name;
	size_t at, width;
	bool log_kib; /* 1024 << value */
};

struct layout {
	const char *fs;
	bool big_endian;
	size_t magic_at, magic_len;
	const char *magic;
	struct word words[4];
	struct size sizes[5];
};

static const struct layout layouts[] = {
	{
		.fs = "btrfs", .magic_at = 65536 + 0x40, .magic_len = 8, .magic = "_BHRfS_M",
		.words = {
			{ 65536 + 0xb4, 8, { "", "", "verity", "block-group-tree" } },
			{ 65536 + 0xbc, 8,
			  { "mixed-backref", "default-subvol", "mixed-bg", "", "", "big-metadata",
			    "extref", "raid56", "skinny-metadata", "no-holes", "metadata-uuid",
			    "raid1c34", "zoned", "extent-tree-v2", "raid-stripe-tree", NULL,
			    "squota" } },
		},
		.sizes = {
			{ "sector", 65536 + 0x90, 4, false }, { "node", 65536 + 0x94, 4, false },
			{ "checksum-type", 65536 + 0xc4, 2, false },
		},
	},
	{
		.fs = "ext4", .magic_at = 1024 + 0x38, .magic_len = 2, .magic = "\x53\xef",
		.words = {
			{ 1024 + 0x5c, 4,
			  { NULL, NULL, "has_journal", "ext_attr", "resize_inode", "dir_index",
			    NULL, NULL, NULL, "sparse_super2", "fast_commit", "stable_inodes",
			    "orphan_file" } },
			{ 1024 + 0x60, 4,
			  { NULL, "filetype", "", "journal_dev", "meta_bg", NULL, "extent", "64bit",
			    "mmp", "flex_bg", "ea_inode", NULL, "dirdata", "metadata_csum_seed",
			    "large_dir", "inline_data", "encrypt", "casefold" } },
			{ 1024 + 0x64, 4,
			  { "sparse_super", "large_file", NULL, "huge_file", "uninit_bg", "dir_nlink",
			    "extra_isize", NULL, "quota", "bigalloc", "metadata_csum", NULL, NULL,
			    "project", NULL, "verity", "" } },
		},
		.sizes = {
			{ "block", 1024 + 0x18, 4, true }, { "inode", 1024 + 0x58, 2, false },
			{ "inodes-per-group", 1024 + 0x28, 4, false },
		},
	},
	{
		.fs = "xfs", .big_endian = true, .magic_at = 0, .magic_len = 4, .magic = "XFSB",
		.words = {
			{ 200, 4,
			  { NULL, "lazysbcount", NULL, "attr2", NULL, NULL, NULL, "projid32", "crc",
			    "ftype" } },
			{ 212, 4, { "finobt", "rmapbt", "reflink", "inobtcount" } },
			{ 216, 4,
			  { "ftype", "sparse-inodes", "meta-uuid", "bigtime", "", "nrext64",
			    "exchange", "parent", "metadir" } },
		},
		.sizes = {
			{ "block", 4, 4, false }, { "sector", 102, 2, false },
			{ "inode", 104, 2, false }, { "groups", 88, 4, false },
			{ "log-blocks", 96, 4, false },
		},
	},
};

static uint64_t number(const struct layout *l, const unsigned char *area, size_t at, size_t width)
{
	uint64_t v = 0;

	for (size_t i = 0; i < width; i++)
		v |= (uint64_t)area[at + i] << 8 * (l->big_endian ? width - 1 - i : i);
	return v;
}

static void add_word(const struct word *w, uint64_t bits, struct strvec *out)
{
	uint64_t unnamed = 0;

	for (size_t b = 0; b < 64; b++) {
		const char *name = b < BITS ? w->names[b] : NULL;

		if (!(bits >> b & 1))
			continue;
		if (!name)
			unnamed |= (uint64_t)1 << b;
		else if (*name && !strvec_has(out, name))
			strvec_push(out, name);
	}
	if (unnamed)
		strvec_pushf(out, "0x%" PRIx64, unnamed);
}

void superblock_features(const char *fs, const unsigned char *area, size_t len,
			 struct strvec *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct layout *l = &layouts[i];

		if (strcmp(l->fs, fs) || len < SUPERBLOCK_AREA ||
		    memcmp(area + l->magic_at, l->magic, l->magic_len))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(l->words) && l->words[k].width; k++)
			add_word(&l->words[k], number(l, area, l->words[k].at, l->words[k].width),
				 out);
		for (size_t k = 0; k < ARRAY_SIZE(l->sizes) && l->sizes[k].name; k++) {
			const struct size *s = &l->sizes[k];
			uint64_t v = number(l, area, s->at, s->width);

			strvec_pushf(out, "%s=%" PRIu64, s->name,
				     s->log_kib && v < 32 ? (uint64_t)1024 << v : v);
		}
	}
}

char *superblock_read(const char *fs, const char *node)
{
	__cleanup_close int fd = open(node, O_RDONLY | O_CLOEXEC);
	__cleanup_free unsigned char *area = xcalloc(1, SUPERBLOCK_AREA);
	__cleanup_strvec struct strvec features = STRVEC_INIT;

	if (fd < 0 || pread(fd, area, SUPERBLOCK_AREA, 0) != SUPERBLOCK_AREA)
		return NULL;
	superblock_features(fs, area, SUPERBLOCK_AREA, &features);
	return features.n ? strvec_join(&features, ",") : NULL;
}
