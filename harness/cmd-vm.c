// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta vm: one command on another kernel. */
#include "harness/command.h"

#include "harness/vm-args.h"
#include "harness/vm/vm.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/mem.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>

/* Beside the command's own statuses; as timeout(1), env(1) and `git bisect run` have it. */
enum {
	EXIT_GUEST_CRASHED = 123,
	EXIT_GUEST_TIMEOUT = 124,
	EXIT_GUEST_BROKEN = 125,
};

static const char help[] =
	"Usage: fsdelta vm --kernel IMAGE[,WORD=VALUE]... [OPTION]... -- COMMAND [ARG]...\n"
	"\n"
	"Boots a kernel in QEMU, runs one command there, and ends with its status. Its\n"
	"output comes as it is written; its standard input is closed. The guest sees all\n"
	"files of this machine; what it writes to them stays in its memory and is lost\n"
	"with it. Needs no root.\n"
	"\n"
	"  fsdelta vm --kernel arch/x86/boot/bzImage -- uname -a\n"
	"  fsdelta vm --kernel bzImage,modules=/srv/mods --disk 4G -- sh -c \\\n"
	"          'mkfs.btrfs -q $FSDELTA_DISK && mount $FSDELTA_DISK /mnt && ls /mnt'\n"
	"  fsdelta vm --kernel bzImage --keep                 look around by hand\n"
	"  git bisect run sh -c \\\n"
	"      'make -s && fsdelta vm --kernel arch/x86/boot/bzImage -- ./test'\n"
	"\n"
	"  --kernel IMAGE      a bzImage (/boot/vmlinuz-...) or a vmlinux; after it, with\n"
	"                      commas:\n"
	"      modules=DIR     where `make modules_install INSTALL_MOD_PATH=DIR` put its\n"
	"                      modules, or an unpacked package; default:\n"
	"                      /lib/modules/RELEASE if it is there\n"
	"      load=A:B        modules to load before anything else\n"
	"      initrd=FILE     an archive to be unpacked before ours\n"
	"      append=ARGS     for the kernel's command line\n"
	"      memory=SIZE     default 2G\n"
	"      cpus=N          default 2, or 1 where there is no more\n"
	"  --disk SIZE         an empty disk for the guest: its name is in $FSDELTA_DISK\n"
	"  --timeout TIME      of the command: 90, 5m, 2h; default: none\n"
	"  --silence TIME      without any sign of life for so long the guest counts as\n"
	"                      dead; default 60; it gives one every 5 s\n"
	"  --keep              then a shell in the guest, until you leave it\n"
	"  --exact             count instructions: one emulated processor, 1 ns for each;\n"
	"                      the same kernel and seed give the same nanoseconds in\n"
	"                      every boot. Only COMMAND and its libraries are in the\n"
	"                      guest; its disk, /dev/nullb0 in $FSDELTA_DISK, is 3 GB of\n"
	"                      memory that takes 20 us a request\n"
	"  --file PATH         --exact: this program or file too; repeat it\n"
	"  --seed N            --exact: of the guest's random numbers; default 0\n"
	"  --results DIR       keep output, console and QEMU's command line there\n"
	"  --accel auto|kvm|tcg   default auto: KVM if a trial shows that it works here\n"
	"  --patience N        a slow machine: all other deadlines N times as long\n"
	"  -q, --quiet         no remarks\n"
	"  -h, --help\n"
	"\n"
	"Without KVM the guest is emulated: it behaves the same, but its times are not\n"
	"those of any machine. A kernel needs CONFIG_9P_FS, CONFIG_NET_9P_VIRTIO,\n"
	"CONFIG_VIRTIO_PCI and CONFIG_OVERLAY_FS, built in or as modules; what is missing\n"
	"is listed.\n"
	"\n"
	"Exit status: that of the command, 128+N if signal N killed it, 126 or 127 if it\n"
	"could not be run; 123 the kernel crashed; 124 the timeout passed; 125 the guest\n"
	"could not be run; 2 wrong usage.\n";

/* The folder for results, absolute; NULL after a message. */
static char *make_dir(const struct vm_args *a)
{
	const char *tmp = getenv("TMPDIR");
	__cleanup_free char *dir = a->results ? xstrdup(a->results) :
		xasprintf("%s/fsdelta-vm.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	int ret = a->results ? file_mkdir_p(dir) : mkdtemp(dir) ? 0 : -errno;
	char *real = ret ? NULL : realpath(dir, NULL);

	if (!real)
		log_error("%s: %s", dir, strerror(ret ? -ret : errno));
	return real;
}

static int block_signals(sigset_t *old)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, old);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void say_findings(const struct vm_result *res)
{
	for (size_t i = 0; i < res->console.n; i++)
		log_warn("console: %s: %s", console_kind_name(res->console.v[i].kind),
			 res->console.v[i].line);
	if (res->note)
		log_warn("%s", res->note);
}

static int exit_status(const struct vm_result *res, int signal_fd)
{
	struct signalfd_siginfo si;

	switch (res->outcome) {
	case VM_OK:
		return res->status;
	case VM_CRASHED:
		return EXIT_GUEST_CRASHED;
	case VM_TIMEOUT:
		return EXIT_GUEST_TIMEOUT;
	case VM_ABORTED:
		if (read(signal_fd, &si, sizeof(si)) == sizeof(si))
			return 128 + (int)si.ssi_signo;
		return EXIT_GUEST_BROKEN;
	case VM_BROKEN:
		break;
	}
	return EXIT_GUEST_BROKEN;
}

