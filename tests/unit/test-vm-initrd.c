// SPDX-License-Identifier: GPL-2.0-or-later
/* What goes into a guest: SHA-256, archive, modules and needs, the command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/vm/cpio.h"
#include "harness/vm/initramfs.h"
#include "harness/vm/needs.h"
#include "lib/mem.h"
#include "lib/sha256.h"
#include "lib/spawn.h"
#include "tests/unit/scratch.h"

#include <errno.h>
#include <zstd.h>

static void sha_is(const char *text, size_t times, const char *want)
{
	struct sha256 s;
	char hex[SHA256_HEX];

	sha256_init(&s);
	while (times--)
		sha256_add(&s, text, strlen(text));
	sha256_hex(&s, hex);
	assert_string_equal(hex, want);
}

/* From FIPS 180-4's examples. */
static void hashes(void **state)
{
	(void)state;
	sha_is("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sha_is("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	sha_is("aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void archive(struct strbuf *out)
{
	struct cpio c = CPIO_INIT(out);

	assert_int_equal(cpio_file(&c, "a/b/file", 0755, "hello", 5), 0);
	assert_int_equal(cpio_file(&c, "a/empty", 0644, "", 0), 0);
	cpio_link(&c, "a/link", "b/file");
	cpio_char_device(&c, "dev/console", 5, 1);
	cpio_end(&c);
}

static void archive_is_the_same_each_time(void **state)
{
	__cleanup_strbuf struct strbuf one = STRBUF_INIT, two = STRBUF_INIT;

	(void)state;
	archive(&one);
	archive(&two);
	assert_int_equal(one.len, two.len);
	assert_memory_equal(one.buf, two.buf, one.len);
	assert_int_equal(one.len % 4, 0);
	assert_memory_equal(one.buf, "07070100000000000041ED", 22);
	/* Another archive may stand before it. */
	strbuf_adds(&two, "");
	archive(&two);
	assert_memory_equal(two.buf + one.len, one.buf, one.len);
}

/* To be called first: skip() runs no cleanups. */
static void need_program(const char *name)
{
	char *found = file_find_program(name);
	bool is_there = found != NULL;

	free(found);
	if (is_there)
		return;
	print_message("no %s here\n", name);
	skip();
}

static void read_with_cpio(void **state, char *text, size_t size)
{
	__cleanup_free char *path = scratch_path(state, "x.cpio");
	__cleanup_strbuf struct strbuf bytes = STRBUF_INIT;
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct spawn s = SPAWN_INIT;
	FILE *f = tmpfile();

	archive(&bytes);
	assert_int_equal(file_write(path, bytes.buf, bytes.len), 0);
	strvec_push(&argv, "cpio");
	strvec_push(&argv, "-it");
	s.argv = &argv;
	s.stdin_path = path;
	s.stdout_fd = fileno(f);
	assert_int_equal(spawn_run(&s), 0);
	assert_int_equal(s.status, 0);
	assert_true(pread(fileno(f), text, size - 1, 0) > 0);
	fclose(f);
}

/* Another program's view of it. */
static void cpio_reads_it(void **state)
{
	char text[512] = "";

	need_program("cpio");
	read_with_cpio(state, text, sizeof(text));
	assert_string_equal(text, "a\na/b\na/b/file\na/empty\na/link\ndev\ndev/console\n");
}

static void module_file(void **state, const char *name, const char *depends)
{
	__cleanup_free char *path = xasprintf("mods/lib/modules/6.9/kernel/%s", name);
	__cleanup_free char *full = scratch_path(state, path);
	__cleanup_strbuf struct strbuf data = STRBUF_INIT;

	scratch_write(state, path, "");
	strbuf_adds(&data, "\177ELF");
	strbuf_addc(&data, '\0');
	strbuf_addf(&data, "depends=%s", depends);
	strbuf_addc(&data, '\0');
	assert_int_equal(file_write(full, data.buf, data.len), 0);
}

/* Packed, as most distributions have them. */
static void unpacks_modules(void **state)
{
	static const char module[] = "\177ELF\0depends=\0the rest";
	__cleanup_free char *full = scratch_path(state, "mods/kernel/lib/a-b.ko.zst");
	__cleanup_free char *dir = scratch_path(state, "mods"), *why = NULL;
	struct module_list list = MODULE_LIST_INIT;
	struct modules m;
	char packed[256];
	size_t n = ZSTD_compress(packed, sizeof(packed), module, sizeof(module), 1);

	assert_false(ZSTD_isError(n));
	scratch_write(state, "mods/kernel/lib/a-b.ko.zst", "");
	assert_int_equal(file_write(full, packed, n), 0);
	assert_int_equal(modules_open(dir, &m), 0);
	assert_int_equal(modules_collect(&m, "a_b", &list, &why), 0);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.v[0].data.len, sizeof(module));
	assert_memory_equal(list.v[0].data.buf, module, sizeof(module));
	module_list_release(&list);
	assert_int_equal(file_write(full, packed, n / 2), 0);
	assert_int_equal(modules_collect(&m, "a_b", &list, &why), -EBADMSG);
	assert_non_null(strstr(why, "a-b.ko.zst"));
	modules_release(&m);
}

static void make_modules(void **state)
{
	module_file(state, "net/9p/9pnet.ko", "");
	module_file(state, "net/9p/9pnet_virtio.ko", "9pnet,virtio");
	module_file(state, "drivers/virtio.ko", "");
	module_file(state, "drivers/virtio-pci.ko", "virtio");
	module_file(state, "fs/9p.ko", "9pnet,netfs");
	scratch_write(state, "mods/lib/modules/6.9/modules.builtin", "kernel/fs/netfs.ko\n");
}

static char *names_of(const struct module_list *list)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < list->n; i++)
		strbuf_addf(&sb, "%s ", list->v[i].name);
	return strbuf_detach(&sb);
}

