/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration a kernel was built with. Pure but for kconfig_read(). */
#ifndef FSDELTA_HARNESS_VM_KCONFIG_H
#define FSDELTA_HARNESS_VM_KCONFIG_H

#include "harness/vm/image.h"

#include <stddef.h>

enum kconfig_value {
	KCONFIG_UNKNOWN, /* there is no configuration to look in */
	KCONFIG_NO,
	KCONFIG_MODULE,
	KCONFIG_YES,	 /* also a number or a string */
};

/* Of option @name ("NET_9P", without CONFIG_) in the text @config; NULL: none is known. */
enum kconfig_value kconfig_get(const char *config, const char *name);

/*
 * The text that CONFIG_IKCONFIG puts into a vmlinux; the caller frees. NULL: it has none, or a
 * damaged one.
 */
char *kconfig_embedded(const void *vmlinux, size_t len);

/*
 * Looks for the configuration of the kernel @release whose image is @image_path, outside of the
 * image: beside it (a build tree, config-RELEASE), in @modules_dir (NULL: none; config and
 * build/.config), in /boot. The last is found by the release alone, which two builds may share.
 * Returns the text or NULL; *@source is the path. The caller frees both.
 */
char *kconfig_read(const char *image_path, const char *release, const char *modules_dir,
		   char **source);

#endif