static int run(const struct vm_args *a, struct vm_spec *s, const struct vm_ready *ready)
{
	struct vm_result res = VM_RESULT_INIT;
	__cleanup_free char *dir = make_dir(a);
	struct termios terminal;
	bool is_terminal = a->keep && !tcgetattr(STDIN_FILENO, &terminal);
	sigset_t old;
	int status;

	if (!dir)
		return EXIT_GUEST_BROKEN;
	s->dir = dir;
	s->abort_fd = block_signals(&old);
	vm_run(s, ready, &res);
	/* QEMU makes the terminal raw, and may have had no time to undo it. */
	if (is_terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
	status = exit_status(&res, s->abort_fd);
	close(s->abort_fd);
	say_findings(&res);
	if (res.outcome != VM_OK && res.outcome != VM_ABORTED)
		log_error("%s: %s; the console is kept: %s/console", vm_outcome_name(res.outcome),
			  res.reason, dir);
	if (!a->results && (res.outcome == VM_OK || res.outcome == VM_ABORTED))
		file_remove_tree(dir);
	if (res.outcome == VM_OK && !a->quiet)
		log_info("%.1f s to the command, %.1f s in all", (double)res.boot_ns / NSEC_PER_SEC,
			 (double)res.total_ns / NSEC_PER_SEC);
	/* A status of the command's that looks like a signal must not be taken for one of ours. */
	if (res.outcome == VM_OK && status > 128) {
		fflush(NULL);
		_exit(status);
	}
	vm_result_release(&res);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return status;
}

static bool have_dep(const char *modules)
{
	__cleanup_free char *path = xasprintf("%s/modules.dep", modules);

	return file_exists(path);
}

static void remark(const struct vm_args *a, const struct vm_kernel *k, const char *modules,
		   const struct vm_ready *ready)
{
	if (a->quiet)
		return;
	if (ready->no_kvm || a->accel == VM_ACCEL_TCG)
		log_info("the guest is emulated%s%s%s: its times are not those of a machine",
			 ready->no_kvm ? " (no KVM: " : "", ready->no_kvm ? ready->no_kvm : "",
			 ready->no_kvm ? ")" : "");
	if (k->slow_reason)
		log_info("%s is booted as it is, which takes longer: %s", k->path, k->slow_reason);
	if (modules && !have_dep(modules))
		log_info("%s has no modules.dep (depmod makes it): the guest's modprobe finds "
			 "nothing, load=NAME does", modules);
	if (!k->config)
		log_info("the configuration of %s is not known: what it lacks shows when it boots",
			 k->path);
}

static void say_problems(const struct vm_kernel *k, const struct strvec *problems)
{
	const char *source = k->config_source;

	log_error("%s (%s%s%s) cannot run a command:", k->path,
		  k->release ? k->release : "release unknown",
		  source ? ", configuration from " : "", source ? source : "");
	for (size_t i = 0; i < problems->n; i++)
		log_error("  %s", problems->v[i]);
}

static int with_kernel(const struct vm_args *a, const struct vm_kernel *k, const char *modules)
{
	__cleanup_strvec struct strvec problems = STRVEC_INIT;
	__cleanup_free char *cwd = getcwd(NULL, 0);
	struct vm_ready ready = VM_READY_INIT;
	struct vm_spec s = VM_SPEC_INIT;
	int status = EXIT_GUEST_BROKEN;

	s.kernel = k;
	s.modules_dir = modules;
	s.extra_modules = &a->words.load;
	s.initrd = a->words.initrd;
	s.append = a->words.append;
	s.memory = a->words.memory;
	s.cpus = a->words.cpus;
	s.accel = a->accel;
	s.argv = &a->command;
	s.cwd = cwd;
	s.disk_size = a->disk;
	s.shell = a->keep;
	s.exact = a->exact;
	s.files = &a->files;
	s.seed = a->seed;
	s.timeout_ns = a->timeout_s * NSEC_PER_SEC;
	s.silence_ns = a->silence_s * NSEC_PER_SEC;
	s.patience = a->patience;
	s.stdout_fd = STDOUT_FILENO;
	s.stderr_fd = STDERR_FILENO;
	if (vm_prepare(&s, &ready, &problems)) {
		say_problems(k, &problems);
	} else {
		remark(a, k, modules, &ready);
		status = run(a, &s, &ready);
	}
	vm_ready_release(&ready);
	return status;
}

/* Of the kernel @a names; NULL: none, which is fine unless the user named a place. */
static int find_modules(const struct vm_args *a, char **dir)
{
	__cleanup_free char *release = vm_kernel_read_release(a->words.image);
	__cleanup_free char *found = modules_find_dir(a->words.modules, release);

	*dir = found ? realpath(found, NULL) : NULL;
	if (*dir || !a->words.modules)
		return 0;
	log_error("%s: there are no modules of %s in it", a->words.modules,
		  release ? release : "a kernel");
	return -ENOENT;
}

static int start(const struct vm_args *a)
{
	__cleanup_free char *modules = NULL;
	__cleanup_free char *why = NULL;
	struct vm_kernel k = VM_KERNEL_INIT;
	int status;

	if (vm_kernel_load(a->words.image, NULL, &k, &why)) {
		log_error("%s", why);
		return EXIT_GUEST_BROKEN;
	}
	status = find_modules(a, &modules) ? EXIT_GUEST_BROKEN : with_kernel(a, &k, modules);
	vm_kernel_release(&k);
	return status;
}

static int vm_main(struct app *app, int argc, char **argv)
{
	struct vm_args a = { 0 };
	int status;

	(void)app;
	if (vm_args_parse(&a, argc, argv))
		status = command_usage_error(&cmd_vm);
	else if (a.help)
		status = command_help(&cmd_vm);
	else
		status = start(&a);
	vm_args_release(&a);
	return status;
}

const struct command cmd_vm = {
	.name = "vm",
	.summary = "run one command on another kernel, in QEMU",
	.help = help,
	.main = vm_main,
};
