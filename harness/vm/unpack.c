// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/unpack.h"

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/spawn.h"

#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

#define CHUNK (1UL << 18)
#define TOOL_TIMEOUT_NS (120 * NSEC_PER_SEC)
#define LZMA_MEMORY (1ULL << 30)

struct sink {
	struct strbuf *out;
	size_t left; /* may still be added */
	uint8_t *buf;	/* CHUNK bytes */
};

static int sink_add(struct sink *s, size_t n)
{
	if (n > s->left)
		return -EFBIG;
	s->left -= n;
	strbuf_add(s->out, s->buf, n);
	return 0;
}

static int unpack_gzip(const uint8_t *data, size_t len, struct sink *s)
{
	z_stream z = { .next_in = (uint8_t *)data, .avail_in = (uInt)len };
	int state = inflateInit2(&z, 15 + 16), ret = state == Z_OK ? 0 : -ENOMEM;

	while (!ret && state != Z_STREAM_END) {
		z.next_out = s->buf;
		z.avail_out = CHUNK;
		state = inflate(&z, Z_NO_FLUSH);
		if (state != Z_OK && state != Z_STREAM_END)
			ret = -EBADMSG;
		else
			ret = sink_add(s, CHUNK - z.avail_out);
	}
	inflateEnd(&z);
	return ret;
}

static int unpack_lzma(const uint8_t *data, size_t len, struct sink *s, bool xz)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret state = xz ? lzma_stream_decoder(&z, LZMA_MEMORY, 0) :
			      lzma_alone_decoder(&z, LZMA_MEMORY);
	int ret = state == LZMA_OK ? 0 : -ENOMEM;

	z.next_in = data;
	z.avail_in = len;
	while (!ret && state != LZMA_STREAM_END) {
		z.next_out = s->buf;
		z.avail_out = CHUNK;
		state = lzma_code(&z, LZMA_RUN);
		/* Without input and without progress it says LZMA_BUF_ERROR: cut off. */
		if (state != LZMA_OK && state != LZMA_STREAM_END)
			ret = -EBADMSG;
		else
			ret = sink_add(s, CHUNK - z.avail_out);
	}
	lzma_end(&z);
	return ret;
}

static int unpack_zstd(const uint8_t *data, size_t len, struct sink *s)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { data, len, 0 };
	size_t state = 1;
	int ret = z ? 0 : -ENOMEM;

	/* The kernel's build uses the largest windows. */
	if (z)
		ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 30);
	while (!ret && state) {
		ZSTD_outBuffer out = { s->buf, CHUNK, 0 };
		size_t before = in.pos;

		state = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(state) || (state && !out.pos && in.pos == before))
			ret = -EBADMSG;
		else
			ret = sink_add(s, out.pos);
	}
	ZSTD_freeDStream(z);
	return ret;
}

/* A memory file with the data, for a program to read as /proc/self/fd/N; -errno. */
static int memory_file(const void *data, size_t len, char path[32])
{
	const uint8_t *p = data;
	int fd = memfd_create("packed", 0), ret = 0;

	if (fd < 0)
		return -errno;
	while (len && !ret) {
		ssize_t n = write(fd, p, len);

		ret = n < 0 ? -errno : 0;
		p += ret ? 0 : n;
		len -= ret ? 0 : (size_t)n;
	}
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static int unpack_by_tool(const char *tool, const void *data, size_t len, struct sink *s)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	char in[32], out[32];
	__cleanup_close int in_fd = memory_file(data, len, in);
	__cleanup_close int out_fd = memory_file("", 0, out);
	struct spawn child = SPAWN_INIT;
	int ret;

	if (in_fd < 0 || out_fd < 0)
		return in_fd < 0 ? in_fd : out_fd;
	strvec_push(&argv, tool);
	strvec_push(&argv, "-dc");
	child.argv = &argv;
	child.stdin_path = in;
	child.stdout_fd = out_fd;
	child.timeout_ns = TOOL_TIMEOUT_NS;
	ret = spawn_run(&child);
	if (ret)
		return ret;
	/*
	 * The status speaks of what follows the data too; whether they are whole is seen in them.
	 */
	ret = file_read(out, s->out, s->left);
	return !ret && !s->out->len ? -EBADMSG : ret;
}

static const char *tool_for(enum image_packing packing)
{
	switch (packing) {
	case PACKED_BZIP2:
		return "bzip2";
	case PACKED_LZ4:
		return "lz4";
	case PACKED_LZO:
		return "lzop";
	default:
		return NULL;
	}
}

static char *explain(int ret, enum image_packing packing, size_t most)
{
	const char *name = image_packing_name(packing), *tool = tool_for(packing);

	switch (ret) {
	case -ENOENT:
		return xasprintf("it is packed with %s, and the program %s is not installed", name,
				 tool ? tool : name);
	case -EBADMSG:
		return xasprintf("its %s data are damaged or cut off", name);
	case -EFBIG:
		return xasprintf("it unpacks to more than %zu MiB", most >> 20);
	case -EOPNOTSUPP:
		return xstrdup("it is packed in a way that is not known here");
	default:
		return xasprintf("it cannot be unpacked (%s): %s", name, strerror(-ret));
	}
}

int unpack(enum image_packing packing, const void *data, size_t len, size_t most,
	   struct strbuf *out, char **why)
{
	__cleanup_free uint8_t *buf = xmalloc(CHUNK);
	struct sink s = { out, most, buf };
	int ret = 0;

	switch (packing) {
	case PACKED_NOT:
		if (len > most)
			ret = -EFBIG;
		else
			strbuf_add(out, data, len);
		break;
	case PACKED_GZIP:
		ret = len > UINT32_MAX ? -EFBIG : unpack_gzip(data, len, &s);
		break;
	case PACKED_XZ:
	case PACKED_LZMA:
		ret = unpack_lzma(data, len, &s, packing == PACKED_XZ);
		break;
	case PACKED_ZSTD:
		ret = unpack_zstd(data, len, &s);
		break;
	case PACKED_BZIP2:
	case PACKED_LZ4:
	case PACKED_LZO:
		ret = unpack_by_tool(tool_for(packing), data, len, &s);
		break;
	case PACKED_UNKNOWN:
		ret = -EOPNOTSUPP;
		break;
	}
	*why = ret ? explain(ret, packing, most) : NULL;
	return ret;
}
