// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/number.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <math.h>
#include <string.h>

/*
 * Families of units, ascending. A unit is used from @from on (in units of the first of its
 * family). Counts and rates are left alone while they are short enough to read.
 */
static const struct unit {
	const char *name, *family;
	double factor, from;
} units[] = {
	{ "ns", "time", 1, 0 },
	{ "us", "time", 1e3, 1e3 },
	{ "ms", "time", 1e6, 1e6 },
	{ "s", "time", 1e9, 1e9 },
	{ "B", "bytes", 1, 0 },
	{ "KiB", "bytes", 1024.0, 1024.0 },
	{ "MiB", "bytes", 1048576.0, 1048576.0 },
	{ "GiB", "bytes", 1073741824.0, 1073741824.0 },
	{ "TiB", "bytes", 1099511627776.0, 1099511627776.0 },
	{ "B/s", "bytes/s", 1, 0 },
	{ "KiB/s", "bytes/s", 1024.0, 1024.0 },
	{ "MiB/s", "bytes/s", 1048576.0, 1048576.0 },
	{ "GiB/s", "bytes/s", 1073741824.0, 1073741824.0 },
	{ "1/s", "rate", 1, 0 },
	{ "10^3/s", "rate", 1e3, 1e7 },
	{ "10^6/s", "rate", 1e6, 1e10 },
	{ "1", "count", 1, 0 },
	{ "10^3", "count", 1e3, 1e7 },
	{ "10^6", "count", 1e6, 1e10 },
	{ "10^9", "count", 1e9, 1e13 },
};

static const struct unit *find_unit(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

/* "1" tells a reader nothing. */
static const char *shown_unit(const struct metric *m, const char *unit)
{
	if (strcmp(unit, "1"))
		return unit;
	return m->kind == KIND_COUNT ? "count" : "ratio";
}

/* About four digits. */
static int decimals_for(double shown)
{
	if (shown >= 1e9 || (shown > 0 && shown < 1e-3))
		return NUMBER_SHORT;
	return shown >= 1000 ? 0 : shown >= 100 ? 1 : shown >= 10 ? 2 : 3;
}

struct number_scale number_scale(const struct metric *m, double largest)
{
	const struct unit *own = find_unit(m->unit), *use = own;
	struct number_scale s = { .unit = m->unit, .divisor = 1 };

	for (size_t i = 0; own && largest > 0 && i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].family, own->family) &&
		    largest * own->factor >= units[i].from)
			use = &units[i];
	if (own) {
		s.unit = use->name;
		s.divisor = use->factor / own->factor;
	}
	s.decimals = decimals_for(largest > 0 ? largest / s.divisor : 0);
	if (!(largest > 0))
		s.decimals = 0;
	/* Whole things stay whole. */
	if (m->kind == KIND_COUNT && s.divisor == 1 && s.decimals > 0 &&
	    (!strcmp(m->unit, "1") || !strcmp(m->unit, "B")))
		s.decimals = NUMBER_WHOLE;
	s.unit = shown_unit(m, s.unit);
	return s;
}

char *number_text(double v, const struct number_scale *scale)
{
	double shown = v / scale->divisor;
	int decimals = scale->decimals;

	if (!isfinite(v))
		return xstrdup("-");
	if (decimals == NUMBER_WHOLE)
		decimals = shown == trunc(shown) ? 0 : 1;
	/* Not 0, so it must not look like 0; and nothing may be wider than its column. */
	if (decimals < 0 || fabs(shown) >= 1e8 ||
	    (shown != 0 && fabs(shown) < 0.5 * pow(10, -decimals)))
		return xasprintf("%.3g", shown);
	return xasprintf("%.*f", decimals, shown);
}

char *number_percent(double pct)
{
	if (!isfinite(pct))
		return xstrdup("-");
	if (fabs(pct) > 1000)
		return xasprintf("x%.3g", 1 + pct / 100);
	/* +9.996 would round to a wider +10.00. */
	return fabs(pct) < 9.995 ? xasprintf("%+.2f%%", pct) : xasprintf("%+.1f%%", pct);
}

char *number_spread(double cv)
{
	double pct = 100 * cv;

	if (!isfinite(cv))
		return xstrdup("-");
	if (pct >= 999.5)
		return xstrdup(">999%");
	return pct < 9.95 ? xasprintf("%.1f%%", pct) : xasprintf("%.0f%%", pct);
}

static void add_bound(struct strbuf *s, double v, double most)
{
	if (!isfinite(v))
		strbuf_adds(s, "..");
	else if (fabs(v) >= 1e6)
		strbuf_addf(s, "%+.0e", v);
	else
		strbuf_addf(s, "%+.*f", most >= 99.95 ? 0 : most >= 0.995 ? 1 : 2, v);
}

char *number_interval(double lo, double hi)
{
	struct strbuf s = STRBUF_INIT;
	double most = fmax(isfinite(lo) ? fabs(lo) : 0, isfinite(hi) ? fabs(hi) : 0);

	if (isnan(lo) || isnan(hi) || (isinf(lo) && isinf(hi)))
		return xstrdup("-");
	strbuf_addc(&s, '[');
	add_bound(&s, lo, most);
	strbuf_adds(&s, ", ");
	add_bound(&s, hi, most);
	strbuf_addc(&s, ']');
	return s.buf;
}
