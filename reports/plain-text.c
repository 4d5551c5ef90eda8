// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/plain.h"

#include "lib/mem.h"
#include "reports/grid.h"

#include <math.h>
#include <string.h>

#define LABEL_MAX 24

char *plain_figure(double v, int digits)
{
	char *s, *end;
	int before;

	if (!isfinite(v))
		return xstrdup("-");
	before = v != 0 ? (int)floor(log10(fabs(v))) + 1 : 1;
	/* Too long without an exponent. */
	if (before > 15 || before < -4)
		return xasprintf("%.*g", digits, v);
	s = xasprintf("%.*f", digits > before ? digits - before : 0, v);
	if (!strchr(s, '.'))
		return s;
	end = s + strlen(s);
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
	return s;
}

/* The more digits are asked for, the more a percentage has. */
static char *percent(double pct, int digits)
{
	if (isnan(pct))
		return xstrdup("-");
	if (isinf(pct))
		return xstrdup("no bound");
	if (pct < -1000) /* of another sign than its base: no ratio */
		return xasprintf("%+.4g%%", pct);
	if (pct > 1000)
		return xasprintf("x%.*g", digits > 6 ? digits : 3, 1 + pct / 100);
	return xasprintf("%+.*f%%", digits > 6 ? digits - 4 : 2, pct);
}

/* What a row shows of a sample, or of the comparison of an arm; the caller frees. */
struct figure {
	const char *name;
	char *(*sample)(const struct plain_sample *s, int digits);
	char *(*effect)(const struct plain_effect *e, int digits);
	bool (*shown)(const struct plain *p); /* NULL: always */
};

#define SAMPLE_FIGURE(field, value)                                                  \
	static char *field(const struct plain_sample *s, int digits)                 \
	{                                                                            \
		return plain_figure(value, digits);                                  \
	}

SAMPLE_FIGURE(min_of, s->stats.min)
SAMPLE_FIGURE(median_of, s->stats.median)
SAMPLE_FIGURE(max_of, s->stats.max)
SAMPLE_FIGURE(mean_of, s->stats.mean)
SAMPLE_FIGURE(sd_of, s->stats.sd)
SAMPLE_FIGURE(pop_sd_of, s->stats.sd_pop)
SAMPLE_FIGURE(hmean_of, s->stats.hmean)
SAMPLE_FIGURE(lo_of, s->median_ci.lo)
SAMPLE_FIGURE(hi_of, s->median_ci.hi)

static char *n_of(const struct plain_sample *s, int digits)
{
	(void)digits;
	return xasprintf("%zu", s->n);
}

static char *coverage_of(const struct plain_sample *s, int digits)
{
	(void)digits;
	return s->median_ci.k ? xasprintf("%.1f%%", 100 * s->median_ci.coverage) : xstrdup("-");
}

static char *cv_of(const struct plain_sample *s, int digits)
{
	double pct = 100 * s->stats.cv;

	return isnan(pct) ? xstrdup("-") : xasprintf("%.*f%%", digits > 6 ? digits - 4 : 2, pct);
}

#define PERCENT_FIGURE(field, value)                                                 \
	static char *field(const struct plain_effect *e, int digits)                 \
	{                                                                            \
		return percent(value, digits);                                       \
	}

PERCENT_FIGURE(medians_of, e->pct_median)
PERCENT_FIGURE(means_of, e->pct_mean)
PERCENT_FIGURE(hmeans_of, e->pct_hmean)
PERCENT_FIGURE(effect_of, e->test.pct)
PERCENT_FIGURE(effect_lo_of, e->ci95.pct_lo)
PERCENT_FIGURE(effect_hi_of, e->ci95.pct_hi)
PERCENT_FIGURE(welch_of, e->welch_pct)
PERCENT_FIGURE(welch_lo_of, e->welch_lo)
PERCENT_FIGURE(welch_hi_of, e->welch_hi)

static char *shift_of(const struct plain_effect *e, int digits)
{
	return e->test.log_scale ? xstrdup("-") : plain_figure(e->test.shift, digits);
}

static char *p_text(double p)
{
	if (isnan(p))
		return xstrdup("-");
	return p > 0 ? xasprintf("%.2g", p) : xstrdup("<1e-300");
}

