/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder of its own for each test: a cmocka fixture whose state is the folder's path. */
#ifndef FSDELTA_TESTS_UNIT_SCRATCH_H
#define FSDELTA_TESTS_UNIT_SCRATCH_H

#include "lib/file.h"
#include "lib/mem.h"

#include <string.h>

static inline int scratch_make(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/fsdelta-unit.XXXXXX", tmp && *tmp ? tmp : "/tmp");

	*state = mkdtemp(dir);
	return *state ? 0 : -1;
}

static inline int scratch_remove(void **state)
{
	int ret = file_remove_tree(*state);

	free(*state);
	return ret;
}

/* The path of @name in the folder; the caller frees. */
static inline char *scratch_path(void **state, const char *name)
{
	return xasprintf("%s/%s", (char *)*state, name);
}

/* Writes the file @name, making the folders on the way. */
static inline void scratch_write(void **state, const char *name, const char *text)
{
	__cleanup_free char *path = scratch_path(state, name);
	__cleanup_free char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));

	assert_int_equal(file_mkdir_p(dir), 0);
	assert_int_equal(file_write(path, text, strlen(text)), 0);
}

#define scratch_test(fn) cmocka_unit_test_setup_teardown(fn, scratch_make, scratch_remove)

#endif
