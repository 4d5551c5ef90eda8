// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/vm-args.h"

#include "lib/log.h"
#include "lib/mem.h"

#include <errno.h>
#include <getopt.h>

static int take_kernel(struct vm_args *a, const char *value)
{
	__cleanup_free char *why = NULL;
	int ret;

	vm_words_release(&a->words);
	ret = vm_words_parse(value, &a->words, &why);
	if (ret)
		log_error("vm: --kernel %s: %s", value, why);
	return ret;
}

static int take_accel(struct vm_args *a, const char *value)
{
	static const char *const names[] = { "auto", "kvm", "tcg" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (str_eq(value, names[i])) {
			a->accel = (enum vm_accel)i;
			return 0;
		}
	}
	log_error("vm: --accel %s: it is one of auto, kvm, tcg", value);
	return -EINVAL;
}

static int take_patience(struct vm_args *a, const char *value)
{
	unsigned long long n;

	if (str_to_u64(value, &n) || n < 1 || n > 100) {
		log_error("vm: --patience %s: it is a number from 1 to 100", value);
		return -EINVAL;
	}
	a->patience = (unsigned int)n;
	return 0;
}

static int take_seed(struct vm_args *a, const char *value)
{
	unsigned long long n;

	if (str_to_u64(value, &n) || n > UINT32_MAX) {
		log_error("vm: --seed %s: it is a number below 2^32", value);
		return -EINVAL;
	}
	a->seed = (unsigned int)n;
	return 0;
}

static int take_size(struct vm_args *a, const char *value)
{
	if (str_to_size(value, &a->disk) || a->disk < 1 << 20 || a->disk % 512) {
		log_error("vm: --disk %s: it is a size of 1M or more", value);
		return -EINVAL;
	}
	return 0;
}

static int take_time(const char *option, unsigned int *seconds, const char *value)
{
	if (str_to_seconds(value, seconds) || !*seconds) {
		log_error("vm: --%s %s: it is a time such as 90, 5m or 2h", option, value);
		return -EINVAL;
	}
	return 0;
}

static int take_option(struct vm_args *a, int c)
{
	switch (c) {
	case 'k':
		return take_kernel(a, optarg);
	case 'd':
		return take_size(a, optarg);
	case 't':
		return take_time("timeout", &a->timeout_s, optarg);
	case 's':
		return take_time("silence", &a->silence_s, optarg);
	case 'a':
		return take_accel(a, optarg);
	case 'p':
		return take_patience(a, optarg);
	case 'r':
		str_replace(&a->results, optarg);
		return 0;
	case 'f':
		strvec_push(&a->files, optarg);
		return 0;
	case 'S':
		return take_seed(a, optarg);
	case 'e':
		a->exact = true;
		return 0;
	case 'K':
		a->keep = true;
		return 0;
	case 'q':
		a->quiet = true;
		return 0;
	case 'h':
		a->help = true;
		return 0;
	default:
		return -EINVAL;
	}
}

int vm_args_parse(struct vm_args *a, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "accel", required_argument, NULL, 'a' },
		{ "disk", required_argument, NULL, 'd' },
		{ "exact", no_argument, NULL, 'e' },
		{ "file", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "keep", no_argument, NULL, 'K' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "patience", required_argument, NULL, 'p' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "results", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 'S' },
		{ "silence", required_argument, NULL, 's' },
		{ "timeout", required_argument, NULL, 't' },
		{ 0 },
	};
	int c, ret = 0;

	/* "+": what follows the first word is the command's. */
	while (!ret && (c = getopt_long(argc, argv, "+hq", longs, NULL)) != -1)
		ret = take_option(a, c);
	if (ret || a->help)
		return ret;
	for (int i = optind; i < argc; i++)
		strvec_push(&a->command, argv[i]);
	if (!a->words.image)
		log_error("vm: which kernel? --kernel IMAGE");
	else if (!a->command.n && !a->keep)
		log_error("vm: which command? give it after --, or --keep for a shell");
	else if (a->exact && (a->keep || a->disk))
		log_error("vm: --exact has its own disk and no shell: not with --disk, --keep");
	else if (!a->exact && a->files.n)
		log_error("vm: --file is for --exact: other guests see all files");
	else
		return 0;
	return -EINVAL;
}

void vm_args_release(struct vm_args *a)
{
	vm_words_release(&a->words);
	strvec_release(&a->command);
	strvec_release(&a->files);
	free(a->results);
}