static char *p_of(const struct plain_effect *e, int digits)
{
	(void)digits;
	return p_text(e->test.p);
}

static char *p_kind_of(const struct plain_effect *e, int digits)
{
	(void)digits;
	return xstrdup(isnan(e->test.p) ? "-" : e->test.exact ? "exact" : "normal");
}

static char *p_adjusted_of(const struct plain_effect *e, int digits)
{
	(void)digits;
	return p_text(e->p_adjusted);
}

static char *welch_p_of(const struct plain_effect *e, int digits)
{
	(void)digits;
	return p_text(e->welch.p);
}

static char *verdict_of(const struct plain_effect *e, int digits)
{
	(void)digits;
	return xstrdup(verdict_str(e->verdict.word));
}

static bool is_rate(const struct plain *p)
{
	return p->options.rate;
}

static bool wants_population(const struct plain *p)
{
	return p->options.population;
}

static bool wants_welch(const struct plain *p)
{
	return p->options.welch && p->n_effects;
}

static bool is_family(const struct plain *p)
{
	return p->n_effects > 1;
}

/* Without a percentage the difference itself must do. */
static bool lacks_percent(const struct plain *p)
{
	for (size_t r = 0; r < p->n_rows; r++)
		for (size_t i = 1; i < p->rows[r].n; i++)
			if (isnan(p->rows[r].effects[i].test.pct))
				return true;
	return false;
}

static bool compares(const struct plain *p)
{
	return p->n_effects > 0;
}

static const struct figure figures[] = {
	{ "n", n_of, NULL, NULL },
	{ "min", min_of, NULL, NULL },
	{ "median", median_of, NULL, NULL },
	{ "  interval from", lo_of, NULL, NULL },
	{ "           to", hi_of, NULL, NULL },
	{ "  covers it in", coverage_of, NULL, NULL },
	{ "max", max_of, NULL, NULL },
	{ "mean", mean_of, NULL, NULL },
	{ "sd", sd_of, NULL, NULL },
	{ "pop.sd", pop_sd_of, NULL, wants_population },
	{ "cv", cv_of, NULL, NULL },
	{ "hmean", hmean_of, NULL, is_rate },
	{ "hmeans", NULL, hmeans_of, is_rate },
	{ "medians", NULL, medians_of, compares },
	{ "means", NULL, means_of, compares },
	{ "shift (H-L)", NULL, effect_of, compares },
	{ "  95% from", NULL, effect_lo_of, compares },
	{ "      to", NULL, effect_hi_of, compares },
	{ "  not in %", NULL, shift_of, lacks_percent },
	{ "p", NULL, p_of, compares },
	{ "  distribution", NULL, p_kind_of, compares },
	{ "p (Holm)", NULL, p_adjusted_of, is_family },
	{ "Welch: means", NULL, welch_of, wants_welch },
	{ "  95% from", NULL, welch_lo_of, wants_welch },
	{ "      to", NULL, welch_hi_of, wants_welch },
	{ "  p", NULL, welch_p_of, wants_welch },
	{ "verdict", NULL, verdict_of, compares },
};

static void add_figure(const struct plain *p, const struct plain_row *row,
		       const struct figure *f, struct grid *g)
{
	int digits = p->options.digits;

	strvec_push(&g->names, f->name);
	for (size_t i = 0; i < row->n; i++) {
		if (f->sample)
			grid_cell(g, f->sample(&row->samples[i], digits));
		else
			grid_cell(g, i ? f->effect(&row->effects[i], digits) : xstrdup(""));
	}
}

static void add_gap(const struct plain_row *row, struct grid *g)
{
	strvec_push(&g->names, "change");
	for (size_t i = 0; i < row->n; i++)
		grid_cell(g, xstrdup(i ? "" : "base"));
}

static void print_figures(const struct plain *p, const struct plain_row *row, struct layout *l)
{
	__cleanup_grid struct grid g = { .heads = STRVEC_INIT };
	bool effects = false;

	for (size_t i = 0; i < row->n; i++) {
		__cleanup_free char *label = layout_fit(l, row->samples[i].label, LABEL_MAX);

		strvec_push(&g.heads, label);
	}
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		if (figures[i].shown && !figures[i].shown(p))
			continue;
		if (figures[i].effect && !effects) {
			effects = true;
			add_gap(row, &g);
		}
		add_figure(p, row, &figures[i], &g);
	}
	grid_print(&g, l);
}

