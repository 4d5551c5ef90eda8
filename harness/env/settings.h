/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings of the machine that a run changes because the user asked for it, and that the kernel
 * would keep after our death: the cpufreq scaling governor.
 *
 * What was there before is written, durably, into ROOT/var/lib/fsdelta/settings.journal before
 * anything is changed; it is restored at the end, and after a SIGKILL by the next
 * settings_recover(). A lock beside the journal, which dies with its process, tells the
 * settings of a live run from those of a dead one. After a reboot the kernel's own values
 * count, and the journal is dropped.
 *
 * @root is the prefix of /sys, /proc and /var: "" but in tests. Functions return 0 or -errno;
 * @notes gets a sentence for everything that was restored, dropped or left alone and, with an
 * error, why.
 */
#ifndef FSDELTA_HARNESS_ENV_SETTINGS_H
#define FSDELTA_HARNESS_ENV_SETTINGS_H

#include "lib/kv.h"
#include "lib/strvec.h"

#include <stdbool.h>

struct settings {
	const char *root; /* borrowed */
	int lock;	  /* -1: nothing is held */
	struct kv old;	  /* the journal: boot, to, and a path with its old value each */
};

#define SETTINGS_INIT { .root = "", .lock = -1 }

/*
 * Can every CPU have @governor? A sentence per reason against it. @write: may we write it, too,
 * and is no other fsdelta holding the settings?
 */
void settings_check(const char *root, const char *governor, bool write, struct strvec *problems);

/*
 * Locks (-EBUSY: another fsdelta has it), recovers what a killed run left, and journals what
 * settings_apply() is going to change. On error, nothing is held.
 */
int settings_open(struct settings *s, const char *root, const char *governor,
		  struct strvec *notes);
/* Changes them, and reads them back. After an error settings_close() is due all the same. */
int settings_apply(struct settings *s, struct strvec *notes);
/*
 * Restores and unlocks. A value that is not ours any more is left alone. When one cannot be
 * restored, the journal stays. No effect on SETTINGS_INIT.
 */
int settings_close(struct settings *s, struct strvec *notes);

/*
 * Restores what a killed run left. -EBUSY: a live fsdelta holds the settings, and they were
 * left alone. Without a journal, nothing is opened or made.
 */
int settings_recover(const char *root, struct strvec *notes);

#endif
