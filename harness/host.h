/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fingerprint of a host: what could explain a difference between two results.
 * Flat keys with text values; a key that could not be read is absent ("unknown",
 * which is not equal to anything).
 *
 *   kernel.release .version .cmdline .build_id   uname -r, -v, /proc/cmdline, GNU build id
 *   kernel.config_hash    of the config lines that set something, when the config can be read
 *   kernel.debug          debug options that are on, with commas; "" when none is
 *   kernel.tuning         other options that change its speed, as kernel.debug; "HZ=250,NUMA"
 *   cpu.model .count .microcode
 *   cpu.governor .driver .limits   of all CPUs: the different ones, with commas
 *   cpu.boost .smt        "1" or "0"
 *   cpu.mitigations       "NAME: STATE; ..."; "" when the CPU has no weakness that is known
 *   memory.total          KiB
 *   memory.writeback      the sysctls vm.dirty_* and their like, "NAME=VALUE ..."
 *   memory.hugepages      always, madvise or never
 *   clock.source  virtual  boot.id  machine.id (hashed: tells machines apart, names none)
 */
#ifndef FSDELTA_HARNESS_HOST_H
#define FSDELTA_HARNESS_HOST_H

#include "lib/kv.h"

/* @root: prefix of /proc, /sys, /boot and /etc; "" for this machine. */
void host_fingerprint(const char *root, struct kv *host);

/* The cpu.* facts of it. */
void host_cpu(const char *root, struct kv *host);

/* The governors that are in force, as cpu.governor has them; NULL: not known. The caller frees. */
char *host_governor(const char *root);

/* Of the fastest CPU just now, in MHz, as cpufreq or /proc/cpuinfo has it; 0: not known. */
double host_frequency(const char *root);

/*
 * What can be known of the disk @sys_name ("loop3", "nvme0n1", "nvme0n1p2"): device.model,
 * .rotational, .scheduler, .size (bytes), .queue (limits), .write_cache. A partition has
 * what its disk has, but for the size.
 */
void host_disk(const char *root, const char *sys_name, struct kv *facts);

#endif
