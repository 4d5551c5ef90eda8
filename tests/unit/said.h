/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was said in sentences: notes, warnings. */
#ifndef FSDELTA_TESTS_UNIT_SAID_H
#define FSDELTA_TESTS_UNIT_SAID_H

#include "lib/strvec.h"

#include <string.h>

/* Does any of @sv contain @part? */
static inline bool any_has(const struct strvec *sv, const char *part)
{
	for (size_t i = 0; i < sv->n; i++)
		if (strstr(sv->v[i], part))
			return true;
	return false;
}

#endif
