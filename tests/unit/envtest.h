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

/* Runs @fn(@arg) in a privileged supervisor and asserts that it returned 0. */
void envtest_supervised(int (*fn)(void *arg), void *arg);

/* A fresh folder, removed by envtest_remove(); the caller frees the name. */
char *envtest_folder(void);
void envtest_remove(char *dir);

/* mkfs of file system @type labelled @label on @node; false when the program is missing. */
bool envtest_mkfs_argv(const char *type, const char *label, const char *node,
		       struct strvec *argv);
/* Runs a program; its exit status, or -errno. */
int envtest_run(const char *const *words);
#define RUN(...) envtest_run((const char *const[]){ __VA_ARGS__, NULL })

#endif
