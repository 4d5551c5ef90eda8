// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/outcome.h"

#include "lib/mem.h"

#include <errno.h>
#include <string.h>

static const char *const names[] = {
	[OUTCOME_OK] = "OK",
	[OUTCOME_FAILED] = "FAILED",
	[OUTCOME_SKIPPED] = "SKIPPED",
	[OUTCOME_BROKEN] = "BROKEN",
	[OUTCOME_TIMEOUT] = "TIMEOUT",
	[OUTCOME_CRASHED] = "CRASHED",
};

const char *outcome_str(enum outcome o)
{
	return names[o];
}

int outcome_parse(const char *s, enum outcome *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(s, names[i])) {
			*out = (enum outcome)i;
			return 0;
		}
	}
	return -EINVAL;
}
