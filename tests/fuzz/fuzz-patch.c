// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes are a patch, or none; and any bytes are a C file. Whatever is named has a name. */
#include "probes/touched.h"

#include <stdint.h>

#include "lib/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_scan(const char *text, size_t size)
{
	__cleanup_cscan struct cscan s = CSCAN_INIT;

	cscan_text(&s, text, size);
	for (size_t i = 0; i < s.n; i++)
		if (!s.v[i].name || !s.v[i].first || s.v[i].first > s.v[i].last ||
		    s.v[i].last > s.n_lines)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	__cleanup_touched struct touched_list l = TOUCHED_LIST_INIT;
	__cleanup_patch struct patch p = PATCH_INIT;

	patch_parse(&p, (const char *)data, size);
	for (size_t i = 0; i < p.n_files; i++)
		if (!patch_path(&p.files[i]))
			abort();
	touched_find(&l, &p, NULL);
	for (size_t i = 0; i < l.n; i++)
		if (!l.v[i].name || !l.v[i].file || l.v[i].users.n)
			abort();
	check_scan((const char *)data, size);
	return 0;
}
