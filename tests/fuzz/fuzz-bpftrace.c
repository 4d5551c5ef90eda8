// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes are output of bpftrace: maps that say how far they can be trusted, and why not. */
#include "probes/generate.h"

#include <stdint.h>

#include "lib/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_map(const struct bt_map *m)
{
	uint64_t total;

	if (!m->name || !m->reason != (m->status == BT_EXACT))
		abort();
	if (m->status == BT_INVALID && bt_total(m, &total))
		abort();
	for (size_t i = 0; i < m->n; i++)
		if (!m->v[i].key || (m->v[i].value.kind == BT_TEXT) != (m->v[i].value.text != NULL))
			abort();
}

static void check_hits(const struct bt_result *r)
{
	__cleanup_strvec struct strvec symbols = STRVEC_INIT;
	struct generate_function f = { "a", &symbols };
	struct generate g = { .v = &f, .n = 1, .cgroup = 1 };
	struct generate_hits h;

	strvec_push(&symbols, "a");
	generate_read(&g, r, 0, &h);
	if (!h.known && !h.reason)
		abort();
	generate_hits_release(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	__cleanup_bt_result struct bt_result r;
	__cleanup_free char *text = xstrndup((const char *)data, size);
	struct bt_verdict v;

	bt_parse(&r, (const char *)data, size, 16);
	for (size_t i = 0; i < r.n_maps; i++)
		check_map(&r.maps[i]);
	check_hits(&r);
	bt_judge(&v, &r, text, size % 3, size % 2);
	bt_verdict_release(&v);
	return 0;
}
