// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/each.h"

#include "lib/file.h"
#include "lib/hash.h"
#include "lib/mem.h"
#include "results/run.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#define MAGIC "fsdeazl\1"
#define HEAD 16
#define FOLDER "each/"
/* More than any real file has, and little enough to be read into memory. */
#define MAX_LEN (1UL << 30)

void each_pack(const void *data, size_t len, struct strbuf *out)
{
	uLongf packed = compressBound(len);
	__cleanup_free unsigned char *buf = xmalloc(packed);

	/* The room is enough: nothing but memory can be missing. */
	if (compress2(buf, &packed, data, len, Z_BEST_COMPRESSION) != Z_OK)
		abort();
	strbuf_add(out, MAGIC, 8);
	for (int i = 0; i < 8; i++)
		strbuf_addc(out, (char)((uint64_t)len >> (8 * i)));
	strbuf_add(out, buf, packed);
}

struct each *each_unpack(const void *data, size_t len, char **error)
{
	const unsigned char *p = data;
	__cleanup_free unsigned char *plain = NULL;
	uint64_t want = 0;
	uLongf got;

	*error = NULL;
	if (len < HEAD || memcmp(data, MAGIC, 8)) {
		*error = xstrdup("it is no file of single operations");
		return NULL;
	}
	for (int i = 7; i >= 0; i--)
		want = want << 8 | p[8 + i];
	/* zlib cannot shrink anything by more than about 1032 to 1. */
	if (want > MAX_LEN || want / 1100 > len) {
		*error = xstrdup("its length is not possible");
		return NULL;
	}
	plain = xmalloc(want + 1);
	got = want;
	if (uncompress(plain, &got, p + HEAD, len - HEAD) != Z_OK || got != want) {
		*error = xstrdup("it is damaged");
		return NULL;
	}
	return each_parse(plain, want, error);
}

static char *hash_of(const struct strbuf *sb)
{
	struct hash64 h = HASH64_INIT;

	hash64_add(&h, sb->buf, sb->len);
	return xasprintf("%016llx", (unsigned long long)h.value);
}

int each_store(const char *dir, struct iteration *it, const void *data, size_t len)
{
	__cleanup_free char *folder = xasprintf("%s/" FOLDER, dir), *path = NULL, *error = NULL;
	__cleanup_strbuf struct strbuf packed = STRBUF_INIT;
	__cleanup_each struct each *e = each_parse(data, len, &error);
	int ret;

	if (!e)
		return -EINVAL;
	free(it->exact.file);
	it->exact.file = xasprintf(FOLDER "%06llu.z", (unsigned long long)it->seq);
	each_pack(data, len, &packed);
	free(it->exact.hash);
	it->exact.hash = hash_of(&packed);
	path = xasprintf("%s/%s", dir, it->exact.file);
	ret = file_mkdir_p(folder);
	if (!ret)
		ret = file_write_atomic(path, packed.buf, packed.len);
	return ret ? ret : file_sync_dir(dir);
}

/* The sentence that says why not; NULL: loaded. */
static char *load(const char *dir, struct iteration *it)
{
	__cleanup_strbuf struct strbuf packed = STRBUF_INIT;
	__cleanup_free char *path = NULL, *hash = NULL;
	char *error;
	int ret;

	/* A result of somebody else names no file outside of its folder. */
	if (!str_starts(it->exact.file, FOLDER) ||
	    !file_is_plain_name(it->exact.file + strlen(FOLDER)))
		return xstrdup("it is no name of a file of single operations");
	path = xasprintf("%s/%s", dir, it->exact.file);
	ret = file_read(path, &packed, MAX_LEN);
	if (ret)
		return xstrdup(strerror(-ret));
	hash = hash_of(&packed);
	if (!str_eq(hash, it->exact.hash))
		return xstrdup("it is not the file that the result was written with");
	it->exact.each = each_unpack(packed.buf, packed.len, &error);
	return error;
}

void each_load(const char *dir, struct run *r)
{
	for (size_t i = 0; i < r->n_iterations; i++) {
		struct iteration *it = &r->iterations[i];
		__cleanup_free char *why = NULL;

		if (!it->exact.file || it->exact.each)
			continue;
		why = load(dir, it);
		if (why)
			strvec_pushf(&r->load_warnings, "%s/%s: %s; the operations of iteration %llu "
				     "are left out", dir, it->exact.file, why,
				     (unsigned long long)it->seq);
	}
}
