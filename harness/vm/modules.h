/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modules of a kernel in a folder as `make modules_install` leaves it, or an unpacked package:
 * no depmod needs to have run, since what a module depends on stands in the module itself.
 */
#ifndef FSDELTA_HARNESS_VM_MODULES_H
#define FSDELTA_HARNESS_VM_MODULES_H

#include "lib/strbuf.h"
#include "lib/strvec.h"

#include <stdbool.h>
#include <stddef.h>

struct modules_entry {
	char *name; /* with '_' for '-' */
	char *path; /* .ko, .ko.xz, .ko.zst or .ko.gz */
};

struct modules {
	char *dir;		  /* the folder with kernel/; NULL: there is none */
	struct modules_entry *v;  /* sorted by name */
	size_t n;
	struct strvec builtin;	  /* names in modules.builtin */
};

#define MODULES_INIT { 0 }

/* A module to be loaded: its content as finit_module() wants it. */
struct module {
	char *name;
	struct strbuf data;
	char *args; /* parameters; NULL: none */
};

struct module_list {
	struct module *v; /* in the order of loading */
	size_t n;
};

#define MODULE_LIST_INIT { NULL, 0 }

/*
 * Where the modules of @release are below @given: @given itself, @given/RELEASE or
 * @given/lib/modules/RELEASE; with @given NULL the machine's own /lib/modules/RELEASE. The caller
 * frees; NULL when it is none of these.
 */
char *modules_find_dir(const char *given, const char *release);

/* Lists the modules below @dir. 0 or -errno. */
int modules_open(const char *dir, struct modules *m);
void modules_release(struct modules *m);

const struct modules_entry *modules_lookup(const struct modules *m, const char *name);
bool modules_is_builtin(const struct modules *m, const char *name);

/*
 * Adds module @name and, before it, what it depends on to @list; what is there already, or is
 * built in, is not added again. 0; -ENOENT when a module is missing, or -errno, with a sentence
 * in *@why that the caller frees.
 */
int modules_collect(const struct modules *m, const char *name, struct module_list *list,
		    char **why);
void module_list_release(struct module_list *list);

/*
 * The names behind "depends=" in the content of a module. Pure. Nothing is added when it has none.
 */
void module_depends(const void *data, size_t len, struct strvec *names);

#endif
