/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of harness/env share. Nobody else includes this, but tests. */
#ifndef FSDELTA_HARNESS_ENV_INTERNAL_H
#define FSDELTA_HARNESS_ENV_INTERNAL_H

#include "harness/env/env.h"

#include <sys/stat.h>

/* How long what a dying process still holds is waited for. */
#define ENV_RELEASE_NS (3 * NSEC_PER_SEC)

/* How long umount and detach go on trying. */
uint64_t env_patience_ns(const struct env *env);
/* Replaces env->error by the sentence; returns -@err. */
int env_fail(struct env *env, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* --- busy.c: who uses a block device, below a prefix --- */

/*
 * Adds a sentence per user of block device @name ("sda2"), its partitions and the disk that it
 * is a part of. @path: what the sentences call it.
 */
void env_busy_check(const char *root, const char *path, const char *name,
		    struct strvec *problems);
/* Is the file @st an active swap file? */
bool env_is_swap_file(const char *root, const struct stat *st);

/* --- signature.c: what is on a device or in an image --- */

struct env_signature {
	char *what; /* "an ext4 file system labelled 'backup'"; NULL: no signature at all */
	bool ours;  /* nothing but file systems of ours */
	bool table; /* a partition table */
};

/* 0 or -errno; @s is to be released by the caller: free(s->what). */
int env_signature_read(int fd, struct env_signature *s);
/*
 * Does the device or file @fd read as zeros in its first and last MiB and in 64 samples of
 * 64 KiB between? 1 or 0; -errno; -ETIMEDOUT when that takes more than 30 s.
 */
int env_is_empty(int fd);

/* --- image.c --- */

/* As env_device_check(), once, for an image. *@transient: it may be gone in a moment. */
void env_image_check(const char *root, const struct env_disk_spec *spec, bool own_lock,
		     struct strvec *problems, bool *transient);
/* Opens, or makes, and locks it; at least spec->size long. The descriptor, or -errno. */
int env_image_open(struct env *env, const struct env_disk_spec *spec);

/* --- device.c --- */

/*
 * As env_device_check(). @lock_fd: the device or image, opened and locked by ourselves; a device
 * must still be what spec->path leads to. -1: nobody may have locked it.
 */
void env_device_check_locked(const char *root, const struct env_disk_spec *spec, int lock_fd,
			     struct strvec *problems);
/* Locks it against another fsdelta, waiting ENV_RELEASE_NS for one that is dying. */
int env_lock(struct env *env, int fd, const char *path);
/* Is it locked by somebody? */
bool env_is_locked(int fd);
/* sda2 of 8:2, from /sys/dev/block; the caller frees, NULL when unknown. */
char *env_sys_name(dev_t dev);

/* --- loop.c --- */

/*
 * Attaches @disk->backing_fd to a free loop device, with autoclear; fills the other members of
 * @disk. @name is what losetup shows; @limit: bytes of the file that the device has.
 */
int env_loop_attach(struct env *env, struct env_disk *disk, const char *name, uint64_t limit);
int env_loop_detach(struct env *env, struct env_disk *disk);
/* Adds the names of loop devices that @st, a file or a block device, is attached to. */
void env_loop_backed_by(const char *root, const struct stat *st, struct strvec *names);

/* --- holders.c --- */

/* Appends who holds the file system mounted at @dir: "fio (pid 12) has its folder there". */
void env_holders_of_mount(const char *dir, struct strbuf *out);
/* Appends who has block device @dev open or mounted. */
void env_holders_of_device(dev_t dev, struct strbuf *out);

/* --- mount.c, real.c, settle.c, ext4.c --- */

int env_mount(struct env *env, const struct env_disk *disk, const char *dir, const char *fstype,
	      const char *options);
int env_umount(struct env *env, const char *dir, uint64_t *ns);
int env_sync(struct env *env, const char *dir);
int env_settle(struct env *env, const struct env_disk *disk, const char *dir);

/*
 * Are there block groups whose inode table ext4 still has to initialise? 1 or 0; -errno when
 * that cannot be told. @fd: the device.
 */
int env_ext4_lazy(int fd);

#endif
