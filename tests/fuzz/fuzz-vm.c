// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes are a kernel image, a module, a console, the words of --kernel, or are refused. */
#include "harness/vm/collect.h"
#include "harness/vm/console.h"
#include "harness/vm/image.h"
#include "harness/vm/kconfig.h"
#include "harness/vm/modules.h"
#include "harness/vm/unpack.h"
#include "harness/vm/verdict.h"
#include "harness/vm/words.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "lib/mem.h"

/* Small: bytes that claim to be more are as good when they are refused. */
#define MOST (1UL << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const char *s)
{
	for (; s && *s; s++)
		if ((unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7f)
			abort();
}

static void check_image(const uint8_t *data, size_t size)
{
	__cleanup_image struct image img = IMAGE_INIT;
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	__cleanup_free char *sentence = NULL;
	const char *why = NULL;

	if (!image_parse(data, size, &img, &why) == !!why)
		abort();
	check_line(img.banner);
	check_line(img.release);
	if (img.payload > size || img.payload_len > size - img.payload)
		abort();
	/* The others are programs of somebody else. */
	if (img.packing == PACKED_GZIP || img.packing == PACKED_XZ || img.packing == PACKED_ZSTD ||
	    img.packing == PACKED_LZMA)
		if (!unpack(img.packing, data + img.payload, img.payload_len, MOST, &out, &sentence) !=
		    !sentence || out.len > MOST)
			abort();
}

static void check_console(const uint8_t *data, size_t size)
{
	__cleanup_console struct console c = CONSOLE_INIT;

	console_scan(data, size, &c);
	check_line(c.error);
	check_line(c.last_line);
	for (size_t i = 0; i < c.n; i++)
		check_line(c.v[i].line);
}

static void check_frames(const uint8_t *data, size_t size)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT, err = STRBUF_INIT, rc = STRBUF_INIT;
	int ret = collect_frames(data, size, &out, &err, &rc);

	if (!ret != (rc.len && ret != -EBADMSG) || out.len + err.len > size)
		abort();
}

static void check_text(const char *text)
{
	struct vm_words w;
	char *why = NULL;
	int status;

	if (!vm_words_parse(text, &w, &why) != !why)
		abort();
	if (!why)
		vm_words_release(&w);
	free(why);
	(void)kconfig_get(text, "NET_9P");
	if (!vm_parse_rc(text, &status) && (status < 0 || status > 255))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT;
	__cleanup_free char *text = xstrndup((const char *)data, size);
	__cleanup_free char *config = kconfig_embedded(data, size);

	if (config && !strstr(config, "CONFIG_"))
		abort();
	check_frames(data, size);
	module_depends(data, size, &names);
	check_image(data, size);
	check_console(data, size);
	check_text(text);
	return 0;
}
