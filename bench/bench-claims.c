// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do the claims of a comparison keep their promises? Simulates sessions with known
 * differences, judges them with the engine of results/, and holds the rates against what
 * they must be.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>

#include "bench/experiment.h"
#include "bench/workers.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "lib/mem.h"

#define SEED 20240229
#define ROUNDS 1500
#define ROUNDS_QUICK 100
#define ROUNDS_MOST 10000000
#define JOBS_MOST 64

static const char help[] =
	"Usage: bench-claims [OPTION]...\n"
	"\n"
	"Simulates comparisons with known differences, and holds the rates of false\n"
	"claims, of differences found and of intervals that hold the truth against what\n"
	"they must be. A bound allows three standard errors; with another seed, and more\n"
	"so with few comparisons, a row may miss its bound by chance.\n"
	"\n"
	"      --seed N     of the simulated noise; default 20240229\n"
	"      --rounds N   comparisons per row (some rows: a share of it); default 1500\n"
	"      --quick      100 comparisons per row\n"
	"      --jobs N     processes; the figures do not depend on it; default 2\n"
	"  -h, --help\n"
	"\n"
	"Exit status: 0 all bounds hold; 1 one does not; 2 it cannot be done.\n";

struct settings {
	uint64_t seed, rounds, jobs;
	bool help;
};

static const char *order_str(const struct scene *scene)
{
	switch (scene->order) {
	case ORDER_SEQUENTIAL:
		return "sequential";
	case ORDER_DEFAULT:
		return scene->units < 10 ? "fours" : "pairs";
	default:
		return scene->order == ORDER_PAIRS ? "pairs" : "fours";
	}
}

static char *name_of(const struct experiment *e)
{
	if (e->name)
		return xstrdup(e->name);
	return xasprintf("%-7s n=%-2zu %s", noise_str(e->scene.noise), e->scene.units,
			 order_str(&e->scene));
}

/* Three standard errors, in per cent; of both sides when the expected one is an estimate. */
static double tolerance(const struct figure *f, uint64_t rounds)
{
	double q = f->expected / 100;
	double parts = 1.0 / rounds;

	if (f->simulated <= 0)
		return 300 * sqrt(q * (1 - q) * parts);
	/* A rate that rounds to 0 or 1 has an error all the same. */
	q = fmin(fmax(q, 0.005), 0.995);
	return 0.5 + 300 * sqrt(q * (1 - q) * (parts + 1 / f->simulated));
}

/* Returns whether the bound holds. */
static bool print_figure(const char *name, const struct figure *f, double sum, uint64_t rounds)
{
	double value = (f->number ? 1 : 100) * sum / rounds;
	double room = tolerance(f, rounds);
	bool most = f->bound == BOUND_MOST;
	bool holds = most ? value <= f->expected + room + 1e-9 :
			    value >= f->expected - room - 1e-9;

	printf("  %-37s %-27s %5.1f%s", name, f->what, value, f->number ? "" : " %");
	if (f->bound == BOUND_NONE) {
		printf("\n");
		return true;
	}
	printf("  %s %5.1f %s %.1f  %s\n", most ? "<=" : ">=", f->expected, most ? "+" : "-", room,
	       holds ? "ok" : "FAIL");
	return holds;
}

/* Returns the number of bounds that do not hold. */
static unsigned int print_experiment(const struct experiment *e, const struct tally *t,
				     uint64_t rounds)
{
	__cleanup_free char *name = name_of(e);
	const char *shown = name;
	unsigned int failed = 0;

	for (size_t i = 0; i < EXPERIMENT_FIGURES; i++) {
		if (!e->figures[i].what)
			continue;
		failed += !print_figure(shown, &e->figures[i], t->sum[i],
					workers_rounds(e, rounds));
		shown = "";
	}
	if (t->contradictions > 0) {
		printf("  %-37s p, interval and word differ in %.0f rows  FAIL\n", shown,
		       t->contradictions);
		failed++;
	}
	return failed;
}

