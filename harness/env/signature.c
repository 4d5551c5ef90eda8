// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/internal.h"

#include "lib/clock.h"
#include "lib/mem.h"

#include <blkid.h>
#include <errno.h>
#include <string.h>

/* What is looked at of a device without signature; see env_is_empty(). */
#define EDGE (1024 * 1024)
#define SAMPLES 64
#define BLOCK (64 * 1024)
#define EMPTY_NS (30 * NSEC_PER_SEC)

static void cleanup_probep(blkid_probe *pr)
{
	if (*pr)
		blkid_free_probe(*pr);
}

static const char *value(blkid_probe pr, const char *name)
{
	const char *v;

	return blkid_probe_lookup_value(pr, name, &v, NULL) == 0 && *v ? v : NULL;
}

/* One signature of possibly several: a device can carry old ones. */
static void add(struct env_signature *s, blkid_probe pr, struct strbuf *text)
{
	const char *table = value(pr, "PTTYPE"), *type = value(pr, "TYPE");
	const char *label = value(pr, "LABEL"), *usage = value(pr, "USAGE");

	if (text->len)
		strbuf_adds(text, ", ");
	if (!type && table) {
		s->table = true;
		s->ours = false;
		strbuf_addf(text, "a partition table (%s)", table);
		return;
	}
	strbuf_add_printable(text, type ? type : "an unknown signature");
	if (label) {
		strbuf_adds(text, " labelled '");
		strbuf_add_printable(text, label);
		strbuf_addc(text, '\'');
	}
	if (!str_eq(label, ENV_LABEL) || !str_eq(usage, "filesystem"))
		s->ours = false;
}

int env_signature_read(int fd, struct env_signature *s)
{
	__attribute__((cleanup(cleanup_probep))) blkid_probe pr = blkid_new_probe();
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	int ret;

	*s = (struct env_signature){ .ours = true };
	if (!pr)
		return -ENOMEM;
	errno = 0;
	if (blkid_probe_set_device(pr, fd, 0, 0))
		return errno ? -errno : -EIO;
	blkid_probe_enable_superblocks(pr, 1);
	/* A damaged one may still be somebody's data. */
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_LABEL | BLKID_SUBLKS_TYPE |
					  BLKID_SUBLKS_USAGE | BLKID_SUBLKS_MAGIC |
					  BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
	while ((ret = blkid_do_probe(pr)) == 0)
		add(s, pr, &text);
	if (ret < 0)
		return errno ? -errno : -EIO;
	s->ours = s->ours && text.len;
	if (text.len)
		s->what = strbuf_detach(&text);
	return 0;
}

/* A block at a time: a slow device is given up between two of them. */
static int reads_zeros(int fd, off_t at, off_t end, uint64_t deadline)
{
	static const char zeros[BLOCK];
	char buf[BLOCK];
	ssize_t n;

	for (; at < end; at += n) {
		if (clock_mono_ns() > deadline)
			return -ETIMEDOUT;
		n = pread(fd, buf, end - at < BLOCK ? (size_t)(end - at) : BLOCK, at);
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		if (memcmp(buf, zeros, (size_t)n) != 0)
			return 0;
	}
	return 1;
}

int env_is_empty(int fd)
{
	uint64_t deadline = clock_mono_ns() + EMPTY_NS;
	off_t size = lseek(fd, 0, SEEK_END), at;
	int ret;

	if (size < 0)
		return -errno;
	ret = reads_zeros(fd, 0, size < EDGE ? size : EDGE, deadline);
	if (ret == 1 && size > EDGE)
		ret = reads_zeros(fd, size - EDGE, size, deadline);
	for (int i = 1; ret == 1 && i <= SAMPLES; i++) {
		at = size / (SAMPLES + 1) * i / BLOCK * BLOCK;
		ret = reads_zeros(fd, at, size - at < BLOCK ? size : at + BLOCK, deadline);
	}
	return ret;
}
