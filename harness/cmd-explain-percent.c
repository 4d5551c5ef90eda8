// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta explain-percent: by which formula did somebody get this figure? */
#include "harness/command.h"

#include "lib/log.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "results/percent.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

static const char help[] =
	"Usage: fsdelta explain-percent A B CLAIMED\n"
	"\n"
	"Which formula gives the figure CLAIMED for a change from A to B, rounded or cut\n"
	"to the digits that it has? A and B as they were printed; CLAIMED may end in\n"
	"% or x.\n"
	"\n"
	"  fsdelta explain-percent 35677.96 32957.11 -7.626%\n"
	"  fsdelta explain-percent 91.44 72.22 26%\n"
	"\n"
	"  -h, --help\n"
	"\n"
	"Exit status: 0 explained; 3 no formula gives this figure; 2 wrong usage.\n";

/* Digits behind the point; -1: an exponent hides how it was printed. */
static int decimals_of(const char *s)
{
	const char *point = strchr(s, '.');

	if (strpbrk(s, "eE"))
		return -1;
	return point ? (int)strlen(point + 1) : 0;
}

static bool is_decimal(const char *s)
{
	return *s && s[strspn(s, "+-.0123456789eE")] == '\0' && isdigit((unsigned char)s[strlen(s) - 1]);
}

/* "-7.626 %", "3.5x", "12": *@unit gets what was cut off. */
static int parse_figure(const char *text, bool unit_allowed, struct percent_figure *f,
			char *unit)
{
	__cleanup_free char *copy = xstrdup(text);
	char *s = str_trim(copy);
	size_t len = strlen(s);

	*unit = '\0';
	if (unit_allowed && len && strchr("%xX", s[len - 1])) {
		*unit = s[len - 1] == '%' ? '%' : 'x';
		s[len - 1] = '\0';
		s = str_trim(s);
	}
	if (!is_decimal(s) || str_to_double(s, &f->value)) {
		log_error("'%s' is not a decimal number", text);
		return -EINVAL;
	}
	f->decimals = decimals_of(s);
	return 0;
}

static const char *digit_name(int decimals, char *room, size_t size)
{
	if (decimals == 0)
		return "ones";
	if (decimals == -1)
		return "tens";
	snprintf(room, size, "%d digit%s behind the point", decimals, decimals == 1 ? "" : "s");
	return room;
}

static void print_match(const struct percent_match *m, struct strbuf *out)
{
	char room[40];

	strbuf_addf(out, "  %-29s %12.6g  %s", percent_formula_str(m->formula), m->value,
		    percent_how_str(m->how));
	if (m->how != PERCENT_INPUTS)
		strbuf_addf(out, " to %s", digit_name(m->decimals, room, sizeof(room)));
	strbuf_addf(out, "%s\n", m->unsigned_claim ? ", sign dropped" : "");
}

static void print_others(double a, double b, const struct percent_match *m, size_t n,
			 struct strbuf *out)
{
	for (int f = 0; f < PERCENT_FORMULAS; f++) {
		double value = percent_by(f, a, b);
		bool matched = false;

		for (size_t i = 0; i < n; i++)
			matched |= m[i].formula == (enum percent_formula)f;
		if (matched)
			continue;
		strbuf_addf(out, "  %-29s ", percent_formula_str(f));
		if (isnan(value))
			strbuf_addf(out, "%12s  has no value\n", "-");
		else
			strbuf_addf(out, "%12.6g  no\n", value);
	}
}

/* "%" excludes the ratio, "x" everything else. */
static size_t fitting(struct percent_match *m, size_t n, char unit)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!unit || (unit == 'x') == (m[i].formula == PERCENT_RATIO))
			m[kept++] = m[i];
	return kept;
}

static int explain(char **texts)
{
	struct percent_match m[PERCENT_FORMULAS];
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	struct percent_figure f[3];
	int printed;
	char unit;
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(f); i++)
		if (parse_figure(texts[i], i == 2, &f[i], &unit))
			return command_usage_error(&cmd_explain_percent);
	n = fitting(m, percent_explain(f[0], f[1], f[2], m), unit);
	strbuf_addf(&out, "A = %.15g, B = %.15g, claimed: %.15g%s%s\n\n", f[0].value, f[1].value,
		    f[2].value, unit == '%' ? " " : "", unit ? (char[]){ unit, '\0' } : "");
	for (size_t i = 0; i < n; i++)
		print_match(&m[i], &out);
	print_others(f[0].value, f[1].value, m, n, &out);
	if (n)
		strbuf_addf(&out, "\nExplained: %s, %s.\n", percent_formula_str(m[0].formula),
			    percent_how_str(m[0].how));
	else
		strbuf_adds(&out, "\nNot explained: no formula gives this figure.\n");
	printed = command_print(strbuf_str(&out));
	if (printed != EXIT_OK)
		return printed;
	return n ? EXIT_OK : EXIT_INCONCLUSIVE;
}

/* By hand: "-7.6" is a figure, no option. */
static int explain_main(struct app *app, int argc, char **argv)
{
	int first = 1;

	(void)app;
	for (; first < argc && *argv[first] == '-' && argv[first][1]; first++) {
		if (!strcmp(argv[first], "-h") || !strcmp(argv[first], "--help"))
			return command_help(&cmd_explain_percent);
		if (!strcmp(argv[first], "--")) {
			first++;
			break;
		}
		if (strchr(".0123456789", argv[first][1]))
			break;
		log_error("%s: unknown option", argv[first]);
		return command_usage_error(&cmd_explain_percent);
	}
	if (argc - first != 3) {
		log_error("explain-percent: needs three figures: A B CLAIMED");
		return command_usage_error(&cmd_explain_percent);
	}
	return explain(argv + first);
}

const struct command cmd_explain_percent = {
	.name = "explain-percent",
	.summary = "find the formula behind a percentage",
	.help = help,
	.main = explain_main,
};
