// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/golden/exact.h"

#include "lib/mem.h"
#include "results/each.h"
#include "tests/golden/runs.h"

#include <string.h>

static const uint64_t pads[EXACT_PERTURBATIONS] = { 0, 7, 123, 300, 1000 };

static uint64_t one(const struct exact_class *class, size_t k, size_t i, uint64_t *state)
{
	uint64_t v = class->path + (i * 37 % 11) * 5 + (uint64_t)class->constant[k];

	if ((i + pads[k] + class->shift) % 128 == 0)
		v += 50 * class->path;
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return class->noise[k] ? v + (*state >> 33) % class->noise[k] : v;
}

static void add_class(struct each *e, const struct exact_class *class, size_t k, size_t arm,
		      size_t clock, size_t ops)
{
	uint64_t state = 1000 * k + arm + 1;

	for (size_t round = 0, i = 0; round < 2; round++) {
		struct each_seq *s;

		GROW(e->seqs, e->n);
		s = &e->seqs[e->n++];
		*s = (struct each_seq){ .op = xstrdup(class->op), .clock = clock, .round = round,
					.v = xcalloc(ops / 2, sizeof(*s->v)), .n = ops / 2 };
		for (size_t at = 0; at < s->n; at++, i++) {
			s->v[at] = one(class, k, i, &state);
			/* The path of the system call alone. */
			if (clock)
				s->v[at] -= class->path / 2;
		}
	}
}

void exact_series(struct run *r, uint64_t seq, size_t arm, const char *workload,
		  const char *target, const struct exact_class *classes, size_t n, size_t ops)
{
	for (size_t k = 0; k < EXACT_PERTURBATIONS; k++) {
		struct iteration *it = runs_iterate(r, seq + 2 * k + arm, workload, target,
						    "rw,relatime");
		struct each *e = xcalloc(1, sizeof(*e));

		e->program = xstrdup(workload);
		strvec_push(&e->clocks, "elapsed");
		strvec_push(&e->clocks, "cpu");
		for (size_t c = 0; c < n; c++)
			for (size_t clock = 0; clock < 2; clock++)
				add_class(e, &classes[c], k, arm, clock, ops);
		it->exact = (struct iteration_exact){ .perturbed = true, .pad = pads[k],
						      .seed = k + 1, .each = e };
	}
}

/* A reservation more in utime, three instructions less in unlink, other commits in rename. */
static void add_btrfs(struct run *r, size_t arm)
{
	struct exact_class meta[] = {
		{ "utime", 8705, { 0 }, { 0 }, 0 },
		{ "rename", 143656, { 0 }, { 0, 0, 0, 0, 60000 }, 64 * arm },
		{ "unlink", 79576, { 0 }, { 0 }, 0 },
	};

	for (size_t k = 0; arm && k < EXACT_PERTURBATIONS; k++) {
		meta[0].constant[k] = 316;
		meta[2].constant[k] = -3;
	}
	exact_series(r, 0, arm, "meta", "btrfs", meta, ARRAY_SIZE(meta), 400);
}

/* The same code: but the salt of the hash tables is another one in each image and seed. */
static void add_xfs(struct run *r, size_t arm)
{
	struct exact_class meta[] = {
		{ "utime", 6120, { 0 }, { 0 }, 0 },
		{ "rename", 41200, { 0, 0, 12, 0, 18 }, { 0 }, 0 },
		{ "fsync", 86800, { 0 }, { 9000, 9000, 9000, 9000, 9000 }, 0 },
	};
	static const int64_t salt[] = { 18, 0, 6, 12, 0 };

	if (arm)
		memcpy(meta[1].constant, salt, sizeof(salt));
	exact_series(r, 10, arm, "meta", "xfs", meta, ARRAY_SIZE(meta), 400);
}

size_t exact_runs(struct run **runs)
{
	static const char *const labels[] = { "base", "patched" };

	for (size_t arm = 0; arm < 2; arm++) {
		runs[arm] = runs_new(labels[arm]);
		runs_add_workload(runs[arm], "meta", "1111aaaa2222bbbb");
		runs_add_target(runs[arm], "btrfs", "relatime");
		runs_add_target(runs[arm], "xfs", "relatime");
		add_btrfs(runs[arm], arm);
		add_xfs(runs[arm], arm);
	}
	return 2;
}
