/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results of an exact guest, put together from its console. Pure. */
#ifndef FSDELTA_HARNESS_VM_COLLECT_H
#define FSDELTA_HARNESS_VM_COLLECT_H

#include "lib/strbuf.h"

/*
 * Appends what the command wrote, and its end in the form of VM_FILE_RC to @rc. 0; -ENOENT when the
 * guest did not come to its end, then @out and @err hold what there is; -EBADMSG when the end is
 * there, but bytes are missing or damaged.
 */
int collect_frames(const void *console, size_t len, struct strbuf *out, struct strbuf *err,
		   struct strbuf *rc);

#endif