static void collects_modules(void **state)
{
	__cleanup_free char *root = scratch_path(state, "mods"), *dir = NULL, *names = NULL,
			    *why = NULL;
	struct module_list list = MODULE_LIST_INIT;
	struct modules m;

	make_modules(state);
	dir = modules_find_dir(root, "6.9");
	assert_non_null(dir);
	assert_true(str_ends(dir, "/lib/modules/6.9"));
	assert_null(modules_find_dir(root, "6.10"));
	assert_int_equal(modules_open(dir, &m), 0);
	assert_int_equal(m.n, 5);
	assert_non_null(modules_lookup(&m, "virtio_pci"));
	assert_true(modules_is_builtin(&m, "netfs"));
	assert_int_equal(modules_collect(&m, "9pnet_virtio", &list, &why), 0);
	assert_int_equal(modules_collect(&m, "9p", &list, &why), 0);
	names = names_of(&list);
	assert_string_equal(names, "9pnet virtio 9pnet_virtio 9p ");
	assert_int_equal(modules_collect(&m, "btrfs", &list, &why), -ENOENT);
	assert_non_null(strstr(why, "btrfs"));
	module_list_release(&list);
	modules_release(&m);
}

#define CONFIG_ALL                                                                        \
	"CONFIG_64BIT=y\nCONFIG_BINFMT_ELF=y\nCONFIG_BLK_DEV_INITRD=y\nCONFIG_DEVTMPFS=y\n" \
	"CONFIG_PRINTK=y\nCONFIG_PROC_FS=y\nCONFIG_SERIAL_8250_CONSOLE=y\nCONFIG_SYSFS=y\n" \
	"CONFIG_TMPFS=y\nCONFIG_PCI=y\n"

/* All that is missing at once, and nothing else. */
static void names_what_is_missing(void **state)
{
	__cleanup_free char *root = scratch_path(state, "mods"), *dir = NULL, *names = NULL;
	__cleanup_strvec struct strvec problems = STRVEC_INIT;
	struct module_list list = MODULE_LIST_INIT;
	struct modules m, none = MODULES_INIT;

	make_modules(state);
	dir = modules_find_dir(root, "6.9");
	assert_int_equal(modules_open(dir, &m), 0);
	needs_check(NEED_FUNCTIONAL | NEED_DISK, CONFIG_ALL "CONFIG_VIRTIO_PCI=m\nCONFIG_NET_9P=m\n"
		    "CONFIG_NET_9P_VIRTIO=m\nCONFIG_9P_FS=m\nCONFIG_VIRTIO_BLK=m\n", &m, NULL, &list,
		    &problems);
	assert_int_equal(problems.n, 2);
	assert_non_null(strstr(problems.v[0], "CONFIG_OVERLAY_FS is off"));
	assert_non_null(strstr(problems.v[1], "virtio_blk"));
	names = names_of(&list);
	assert_string_equal(names, "virtio virtio_pci 9pnet 9pnet_virtio 9p ");
	module_list_release(&list);
	strvec_release(&problems);

	needs_check(NEED_FUNCTIONAL, CONFIG_ALL "CONFIG_VIRTIO_PCI=m\n", &none, NULL, &list, &problems);
	assert_int_equal(problems.n, 5);
	assert_non_null(strstr(problems.v[0], "modules=DIR"));
	strvec_release(&problems);
	/* Nothing is known: nothing is missing, and what is a module is loaded. */
	needs_check(NEED_FUNCTIONAL, NULL, &m, NULL, &list, &problems);
	assert_int_equal(problems.n, 0);
	assert_int_equal(list.n, 5);
	module_list_release(&list);
	modules_release(&m);
}

static void encodes_command(void **state)
{
	static const char want[] = "arg=sh\0arg=a=b\nc\0env=X=1\0cwd=/x\0shell=1";
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	struct vm_command c = VM_COMMAND_INIT;

	(void)state;
	strvec_push(&c.argv, "sh");
	strvec_push(&c.argv, "a=b\nc");
	strvec_push(&c.env, "X=1");
	str_replace(&c.cwd, "/x");
	c.shell = true;
	vm_command_encode(&c, &out);
	assert_int_equal(out.len, sizeof(want));
	assert_memory_equal(out.buf, want, sizeof(want));
	vm_command_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes),
		cmocka_unit_test(archive_is_the_same_each_time),
		scratch_test(cpio_reads_it),
		scratch_test(unpacks_modules),
		scratch_test(collects_modules),
		scratch_test(names_what_is_missing),
		cmocka_unit_test(encodes_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
