// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/cpio.h"

#include "lib/mem.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

struct entry {
	mode_t mode;
	unsigned int major, minor; /* of a device */
	const void *data;
	size_t len;
};

static void align(struct strbuf *out)
{
	strbuf_pad(out, '\0', -out->len & 3);
}

static void add(struct cpio *c, const char *name, const struct entry *e)
{
	/* magic ino mode uid gid nlink mtime size dev (2) rdev (2) namesize check */
	strbuf_addf(c->out, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
		    c->ino, e->mode, 0, 0, S_ISDIR(e->mode) ? 2 : 1, 0, (unsigned int)e->len, 0, 0,
		    e->major, e->minor, (unsigned int)strlen(name) + 1, 0);
	c->ino++;
	strbuf_add(c->out, name, strlen(name) + 1);
	align(c->out);
	if (e->len)
		strbuf_add(c->out, e->data, e->len);
	align(c->out);
}

static void add_parents(struct cpio *c, const char *name)
{
	for (const char *p = strchr(name, '/'); p; p = strchr(p + 1, '/')) {
		__cleanup_free char *dir = xstrndup(name, (size_t)(p - name));

		cpio_dir(c, dir);
	}
}

void cpio_dir(struct cpio *c, const char *name)
{
	if (strvec_has(&c->dirs, name))
		return;
	add_parents(c, name);
	strvec_push(&c->dirs, name);
	add(c, name, &(struct entry){ .mode = S_IFDIR | 0755 });
}

int cpio_file(struct cpio *c, const char *name, mode_t perm, const void *data, size_t len)
{
	if (len > UINT32_MAX)
		return -EFBIG;
	add_parents(c, name);
	add(c, name, &(struct entry){ .mode = S_IFREG | perm, .data = data, .len = len });
	return 0;
}

void cpio_link(struct cpio *c, const char *name, const char *target)
{
	add_parents(c, name);
	add(c, name, &(struct entry){ .mode = S_IFLNK | 0777, .data = target,
				      .len = strlen(target) });
}

void cpio_char_device(struct cpio *c, const char *name, unsigned int major, unsigned int minor)
{
	add_parents(c, name);
	add(c, name, &(struct entry){ .mode = S_IFCHR | 0600, .major = major, .minor = minor });
}

void cpio_end(struct cpio *c)
{
	c->ino = 0;
	add(c, "TRAILER!!!", &(struct entry){ 0 });
	strvec_release(&c->dirs);
}
