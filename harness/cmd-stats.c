// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta stats: files of plain numbers, described and compared. */
#include "harness/command.h"
#include "harness/plain-input.h"

#include "lib/log.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "reports/plain.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

static const char help[] =
	"Usage: fsdelta stats [OPTION]... BASE [ARM]...\n"
	"\n"
	"Describes plain numbers, and compares those of every ARM with BASE. A file has\n"
	"one number a line, or columns, or named rows as they stand in a mail (\"before\n"
	"35993 35712 ...\"); # starts a comment, and - is standard input.\n"
	"\n"
	"  fsdelta stats before.txt after.txt\n"
	"  fsdelta stats --better lower --column real before.txt after.txt\n"
	"  fsdelta stats --column before --column after mail.txt\n"
	"\n"
	"      --better higher|lower   words of a verdict; else HIGHER, LOWER\n"
	"      --column NAME|N         one series of each file; with one file, each such\n"
	"                              series is an arm, the first one the base\n"
	"      --delta PCT             smallest effect of interest; default 1\n"
	"      --digits N              significant digits, 3 to 17; default 6\n"
	"      --format FORMAT         text (default) or json\n"
	"      --label NAME            instead of a file's name; once for each\n"
	"      --population            also the deviation divided by n (pop.sd)\n"
	"      --rate                  values are rates: harmonic means, nothing below 0\n"
	"      --welch                 also Welch's t test, which decides nothing\n"
	"  -h, --help\n"
	"\n"
	"In which order were the values measured? Without one of these it is assumed, and\n"
	"said, that base and arms took turns:\n"
	"      --interleaved           they did\n"
	"      --paired, --blocks      the i-th values of all files belong together\n"
	"      --sequential            one file after the other: no verdict but UNSURE\n"
	"\n"
	"A verdict needs at least 6 values a side; with fewer, the rest is still printed.\n"
	"\n"
	"Exit status: 0 printed; 2 something cannot be read or compared.\n";

struct stats_options {
	struct plain_options plain;
	struct plain_input input;
	bool json, help;
};

enum { BETTER = 256, COLUMN, DELTA, DIGITS, FORMAT, INTERLEAVED, LABEL, PAIRED, POPULATION,
       RATE, SEQUENTIAL, WELCH };

static const struct option longs[] = {
	{ "better", required_argument, NULL, BETTER },
	{ "blocks", no_argument, NULL, PAIRED },
	{ "column", required_argument, NULL, COLUMN },
	{ "delta", required_argument, NULL, DELTA },
	{ "digits", required_argument, NULL, DIGITS },
	{ "format", required_argument, NULL, FORMAT },
	{ "help", no_argument, NULL, 'h' },
	{ "interleaved", no_argument, NULL, INTERLEAVED },
	{ "label", required_argument, NULL, LABEL },
	{ "paired", no_argument, NULL, PAIRED },
	{ "population", no_argument, NULL, POPULATION },
	{ "rate", no_argument, NULL, RATE },
	{ "sequential", no_argument, NULL, SEQUENTIAL },
	{ "welch", no_argument, NULL, WELCH },
	{ NULL, 0, NULL, 0 },
};

static int set_better(struct stats_options *o, const char *value)
{
	if (direction_parse(value, &o->plain.better)) {
		log_error("--better %s: not higher, lower or neutral", value);
		return -EINVAL;
	}
	return 0;
}

static int set_delta(struct stats_options *o, const char *value)
{
	size_t len = strlen(value);
	__cleanup_free char *number = xstrndup(value, len && value[len - 1] == '%' ? len - 1 : len);

	if (str_to_double(number, &o->plain.delta_pct) || o->plain.delta_pct < 0) {
		log_error("--delta %s: not a number of per cent from 0 on", value);
		return -EINVAL;
	}
	return 0;
}

static int set_digits(struct stats_options *o, const char *value)
{
	unsigned long long digits;

	if (str_to_u64(value, &digits) || digits < 3 || digits > 17) {
		log_error("--digits %s: not a number from 3 to 17", value);
		return -EINVAL;
	}
	o->plain.digits = (int)digits;
	return 0;
}

static int set_format(struct stats_options *o, const char *value)
{
	o->json = !strcmp(value, "json");
	if (!o->json && strcmp(value, "text")) {
		log_error("--format %s: unknown (known: json text)", value);
		return -EINVAL;
	}
	return 0;
}

static int set_order(struct stats_options *o, enum plain_order order)
{
	if (o->plain.order != PLAIN_ASSUMED && o->plain.order != order) {
		log_error("--%s contradicts --%s", plain_order_str(order),
			  plain_order_str(o->plain.order));
		return -EINVAL;
	}
	o->plain.order = order;
	return 0;
}

static int set_option(struct stats_options *o, int c, char **argv)
{
	switch (c) {
	case BETTER:
		return set_better(o, optarg);
	case COLUMN:
		strvec_push(&o->input.columns, optarg);
		return 0;
	case DELTA:
		return set_delta(o, optarg);
	case DIGITS:
		return set_digits(o, optarg);
	case FORMAT:
		return set_format(o, optarg);
	case 'h':
		o->help = true;
		return 0;
	case INTERLEAVED:
		return set_order(o, PLAIN_INTERLEAVED);
	case LABEL:
		strvec_push(&o->input.labels, optarg);
		return 0;
	case PAIRED:
		return set_order(o, PLAIN_PAIRED);
	case POPULATION:
		o->plain.population = true;
		return 0;
	case RATE:
		o->plain.rate = true;
		return 0;
	case SEQUENTIAL:
		return set_order(o, PLAIN_SEQUENTIAL);
	case WELCH:
		o->plain.welch = true;
		return 0;
	default:
		log_error(c == ':' ? "%s: needs a value" : "%s: unknown option", argv[optind - 1]);
		return -EINVAL;
	}
}

static int parse_options(struct stats_options *o, int argc, char **argv)
{
	int c, ret = 0;

	opterr = 0;
	optind = 0;
	while (!ret && (c = getopt_long(argc, argv, ":h", longs, NULL)) != -1)
		ret = set_option(o, c, argv);
	o->input.files = argv + optind;
	o->input.n_files = (size_t)(argc - optind);
	if (!ret && !o->help && !o->input.n_files) {
		log_error("stats: which file? (- is standard input)");
		ret = -EINVAL;
	}
	return ret;
}

static int show(const struct stats_options *o)
{
	__cleanup_plain struct plain *p = plain_new(&o->plain);
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	__cleanup_free char *error = NULL;

	if (plain_input_read(&o->input, p))
		return EXIT_TROUBLE;
	if (plain_compare(p, &error)) {
		log_error("%s", error);
		return EXIT_TROUBLE;
	}
	if (o->json)
		plain_json(p, &out);
	else
		plain_text(p, log_colour_ok(stdout), &out);
	return command_print(strbuf_str(&out));
}

static int stats_main(struct app *app, int argc, char **argv)
{
	struct stats_options o = {
		.plain = { .better = BETTER_NEUTRAL, .delta_pct = 1, .digits = 6 },
		.input = { .columns = STRVEC_INIT, .labels = STRVEC_INIT },
	};
	int ret;

	(void)app;
	if (parse_options(&o, argc, argv))
		ret = command_usage_error(&cmd_stats);
	else if (o.help)
		ret = command_help(&cmd_stats);
	else
		ret = show(&o);
	strvec_release(&o.input.columns);
	strvec_release(&o.input.labels);
	return ret;
}

const struct command cmd_stats = {
	.name = "stats",
	.summary = "describe and compare plain numbers",
	.help = help,
	.main = stats_main,
};
