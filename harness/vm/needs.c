// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm/needs.h"

#include "harness/vm/kconfig.h"
#include "lib/mem.h"

#define ANY (NEED_FUNCTIONAL | NEED_EXACT)

/* In an order in which the modules can be loaded. */
static const struct need {
	const char *option;
	const char *module; /* NULL: it cannot be one */
	unsigned int when;
	const char *what_for;
} table[] = {
	{ "64BIT", NULL, ANY, "only x86-64 guests" },
	{ "BINFMT_ELF", NULL, ANY, "programs" },
	{ "BLK_DEV_INITRD", NULL, ANY, "the initramfs" },
	{ "DEVTMPFS", NULL, ANY, "/dev" },
	{ "PRINTK", NULL, ANY, "the console" },
	{ "PROC_FS", NULL, ANY, "/proc" },
	{ "SERIAL_8250_CONSOLE", NULL, ANY, "the console" },
	{ "SYSFS", NULL, ANY, "/sys" },
	{ "TMPFS", NULL, ANY, "what the guest writes" },
	{ "BLK_DEV_NULL_BLK", "null_blk", NEED_EXACT, "the test disk" },
	{ "PCI", NULL, NEED_FUNCTIONAL, "virtio" },
	{ "VIRTIO_PCI", "virtio_pci", NEED_FUNCTIONAL, "virtio" },
	{ "NET_9P", "9pnet", NEED_FUNCTIONAL, "the folders of this machine" },
	{ "NET_9P_VIRTIO", "9pnet_virtio", NEED_FUNCTIONAL, "the folders of this machine" },
	{ "9P_FS", "9p", NEED_FUNCTIONAL, "the folders of this machine" },
	{ "OVERLAY_FS", "overlay", NEED_FUNCTIONAL, "a root folder that can be written to" },
	{ "VIRTIO_BLK", "virtio_blk", NEED_DISK, "the test disk" },
	{ "BPF_SYSCALL", NULL, NEED_PROBES, "probes" },
	{ "KPROBES", NULL, NEED_PROBES, "probes" },
	{ "KPROBE_EVENTS", NULL, NEED_PROBES, "probes" },
	{ "PERF_EVENTS", NULL, NEED_PROBES, "probes" },
};

static void check_module(const struct need *need, const struct modules *m,
			 struct module_list *list, struct strvec *problems)
{
	__cleanup_free char *why = NULL;

	if (!m->dir)
		strvec_pushf(problems, "CONFIG_%s=m (%s) is a module, and no folder with modules of "
			     "this kernel is known: give modules=DIR", need->option, need->what_for);
	else if (modules_collect(m, need->module, list, &why))
		strvec_pushf(problems, "CONFIG_%s=m (%s): %s", need->option, need->what_for, why);
}

static void check(const struct need *need, const char *config, const struct modules *m,
		  struct module_list *list, struct strvec *problems)
{
	switch (kconfig_get(config, need->option)) {
	case KCONFIG_YES:
		break;
	case KCONFIG_MODULE:
		if (need->module)
			check_module(need, m, list, problems);
		break;
	case KCONFIG_NO:
		strvec_pushf(problems, "CONFIG_%s is off (%s)", need->option, need->what_for);
		break;
	case KCONFIG_UNKNOWN:
		if (need->module && modules_lookup(m, need->module))
			check_module(need, m, list, problems);
		break;
	}
}

void needs_check(unsigned int needs, const char *config, const struct modules *m,
		 const struct strvec *extra, struct module_list *list, struct strvec *problems)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].when & needs)
			check(&table[i], config, m, list, problems);
	for (size_t i = 0; extra && i < extra->n; i++) {
		__cleanup_free char *why = NULL;

		if (modules_collect(m, extra->v[i], list, &why))
			strvec_push(problems, why);
	}
}
