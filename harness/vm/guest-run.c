// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/vm.h"

#include "harness/env/env.h"
#include "harness/vm/collect.h"
#include "harness/vm/initramfs.h"
#include "harness/vm/protocol.h"
#include "harness/vm/qemu.h"
#include "harness/vm/verdict.h"
#include "harness/vm/watch.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define DEFAULT_MEMORY (2ULL << 30)
#define CONSOLE_READ_MOST (256UL << 20)
#define QEMU_SAYS_MOST 4096

/* Where things are, and what QEMU is called with. */
struct boot {
	char *initrd, *console, *out, *disk, *errors;
	struct strvec argv;
	bool interactive, kvm;
};

static void boot_release(struct boot *b)
{
	free(b->initrd);
	free(b->console);
	free(b->out);
	free(b->disk);
	free(b->errors);
	strvec_release(&b->argv);
}

void vm_default_env(struct strvec *env)
{
	static const char *const names[] = {
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ",
		"NO_COLOR",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (getenv(names[i]))
			strvec_pushf(env, "%s=%s", names[i], getenv(names[i]));
	for (char **e = environ; *e; e++)
		if (str_starts(*e, "LC_") || str_starts(*e, "FSDELTA_"))
			strvec_push(env, *e);
}

void vm_make_command(const struct vm_spec *s, struct vm_command *c)
{
	const char *disk = s->exact ? "/dev/nullb0" : s->disk_size ? "/dev/vda" : NULL;

	if (s->argv)
		strvec_push_all(&c->argv, s->argv);
	if (s->env)
		strvec_push_all(&c->env, s->env);
	else
		vm_default_env(&c->env);
	if (disk)
		strvec_pushf(&c->env, "FSDELTA_DISK=%s", disk);
	str_replace(&c->cwd, s->exact ? NULL : s->cwd);
	str_replace(&c->modules, s->exact ? NULL : s->modules_dir);
	str_replace(&c->disk, disk);
	c->shell = s->shell && !s->exact;
}

static int write_command(const struct vm_spec *s, const struct boot *b)
{
	__cleanup_free char *path = xasprintf("%s/" VM_FILE_COMMAND, b->out);
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	struct vm_command c = VM_COMMAND_INIT;

	vm_make_command(s, &c);
	vm_command_encode(&c, &text);
	vm_command_release(&c);
	return file_write(path, text.buf, text.len);
}

static int make_disk(const struct boot *b, uint64_t size)
{
	__cleanup_close int fd = open(b->disk, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd < 0 || ftruncate(fd, (off_t)size) ? -errno : 0;
}

static void add_argv(const struct vm_spec *s, struct boot *b)
{
	long here = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t memory = s->exact ? 2 * DEFAULT_MEMORY : DEFAULT_MEMORY;
	const struct qemu_machine m = {
		.exact = s->exact,
		.seed = s->seed,
		.kvm = b->kvm,
		.kernel = s->kernel->boot_path,
		.initrd = b->initrd,
		.console = b->console,
		.interactive = b->interactive,
		.append = s->append,
		.memory = s->memory ? s->memory : memory,
		.cpus = s->cpus ? s->cpus : here > 1 ? 2 : 1,
		.root = "/",
		.out = b->out,
		.disk = s->disk_size && !s->exact ? b->disk : NULL,
	};

	qemu_argv(&m, &b->argv);
}

/* Files of an earlier guest in the same folder must not be taken for this one's. */
static int forget_last(const struct boot *b)
{
	static const char *const names[] = { VM_FILE_STARTED, VM_FILE_ALIVE, VM_FILE_STDOUT,
					     VM_FILE_STDERR, VM_FILE_RC };

	if (mkdir(b->out, 0700) && errno != EEXIST)
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		__cleanup_free char *path = xasprintf("%s/%s", b->out, names[i]);

		if (unlink(path) && errno != ENOENT)
			return -errno;
	}
	return 0;
}

static int lay_out(const struct vm_spec *s, const struct vm_ready *r, struct boot *b)
{
	__cleanup_free char *cmd = xasprintf("%s/qemu.cmd", s->dir);
	__cleanup_free char *shown = NULL;
	int ret;

	b->initrd = xasprintf("%s/initrd.cpio", s->dir);
	b->console = xasprintf("%s/console", s->dir);
	b->out = xasprintf("%s/out", s->dir);
	b->disk = xasprintf("%s/disk.img", s->dir);
	b->errors = xasprintf("%s/qemu.err", s->dir);
	b->interactive = s->shell && !s->exact;
	b->kvm = r->kvm;
	add_argv(s, b);
	shown = strvec_shell(&b->argv);
	ret = forget_last(b);
	if (!ret)
		ret = file_write(b->initrd, r->initrd.buf, r->initrd.len);
	if (!ret)
		ret = file_write(b->console, "", 0);
	if (!ret)
		ret = file_write(cmd, shown, strlen(shown));
	if (!ret && s->disk_size)
		ret = make_disk(b, s->disk_size);
	return ret ? ret : write_command(s, b);
}

/* In the supervisor: everything in it, QEMU too, dies with the caller. */
static int run_qemu(void *arg)
{
	const struct boot *b = arg;
	struct spawn s = SPAWN_INIT;
	int err, ret;

	err = open(b->errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	s.argv = &b->argv;
	s.stdin_path = b->interactive ? "/proc/self/fd/0" : NULL;
	s.stdout_fd = b->interactive ? STDOUT_FILENO : err;
	s.stderr_fd = err;
	ret = spawn_run(&s);
	if (ret) {
		dprintf(err, "%s: %s\n", b->argv.v[0], strerror(-ret));
		return 127;
	}
	return WIFEXITED(s.status) ? WEXITSTATUS(s.status) : 128 + WTERMSIG(s.status);
}

static int reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What an exact guest said in frames becomes the files that another one writes itself. */
static void unframe(const struct vm_spec *s, const struct boot *b, const struct strbuf *console,
		    struct strbuf *rc)
{
	__cleanup_free char *out_path = xasprintf("%s/" VM_FILE_STDOUT, b->out);
	__cleanup_free char *err_path = xasprintf("%s/" VM_FILE_STDERR, b->out);
	__cleanup_free char *rc_path = xasprintf("%s/" VM_FILE_RC, b->out);
	__cleanup_strbuf struct strbuf out = STRBUF_INIT, err = STRBUF_INIT;
	int ret = collect_frames(strbuf_str(console), console->len, &out, &err, rc);

	if (ret == -EBADMSG) {
		strbuf_reset(rc);
		strbuf_adds(rc, "damaged\n");
	}
	if (file_write(out_path, out.buf, out.len) || file_write(err_path, err.buf, err.len) ||
	    file_write(rc_path, strbuf_str(rc), rc->len)) {
		strbuf_reset(rc);
		strbuf_adds(rc, "lost\n");
	}
	/* Whom it does not reach finds it in the file. */
	if (s->stdout_fd >= 0)
		(void)file_write_fd(s->stdout_fd, out.buf, out.len);
	if (s->stderr_fd >= 0)
		(void)file_write_fd(s->stderr_fd, err.buf, err.len);
}

static void judge(const struct watch *w, const struct boot *b, int qemu, struct vm_result *res)
{
	__cleanup_free char *rc_path = xasprintf("%s/" VM_FILE_RC, b->out);
	__cleanup_strbuf struct strbuf console = STRBUF_INIT, rc = STRBUF_INIT, says = STRBUF_INIT;
	struct vm_traces t = {
		.killed = w->killed, .seconds = w->seconds, .started = w->started,
		.expects_rc = w->expects_rc, .kvm = b->kvm, .qemu = qemu,
		.console = &res->console,
	};

	/* Of what cannot be read nothing is known. */
	(void)file_read(b->console, &console, CONSOLE_READ_MOST);
	(void)file_read(b->errors, &says, QEMU_SAYS_MOST);
	if (w->spec->exact)
		unframe(w->spec, b, &console, &rc);
	else if (w->ended)
		(void)file_read(rc_path, &rc, 64);
	t.rc = rc.len ? strbuf_str(&rc) : NULL;
	console_scan(strbuf_str(&console), console.len, &res->console);
	t.started |= res->console.ready;
	t.qemu_says = strbuf_str(&says);
	vm_verdict(&t, res);
}

static int boot(const struct vm_spec *s, struct boot *b, struct vm_result *res)
{
	struct watch w = { .spec = s, .console = b->console, .out = b->out,
			   .launched_ns = clock_mono_ns(), .expects_rc = s->argv && s->argv->n };
	pid_t pid;
	int ret, qemu;

	fflush(NULL);
	pid = env_supervise(false, run_qemu, b);
	if (pid < 0)
		return pid;
	ret = watch_guest(&w, pid);
	if (ret || w.killed != KILLED_NOT)
		kill(pid, SIGKILL);
	qemu = reap(pid);
	if (ret)
		return ret;
	res->boot_ns = w.started ? w.started_ns - w.launched_ns : 0;
	res->total_ns = clock_mono_ns() - w.launched_ns;
	judge(&w, b, qemu, res);
	return 0;
}

int vm_run(const struct vm_spec *s, const struct vm_ready *r, struct vm_result *res)
{
	struct boot b = { 0 };
	int ret;

	*res = (struct vm_result)VM_RESULT_INIT;
	ret = lay_out(s, r, &b);
	if (!ret)
		ret = boot(s, &b, res);
	if (ret && !res->reason)
		res->reason = xasprintf("%s: %s", s->dir, strerror(-ret));
	unlink(b.initrd);
	unlink(b.disk);
	boot_release(&b);
	return ret;
}

void vm_result_release(struct vm_result *res)
{
	free(res->reason);
	free(res->note);
	console_release(&res->console);
	*res = (struct vm_result)VM_RESULT_INIT;
}
