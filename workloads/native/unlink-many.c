// SPDX-License-Identifier: GPL-2.0-or-later
/* What rm -r does: all files of a directory go, in an order that matters to the disk. */
#include "workloads/native/native.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

enum { CREATE, UNLINK };
enum { OPT_ORDER };
enum { READDIR, SORTED, CREATION, RANDOM };

static const struct native_op ops[] = {
	[CREATE] = { "create", false, "open(O_CREAT | O_EXCL), write of --size bytes, close" },
	[UNLINK] = { "unlink", false, "unlink" },
	{ 0 },
};

static const struct native_option options[] = {
	[OPT_ORDER] = { "order", "readdir|sorted|creation|random", "of the unlinks" },
	{ 0 },
};

static void create(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];
	bool ok;
	int fd;

	native_path(t->n, path, 'd', i, 'f', i);
	native_stamp(t, t->n->round * t->n->files + i);
	native_begin(t);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	ok = fd >= 0 && native_write(t, fd);
	if (fd >= 0 && !ok) {
		native_lap(t, CREATE, false, path);
		close(fd);
		return;
	}
	native_lap(t, CREATE, ok && close(fd) == 0, path);
}

/* The thread's own files of one directory, as readdir() gives them, from order[@n] on. */
static uint64_t read_order(struct native_thread *t, const char *dir, uint64_t n)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	uint64_t i;

	if (!d) {
		native_failed(t, "open", dir);
		return n;
	}
	while ((e = readdir(d))) {
		if (e->d_name[0] != 'f')
			continue;
		i = strtoull(e->d_name + 1, NULL, 10);
		if (i >= t->first && i < t->end && n < t->end - t->first)
			t->order[n++] = i;
	}
	closedir(d);
	return n;
}

static void order_readdir(struct native_thread *t)
{
	char path[NATIVE_PATH], before[NATIVE_PATH] = "";
	uint64_t i, n = 0;

	for (i = t->first; i < t->end; i++) {
		native_path(t->n, path, 'd', i, 'f', i);
		*strchr(path, '/') = '\0';
		if (strcmp(path, before))
			n = read_order(t, path, n);
		memcpy(before, path, sizeof(path));
	}
	if (n != t->end - t->first)
		native_wrong(t, path, "readdir() did not give all files");
}

static int compare_names(const void *a, const void *b, void *arg)
{
	const uint64_t i = *(const uint64_t *)a, j = *(const uint64_t *)b;
	char x[NATIVE_PATH], y[NATIVE_PATH];

	native_path(arg, x, 'd', i, 'f', i);
	native_path(arg, y, 'd', j, 'f', j);
	return strcmp(x, y);
}

static void shuffle(struct native_thread *t, uint64_t n)
{
	uint64_t state = t->n->seed ^ (t->n->round << 32) ^ t->index, k, other, tmp;

	native_random(&state);
	for (k = n; k > 1; k--) {
		other = native_random(&state) % k;
		tmp = t->order[k - 1];
		t->order[k - 1] = t->order[other];
		t->order[other] = tmp;
	}
}

static void make_order(struct native_thread *t)
{
	uint64_t n = t->end - t->first, k;

	if (!t->order)
		t->order = calloc(n, sizeof(*t->order));
	if (!t->order) {
		native_failed(t, "order of", "");
		return;
	}
	for (k = 0; k < n; k++)
		t->order[k] = t->first + k;
	if (t->n->value[OPT_ORDER] == READDIR)
		order_readdir(t);
	else if (t->n->value[OPT_ORDER] == SORTED)
		qsort_r(t->order, n, sizeof(*t->order), compare_names, t->n);
	else if (t->n->value[OPT_ORDER] == RANDOM)
		shuffle(t, n);
}

static void remove_file(struct native_thread *t, uint64_t i)
{
	char path[NATIVE_PATH];

	i = t->order[i - t->first];
	native_path(t->n, path, 'd', i, 'f', i);
	native_begin(t);
	native_lap(t, UNLINK, unlink(path) == 0, path);
}

static void check(struct native_thread *t)
{
	native_check_empty(t, 'd');
}

static const struct native_phase phases[] = {
	{ NATIVE_TIMED, .file = create },
	{ 0, .thread = make_order },
	{ NATIVE_TIMED, .file = remove_file },
	{ 0, .thread = check },
	{ 0 },
};

static const struct native_program program = {
	.name = "unlink-many",
	.text = "Creates files, then unlinks all of them. Every round begins with empty\n"
		"directories.",
	.sets = "d",
	.example = "--files 50000 --order readdir --rounds 3",
	.ops = ops,
	.options = options,
	.phases = phases,
};

int main(int argc, char **argv)
{
	return native_main(&program, argc, argv);
}
