// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does ext4 still initialise inode tables? The kernel shows it nowhere: its thread is not
 * visible in another pid namespace. But each group descriptor on the device says whether its
 * table is done. Layout: Documentation/filesystems/ext4/{super,group_descr}.rst.
 */
#include "harness/env/internal.h"

#include "lib/mem.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define SUPER_OFFSET 1024
#define SUPER_SIZE 1024
#define SUPER_MAGIC 0xef53

#define RO_COMPAT_GDT_CSUM 0x0010
#define RO_COMPAT_METADATA_CSUM 0x0400
#define INCOMPAT_META_BG 0x0010
#define INCOMPAT_64BIT 0x0080

#define DESC_FLAGS 0x12
#define FLAG_INODE_ZEROED 0x0004

struct layout {
	uint64_t groups, first_desc; /* byte offset of the first descriptor */
	uint32_t desc_size;
};

static uint32_t u32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static uint16_t u16(const unsigned char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

/* 1 with @l filled; 0: tables are never left for later; -errno. */
static int read_super(int fd, struct layout *l)
{
	unsigned char s[SUPER_SIZE];
	uint32_t incompat, ro_compat, per_group, first, log_size;
	uint64_t blocks;

	if (pread(fd, s, sizeof(s), SUPER_OFFSET) != sizeof(s))
		return errno ? -errno : -EIO;
	incompat = u32(s + 0x60);
	ro_compat = u32(s + 0x64);
	per_group = u32(s + 0x20);
	first = u32(s + 0x14);
	log_size = u32(s + 0x18);
	if (u16(s + 0x38) != SUPER_MAGIC || !per_group || log_size > 6)
		return -EINVAL;
	if (!(ro_compat & (RO_COMPAT_GDT_CSUM | RO_COMPAT_METADATA_CSUM)))
		return 0;
	if (incompat & INCOMPAT_META_BG)
		return -EOPNOTSUPP;
	blocks = u32(s + 0x04);
	l->desc_size = 32;
	if (incompat & INCOMPAT_64BIT) {
		blocks |= (uint64_t)u32(s + 0x150) << 32;
		l->desc_size = u16(s + 0xfe);
	}
	if (l->desc_size < 32 || l->desc_size > 1024 || blocks <= first)
		return -EINVAL;
	l->groups = (blocks - first + per_group - 1) / per_group;
	l->first_desc = (uint64_t)(first + 1) << (10 + log_size);
	return 1;
}

int env_ext4_lazy(int fd)
{
	struct layout l;
	int ret = read_super(fd, &l);

	if (ret <= 0)
		return ret;
	for (uint64_t i = 0; i < l.groups; i++) {
		unsigned char desc[32];

		if (pread(fd, desc, sizeof(desc), (off_t)(l.first_desc + i * l.desc_size)) !=
		    sizeof(desc))
			return errno ? -errno : -EIO;
		if (!(u16(desc + DESC_FLAGS) & FLAG_INODE_ZEROED))
			return 1;
	}
	return 0;
}
