// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel images: headers, notes, unpacking, the configuration inside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/vm/image.h"
#include "harness/vm/kconfig.h"
#include "harness/vm/kernel.h"
#include "harness/vm/unpack.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "tests/unit/scratch.h"
#include "tests/unit/tool-fixture.h"

#include <errno.h>

#define ID "000102030405060708090a0b0c0d0e0f10111213"

static char *fixture_path(const char *name)
{
	__cleanup_free char *dir = tool_fixture_dir();

	return xasprintf("%s/%s", dir, name);
}

static void read_fixture(const char *name, struct strbuf *out)
{
	__cleanup_free char *path = fixture_path(name);

	assert_int_equal(file_read(path, out, 0), 0);
}

static void reads_elf(void **state)
{
	__cleanup_strbuf struct strbuf f = STRBUF_INIT;
	__cleanup_image struct image img = IMAGE_INIT;
	const char *why;

	(void)state;
	read_fixture("vm-tiny.elf", &f);
	assert_int_equal(image_parse(f.buf, f.len, &img, &why), 0);
	assert_int_equal(img.format, IMAGE_ELF);
	assert_true(img.pvh);
	assert_string_equal(img.build_id, ID);
	assert_string_equal(img.release, "6.9.0-tiny");
	assert_string_equal(img.banner, "6.9.0-tiny (me@here) (cc 1) #7 SMP");
}

static void without_pvh(void **state)
{
	__cleanup_strbuf struct strbuf f = STRBUF_INIT;
	__cleanup_image struct image img = IMAGE_INIT;
	const char *why;
	char *owner;

	(void)state;
	read_fixture("vm-tiny.elf", &f);
	while ((owner = memmem(f.buf, f.len, "Xen", 4)))
		*owner = 'Y';
	assert_int_equal(image_parse(f.buf, f.len, &img, &why), 0);
	assert_false(img.pvh);
	assert_string_equal(img.build_id, ID);
}

static void unpacks(const char *name, enum image_packing packing)
{
	__cleanup_strbuf struct strbuf f = STRBUF_INIT, elf = STRBUF_INIT, want = STRBUF_INIT;
	__cleanup_image struct image img = IMAGE_INIT;
	__cleanup_free char *sentence = NULL, *short_why = NULL, *most_why = NULL;
	const char *why;
	size_t len;

	read_fixture(name, &f);
	read_fixture("vm-tiny.elf", &want);
	assert_int_equal(image_parse(f.buf, f.len, &img, &why), 0);
	assert_int_equal(img.format, IMAGE_BZIMAGE);
	assert_int_equal(img.packing, packing);
	assert_string_equal(img.release, "6.9.0-tiny");
	len = img.payload_len - (packing == PACKED_LZ4 ? 4 : 0);
	if (unpack(packing, f.buf + img.payload, len, UNPACK_MOST, &elf, &sentence) == -ENOENT &&
	    packing == PACKED_LZ4) {
		assert_non_null(strstr(sentence, "lz4"));
		return;
	}
	assert_int_equal(elf.len, want.len);
	assert_memory_equal(elf.buf, want.buf, want.len);
	strbuf_reset(&elf);
	assert_int_equal(unpack(packing, f.buf + img.payload, len, 100, &elf, &most_why), -EFBIG);
	strbuf_reset(&elf);
	if (packing != PACKED_LZ4)
		assert_int_equal(unpack(packing, f.buf + img.payload, len / 2, UNPACK_MOST, &elf,
					&short_why), -EBADMSG);
}

static void unpacks_all(void **state)
{
	(void)state;
	unpacks("vm-tiny-gzip.bzimage", PACKED_GZIP);
	unpacks("vm-tiny-xz.bzimage", PACKED_XZ);
	unpacks("vm-tiny-zstd.bzimage", PACKED_ZSTD);
	unpacks("vm-tiny-lz4.bzimage", PACKED_LZ4);
}

static void refuses(void **state)
{
	__cleanup_strbuf struct strbuf f = STRBUF_INIT;
	struct image img;
	const char *why;

	(void)state;
	assert_int_equal(image_parse("", 0, &img, &why), -ENOEXEC);
	assert_int_equal(image_parse("#!/bin/sh\n", 10, &img, &why), -ENOEXEC);
	assert_non_null(strstr(why, "neither"));
	read_fixture("vm-tiny-gzip.bzimage", &f);
	assert_int_equal(image_parse(f.buf, f.len - 5, &img, &why), -ENOEXEC);
	assert_non_null(strstr(why, "cut off"));
	strbuf_reset(&f);
	read_fixture("vm-tiny.elf", &f);
	f.buf[18] = 3; /* e_machine: i386 */
	assert_int_equal(image_parse(f.buf, f.len, &img, &why), -ENOEXEC);
	assert_non_null(strstr(why, "x86-64"));
}

static void finds_config(void **state)
{
	__cleanup_strbuf struct strbuf f = STRBUF_INIT;
	__cleanup_free char *config = NULL;

	(void)state;
	read_fixture("vm-tiny.elf", &f);
	config = kconfig_embedded(f.buf, f.len);
	assert_non_null(config);
	assert_int_equal(kconfig_get(config, "64BIT"), KCONFIG_YES);
	assert_int_equal(kconfig_get(config, "NET_9P"), KCONFIG_MODULE);
	assert_int_equal(kconfig_get(config, "XFS_FS"), KCONFIG_NO);
	assert_int_equal(kconfig_get(config, "NET"), KCONFIG_NO);
	assert_int_equal(kconfig_get(config, "BIT"), KCONFIG_NO);
	assert_int_equal(kconfig_get(config, "HZ"), KCONFIG_YES);
	assert_int_equal(kconfig_get(NULL, "HZ"), KCONFIG_UNKNOWN);
	assert_null(kconfig_embedded("IKCFG_ST\037\213\010", 11));
}

/* Unpacked once, into a cache of its own; what does not belong there is made anew. */
static void loads_kernel(void **state)
{
	__cleanup_free char *path = fixture_path("vm-tiny-xz.bzimage"), *why = NULL;
	struct vm_kernel k, again;

	setenv("XDG_CACHE_HOME", *state, 1);
	assert_int_equal(vm_kernel_load(path, NULL, &k, &why), 0);
	assert_string_equal(k.release, "6.9.0-tiny");
	assert_string_equal(k.build_id, ID);
	assert_int_equal(strlen(k.sha256), 64);
	assert_null(k.slow_reason);
	assert_string_equal(k.config_source, "the image");
	assert_true(str_starts(k.boot_path, *state));
	assert_int_equal(vm_kernel_load(path, NULL, &again, &why), 0);
	assert_string_equal(again.boot_path, k.boot_path);
	vm_kernel_release(&again);
	vm_kernel_release(&k);

	/* Without a cache it boots all the same. */
	setenv("XDG_CACHE_HOME", "/proc/no", 1);
	assert_int_equal(vm_kernel_load(path, NULL, &k, &why), 0);
	assert_string_equal(k.boot_path, path);
	assert_non_null(strstr(k.slow_reason, "cache"));
	vm_kernel_release(&k);
	assert_int_equal(vm_kernel_load(*state, NULL, &k, &why), -EISDIR);
	assert_non_null(strstr(why, *state));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_elf),	cmocka_unit_test(without_pvh),
		cmocka_unit_test(unpacks_all),	cmocka_unit_test(refuses),
		cmocka_unit_test(finds_config), scratch_test(loads_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
