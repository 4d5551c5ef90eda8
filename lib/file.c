// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/file.h"

#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>

int file_read(const char *path, struct strbuf *out, size_t max)
{
	__cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[16384];
	size_t total = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	strbuf_add(out, "", 0);
	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (max && total + (size_t)n > max) {
			strbuf_add(out, buf, max - total);
			return -EFBIG;
		}
		strbuf_add(out, buf, (size_t)n);
		total += (size_t)n;
	}
	return 0;
}

int file_write_fd(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_write(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int ret;

	if (fd < 0)
		return -errno;
	ret = file_write_fd(fd, data, len);
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

static int write_synced(int fd, const void *data, size_t len)
{
	int ret = file_write_fd(fd, data, len);

	if (!ret && fchmod(fd, 0644))
		ret = -errno;
	if (!ret && fsync(fd))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

int file_write_atomic(const char *path, const void *data, size_t len)
{
	__cleanup_free char *tmp = xasprintf("%s.XXXXXX", path);
	__cleanup_free char *copy = xstrdup(path);
	int fd = mkostemp(tmp, O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write_synced(fd, data, len);
	if (!ret && rename(tmp, path))
		ret = -errno;
	if (ret) {
		unlink(tmp);
		return ret;
	}
	return file_sync_dir(dirname(copy));
}

int file_sync_dir(const char *dir)
{
	__cleanup_close int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd))
		return -errno;
	return 0;
}

static int sync_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	__cleanup_close int fd = -1;

	(void)ftw;
	if (!S_ISREG(st->st_mode) && type != FTW_DP)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 || fsync(fd) ? -errno : 0;
}

int file_sync_tree(const char *path)
{
	int ret = nftw(path, sync_one, 32, FTW_DEPTH | FTW_PHYS);

	return ret == -1 ? -errno : ret;
}

int file_mkdir_p(const char *path)
{
	__cleanup_free char *p = xstrdup(path);
	struct stat st;

	if (!*p)
		return -ENOENT;
	for (char *s = p + 1; *s; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		if (mkdir(p, 0755) && errno != EEXIST)
			return -errno;
		*s = '/';
	}
	if (mkdir(p, 0755) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (stat(p, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path) && errno != ENOENT ? -errno : 0;
}

int file_remove_tree(const char *path)
{
	int ret = nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);

	if (ret == -1)
		return errno == ENOENT ? 0 : -errno;
	return ret;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool file_is_plain_name(const char *name)
{
	if (!*name || *name == '.' || *name == '-')
		return false;
	for (const char *s = name; *s; s++)
		if (*s == '/' || (unsigned char)*s < 0x20 || *s == 0x7f)
			return false;
	return true;
}

/* To access() a folder is executable too. */
static bool is_program(const char *path)
{
	struct stat st;

	return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

char *file_find_program(const char *prog)
{
	/* mkfs and friends live in sbin, which a user's PATH may lack. */
	const char *env = getenv("PATH");
	__cleanup_free char *path = xasprintf("%s:/usr/local/sbin:/usr/sbin:/sbin", env ? env : "");
	char *save = NULL;

	if (strchr(prog, '/'))
		return is_program(prog) ? xstrdup(prog) : NULL;
	for (char *dir = strtok_r(path, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		char *full = xasprintf("%s/%s", dir, prog);

		if (is_program(full))
			return full;
		free(full);
	}
	return NULL;
}
