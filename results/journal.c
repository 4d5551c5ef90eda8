// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/journal.h"

#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* One write, if the kernel takes it all: the rest of it tells why it did not. */
static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int lock(const struct journal *j)
{
	/* Where there are no locks, the rule is the user's. */
	if (flock(j->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return -EBUSY;
	return 0;
}

static int open_locked(struct journal *j, const char *path, int flags)
{
	int ret;

	*j = (struct journal)JOURNAL_INIT;
	j->fd = open(path, flags | O_APPEND | O_CLOEXEC, 0644);
	if (j->fd < 0)
		return -errno;
	ret = lock(j);
	if (ret)
		journal_close(j);
	return ret;
}

int journal_create(struct journal *j, const char *path)
{
	return open_locked(j, path, O_WRONLY | O_CREAT | O_EXCL);
}

static int look_at_end(struct journal *j)
{
	char last = '\n';

	j->size = lseek(j->fd, 0, SEEK_END);
	if (j->size < 0)
		return -errno;
	if (j->size && pread(j->fd, &last, 1, j->size - 1) != 1)
		return -EIO;
	j->cut = last != '\n';
	return 0;
}

int journal_open(struct journal *j, const char *path)
{
	int ret = open_locked(j, path, O_RDWR);

	if (ret)
		return ret;
	ret = look_at_end(j);
	if (!ret)
		ret = journal_append(j, "", 0);
	if (ret)
		journal_close(j);
	return ret;
}

/* Back to what was whole. If not even that works, the next append ends the line. */
static void forget(struct journal *j)
{
	if (ftruncate(j->fd, j->size)) {
		j->size = lseek(j->fd, 0, SEEK_END);
		j->cut = true;
	}
}

int journal_append(struct journal *j, const void *data, size_t len)
{
	size_t total = len + j->cut;
	__cleanup_free char *with_end = NULL;
	int ret;

	if (j->cut) {
		with_end = xmalloc(total);
		with_end[0] = '\n';
		memcpy(with_end + 1, data, len);
		data = with_end;
	}
	ret = write_all(j->fd, data, total);
	if (!ret && fdatasync(j->fd))
		ret = -errno;
	if (ret) {
		forget(j);
		return ret;
	}
	j->size += (off_t)total;
	j->cut = false;
	return 0;
}

int journal_close(struct journal *j)
{
	int ret = j->fd >= 0 && close(j->fd) ? -errno : 0;

	j->fd = -1;
	return ret;
}
