// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/frame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FRAME_START "FSDFRAME "
#define END_START "FSDEND "
#define CRC_TEXT 9 /* " xxxxxxxx" */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* CRC-32 of IEEE 802.3, bit by bit: the lines are short. */
static uint32_t crc32_of(const char *p, size_t len)
{
	uint32_t crc = ~0U;

	while (len--) {
		crc ^= (uint8_t)*p++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return ~crc;
}

/* RFC 4648, with '=' up to a multiple of four. Returns the end of what was written. */
static char *to_base64(char *out, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16;

		v |= i + 1 < len ? (uint32_t)p[i + 1] << 8 : 0;
		v |= i + 2 < len ? p[i + 2] : 0;
		*out++ = digits[v >> 18];
		*out++ = digits[v >> 12 & 63];
		*out++ = i + 1 < len ? digits[v >> 6 & 63] : '=';
		*out++ = i + 2 < len ? digits[v & 63] : '=';
	}
	*out = '\0';
	return out;
}

/* The number of bytes, or -1. */
static int from_base64(const char *p, size_t len, uint8_t out[FRAME_BYTES])
{
	size_t n = 0;

	if (len % 4 || len / 4 * 3 > FRAME_BYTES)
		return -1;
	for (size_t i = 0; i < len; i += 4) {
		uint32_t v = 0;
		size_t padding = 0;

		for (size_t j = 0; j < 4; j++) {
			const char *d = memchr(digits, p[i + j], 64);

			padding += p[i + j] == '=';
			if (!d && (p[i + j] != '=' || i + 4 < len))
				return -1;
			v = v << 6 | (d ? (uint32_t)(d - digits) : 0);
		}
		if (padding > 2)
			return -1;
		for (size_t j = 0; j < 3 - padding; j++)
			out[n++] = (uint8_t)(v >> (16 - 8 * j));
	}
	return (int)n;
}

void frame_encode(const struct frame *f, char line[FRAME_LINE])
{
	int n;

	if (f->kind == FRAME_END) {
		n = snprintf(line, FRAME_LINE, END_START "%" PRIx64 " %" PRIx64 " %s %d", f->out_len,
			     f->err_len, f->word, f->number);
	} else {
		n = snprintf(line, FRAME_LINE, FRAME_START "%c %" PRIx64 " ",
			     f->kind == FRAME_OUT ? 'o' : 'e', f->offset);
		n += (int)(to_base64(line + n, f->data, f->len) - (line + n));
	}
	snprintf(line + n, (size_t)(FRAME_LINE - n), " %08" PRIx32, crc32_of(line, (size_t)n));
}

static int decode_data(const char *line, struct frame *f)
{
	char stream;
	int from = 0, n;

	if (sscanf(line, FRAME_START "%c %" SCNx64 " %n", &stream, &f->offset, &from) != 2 || !from)
		return -EBADMSG;
	n = from_base64(line + from, strlen(line + from), f->data);
	if (n <= 0 || (stream != 'o' && stream != 'e'))
		return -EBADMSG;
	f->kind = stream == 'o' ? FRAME_OUT : FRAME_ERR;
	f->len = (size_t)n;
	return 0;
}

static int decode_end(const char *line, struct frame *f)
{
	f->kind = FRAME_END;
	return sscanf(line, END_START "%" SCNx64 " %" SCNx64 " %15s %d", &f->out_len, &f->err_len,
		      f->word, &f->number) == 4 ? 0 : -EBADMSG;
}

int frame_decode(const char *line, size_t len, struct frame *f)
{
	char copy[FRAME_LINE], want[CRC_TEXT + 1];
	size_t end = strlen(END_START), start = strlen(FRAME_START);
	bool is_end = len >= end && !memcmp(line, END_START, end);

	if (!is_end && (len < start || memcmp(line, FRAME_START, start)))
		return -ENOENT;
	if (len >= sizeof(copy) || len < CRC_TEXT + end || memchr(line, '\0', len))
		return -EBADMSG;
	len -= CRC_TEXT;
	snprintf(want, sizeof(want), " %08" PRIx32, crc32_of(line, len));
	if (memcmp(line + len, want, CRC_TEXT))
		return -EBADMSG;
	memcpy(copy, line, len);
	copy[len] = '\0';
	*f = (struct frame){ 0 };
	return is_end ? decode_end(copy, f) : decode_data(copy, f);
}
