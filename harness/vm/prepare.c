// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/vm.h"

#include "harness/vm/accel.h"
#include "harness/vm/initramfs.h"
#include "harness/vm/needs.h"
#include "harness/vm/programs.h"
#include "harness/vm/qemu.h"
#include "lib/file.h"
#include "lib/mem.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

static void check_machine(struct strvec *problems)
{
	__cleanup_free char *qemu = file_find_program(QEMU_PROGRAM);
	struct utsname u;

	if (!uname(&u) && !str_eq(u.machine, "x86_64"))
		strvec_pushf(problems, "this machine is %s; a guest that shares its programs must be "
			     "x86_64", u.machine);
	if (!qemu)
		strvec_push(problems, QEMU_PROGRAM " is not installed: package " QEMU_PACKAGE);
}

static void choose_accel(const struct vm_spec *s, struct vm_ready *r, struct strvec *problems)
{
	/* Only an emulated processor's instructions can be counted so. */
	if (s->accel == VM_ACCEL_TCG || s->exact)
		return;
	r->kvm = accel_kvm_works(&r->no_kvm);
	if (s->accel == VM_ACCEL_KVM && !r->kvm)
		strvec_pushf(problems, "KVM does not work here: %s", r->no_kvm);
}

static int add_archive(const char *path, struct strbuf *out, struct strvec *problems)
{
	int ret = file_read(path, out, 0);

	if (ret)
		strvec_pushf(problems, "%s: %s", path, strerror(-ret));
	/* The next archive starts at a multiple of four. */
	strbuf_pad(out, '\0', -out->len & 3);
	return ret;
}

/* A disk in memory whose every request takes 20 us of virtual time. */
static void set_null_blk(struct module_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->v[i].name, "null_blk"))
			str_replace(&list->v[i].args, QEMU_NULL_BLK(""));
}

/* The command, found as a shell would, and the files it needs. */
static void find_files(const struct vm_spec *s, struct vm_command *c, struct strvec *files,
		       struct strvec *problems)
{
	__cleanup_free char *program = file_find_program(c->argv.v[0]);
	__cleanup_free char *real = program ? realpath(program, NULL) : NULL;
	__cleanup_free char *why = NULL;

	if (!real)
		strvec_pushf(problems, "%s: there is no such program", c->argv.v[0]);
	else if (programs_add(real, files, &why))
		strvec_push(problems, why);
	else
		str_replace(&c->argv.v[0], real);
	for (size_t i = 0; s->files && i < s->files->n; i++) {
		__cleanup_free char *reason = NULL;

		if (programs_add(s->files->v[i], files, &reason))
			strvec_push(problems, reason);
	}
}

static void make_exact_initrd(const struct vm_spec *s, struct module_list *list,
			      struct vm_ready *r, struct strvec *problems)
{
	__cleanup_strvec struct strvec files = STRVEC_INIT;
	struct vm_command c = VM_COMMAND_INIT;
	size_t before = problems->n;
	char *why = NULL;

	vm_make_command(s, &c);
	set_null_blk(list);
	if (c.argv.n)
		find_files(s, &c, &files, problems);
	else
		strvec_push(problems, "an exact guest needs a command");
	if (problems->n == before && initramfs_build(list, &c, &files, &r->initrd, &why))
		strvec_push(problems, why);
	free(why);
	vm_command_release(&c);
}

static void make_initrd(const struct vm_spec *s, struct module_list *list,
			struct vm_ready *r, struct strvec *problems)
{
	__cleanup_free char *why = NULL;

	if (s->initrd && add_archive(s->initrd, &r->initrd, problems))
		return;
	if (s->exact)
		make_exact_initrd(s, list, r, problems);
	else if (initramfs_build(list, NULL, NULL, &r->initrd, &why))
		strvec_push(problems, why);
}

int vm_prepare(const struct vm_spec *s, struct vm_ready *r, struct strvec *problems)
{
	struct module_list list = MODULE_LIST_INIT;
	struct modules m = MODULES_INIT;
	unsigned int needs = s->exact ? NEED_EXACT : NEED_FUNCTIONAL;
	size_t before = problems->n;
	int ret;

	*r = (struct vm_ready)VM_READY_INIT;
	needs |= s->disk_size && !s->exact ? NEED_DISK : 0;
	needs |= s->probes ? NEED_PROBES : 0;
	check_machine(problems);
	ret = s->modules_dir ? modules_open(s->modules_dir, &m) : 0;
	if (ret)
		strvec_pushf(problems, "%s: %s", s->modules_dir, strerror(-ret));
	needs_check(needs, s->kernel->config, &m, s->extra_modules, &list, problems);
	if (problems->n == before)
		choose_accel(s, r, problems);
	if (problems->n == before)
		make_initrd(s, &list, r, problems);
	module_list_release(&list);
	modules_release(&m);
	return problems->n == before ? 0 : -EINVAL;
}

void vm_ready_release(struct vm_ready *r)
{
	strbuf_release(&r->initrd);
	free(r->no_kvm);
	*r = (struct vm_ready)VM_READY_INIT;
}
