/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for arrays of megabytes. */
#ifndef FSDELTA_LIB_LARGE_H
#define FSDELTA_LIB_LARGE_H

#include <stddef.h>

/*
 * As xmalloc(), free() releases it. From LARGE_MIN bytes on it asks for large pages: the first
 * touch of many small ones can cost more than all work on what is in them.
 */
#define LARGE_MIN (1UL << 20)
void *large_alloc(size_t size);

#endif
