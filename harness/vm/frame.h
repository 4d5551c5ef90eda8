/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an exact guest, which shares no folder, hands over its results: as lines on the console,
 * between which the kernel may print, each with a checksum. Both sides use this; libc only. Pure.
 *
 *   FSDFRAME o 1f00 BASE64 CRC32     bytes of standard output from offset 0x1f00 on (e: error)
 *   FSDEND 2000 0 exit 0 CRC32       so many bytes of each there were, and how the command ended
 */
#ifndef FSDELTA_HARNESS_VM_FRAME_H
#define FSDELTA_HARNESS_VM_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_BYTES 192 /* of content, at most */
#define FRAME_LINE 512	/* room for any line, '\0' included */

enum frame_kind {
	FRAME_OUT,
	FRAME_ERR,
	FRAME_END,
};

struct frame {
	enum frame_kind kind;
	/* FRAME_OUT, FRAME_ERR */
	uint64_t offset;
	uint8_t data[FRAME_BYTES];
	size_t len;
	/* FRAME_END */
	uint64_t out_len, err_len;
	char word[16]; /* as in VM_FILE_RC */
	int number;
};

/* Writes the line for @f, without its end, into @line. */
void frame_encode(const struct frame *f, char line[FRAME_LINE]);
/* 0; -ENOENT: this is no frame; -EBADMSG: it is a damaged one. */
int frame_decode(const char *line, size_t len, struct frame *f);

#endif
