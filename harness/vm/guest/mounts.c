// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/guest/guest.h"

#include "harness/vm/protocol.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Until a device that the kernel has found is ready. */
#define WAIT_MS 10
#define WAIT_TURNS 500

static int mount_at(const char *source, const char *dir, const char *type, unsigned long flags,
		    const char *options)
{
	if (mkdir(dir, 0755) && errno != EEXIST)
		return -1;
	return mount(source, dir, type, flags, options);
}

static void must_mount(const char *source, const char *dir, const char *type, unsigned long flags,
		       const char *options)
{
	if (mount_at(source, dir, type, flags, options))
		die(true, "%s cannot be mounted on %s (%s)", source, dir, type);
}

void set_kernel(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, value, strlen(value)) < 0)
		say("%s: %s", path, strerror(errno));
	close(fd);
}

void mount_early(void)
{
	must_mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	must_mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	must_mount("devtmpfs", "/dev", "devtmpfs", MS_NOSUID, NULL);
}

static int is_module(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && !strcmp(dot, ".ko");
}

static void read_args(const char *module, char *args, size_t size)
{
	char path[PATH_MAX];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "%.*s.args", (int)(strlen(module) - strlen(".ko")), module);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, args, size - 1);
		close(fd);
	}
	args[n > 0 ? n : 0] = '\0';
}

void load_modules(void)
{
	struct dirent **names = NULL;
	int n = scandir("/" VM_DIR_MODULES, &names, is_module, alphasort);

	for (int i = 0; i < n; i++) {
		char path[PATH_MAX], args[1024];
		int fd;

		snprintf(path, sizeof(path), "/" VM_DIR_MODULES "/%s", names[i]->d_name);
		read_args(path, args, sizeof(args));
		fd = open(path, O_RDONLY | O_CLOEXEC);
		/* Some depend on what a processor has: the others may do without them. */
		if (fd < 0 || (syscall(SYS_finit_module, fd, args, 0) && errno != EEXIST))
			say("%s: %s", names[i]->d_name, strerror(errno));
		if (fd >= 0)
			close(fd);
		unlink(path);
		free(names[i]);
	}
	free(names);
}

/* The transport is found while the module that drives it starts, which may take a moment. */
static void mount_9p(const char *tag, const char *dir, unsigned long flags, const char *options)
{
	for (int turn = 0;; turn++) {
		if (!mount_at(tag, dir, "9p", flags, options))
			return;
		if (errno != ENOENT || turn == WAIT_TURNS)
			die(true, "the folder %s of the machine cannot be mounted", tag);
		poll(NULL, 0, WAIT_MS);
	}
}

void enter_machine(void)
{
	mount_9p(VM_TAG_ROOT, "/lower", MS_RDONLY,
		 "trans=virtio,version=9p2000.L,cache=loose,msize=512000");
	mount_9p(VM_TAG_OUT, "/out", 0, "trans=virtio,version=9p2000.L,cache=none,msize=512000");
	must_mount("tmpfs", "/upper", "tmpfs", 0, "mode=0755");
	if (mkdir("/upper/files", 0755) || mkdir("/upper/work", 0755))
		die(true, "/upper");
	must_mount("overlay", "/merged", "overlay", 0,
		   "lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work");
	must_mount("tmpfs", "/merged/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
	if (mkdir("/merged" OUT_DIR, 0700) || mount("/out", "/merged" OUT_DIR, NULL, MS_MOVE, NULL))
		die(true, OUT_DIR);
	if (chdir("/merged") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		die(true, "the root folder cannot be changed");
}

void mount_rest(void)
{
	static const struct {
		const char *type, *dir, *options;
	} wanted[] = {
		{ "devpts", "/dev/pts", "gid=5,mode=620,ptmxmode=666" },
		{ "tmpfs", "/dev/shm", "mode=1777" },
		{ "cgroup2", "/sys/fs/cgroup", NULL },
		{ "bpf", "/sys/fs/bpf", "mode=700" },
		{ "debugfs", "/sys/kernel/debug", NULL },
		{ "tracefs", "/sys/kernel/tracing", NULL },
		{ "configfs", "/sys/kernel/config", NULL },
	};

	mount_early();
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		/* Not every kernel has all, and the command says so if it misses one. */
		mount_at(wanted[i].type, wanted[i].dir, wanted[i].type,
			 MS_NOSUID | MS_NOEXEC, wanted[i].options);
	mkdir("/run/lock", 01777);
	if (symlink("/proc/self/fd", "/dev/fd") || symlink("/proc/self/fd/0", "/dev/stdin") ||
	    symlink("/proc/self/fd/1", "/dev/stdout") || symlink("/proc/self/fd/2", "/dev/stderr"))
		say("/dev/fd: %s", strerror(errno));
}

void show_modules(const char *dir)
{
	char path[PATH_MAX];
	struct utsname u;

	if (uname(&u))
		return;
	mkdir("/lib/modules", 0755);
	snprintf(path, sizeof(path), "/lib/modules/%s", u.release);
	if (mkdir(path, 0755) && errno != EEXIST)
		say("%s: %s", path, strerror(errno));
	else if (mount(dir, path, NULL, MS_BIND, NULL))
		say("%s cannot be seen as %s: %s", dir, path, strerror(errno));
}
