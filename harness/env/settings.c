// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/env/settings.h"

#include "lib/file.h"
#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>

#define FOLDER "/var/lib/fsdelta"
#define JOURNAL FOLDER "/settings.journal"
#define LOCK FOLDER "/settings.lock"
#define CPUS "/sys/devices/system/cpu/"
#define GOVERNOR "/cpufreq/scaling_governor"
#define JOURNAL_MAX (1 << 20)

/* Paths of all CPUs' governors, without @root. */
static void find_governors(const char *root, struct strvec *paths)
{
	__cleanup_free char *pattern = xasprintf("%s" CPUS "cpu[0-9]*" GOVERNOR, root);
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		strvec_push(paths, found.gl_pathv[i] + strlen(root));
	globfree(&found);
}

/* "cpu3" of a path; the caller frees. */
static char *cpu_of(const char *path)
{
	const char *cpu = path + strlen(CPUS);

	return xstrndup(cpu, strcspn(cpu, "/"));
}

/* A journal is not to make us write just anywhere. */
static bool is_governor(const char *path)
{
	return str_starts(path, CPUS) && str_ends(path, GOVERNOR) && !strstr(path, "..");
}

static int write_value(const char *root, const char *path, const char *value)
{
	__cleanup_free char *full = xasprintf("%s%s", root, path);
	__cleanup_free char *line = xasprintf("%s\n", value);
	__cleanup_close int fd = open(full, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		return -errno;
	return 0;
}

/*
 * The lock is a POSIX one: unlike flock() it is not handed on to forked supervisors, and it
 * names its owner. The pid, or 0; -1: it has an owner that cannot be seen from here.
 */
static pid_t lock_owner(const char *root)
{
	__cleanup_free char *path = xasprintf("%s" LOCK, root);
	__cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fd < 0 || fcntl(fd, F_GETLK, &l) || l.l_type == F_UNLCK)
		return 0;
	return l.l_pid > 0 ? l.l_pid : -1;
}

static void push_owner(pid_t pid, struct strvec *notes)
{
	if (pid > 0)
		strvec_pushf(notes, "another fsdelta (pid %d) holds the settings of this machine",
			     (int)pid);
	else
		strvec_push(notes, "another fsdelta, whose pid cannot be seen from here, holds the "
			    "settings of this machine");
}

static int take_lock(struct settings *s, struct strvec *notes)
{
	__cleanup_free char *folder = xasprintf("%s" FOLDER, s->root);
	__cleanup_free char *path = xasprintf("%s" LOCK, s->root);
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int ret = file_mkdir_p(folder);

	if (!ret)
		s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (!ret && s->lock < 0)
		ret = -errno;
	if (ret) {
		strvec_pushf(notes, "%s: %s", path, strerror(-ret));
		return ret;
	}
	if (!fcntl(s->lock, F_SETLK, &l))
		return 0;
	ret = errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
	if (ret == -EBUSY)
		push_owner(lock_owner(s->root), notes);
	else
		strvec_pushf(notes, "%s: %s", path, strerror(-ret));
	close(s->lock);
	s->lock = -1;
	return ret;
}

static void unlock(struct settings *s)
{
	if (s->lock >= 0)
		close(s->lock);
	kv_release(&s->old);
	*s = (struct settings)SETTINGS_INIT;
}

static char *boot_id(const char *root)
{
	return proc_read_line(root, "/proc/sys/kernel/random/boot_id");
}

static int write_journal(const struct settings *s, struct strvec *notes)
{
	__cleanup_free char *path = xasprintf("%s" JOURNAL, s->root);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	int ret;

	kv_format(&s->old, &text);
	ret = file_write_atomic(path, strbuf_str(&text), text.len);
	if (ret)
		strvec_pushf(notes, "%s: %s", path, strerror(-ret));
	return ret;
}

/* -ENOENT: there is none. A line that was not written to its end says nothing. */
static int read_journal(struct settings *s, struct strvec *notes)
{
	__cleanup_free char *path = xasprintf("%s" JOURNAL, s->root);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	int ret = file_read(path, &text, JOURNAL_MAX);
	char *end;

	if (ret) {
		if (ret != -ENOENT)
			strvec_pushf(notes, "%s: %s", path, strerror(-ret));
		return ret;
	}
	end = memrchr(strbuf_str(&text), '\n', text.len);
	if (text.len && (!end || end[1])) {
		strvec_pushf(notes, "%s: the last line is torn, and was dropped", path);
		*(end ? end + 1 : text.buf) = '\0';
	}
	if (kv_parse(&s->old, strbuf_str(&text)))
		strvec_pushf(notes, "%s: has lines that cannot be understood", path);
	return 0;
}

static int drop_journal(const struct settings *s, struct strvec *notes)
{
	__cleanup_free char *path = xasprintf("%s" JOURNAL, s->root);
	__cleanup_free char *folder = xasprintf("%s" FOLDER, s->root);
	int ret = unlink(path) && errno != ENOENT ? -errno : file_sync_dir(folder);

	if (ret)
		strvec_pushf(notes, "%s: %s", path, strerror(-ret));
	return ret;
}

static int restore_one(const struct settings *s, const char *path, const char *old,
		       struct strvec *notes)
{
	__cleanup_free char *now = proc_read_line(s->root, "%s", path);
	__cleanup_free char *cpu = cpu_of(path);
	int ret;

