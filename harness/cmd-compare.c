// SPDX-License-Identifier: GPL-2.0-or-later
/* fsdelta compare: every arm against the first, metric by metric. */
#include "harness/results-args.h"

#include "lib/log.h"
#include "lib/mem.h"
#include "results/store-noise.h"

static const char help[] =
	"Usage: fsdelta compare [OPTION]... BASE ARM...\n"
	"\n"
	"Compares results, metric by metric: every ARM against BASE. A result is named by\n"
	"its label, by its id, or by its folder or file. A label means all sessions of\n"
	"the same plan, machine and kernel: they are pooled, as further blocks of one\n"
	"analysis.\n"
	"\n"
	"  fsdelta compare before after\n"
	"  fsdelta compare base patch1 patch2 --all\n"
	"  fsdelta compare ./results-of-a/2026... ./results-of-b/2026... --format json\n"
	"\n"
	"      --delta PCT       the smallest effect of interest, in per cent; default 1,\n"
	"                        or the noise floor that `run --aa` found where that is\n"
	"                        larger\n"
	"      --allow KEY       accept one difference between the arms, for instance\n"
	"                        cpu.governor; the report says so; may be repeated\n"
	"      --boot-noise PCT  how much boots of one kernel differ (standard\n"
	"                        deviation); for arms with too few boots, whose intervals\n"
	"                        it widens\n"
	"      --newest          the latest session of each label only\n"
	"      --roles LIST      what each result is, in their order: base,patch,fix;\n"
	"                        says how much of what the patch changed the fix recovers\n"
	"      --welch           show Welch's t test as well; it decides nothing\n"
	"      --format FORMAT   text (default) or json\n"
	"      --all             every metric, not only the primary and the notable ones\n"
	"      --store DIR       where labels are looked up; default ./fsdelta-results,\n"
	"                        or $FSDELTA_STORE\n"
	"  -h, --help\n"
	"\n"
	"Each metric gets one word: IMPROVED, REGRESSED (LOWER, HIGHER where neither is\n"
	"good), SMALL, SAME, UNSURE, UNTESTABLE or MISSING; CONFOUNDED above the tables\n"
	"names what else could explain a difference. The report explains the words that\n"
	"it uses.\n"
	"\n"
	"Exit status, from the primary metrics alone: 0 no regression; 1 one REGRESSED;\n"
	"2 wrong usage, or a result cannot be read; 3 inconclusive or not comparable:\n"
	"UNSURE, UNTESTABLE, MISSING, CONFOUNDED, CONFLICTING, the same result twice.\n";

static int exit_status(const struct comparison *c)
{
	switch (compare_outcome(c)) {
	case COMPARE_NO_REGRESSION:
		return EXIT_OK;
	case COMPARE_REGRESSION:
		return EXIT_REGRESSION;
	default:
		return EXIT_INCONCLUSIVE;
	}
}

/* Without what A/A sessions found, there is still a comparison. */
static void load_noise(const struct app *app, struct noise *noise)
{
	__cleanup_free char *error = NULL;

	if (store_noise_load(app->store, noise, &error))
		log_warn("no noise floors: %s", error);
}

static int compare_all(struct app *app, const struct results_args *a)
{
	__cleanup_strbuf struct strbuf out = STRBUF_INIT;
	struct compare_options options = a->compare;
	struct pool pool = POOL_INIT;
	int ret = EXIT_TROUBLE;

	if (!results_load_arms(app, a, &pool)) {
		__cleanup_noise struct noise noise = NOISE_INIT;
		__cleanup_comparison struct comparison *c = NULL;

		load_noise(app, &noise);
		options.noise = &noise;
		options.pool = &pool;
		c = compare_runs(pool.runs, pool.n, &options);
		a->format->comparison(c, &a->report, &out);
		ret = command_print(strbuf_str(&out)) ? EXIT_TROUBLE : exit_status(c);
	}
	pool_release(&pool);
	return ret;
}

static int compare_main(struct app *app, int argc, char **argv)
{
	struct results_args a;
	int ret;

	if (results_args_parse_compare(&a, app, argc, argv)) {
		ret = command_usage_error(&cmd_compare);
	} else if (a.help) {
		ret = command_help(&cmd_compare);
	} else if (a.n_names < 2) {
		log_error("compare: needs at least two results; `fsdelta list results` shows them");
		ret = command_usage_error(&cmd_compare);
	} else {
		ret = compare_all(app, &a);
	}
	results_args_release(&a);
	return ret;
}

const struct command cmd_compare = {
	.name = "compare",
	.summary = "compare results, metric by metric",
	.help = help,
	.main = compare_main,
};
