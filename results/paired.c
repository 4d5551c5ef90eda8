// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/paired.h"

#include "lib/mem.h"

#include <math.h>
#include <string.h>

static int by_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* --- the cluster --- */

struct side {
	uint64_t *v; /* all values */
	size_t n;
	uint64_t median, fence;
};

/* Rounds towards 0, as that of the differences does. */
static uint64_t middle(const uint64_t *sorted, size_t n)
{
	uint64_t lo = sorted[(n - 1) / 2], hi = sorted[n / 2];

	return lo + (hi - lo) / 2;
}

static void find_fence(struct side *s)
{
	uint64_t q1, q3, outer, twice;

	if (!s->n)
		return;
	qsort(s->v, s->n, sizeof(*s->v), by_u64);
	s->median = middle(s->v, s->n);
	q1 = s->v[(s->n + 3) / 4 - 1];
	q3 = s->v[s->n - (s->n + 3) / 4];
	if (__builtin_mul_overflow(q3 - q1, 3, &outer) ||
	    __builtin_add_overflow(q3, outer, &outer))
		outer = UINT64_MAX;
	if (__builtin_mul_overflow(s->median, 2, &twice))
		twice = UINT64_MAX;
	s->fence = outer > twice ? outer : twice;
}

static struct side collect(const struct paired_span *spans, size_t n, bool arm, uint64_t *total)
{
	struct side s = { 0 };
	size_t room = 0;

	for (size_t i = 0; i < n; i++)
		room += arm ? spans[i].n_arm : spans[i].n_base;
	s.v = xcalloc(room ? room : 1, sizeof(*s.v));
	*total = 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t *from = arm ? spans[i].arm : spans[i].base;
		size_t len = arm ? spans[i].n_arm : spans[i].n_base;

		for (size_t k = 0; k < len; k++) {
			s.v[s.n++] = from[k];
			*total += from[k];
		}
	}
	find_fence(&s);
	return s;
}

/* --- the distribution --- */

static bool nearer(int64_t a, int64_t b, int64_t median)
{
	uint64_t da = magnitude((int64_t)((uint64_t)a - (uint64_t)median));
	uint64_t db = magnitude((int64_t)((uint64_t)b - (uint64_t)median));

	if (da != db)
		return da < db;
	return magnitude(a) < magnitude(b);
}

static void find_mode(const int64_t *d, struct paired *out)
{
	size_t most = 0;

	for (size_t i = 0, end; i < out->n; i = end) {
		for (end = i + 1; end < out->n && d[end] == d[i]; end++)
			;
		if (end - i < most || (end - i == most && !nearer(d[i], out->mode, out->median)))
			continue;
		most = end - i;
		out->mode = d[i];
	}
	out->mode_share = (double)most / (double)out->n;
	out->clear = 2 * most > out->n;
}

/* Turning all signs turns those of the figures: an arm against itself has no first one. */
static void describe(int64_t *d, struct paired *out)
{
	size_t n = out->n, quarter = (n + 3) / 4;

	if (!n)
		return;
	qsort(d, n, sizeof(*d), by_i64);
	out->median = (int64_t)(((__int128)d[(n - 1) / 2] + d[n / 2]) / 2);
	out->q1 = d[quarter - 1];
	out->q3 = d[n - quarter];
	for (size_t i = 0; i < PAIRED_QUANTILES; i++)
		out->quantile[i] = d[(i * (n - 1) + 10) / 20];
	find_mode(d, out);
	out->tight = (uint64_t)out->q3 - (uint64_t)out->q1 <= PAIRED_TIGHT;
	out->value = out->clear ? out->mode : out->median;
}

void paired_compare(const struct paired_span *spans, size_t n, struct paired *out)
{
	struct side base, arm;
	__cleanup_free int64_t *d = NULL;

	*out = (struct paired){ 0 };
	base = collect(spans, n, false, &out->base_total);
	arm = collect(spans, n, true, &out->arm_total);
	out->n_base = base.n;
	out->n_arm = arm.n;
	out->base_median = base.median;
	d = xcalloc(base.n ? base.n : 1, sizeof(*d));
	for (size_t i = 0; i < n; i++) {
		const struct paired_span *s = &spans[i];

		out->unequal |= s->n_base != s->n_arm;
		for (size_t k = 0; k < s->n_base && k < s->n_arm; k++) {
			int64_t diff = (int64_t)(s->arm[k] - s->base[k]);

			if (s->base[k] > base.fence || s->arm[k] > arm.fence) {
				out->far++;
				out->far_total = (int64_t)((uint64_t)out->far_total + (uint64_t)diff);
			} else {
				d[out->n++] = diff;
			}
		}
	}
	describe(d, out);
	free(base.v);
	free(arm.v);
}

/* --- several perturbations --- */

const char *paired_why_str(enum paired_why why)
{
	static const char *const texts[] = {
		[PAIRED_WHY_NONE] = "",
		[PAIRED_WHY_FEW_PERTURBATIONS] = "too few perturbations",
		[PAIRED_WHY_FEW_OPERATIONS] = "too few operations",
		[PAIRED_WHY_UNEQUAL] = "the arms did not do the same operations",
		[PAIRED_WHY_PHASES] = "phases differ",
		[PAIRED_WHY_SALT] = "within the salt of the hash tables",
		[PAIRED_WHY_NO_FLOOR] = "the base shows no noise floor, and not all perturbations agree",
	};

	return texts[why];
}

