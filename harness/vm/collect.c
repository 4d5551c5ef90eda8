// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/collect.h"

#include "harness/vm/frame.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct collection {
	struct strbuf *out, *err, *rc;
	size_t out_before, err_before;
	bool damaged, ended;
};

static void take_data(struct collection *c, const struct frame *f)
{
	struct strbuf *sb = f->kind == FRAME_OUT ? c->out : c->err;
	size_t before = f->kind == FRAME_OUT ? c->out_before : c->err_before;

	if (f->offset == sb->len - before)
		strbuf_add(sb, f->data, f->len);
	else
		c->damaged = true;
}

static void take_line(struct collection *c, const char *line, size_t len)
{
	struct frame f;
	int ret;

	while (len && (line[len - 1] == '\r' || line[len - 1] == '\n'))
		len--;
	ret = frame_decode(line, len, &f);
	if (ret == -EBADMSG)
		c->damaged = true;
	if (ret)
		return;
	if (f.kind != FRAME_END) {
		take_data(c, &f);
		return;
	}
	c->ended = true;
	c->damaged |= f.out_len != c->out->len - c->out_before ||
		      f.err_len != c->err->len - c->err_before;
	strbuf_addf(c->rc, "%s %d\n", f.word, f.number);
}

int collect_frames(const void *console, size_t len, struct strbuf *out, struct strbuf *err,
		   struct strbuf *rc)
{
	struct collection c = { out, err, rc, out->len, err->len, false, false };
	const char *p = console, *end = p + len;

	while (p < end && !c.ended) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		take_line(&c, p, (size_t)((nl ? nl : end) - p));
		p = nl ? nl + 1 : end;
	}
	if (!c.ended)
		return -ENOENT;
	return c.damaged ? -EBADMSG : 0;
}
