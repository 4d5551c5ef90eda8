// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/guest/guest.h"

#include "harness/vm/protocol.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_all(const char *path, size_t *len)
{
	struct stat st;
	size_t done = 0;
	char *text;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st))
		die(true, "%s", path);
	*len = (size_t)st.st_size;
	text = malloc(*len + 1);
	if (!text)
		die(true, "%s", path);
	while (done < *len && (n = read(fd, text + done, *len - done)) > 0)
		done += (size_t)n;
	if (done < *len)
		die(false, "%s: it is cut off", path);
	text[*len] = '\0';
	close(fd);
	return text;
}

static void push(char ***v, char *s)
{
	size_t n = 0;

	while (*v && (*v)[n])
		n++;
	*v = reallocarray(*v, n + 2, sizeof(**v));
	if (!*v)
		die(true, "the command");
	(*v)[n] = s;
	(*v)[n + 1] = NULL;
}

static void take(struct order *o, const char *key, char *value)
{
	if (!strcmp(key, "arg"))
		push(&o->argv, value);
	else if (!strcmp(key, "env"))
		push(&o->env, value);
	else if (!strcmp(key, "cwd"))
		o->cwd = value;
	else if (!strcmp(key, "modules"))
		o->modules = value;
	else if (!strcmp(key, "disk"))
		o->disk = value;
	else if (!strcmp(key, "shell"))
		o->shell = true;
	else
		die(false, "the command says '%s', which is not known here", key);
}

void order_read(const char *dir, struct order *o)
{
	char path[256], *text, *p, *value;
	size_t len;

	snprintf(path, sizeof(path), "%s/" VM_FILE_COMMAND, dir);
	text = read_all(path, &len);
	for (p = text; p < text + len; p = value + strlen(value) + 1) {
		value = strchr(p, '=');
		if (!value)
			die(false, "%s: it is damaged", path);
		*value++ = '\0';
		take(o, p, value);
	}
}
