// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/large.h"

#include "lib/mem.h"

#include <stdint.h>
#include <sys/mman.h>

#define PAGE (2UL << 20)

void *large_alloc(size_t size)
{
	void *p;

	if (size < LARGE_MIN || size > SIZE_MAX - PAGE)
		return xmalloc(size ? size : 1);
	size = (size + PAGE - 1) / PAGE * PAGE;
	p = aligned_alloc(PAGE, size);
	if (!p)
		return xmalloc(size);
	/* No more than advice. */
	madvise(p, size, MADV_HUGEPAGE);
	return p;
}
