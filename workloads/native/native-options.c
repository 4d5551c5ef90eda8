// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/native/native.h"
#include "workloads/native/native-spin.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stddef.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

#define MEMBER(m) offsetof(struct native, m)

/* Numbers, in the order of --help. */
static const struct number {
	const char *name;
	size_t member;
	uint64_t initial, min, max;
	const char *text;
} numbers[] = {
	{ "threads", MEMBER(threads), 1, 1, 1024, "threads, at most one a file" },
	{ "files", MEMBER(files), 1000, 1, 1000000000,
	  "files in all, divided between the threads" },
	{ "dirs", MEMBER(dirs), 1, 1, 1000000,
	  "directories in all; as many as threads: each has its own" },
	{ "size", MEMBER(size), 4096, 1, 1 << 30, "bytes that are written to a file; K, M, G" },
	{ "seed", MEMBER(seed), 1, 0, UINT64_MAX, "of the content and of random orders" },
	{ "rounds", MEMBER(rounds), 1, 1, 1000000, "how often all of it is done" },
	{ "delay-ns", MEMBER(delay_ns), 0, 0, 1000000000,
	  "busy wait in every timed operation: to test a measurement" },
	{ "warmup-rounds", MEMBER(warmup_rounds), 0, 0, 1000000, "before those, not reported" },
	{ "pad", MEMBER(pad), 0, 0, 1000000,
	  "files made first, to shift where commits fall" },
	{ "spin", MEMBER(spin), 0, 0, NATIVE_SPIN_MAX,
	  "turns of a loop in every timed operation" },
	{ "instructions", MEMBER(instructions), 0, 0, NATIVE_SPIN_MAX,
	  "more instructions in every timed operation" },
};

static const struct flag {
	const char *name;
	size_t member;
	const char *text;
} flags[] = {
	{ "no-sync", MEMBER(no_sync), "no syncfs before a timed phase" },
	{ "keep", MEMBER(keep), "leave the files there" },
	{ "mlock", MEMBER(mlock), "keep all memory of the program in memory" },
	{ "each-cpu", MEMBER(each_cpu), "with --each: processor time, too" },
	{ "selftest", MEMBER(selftest),
	  "measure what the timing costs, check the histogram; needs no DIR" },
};

#define N_NUMBERS ARRAY_SIZE(numbers)
#define N_FLAGS ARRAY_SIZE(flags)
#define OWN (N_NUMBERS + N_FLAGS)
#define MAX_OPTIONS (OWN + NATIVE_MAX_OPTIONS + 4)

enum { OPT_HELP = 1000, OPT_VERSION, OPT_EACH };

static void print_help(const struct native_program *p)
{
	const struct native_option *o;
	const struct native_op *op;
	size_t i;

	printf("Usage: %s [OPTIONS] DIR\n\n%s\n"
	       "Works in DIR/%s, which must not exist, and removes it at the end.\n"
	       "\nTimed:\n", p->name, p->text, p->name);
	for (op = p->ops; op->name; op++)
		printf("  %-12s %s\n", op->name, op->text);
	printf("\nOptions:\n");
	for (o = p->options; o && o->name; o++)
		printf("  --%-10s %s%s%s%s\n", o->name, o->text, o->choices ? ": " : "",
		       o->choices ? o->choices : "", o->choices ? " (the first one)" : "");
	for (i = 0; i < N_NUMBERS; i++)
		printf("  --%-10s %s (%llu)\n", numbers[i].name, numbers[i].text,
		       (unsigned long long)numbers[i].initial);
	for (i = 0; i < N_FLAGS; i++)
		printf("  --%-10s %s\n", flags[i].name, flags[i].text);
	printf("  --%-10s %s\n", "each FILE", "write the time of every single operation there");
	printf("  --help, --version\n"
	       "\nPrints lines of JSON: the parameters; one line per timed class, with the sum of\n"
	       "the times of its operations over threads (seconds), the duration of its phase\n"
	       "(wall_seconds), rate = count / wall_seconds (null for a part of a longer\n"
	       "operation) and nanoseconds (quantiles within 0.8 %%); {\"done\":true,...}.\n"
	       "Exit status: 0; 1: an operation or a check failed, the first one is on stderr;\n"
	       "2: usage.\n"
	       "\nExample, on a fresh file system, before and after a change:\n"
	       "  %s %s /mnt\n", p->name, p->example);
}