/* What stands behind the word, and what more values would show. */
static void print_verdict(const struct plain *p, const struct plain_row *row, size_t i,
			  struct layout *l)
{
	const struct verdict_result *v = &row->effects[i].verdict;
	double delta = p->options.delta_pct;
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	__cleanup_free char *head = xasprintf("%s:", row->samples[i].label);

	strbuf_adds(&text, verdict_str(v->word));
	if (v->word == VERDICT_SAME)
		strbuf_addf(&text, " within %g%%", delta);
	else if (v->word == VERDICT_SMALL)
		strbuf_addf(&text, ": real, but below %g%%", delta);
	else if (v->why != VERDICT_WHY_NONE)
		strbuf_addf(&text, ": %s", verdict_why_str(v->why));
	if (v->word == VERDICT_UNSURE && isfinite(v->mde_pct))
		strbuf_addf(&text, "; could have seen %.2g%%", v->mde_pct);
	if (v->word == VERDICT_UNTESTABLE && isfinite(v->n_needed))
		strbuf_addf(&text, "; a verdict needs %.0f values a side", v->n_needed);
	else if (v->word == VERDICT_UNSURE && v->why == VERDICT_WHY_NOISE &&
		 isfinite(v->n_needed))
		strbuf_addf(&text, ", seeing %g%% needs about %.0f values a side", delta,
			    v->n_needed);
	layout_wrap(l, 0, head, 2, strbuf_str(&text));
}

static void print_warnings(const struct plain_row *row, struct layout *l)
{
	for (size_t i = 0; i < row->n; i++)
		for (size_t w = 0; w < row->samples[i].warnings.n; w++) {
			__cleanup_free char *head = xasprintf("%s:", row->samples[i].label);

			layout_wrap(l, 0, head, 2, row->samples[i].warnings.v[w]);
		}
}

static const char *const order_texts[] = {
	[PLAIN_ASSUMED] = "that base and arm were measured in turns. The numbers do not say so; if "
			  "not, drift looks like a difference (--interleaved, --paired, "
			  "--sequential).",
	[PLAIN_INTERLEAVED] = "base and arm were measured in turns, as --interleaved says.",
	[PLAIN_PAIRED] = "the i-th values belong together, as --paired says.",
	[PLAIN_SEQUENTIAL] = "one after the other: drift looks like a difference.",
};

static void print_basis(const struct plain *p, struct layout *l)
{
	if (!p->n_effects)
		return;
	layout_wrap(l, 0, p->options.order == PLAIN_ASSUMED ? "Assumed:" : "Order:", 2,
		    order_texts[p->options.order]);
	strbuf_addc(l->out, '\n');
}

static void print_legend(const struct plain *p, struct layout *l)
{
	__cleanup_free char *text = NULL;

	if (!p->n_effects)
		return;
	text = xasprintf("100 * (B - A) / A, A the base; H-L is the median over "
			 "all pairs, of ratios where all values are positive, else of differences "
			 "relative to the base's median%s; better: %s; smallest effect of interest %g%%.",
			 p->options.order == PLAIN_PAIRED ? " (p within pairs)" : "",
			 direction_str(p->options.better), p->options.delta_pct);
	strbuf_addc(l->out, '\n');
	layout_wrap(l, 0, "Change:", 2, text);
}

void plain_text(const struct plain *p, bool colour, struct strbuf *out)
{
	struct layout l = { .out = out, .colour = colour };

	print_basis(p, &l);
	for (size_t r = 0; r < p->n_rows; r++) {
		const struct plain_row *row = &p->rows[r];

		if (r)
			strbuf_addc(out, '\n');
		if (row->name)
			layout_heading(&l, row->name);
		print_figures(p, row, &l);
		strbuf_addc(out, '\n');
		plain_strips(row, &l);
		strbuf_addc(out, '\n');
		for (size_t i = 1; i < row->n; i++)
			print_verdict(p, row, i, &l);
		print_warnings(row, &l);
	}
	print_legend(p, &l);
	layout_legend(&l);
	layout_release(&l);
}