void paired_floor(const struct paired *p, size_t n, struct paired_floor *out)
{
	*out = (struct paired_floor){ .of = n };
	for (size_t i = 0; i < n; i++) {
		uint64_t m = magnitude(p[i].value);

		if (!paired_has_value(&p[i]) || p[i].unequal)
			continue;
		out->known = true;
		out->pairs++;
		out->magnitude = m > out->magnitude ? m : out->magnitude;
	}
}

/* The value that most of them have; ties do not matter, as more than half is asked for. */
static void find_agreement(const struct paired_input *in, struct paired_result *out)
{
	for (size_t i = 0; i < in->n; i++) {
		size_t same = 0;

		if (!paired_has_value(&in->v[i]))
			continue;
		out->usable++;
		for (size_t k = 0; k < in->n; k++)
			same += paired_has_value(&in->v[k]) && in->v[k].value == in->v[i].value;
		if (2 * same > in->n) {
			out->agreed = true;
			out->value = in->v[i].value;
			out->agree = same;
		}
	}
}

static uint64_t floor_of(const struct paired_input *in)
{
	return in->base.magnitude > in->arm.magnitude ? in->base.magnitude : in->arm.magnitude;
}

static bool all_within_floor(const struct paired_input *in)
{
	for (size_t i = 0; i < in->n; i++)
		if (!paired_has_value(&in->v[i]) || magnitude(in->v[i].value) > floor_of(in))
			return false;
	return true;
}

/* A typical operation of the base: over perturbations, whatever their order. */
static double typical(const struct paired_input *in)
{
	__cleanup_free uint64_t *v = xcalloc(in->n, sizeof(*v));

	for (size_t i = 0; i < in->n; i++)
		v[i] = in->v[i].base_median;
	qsort(v, in->n, sizeof(*v), by_u64);
	return (double)middle(v, in->n);
}

static void find_percent(const struct paired_input *in, struct paired_result *out)
{
	double base = typical(in), lo = INFINITY, hi = -INFINITY;

	for (size_t i = 0; i < in->n; i++) {
		if (!in->v[i].n)
			return;
		lo = fmin(lo, (double)in->v[i].q1);
		hi = fmax(hi, (double)in->v[i].q3);
	}
	if (base == 0)
		return;
	out->lo_pct = 100 * lo / base;
	out->hi_pct = 100 * hi / base;
	if (out->agreed)
		out->pct = 100 * (double)out->value / base;
}

static void decide_claim(const struct paired_input *in, struct paired_result *out)
{
	struct verdict_input v = {
		.n_base = out->n, .n_arm = out->n, .better = BETTER_LOWER, .exact = true,
		.delta_pct = in->delta_pct, .shift = (double)out->value, .pct = out->pct,
		.ci95 = { NAN, NAN }, .ci90 = { NAN, NAN }, .ci_adj = { NAN, NAN },
		.p = NAN, .p_adj = NAN, .boot_noise_pct = NAN,
	};
	struct verdict_result r;

	verdict_decide(&v, &r);
	out->word = r.word;
}

/* No claim: is it small all the same? */
static void decide_open(const struct paired_input *in, enum paired_why why,
			struct paired_result *out)
{
	out->why = why;
	out->word = out->lo_pct > -in->delta_pct && out->hi_pct < in->delta_pct ? VERDICT_SAME :
									       VERDICT_UNSURE;
}

/* What makes any figure unfounded. */
static enum paired_why unfounded(const struct paired_input *in)
{
	size_t enough = 0;

	for (size_t i = 0; i < in->n; i++) {
		if (in->v[i].unequal)
			return PAIRED_WHY_UNEQUAL;
		enough += in->v[i].n + in->v[i].far >= PAIRED_MIN_OPS;
	}
	if (in->n < PAIRED_MIN_PERTURBATIONS)
		return PAIRED_WHY_FEW_PERTURBATIONS;
	return enough < PAIRED_MIN_PERTURBATIONS ? PAIRED_WHY_FEW_OPERATIONS : PAIRED_WHY_NONE;
}

void paired_decide(const struct paired_input *in, struct paired_result *out)
{
	enum paired_why why = unfounded(in);

	*out = (struct paired_result){ .word = VERDICT_UNTESTABLE, .why = why, .n = in->n,
				       .pct = NAN, .lo_pct = NAN, .hi_pct = NAN };
	if (!in->n)
		return;
	find_agreement(in, out);
	find_percent(in, out);
	if (why == PAIRED_WHY_UNEQUAL)
		out->word = VERDICT_UNSURE;
	if (why != PAIRED_WHY_NONE)
		return;
	if (out->agreed && out->value == 0)
		out->word = VERDICT_SAME;
	else if (out->agreed && magnitude(out->value) > floor_of(in) &&
		 (in->base.known || out->agree == out->n))
		decide_claim(in, out);
	else if (out->agreed && magnitude(out->value) > floor_of(in))
		decide_open(in, PAIRED_WHY_NO_FLOOR, out);
	else
		decide_open(in, all_within_floor(in) || out->agreed ? PAIRED_WHY_SALT :
				PAIRED_WHY_PHASES, out);
}
