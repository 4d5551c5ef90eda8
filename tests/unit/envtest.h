/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of harness/env that need root run in a supervisor, so that whatever happens
 * nothing is left mounted or attached.
 */
#ifndef FSDELTA_TESTS_UNIT_ENVTEST_H
#define FSDELTA_TESTS_UNIT_ENVTEST_H

#include "harness/env/env.h"

/*
 * In the supervisor, where cmocka's assertions do not work: when @cond is false, says so and
 * returns 1 from the function.
 */
#define CHECK(cond)                                                              \
	do {                                                                     \
		if (!(cond)) {                                                   \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
			return 1;                                                \
		}                                                                \
	} while (0)

/* As CHECK() for what must return 0; shows env's sentence. */
#define CHECK_ENV(env, call)                                                     \
	do {                                                                     \
		if (call) {                                                      \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
				strbuf_str(&(env)->error));                      \
			return 1;                                                \
		}                                                                \
	} while (0)

/* Skips the test with the reason unless a privileged supervisor works here. */
void envtest_need_root(void);
/* The same, and unless there are the programs that make file system @type. */
void envtest_need_fs(const char *type);

/* Runs @fn(@arg) in a privileged supervisor and asserts that it returned 0. */
void envtest_supervised(int (*fn)(void *arg), void *arg);

/* The same with a fresh folder as @arg, that is removed afterwards. */
void envtest_in_folder(int (*fn)(void *arg));

/* A fresh folder, removed by envtest_remove(); the caller frees the name. */
char *envtest_folder(void);
void envtest_remove(char *dir);

/* mkfs of file system @type labelled @label on @node; false when the program is missing. */
bool envtest_mkfs_argv(const char *type, const char *label, const char *node,
		       struct strvec *argv);
/* Is the check's answer about @path @want (part of it; "": no reason at all)? Else shows it. */
bool envtest_says(enum env_disk_kind kind, const char *path, bool force, const char *want);
int envtest_attach_memory(struct env *env, struct env_disk *disk, uint64_t size);
/* mkfs; 0 or -errno. */
int envtest_format(struct env *env, const char *type, const char *label, const char *node);

/* Runs a program; its exit status, or -errno. */
int envtest_run(const char *const *words);
#define RUN(...) envtest_run((const char *const[]){ __VA_ARGS__, NULL })

#endif