	if (!now) {
		strvec_pushf(notes, "%s: the governor cannot be read any more: %s", cpu,
			     strerror(errno));
		/* With its CPU, it went for good. */
		return errno == ENOENT ? 0 : -errno;
	}
	if (!strcmp(now, old))
		return 0;
	if (!str_eq(now, kv_get(&s->old, "to"))) {
		strvec_pushf(notes, "%s: the governor was changed to %s by others: left alone",
			     cpu, now);
		return 0;
	}
	ret = write_value(s->root, path, old);
	if (ret)
		strvec_pushf(notes, "%s: the governor %s cannot be restored: %s", cpu, old,
			     strerror(-ret));
	else
		strvec_pushf(notes, "%s: governor %s restored", cpu, old);
	return ret;
}

/* Goes on after failures; the first one is returned, and keeps the journal. */
static int restore(const struct settings *s, struct strvec *notes)
{
	int ret = 0;

	for (size_t i = 0; i < s->old.n; i++) {
		const struct kv_pair *p = &s->old.v[i];
		int err = is_governor(p->key) ? restore_one(s, p->key, p->value, notes) : 0;

		if (err && !ret)
			ret = err;
	}
	return ret ? ret : drop_journal(s, notes);
}

/* With the lock taken. */
static int recover(struct settings *s, struct strvec *notes)
{
	__cleanup_free char *boot = boot_id(s->root);
	int ret = read_journal(s, notes);

	if (ret) {
		ret = ret == -ENOENT ? 0 : ret;
	} else if (!str_eq(boot, kv_get(&s->old, "boot"))) {
		strvec_push(notes, "settings that a run changed before the last boot are forgotten: "
			    "the kernel has its own again");
		ret = drop_journal(s, notes);
	} else {
		ret = restore(s, notes);
	}
	kv_release(&s->old);
	s->old = (struct kv)KV_INIT;
	return ret;
}

int settings_recover(const char *root, struct strvec *notes)
{
	__cleanup_free char *path = xasprintf("%s" JOURNAL, root);
	struct settings s = SETTINGS_INIT;
	int ret;

	if (!file_exists(path))
		return 0;
	s.root = root;
	ret = take_lock(&s, notes);
	if (!ret)
		ret = recover(&s, notes);
	unlock(&s);
	return ret;
}

static int take_note(struct settings *s, const char *governor, struct strvec *notes)
{
	__cleanup_free char *boot = boot_id(s->root);
	__cleanup_strvec struct strvec paths = STRVEC_INIT;

	if (boot)
		kv_set(&s->old, "boot", boot);
	kv_set(&s->old, "to", governor);
	find_governors(s->root, &paths);
	for (size_t i = 0; i < paths.n; i++) {
		__cleanup_free char *now = proc_read_line(s->root, "%s", paths.v[i]);
		int ret = -errno;

		if (!now) {
			strvec_pushf(notes, "%s: %s", paths.v[i], strerror(-ret));
			return ret;
		}
		kv_set(&s->old, paths.v[i], now);
	}
	return write_journal(s, notes);
}

int settings_open(struct settings *s, const char *root, const char *governor,
		  struct strvec *notes)
{
	int ret;

	*s = (struct settings)SETTINGS_INIT;
	s->root = root;
	ret = take_lock(s, notes);
	if (!ret)
		ret = recover(s, notes);
	if (!ret)
		ret = take_note(s, governor, notes);
	if (ret)
		unlock(s);
	return ret;
}

int settings_apply(struct settings *s, struct strvec *notes)
{
	const char *to = kv_get(&s->old, "to");

	for (size_t i = 0; i < s->old.n; i++) {
		const char *path = s->old.v[i].key;
		__cleanup_free char *now = NULL, *cpu = NULL;
		int ret;

		if (!is_governor(path))
			continue;
		cpu = cpu_of(path);
		ret = write_value(s->root, path, to);
		now = ret ? NULL : proc_read_line(s->root, "%s", path);
		if (!ret && !str_eq(now, to))
			ret = -EIO;
		if (ret) {
			strvec_pushf(notes, "%s: the governor cannot be set to %s: %s", cpu, to,
				     strerror(-ret));
			return ret;
		}
	}
	return 0;
}

int settings_close(struct settings *s, struct strvec *notes)
{
	int ret = s->lock < 0 ? 0 : restore(s, notes);

	unlock(s);
	return ret;
}

static void check_one(const char *root, const char *path, const char *governor, bool write,
		      struct strvec *problems)
{
	__cleanup_free char *cpu = cpu_of(path);
	__cleanup_free char *full = xasprintf("%s%s", root, path);
	__cleanup_free char *available = proc_read_line(
		root, CPUS "%s/cpufreq/scaling_available_governors", cpu);
	__cleanup_strvec struct strvec words = STRVEC_INIT;

	if (available)
		strvec_split(&words, available, ' ');
	if (available && !strvec_has(&words, governor))
		strvec_pushf(problems, "--governor: %s has no governor %s (available: %s)", cpu,
			     governor, available);
	else if (write && access(full, W_OK))
		strvec_pushf(problems, "--governor: %s: %s", full, strerror(errno));
}

void settings_check(const char *root, const char *governor, bool write, struct strvec *problems)
{
	__cleanup_strvec struct strvec paths = STRVEC_INIT;
	size_t before = problems->n;
	pid_t owner;

	find_governors(root, &paths);
	if (!paths.n)
		strvec_pushf(problems, "--governor: this machine has no cpufreq, as most virtual "
			     "ones (no " CPUS "cpu*" GOVERNOR ")");
	/* One CPU is enough to see what is wrong with all. */
	for (size_t i = 0; i < paths.n && problems->n == before; i++)
		check_one(root, paths.v[i], governor, write, problems);
	owner = write ? lock_owner(root) : 0;
	if (owner)
		push_owner(owner, problems);
}
