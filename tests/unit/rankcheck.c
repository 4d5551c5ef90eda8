// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/rankcheck.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/mem.h"

void rank_check_agreement(const char *id, const struct ranktest_input *in)
{
	static const double confs[] = { 0.5, 0.8, 0.9, 0.95, 0.975, 0.99, 0.999 };
	struct ranktest r;
	struct ranktest_interval ci;

	assert_int_equal(ranktest_run(in, &r), 0);
	for (size_t i = 0; i < ARRAY_SIZE(confs); i++) {
		bool reject = r.p <= 1 - confs[i];

		assert_int_equal(ranktest_interval(in, confs[i], &ci), 0);
		if (ci.lo > r.shift || ci.hi < r.shift)
			fail_msg("%s: estimate outside its interval", id);
		if (reject && ci.lo < 0 && ci.hi > 0)
			fail_msg("%s: p %g, but 0 inside at %g", id, r.p, confs[i]);
		if (!reject && (ci.lo > 0 || ci.hi < 0))
			fail_msg("%s: p %g, but 0 outside at %g", id, r.p, confs[i]);
	}
}

double rank_draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed >> 11) * 0x1p-53;
}