/* Number of the choice called @word, or -1. */
static int find_choice(const char *choices, const char *word)
{
	size_t len = strlen(word);
	int n = 0;

	for (;;) {
		size_t have = strcspn(choices, "|");

		if (have == len && !strncmp(choices, word, len))
			return n;
		if (!choices[have])
			return -1;
		choices += have + 1;
		n++;
	}
}

static bool parse_number(const struct number *number, const char *arg, uint64_t *out)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	unsigned long long v;
	char *end;

	/* strtoull() takes blanks and signs. */
	if (!isdigit((unsigned char)arg[0]))
		return false;
	errno = 0;
	v = strtoull(arg, &end, 10);
	if (errno)
		return false;
	if (*end && number->member == MEMBER(size)) {
		suffix = strchr(suffixes, *end++);
		if (!suffix || v > number->max)
			return false;
		v <<= 10 * (suffix - suffixes + 1);
	}
	if (*end || v < number->min || v > number->max)
		return false;
	*out = v;
	return true;
}

static void *member(struct native *n, size_t offset)
{
	return (char *)n + offset;
}

static int set_option(struct native *n, size_t k, const char *arg)
{
	const char *name = n->program->name;
	const struct native_option *o;
	int choice = 1;

	if (k < N_NUMBERS) {
		if (parse_number(&numbers[k], arg, member(n, numbers[k].member)))
			return 0;
		fprintf(stderr, "%s: --%s %s: want a number from %llu to %llu\n", name,
			numbers[k].name, arg, (unsigned long long)numbers[k].min,
			(unsigned long long)numbers[k].max);
		return -EINVAL;
	}
	if (k < OWN) {
		*(unsigned int *)member(n, flags[k - N_NUMBERS].member) = 1;
		return 0;
	}
	o = &n->program->options[k - OWN];
	if (o->choices)
		choice = find_choice(o->choices, arg);
	if (choice < 0) {
		fprintf(stderr, "%s: --%s %s: want one of %s\n", name, o->name, arg, o->choices);
		return -EINVAL;
	}
	n->value[k - OWN] = (unsigned int)choice;
	return 0;
}

static void fill_table(const struct native_program *p, struct option *table)
{
	const struct native_option *o;
	size_t k;

	for (k = 0; k < OWN; k++)
		*table++ = (struct option){
			.name = k < N_NUMBERS ? numbers[k].name : flags[k - N_NUMBERS].name,
			.has_arg = k < N_NUMBERS ? required_argument : no_argument,
			.val = (int)k,
		};
	for (o = p->options; o && o->name; o++)
		*table++ = (struct option){
			.name = o->name,
			.has_arg = o->choices ? required_argument : no_argument,
			.val = (int)k++,
		};
	*table++ = (struct option){ "each", required_argument, NULL, OPT_EACH };
	*table++ = (struct option){ "help", no_argument, NULL, OPT_HELP };
	*table++ = (struct option){ "version", no_argument, NULL, OPT_VERSION };
	*table = (struct option){ 0 };
}

static int check_options(struct native *n, int argc, char **argv)
{
	const char *name = n->program->name;

	if (n->selftest && optind == argc)
		return 0;
	if (n->selftest || optind + 1 != argc)
		fprintf(stderr, "%s: want %s DIR; try --help\n", name, n->selftest ? "no" : "one");
	else if (n->threads > n->files || n->dirs > n->files)
		fprintf(stderr, "%s: more %s than files\n", name,
			n->threads > n->files ? "threads" : "directories");
	else if (n->each_cpu && !n->each)
		fprintf(stderr, "%s: --each-cpu without --each\n", name);
	else if (!NATIVE_SPIN && (n->spin || n->instructions))
		fprintf(stderr, "%s: --spin and --instructions are for x86-64 only\n", name);
	else {
		n->dir = argv[optind];
		return 0;
	}
	return -EINVAL;
}

int native_options(struct native *n, int argc, char **argv)
{
	struct option table[MAX_OPTIONS];
	size_t i;
	int c;

	for (i = 0; i < N_NUMBERS; i++)
		*(uint64_t *)member(n, numbers[i].member) = numbers[i].initial;
	fill_table(n->program, table);
	while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (c == OPT_HELP) {
			print_help(n->program);
			return 1;
		}
		if (c == OPT_VERSION) {
			printf("%s (fsdelta) %s\n", n->program->name, PACKAGE_VERSION);
			return 1;
		}
		if (c == OPT_EACH)
			n->each = optarg;
		else if (c == '?' || set_option(n, (size_t)c, optarg) < 0)
			return -EINVAL;
	}
	return check_options(n, argc, argv);
}
