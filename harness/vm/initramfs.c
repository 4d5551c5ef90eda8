// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/initramfs.h"

#include "harness/vm/cpio.h"
#include "harness/vm/protocol.h"
#include "lib/file.h"
#include "lib/mem.h"

#include <errno.h>
#include <string.h>

/* The guest's PID 1 is part of this program, so that the two always fit. */
__asm__(".section .rodata\n"
	"vm_init_start:\n"
	".incbin \"harness/vm/guest/vm-init\"\n"
	"vm_init_end:\n"
	".previous\n");
extern const char vm_init_start[], vm_init_end[];

void vm_command_release(struct vm_command *c)
{
	strvec_release(&c->argv);
	strvec_release(&c->env);
	free(c->cwd);
	free(c->modules);
	free(c->disk);
	*c = (struct vm_command)VM_COMMAND_INIT;
}

static void encode(struct strbuf *out, const char *key, const char *value)
{
	if (!value)
		return;
	strbuf_addf(out, "%s=%s", key, value);
	strbuf_addc(out, '\0');
}

void vm_command_encode(const struct vm_command *c, struct strbuf *out)
{
	for (size_t i = 0; i < c->argv.n; i++)
		encode(out, "arg", c->argv.v[i]);
	for (size_t i = 0; i < c->env.n; i++)
		encode(out, "env", c->env.v[i]);
	encode(out, "cwd", c->cwd);
	encode(out, "modules", c->modules);
	encode(out, "disk", c->disk);
	encode(out, "shell", c->shell ? "1" : NULL);
}

static int add_modules(struct cpio *c, const struct module_list *modules)
{
	int ret = 0;

	for (size_t i = 0; i < modules->n && !ret; i++) {
		const struct module *m = &modules->v[i];
		__cleanup_free char *name = xasprintf(VM_DIR_MODULES "/%04zu-%s", i, m->name);
		__cleanup_free char *ko = xasprintf("%s.ko", name);
		__cleanup_free char *args = xasprintf("%s.args", name);

		ret = cpio_file(c, ko, 0644, m->data.buf, m->data.len);
		if (!ret && m->args)
			ret = cpio_file(c, args, 0644, m->args, strlen(m->args));
	}
	return ret;
}

static int add_file(struct cpio *c, const char *path, char **why)
{
	__cleanup_strbuf struct strbuf data = STRBUF_INIT;
	int ret = file_read(path, &data, 0);

	if (!ret)
		ret = cpio_file(c, path + strspn(path, "/"), 0755, data.buf, data.len);
	if (ret)
		*why = xasprintf("%s: %s", path, strerror(-ret));
	return ret;
}

int initramfs_build(const struct module_list *modules, const struct vm_command *command,
		    const struct strvec *files, struct strbuf *out, char **why)
{
	struct cpio c = CPIO_INIT(out);
	int ret;

	*why = NULL;
	cpio_dir(&c, "dev");
	/* For the first messages; the kernel opens it before anything is mounted. */
	cpio_char_device(&c, "dev/console", 5, 1);
	cpio_dir(&c, "proc");
	cpio_dir(&c, "sys");
	ret = cpio_file(&c, "init", 0755, vm_init_start, (size_t)(vm_init_end - vm_init_start));
	if (!ret)
		ret = add_modules(&c, modules);
	for (size_t i = 0; !ret && files && i < files->n; i++)
		ret = add_file(&c, files->v[i], why);
	if (!ret && command) {
		__cleanup_strbuf struct strbuf text = STRBUF_INIT;

		vm_command_encode(command, &text);
		ret = cpio_file(&c, VM_FILE_COMMAND, 0644, text.buf, text.len);
	}
	cpio_end(&c);
	if (ret && !*why)
		*why = xasprintf("initramfs: %s", strerror(-ret));
	return ret;
}
