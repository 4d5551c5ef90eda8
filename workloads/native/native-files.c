// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/native/native.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

/* The content differs this often: in every block of every file and round. */
#define STAMP_EVERY 4096

/* Many times faster than snprintf(), which would be felt beside a rename in memory. */
static char *put_number(char *p, uint64_t v)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		*p++ = digits[--n];
	return p;
}

void native_path(const struct native *n, char path[NATIVE_PATH], char set, uint64_t i,
		 char prefix, uint64_t number)
{
	char *p = path;

	*p++ = set;
	p = put_number(p, n->dirs == 1 ? 0 : i * n->dirs / n->files);
	*p++ = '/';
	*p++ = prefix;
	p = put_number(p, number);
	*p = '\0';
}

void native_stamp(struct native_thread *t, uint64_t number)
{
	uint64_t size = t->n->size, state = t->n->seed ^ (number * UINT64_C(0xd1342543de82ef95));
	uint64_t at, stamp;

	for (at = 0; at < size; at += STAMP_EVERY) {
		stamp = native_random(&state);
		memcpy(t->buf + at, &stamp, size - at < sizeof(stamp) ? size - at : sizeof(stamp));
	}
}

bool native_write(const struct native_thread *t, int fd)
{
	uint64_t done = 0;
	ssize_t got;

	while (done < t->n->size) {
		got = write(fd, t->buf + done, t->n->size - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return false;
		done += (uint64_t)got;
	}
	return true;
}

void native_create(struct native_thread *t, const char *path, uint64_t number)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	bool ok;

	if (fd < 0) {
		native_failed(t, "create", path);
		return;
	}
	native_stamp(t, number);
	ok = native_write(t, fd);
	if (!ok)
		native_failed(t, "write", path);
	if (close(fd) < 0 && ok)
		native_failed(t, "close", path);
}

bool native_put(struct native_thread *t, unsigned int op, const char *path, int flags)
{
	bool ok;
	int fd;

	native_begin(t);
	fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0644);
	if (!native_lap(t, op, fd >= 0, path))
		return false;
	ok = native_lap(t, op + 1, native_write(t, fd), path) &&
	     native_lap(t, op + 2, fsync(fd) == 0, path);
	return native_lap(t, op + 3, close(fd) == 0, path) && ok;
}

/* The content of t->buf, from @at on? -1 when it cannot be read. */
static int same_content(const struct native_thread *t, int fd, uint64_t at)
{
	unsigned char block[4096];
	uint64_t done = 0, want;
	ssize_t got;

	while (done < t->n->size) {
		want = t->n->size - done < sizeof(block) ? t->n->size - done : sizeof(block);
		got = pread(fd, block, want, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got || memcmp(block, t->buf + done, (size_t)got))
			return 0;
		done += (uint64_t)got;
	}
	return 1;
}

void native_check_file(struct native_thread *t, const char *path, uint64_t number, uint64_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), same;
	struct stat st;

	if (fd < 0) {
		native_failed(t, "check", path);
		return;
	}
	native_stamp(t, number);
	if (fstat(fd, &st) < 0) {
		native_failed(t, "check", path);
	} else if ((uint64_t)st.st_size != size) {
		native_wrong(t, path, "has not the size that it must have");
	} else {
		same = same_content(t, fd, size - t->n->size);
		if (same < 0)
			native_failed(t, "read", path);
		if (!same)
			native_wrong(t, path, "has not the content that was written");
	}
	close(fd);
}

void native_check_absent(struct native_thread *t, const char *path)
{
	if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		native_wrong(t, path, "is still there");
	else if (errno != ENOENT)
		native_failed(t, "check", path);
}

static void check_empty(struct native_thread *t, const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	if (!d) {
		native_failed(t, "check", path);
		return;
	}
	errno = 0;
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			break;
	if (e)
		native_wrong(t, path, "is not empty");
	else if (errno)
		native_failed(t, "read", path);
	closedir(d);
}

void native_check_empty(struct native_thread *t, char set)
{
	char path[NATIVE_PATH] = { set };
	uint64_t k;

	for (k = t->index; k < t->n->dirs; k += t->n->threads) {
		*put_number(path + 1, k) = '\0';
		check_empty(t, path);
	}
}

static bool make_directories(const struct native *n)
{
	char path[NATIVE_PATH];
	const char *set;
	uint64_t k;

	for (set = n->program->sets; *set; set++) {
		path[0] = *set;
		for (k = 0; k < n->dirs; k++) {
			*put_number(path + 1, k) = '\0';
			if (mkdir(path, 0755) < 0)
				return false;
		}
	}
	return true;
}

bool native_make_tree(struct native *n)
{
	const char *name = n->program->name;
	const char *what = "open ", *top = "";

	n->dir_fd = open(n->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (n->dir_fd < 0)
		goto fail;
	top = name;
	what = "make ";
	if (mkdirat(n->dir_fd, name, 0755) < 0)
		goto fail;
	what = "enter ";
	n->top_fd = openat(n->dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (n->top_fd < 0 || fchdir(n->top_fd) < 0)
		goto fail;
	what = "make directories in ";
	if (make_directories(n))
		return true;
fail:
	fprintf(stderr, "%s: cannot %s%s%s%s: %s%s\n", name, what, n->dir, *top ? "/" : "", top,
		strerror(errno), errno == EEXIST ? " (left by another run? remove it)" : "");
	atomic_flag_test_and_set(&n->reported);
	if (n->top_fd >= 0 && !n->keep)
		native_remove_tree(n);
	return false;
}

void native_make_pad(struct native *n)
{
	struct native_thread *t = &n->thread[0];
	char path[NATIVE_PATH] = "pad/f";
	uint64_t i;

	if (n->pad && mkdir("pad", 0755) < 0)
		native_failed(t, "make", "pad");
	for (i = 0; i < n->pad && !t->failed; i++) {
		*put_number(path + strlen("pad/f"), i) = '\0';
		native_create(t, path, UINT64_MAX - i);
	}
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void native_remove_tree(struct native *n)
{
	if (fchdir(n->dir_fd) == 0 &&
	    nftw(n->program->name, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0)
		return;
	n->failed++;
	if (!atomic_flag_test_and_set(&n->reported))
		fprintf(stderr, "%s: cannot remove %s/%s: %s\n", n->program->name, n->dir,
			n->program->name, strerror(errno));
}
