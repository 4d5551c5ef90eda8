/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel on disk, ready to be booted: identified by its content, and unpacked if that makes it
 * boot faster. QEMU enters an ELF file through PVH at once, while a bzImage first unpacks and
 * relocates itself inside the guest: under emulation that is 8 s of 12.
 */
#ifndef FSDELTA_HARNESS_VM_KERNEL_H
#define FSDELTA_HARNESS_VM_KERNEL_H

#include "harness/vm/image.h"
#include "lib/sha256.h"

struct vm_kernel {
	char *path;		 /* as given */
	char sha256[SHA256_HEX]; /* of that file: what tells two builds apart */
	char *release;		 /* NULL: the image does not say */
	char *version;		 /* the release with builder, compiler and date; NULL likewise */
	char *build_id;		 /* of the vmlinux; NULL: none, or it could not be unpacked */
	char *boot_path;	 /* what QEMU is to be given: @path, or a vmlinux in the cache */
	char *slow_reason;	 /* why the bzImage itself is booted; NULL: it is not */
	char *config;		 /* text; NULL: unknown */
	char *config_source;	 /* a path, or "the image"; NULL with config */
};

#define VM_KERNEL_INIT { 0 }

/*
 * @modules_dir: folder of its modules, with modules.builtin, or NULL. 0; -ENOEXEC when the file is
 * not a kernel that can be booted here, or -errno; *@why is then a sentence with the path, the
 * caller frees.
 */
int vm_kernel_load(const char *path, const char *modules_dir, struct vm_kernel *k, char **why);
void vm_kernel_release(struct vm_kernel *k);

/*
 * Reads the release only, to find the modules: "6.1.0-57-amd64"; the caller frees. NULL: unknown.
 */
char *vm_kernel_read_release(const char *path);

#endif
