// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/accel.h"

#include "harness/vm/cache.h"
#include "harness/vm/qemu.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/spawn.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define DEADLINE_NS (10 * NSEC_PER_SEC)
#define EXIT_PORT "0xf4"
/* isa-debug-exit ends QEMU with 2 * value + 1. */
#define SAYS 0x31
#define RAN (2 * SAYS + 1)

static const uint8_t program[] = {
	0xb0, SAYS, /* mov al, SAYS */
	0xe6, 0xf4, /* out EXIT_PORT, al */
	0xf4,	    /* hlt */
};

char *accel_verdict(int ret, int status)
{
	if (ret == -ETIME)
		return xstrdup("a guest hangs under it");
	if (ret)
		return xasprintf("QEMU cannot be run: %s", strerror(-ret));
	if (WIFEXITED(status) && WEXITSTATUS(status) == RAN)
		return NULL;
	if (WIFSIGNALED(status))
		return xasprintf("QEMU was killed by signal %d under it", WTERMSIG(status));
	return xasprintf("QEMU ends with status %d under it", WEXITSTATUS(status));
}

/* The boot sector, in a memory file that QEMU opens through its parent's descriptor. */
static int boot_sector(char path[64])
{
	uint8_t sector[512] = { 0 };
	int fd = memfd_create("boot-sector", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	memcpy(sector, program, sizeof(program));
	sector[510] = 0x55;
	sector[511] = 0xaa;
	snprintf(path, 64, "/proc/%d/fd/%d", getpid(), fd);
	if (write(fd, sector, sizeof(sector)) == sizeof(sector))
		return fd;
	close(fd);
	return -EIO;
}

/*
 * The machine is the old one: the firmware of q35 cannot read a disk of one sector.
 * *@is_answer: what came back is about @accel, not about a failure on this side.
 */
static char *try_guest(const char *accel, const char *cpu, bool *is_answer)
{
	static const char *const plain[] = {
		QEMU_PROGRAM, "-M", "pc", "-m", "64M", "-nodefaults", "-no-user-config",
		"-display", "none", "-no-reboot",
		"-device", "isa-debug-exit,iobase=" EXIT_PORT ",iosize=1",
		"-accel",
	};
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct spawn s = SPAWN_INIT;
	char path[64];
	__cleanup_close int fd = boot_sector(path);
	int ret;

	*is_answer = false;
	if (fd < 0)
		return xasprintf("no boot sector can be made: %s", strerror(-fd));
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		strvec_push(&argv, plain[i]);
	strvec_push(&argv, accel);
	strvec_push(&argv, "-cpu");
	strvec_push(&argv, cpu);
	strvec_push(&argv, "-drive");
	strvec_pushf(&argv, "if=ide,format=raw,file=%s", path);
	s.argv = &argv;
	s.timeout_ns = DEADLINE_NS;
	ret = spawn_run(&s);
	*is_answer = !ret || ret == -ETIME;
	return accel_verdict(ret, s.status);
}

char *accel_try(const char *accel, const char *cpu)
{
	bool is_answer;

	return try_guest(accel, cpu, &is_answer);
}

/* Where the answer for this boot of the machine is kept; NULL: nowhere. */
static char *answer_path(void)
{
	__cleanup_free char *boot = proc_read_line("", "/proc/sys/kernel/random/boot_id");
	__cleanup_free char *name = boot ? xasprintf("kvm-%s", boot) : NULL;

	return name && file_is_plain_name(name) ? cache_path(name) : NULL;
}

bool accel_kvm_works(char **why)
{
	__cleanup_free char *path = NULL;
	__cleanup_strbuf struct strbuf kept = STRBUF_INIT;
	bool is_answer;

	*why = NULL;
	if (access("/dev/kvm", R_OK | W_OK)) {
		*why = errno == ENOENT ? xstrdup("there is no /dev/kvm") :
					 xasprintf("/dev/kvm: %s", strerror(errno));
		return false;
	}
	path = answer_path();
	if (path && !file_read(path, &kept, 4096)) {
		*why = kept.len ? strbuf_detach(&kept) : NULL;
		return !*why;
	}
	*why = try_guest("kvm", "host", &is_answer);
	/* What failed on this side may work next time, and what cannot be kept is asked again. */
	if (path && is_answer)
		(void)file_write_atomic(path, *why ? *why : "", *why ? strlen(*why) : 0);
	return !*why;
}
