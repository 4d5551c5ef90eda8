// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/report.h"

#include "reports/json.h"
#include "reports/text.h"

#include <string.h>

const struct report_format report_formats[] = {
	{
		.name = "json",
		.summary = "everything, raw values included, for programs",
		.comparison = json_comparison,
		.run = json_run,
	},
	{
		.name = "text",
		.summary = "plain text for a mail or a terminal",
		.comparison = text_comparison,
		.run = text_run,
	},
	{ .name = NULL },
};

const struct report_format *report_find(const char *name)
{
	for (const struct report_format *f = report_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
