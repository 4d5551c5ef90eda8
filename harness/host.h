/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fingerprint of a host: what could explain a difference between two results.
 * Flat keys with text values; a key that could not be read is absent ("unknown",
 * which is not equal to anything).
 *
 *   kernel.release .version .cmdline .build_id   uname -r, -v, /proc/cmdline, GNU build id
 *   kernel.config_hash    of the config lines that set something, when the config can be read
 *   kernel.debug          debug options that are on, with commas; "" when none is
 *   cpu.model .count .governor
 *   cpu.mitigations       "NAME: STATE; ..."; "" when the CPU has no weakness that is known
 *   memory.total          KiB
 *   clock.source  virtual  boot.id  machine.id (hashed: tells machines apart, names none)
 */
#ifndef FSDELTA_HARNESS_HOST_H
#define FSDELTA_HARNESS_HOST_H

#include "lib/kv.h"

/* @root: prefix of /proc, /sys, /boot and /etc; "" for this machine. */
void host_fingerprint(const char *root, struct kv *host);

/*
 * What can be known of the disk @sys_name ("loop3", "nvme0n1", "nvme0n1p2"): device.model,
 * .rotational, .scheduler, .size (bytes), .queue (limits), .write_cache. A partition has
 * what its disk has, but for the size.
 */
void host_disk(const char *root, const char *sys_name, struct kv *facts);

#endif