static unsigned int print_all(const struct experiment *const *v, size_t n,
			      const struct tally *tallies, uint64_t rounds)
{
	unsigned int failed = 0;
	double rows = 0, contradictions = 0;

	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(v[i]->section, v[i - 1]->section))
			printf("%s%s\n", i ? "\n" : "", v[i]->section);
		failed += print_experiment(v[i], &tallies[i], rounds);
		rows += tallies[i].rows;
		contradictions += tallies[i].contradictions;
	}
	printf("\np, interval and word contradict each other in %.0f of %.0f rows\n",
	       contradictions, rows);
	return failed;
}

/* All tables as one list; the caller frees. */
static const struct experiment **collect(size_t *n)
{
	static const struct experiment_table *const tables[] = {
		&claims_single, &claims_family, &claims_stopping, &claims_controls,
	};
	const struct experiment **v = NULL;

	*n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		*n += tables[i]->n;
	v = xcalloc(*n, sizeof(*v));
	for (size_t i = 0, k = 0; i < ARRAY_SIZE(tables); i++)
		for (size_t j = 0; j < tables[i]->n; j++)
			v[k++] = &tables[i]->v[j];
	return v;
}

static int simulate(const struct settings *s)
{
	size_t n, size;
	__cleanup_free const struct experiment **v = collect(&n);
	uint64_t start = clock_mono_ns();
	struct tally *tallies;
	unsigned int failed;
	int ret;

	size = n * sizeof(*tallies);
	tallies = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tallies == MAP_FAILED) {
		log_error("bench-claims: %s", strerror(errno));
		return 2;
	}
	ret = workers_run(v, n, s->seed, s->rounds, s->jobs, tallies);
	if (ret) {
		log_error("bench-claims: simulating: %s", strerror(-ret));
		munmap(tallies, size);
		return 2;
	}
	printf("%llu comparisons per row, seed %llu\n\n", (unsigned long long)s->rounds,
	       (unsigned long long)s->seed);
	failed = print_all(v, n, tallies, s->rounds);
	munmap(tallies, size);
	if (failed)
		printf("FAIL: %u bounds do not hold\n", failed);
	else
		printf("PASS: all bounds hold\n");
	fflush(stdout);
	fprintf(stderr, "%.1f s\n", (double)(clock_mono_ns() - start) / NSEC_PER_SEC);
	return failed ? 1 : 0;
}

static int parse_number(const char *name, const char *text, uint64_t least, uint64_t most,
			uint64_t *out)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || value < least || value > most) {
		log_error("--%s %s: a whole number from %llu to %llu", name, text,
			  (unsigned long long)least, (unsigned long long)most);
		return -EINVAL;
	}
	*out = value;
	return 0;
}

static int parse(int argc, char **argv, struct settings *s)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "quick", no_argument, NULL, 'q' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	int c, ret = 0;

	while (!ret && (c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h')
			s->help = true;
		else if (c == 'j')
			ret = parse_number("jobs", optarg, 1, JOBS_MOST, &s->jobs);
		else if (c == 'q')
			s->rounds = ROUNDS_QUICK;
		else if (c == 'r')
			ret = parse_number("rounds", optarg, 1, ROUNDS_MOST, &s->rounds);
		else if (c == 's')
			ret = parse_number("seed", optarg, 0, UINT32_MAX, &s->seed);
		else
			ret = -EINVAL;
	}
	if (!ret && optind < argc) {
		log_error("bench-claims takes no '%s'", argv[optind]);
		ret = -EINVAL;
	}
	return ret;
}

int main(int argc, char **argv)
{
	struct settings s = { .seed = SEED, .rounds = ROUNDS, .jobs = 2 };

	if (parse(argc, argv, &s))
		return 2;
	if (s.help) {
		printf("%s", help);
		return 0;
	}
	return simulate(&s);
}
