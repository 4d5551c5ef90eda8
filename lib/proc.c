// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/proc.h"

#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <string.h>

static char *vread(const char *root, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static char *vread(const char *root, const char *fmt, va_list ap)
{
	__cleanup_free char *rel = xvasprintf(fmt, ap);
	__cleanup_free char *path = xasprintf("%s%s", root, rel);
	struct strbuf sb = STRBUF_INIT;
	int ret = file_read(path, &sb, 0);

	if (ret) {
		strbuf_release(&sb);
		errno = -ret;
		return NULL;
	}
	return strbuf_detach(&sb);
}

char *proc_read(const char *root, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = vread(root, fmt, ap);
	va_end(ap);
	return s;
}

static char *first_line(char *text)
{
	char *copy;

	if (!text)
		return NULL;
	*strchrnul(text, '\n') = '\0';
	copy = xstrdup(str_trim(text));
	free(text);
	return copy;
}

char *proc_read_line(const char *root, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = vread(root, fmt, ap);
	va_end(ap);
	return first_line(s);
}

int proc_read_u64(const char *root, uint64_t *out, const char *fmt, ...)
{
	__cleanup_free char *line = NULL;
	unsigned long long v;
	va_list ap;
	int ret;

	va_start(ap, fmt);
	line = first_line(vread(root, fmt, ap));
	va_end(ap);
	if (!line)
		return -errno;
	ret = str_to_u64(line, &v);
	if (!ret)
		*out = v;
	return ret;
}

char *proc_field(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line && *line;) {
		const char *end = strchrnul(line, '\n');

		if (!strncmp(line, key, len) && line[len] && strchr(": \t", line[len])) {
			const char *v = line + len + strspn(line + len, ": \t");
			__cleanup_free char *copy =
				xstrndup(v < end ? v : end, v < end ? (size_t)(end - v) : 0);

			return xstrdup(str_trim(copy));
		}
		line = *end ? end + 1 : NULL;
	}
	return NULL;
}
