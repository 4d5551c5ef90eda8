// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/kernel.h"

#include "harness/vm/cache.h"
#include "harness/vm/kconfig.h"
#include "harness/vm/unpack.h"
#include "lib/file.h"
#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* A file in memory. */
struct mapped {
	uint8_t *data;
	size_t len;
};

static int map_file(const char *path, struct mapped *m)
{
	__cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	*m = (struct mapped){ 0 };
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (!st.st_size)
		return -ENOEXEC;
	m->data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (m->data == MAP_FAILED) {
		m->data = NULL;
		return -errno;
	}
	m->len = (size_t)st.st_size;
	return 0;
}

static void unmap(struct mapped *m)
{
	if (m->data)
		munmap(m->data, m->len);
}

#define __cleanup_mapped __attribute__((cleanup(unmap)))

/* Reads and parses @path; the sentence says what is wrong with it. */
static int open_image(const char *path, struct mapped *m, struct image *img, char **why)
{
	const char *reason = NULL;
	int ret = map_file(path, m);

	if (!ret)
		ret = image_parse(m->data, m->len, img, &reason);
	if (ret)
		*why = xasprintf("%s: %s%s", path, reason ? "this is no kernel: " : "",
				 reason ? reason : ret == -ENOEXEC ? "it is empty" : strerror(-ret));
	return ret;
}

/* Makes the vmlinux of the bzImage @img in @m at @path. */
static int unpack_to(const char *path, const struct mapped *m, const struct image *img, char **why)
{
	__cleanup_strbuf struct strbuf elf = STRBUF_INIT;
	size_t len = img->payload_len;
	int ret;

	/*
	 * The formats without their size at the end get it from the build, and lz4 stumbles over
	 * it.
	 */
	if (img->packing == PACKED_LZ4 && len > 4)
		len -= 4;
	ret = unpack(img->packing, m->data + img->payload, len, UNPACK_MOST, &elf, why);
	if (ret)
		return ret;
	ret = file_write_atomic(path, elf.buf, elf.len);
	if (ret)
		*why = xasprintf("%s: %s", path, strerror(-ret));
	return ret;
}

/*
 * The vmlinux in the cache, made if need be. Not having one is no error: the bzImage boots too,
 * slowly. @elf and @m are of the vmlinux then.
 */
static char *find_vmlinux(const struct vm_kernel *k, const struct mapped *bz,
			  const struct image *img, struct mapped *m, struct image *elf, char **why)
{
	__cleanup_free char *name = xasprintf("vmlinux-%s", k->sha256);
	__cleanup_free char *path = cache_path(name);
	int ret = 0;

	if (!path) {
		*why = xstrdup("there is no folder to cache the unpacked kernel in");
		return NULL;
	}
	if (!file_exists(path))
		ret = unpack_to(path, bz, img, why);
	if (!ret)
		ret = open_image(path, m, elf, why);
	if (ret)
		return NULL;
	if (!elf->pvh)
		*why = xstrdup("it was built without CONFIG_PVH");
	return xstrdup(path);
}

static void take_identity(struct vm_kernel *k, const struct image *img)
{
	if (img->release)
		str_replace(&k->release, img->release);
	if (img->banner)
		str_replace(&k->version, img->banner);
	if (img->build_id)
		str_replace(&k->build_id, img->build_id);
}

static void find_config(struct vm_kernel *k, const struct mapped *elf, const char *modules_dir)
{
	k->config = elf->data ? kconfig_embedded(elf->data, elf->len) : NULL;
	if (k->config)
		k->config_source = xstrdup("the image");
	else
		k->config = kconfig_read(k->path, k->release, modules_dir, &k->config_source);
}

static void hash(const struct mapped *m, char hex[SHA256_HEX])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, m->data, m->len);
	sha256_hex(&s, hex);
}

static int load_bzimage(struct vm_kernel *k, const struct mapped *bz, const struct image *img,
			const char *modules_dir)
{
	__cleanup_mapped struct mapped m = { 0 };
	__cleanup_image struct image elf = IMAGE_INIT;
	__cleanup_free char *vmlinux = find_vmlinux(k, bz, img, &m, &elf, &k->slow_reason);

	if (vmlinux)
		take_identity(k, &elf);
	/* What the header says is what the kernel calls itself. */
	if (img->release)
		str_replace(&k->release, img->release);
	find_config(k, &m, modules_dir);
	k->boot_path = xstrdup(k->slow_reason ? k->path : vmlinux);
	return 0;
}

int vm_kernel_load(const char *path, const char *modules_dir, struct vm_kernel *k, char **why)
{
	__cleanup_mapped struct mapped m = { 0 };
	__cleanup_image struct image img = IMAGE_INIT;
	int ret;

	*k = (struct vm_kernel)VM_KERNEL_INIT;
	*why = NULL;
	ret = open_image(path, &m, &img, why);
	if (ret)
		return ret;
	k->path = xstrdup(path);
	hash(&m, k->sha256);
	take_identity(k, &img);
	if (img.format == IMAGE_BZIMAGE)
		return load_bzimage(k, &m, &img, modules_dir);
	if (!img.pvh) {
		*why = xasprintf("%s: QEMU cannot boot a vmlinux built without CONFIG_PVH; "
				 "give the bzImage", path);
		vm_kernel_release(k);
		return -ENOEXEC;
	}
	k->boot_path = xstrdup(path);
	find_config(k, &m, modules_dir);
	return 0;
}

void vm_kernel_release(struct vm_kernel *k)
{
	free(k->path);
	free(k->release);
	free(k->version);
	free(k->build_id);
	free(k->boot_path);
	free(k->slow_reason);
	free(k->config);
	free(k->config_source);
	*k = (struct vm_kernel)VM_KERNEL_INIT;
}

char *vm_kernel_read_release(const char *path)
{
	__cleanup_mapped struct mapped m = { 0 };
	__cleanup_image struct image img = IMAGE_INIT;
	__cleanup_free char *why = NULL;

	if (open_image(path, &m, &img, &why) || !img.release)
		return NULL;
	return xstrdup(img.release);
}
