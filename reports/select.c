// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/select.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <string.h>

bool metric_is_notable(const struct metric *m)
{
	static const char *const times[] = { "wall", "sync", "cpu.user", "cpu.sys" };

	if (m->primary || m->kind == KIND_RATE_WORK || m->kind == KIND_RATE_TIME)
		return true;
	if (m->kind == KIND_QUANTILE)
		return str_ends(m->name, ".p50") || str_ends(m->name, ".p99");
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (!strcmp(m->name, times[i]))
			return true;
	return false;
}

bool row_is_notable(const struct compare_row *row)
{
	return metric_is_notable(&row->metric) || compare_row_is_missing(row) ||
	       (row->base.centre == 0 && row->side.centre != 0) ||
	       (row->metric.kind != KIND_MAX && str_eq(row->effect.verdict, "REGRESSED"));
}

bool row_is_shown(const struct compare_row *row, bool all)
{
	return all || row_is_notable(row);
}
