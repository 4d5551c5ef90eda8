// SPDX-License-Identifier: GPL-2.0-or-later
/* harness/superblock: what was made, as mkfs of e2fsprogs, xfsprogs and btrfs-progs make it. */
#include "harness/superblock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/mem.h"
#include "tests/unit/scratch.h"

/* One number of a superblock, as bytes in its order. */
struct put {
	size_t at, len;
	const char *bytes;
};

/* Default file systems of mkfs 1.47.0, 6.1.0 and 6.2. */
static const struct put ext4[] = {
	{ 1024 + 0x38, 2, "\x53\xef" }, { 1024 + 0x18, 4, "\2\0\0\0" },
	{ 1024 + 0x28, 4, "\0\x20\0\0" }, { 1024 + 0x58, 2, "\0\1" },
	{ 1024 + 0x5c, 4, "\x3c\0\0\0" }, { 1024 + 0x60, 4, "\xc2\2\0\0" },
	{ 1024 + 0x64, 4, "\x6b\4\0\0" },
};
static const struct put xfs[] = {
	{ 0, 4, "XFSB" }, { 4, 4, "\0\0\x10\0" }, { 88, 4, "\0\0\0\4" }, { 96, 4, "\0\0\x40\0" },
	{ 102, 2, "\2\0" }, { 104, 2, "\2\0" }, { 200, 4, "\0\0\1\x8a" },
	{ 212, 4, "\0\0\0\xd" }, { 216, 4, "\0\0\0\xb" },
};
static const struct put btrfs[] = {
	{ 65536 + 0x40, 8, "_BHRfS_M" }, { 65536 + 0x90, 4, "\0\x10\0\0" },
	{ 65536 + 0x94, 4, "\0\x40\0\0" }, { 65536 + 0xb4, 8, "\3\0\0\0\0\0\0\0" },
	{ 65536 + 0xbc, 8, "\x41\3\0\0\0\0\0\0" },
};

static const char *const ext4_want =
	"has_journal,ext_attr,resize_inode,dir_index,filetype,extent,64bit,flex_bg,sparse_super,"
	"large_file,huge_file,dir_nlink,extra_isize,metadata_csum,block=4096,inode=256,"
	"inodes-per-group=8192";

static unsigned char *area_of(const struct put *p, size_t n)
{
	unsigned char *area = xcalloc(1, SUPERBLOCK_AREA);

	for (size_t i = 0; i < n; i++)
		memcpy(area + p[i].at, p[i].bytes, p[i].len);
	return area;
}

static void check(const char *fs, const unsigned char *area, const char *want)
{
	__cleanup_strvec struct strvec out = STRVEC_INIT;
	__cleanup_free char *got = NULL;

	superblock_features(fs, area, SUPERBLOCK_AREA, &out);
	got = strvec_join(&out, ",");
	assert_string_equal(got, want);
}

static void features_have_names(void **state)
{
	__cleanup_free unsigned char *e = area_of(ext4, ARRAY_SIZE(ext4));
	__cleanup_free unsigned char *x = area_of(xfs, ARRAY_SIZE(xfs));
	__cleanup_free unsigned char *b = area_of(btrfs, ARRAY_SIZE(btrfs));

	(void)state;
	check("ext4", e, ext4_want);
	check("xfs", x, "lazysbcount,attr2,projid32,crc,finobt,reflink,inobtcount,ftype,"
	      "sparse-inodes,bigtime,block=4096,sector=512,inode=512,groups=4,log-blocks=16384");
	check("btrfs", b, "mixed-backref,extref,skinny-metadata,no-holes,sector=4096,node=16384,"
	      "checksum-type=0");
}

/* What a mount sets is no feature; a bit that nobody knows is one. */
static void bits_without_a_name(void **state)
{
	__cleanup_free unsigned char *e = area_of(ext4, ARRAY_SIZE(ext4));
	__cleanup_free unsigned char *b = area_of(btrfs, ARRAY_SIZE(btrfs));

	(void)state;
	e[1024 + 0x60] |= 4; /* needs_recovery */
	check("ext4", e, ext4_want);
	b[65536 + 0xbc] |= 0x18; /* compression */
	b[65536 + 0xbc + 7] |= 0x80;
	b[65536 + 0xb4] = 0;
	check("btrfs", b, "mixed-backref,extref,skinny-metadata,no-holes,0x8000000000000000,"
	      "sector=4096,node=16384,checksum-type=0");
}

static void what_is_none_says_nothing(void **state)
{
	__cleanup_free unsigned char *e = area_of(ext4, ARRAY_SIZE(ext4));
	__cleanup_strvec struct strvec out = STRVEC_INIT;

	(void)state;
	check("xfs", e, "");
	check("btrfs", e, "");
	check("zfs", e, "");
	superblock_features("ext4", e, SUPERBLOCK_AREA - 1, &out);
	assert_int_equal(out.n, 0);
}

static void of_a_device(void **state)
{
	__cleanup_free unsigned char *e = area_of(ext4, ARRAY_SIZE(ext4));
	__cleanup_free char *path = scratch_path(state, "disk"), *got = NULL;

	assert_int_equal(file_write(path, (char *)e, SUPERBLOCK_AREA), 0);
	got = superblock_read("ext4", path);
	assert_string_equal(got, ext4_want);
	assert_null(superblock_read("xfs", path));
	assert_int_equal(file_write(path, (char *)e, SUPERBLOCK_AREA - 1), 0);
	assert_null(superblock_read("ext4", path));
	assert_null(superblock_read("ext4", "/nosuch"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(features_have_names),
		cmocka_unit_test(bits_without_a_name),
		cmocka_unit_test(what_is_none_says_nothing),
		scratch_test(of_a_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
