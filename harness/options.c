// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/options-words.h"

#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#define DEFAULT_CONFIG "fsdelta.conf"

enum word_kind {
	WORD_STRING, WORD_NAME, WORD_PATH, WORD_LIST, WORD_U64, WORD_SIZE, WORD_SECONDS,
	WORD_PERCENT, WORD_FLAG, WORD_ARM,
};

#define AT(member) offsetof(struct run_options, member)

/* The option language. A word without a short form has 0. */
static const struct word {
	const char *name;
	char letter;
	enum word_kind kind;
	size_t offset;
	bool line_only; /* makes no sense in a plan file */
} words[] = {
	{ "aa", 0, WORD_FLAG, AT(aa), false },
	{ "arm", 0, WORD_ARM, 0, true },
	{ "blocks", 0, WORD_U64, AT(blocks), false },
	{ "config", 'c', WORD_PATH, AT(config), true },
	{ "device", 0, WORD_PATH, AT(device), false },
	{ "dry-run", 0, WORD_FLAG, AT(dry_run), true },
	{ "force-device", 0, WORD_PATH, AT(force_device), true },
	{ "governor", 0, WORD_NAME, AT(governor), false },
	{ "help", 'h', WORD_FLAG, AT(help), true },
	{ "image", 0, WORD_PATH, AT(image), false },
	{ "iterations", 'n', WORD_U64, AT(iterations), false },
	{ "keep", 0, WORD_FLAG, AT(keep), false },
	{ "label", 'l', WORD_NAME, AT(label), false },
	{ "looks", 0, WORD_LIST, AT(looks), false },
	{ "max-time", 0, WORD_SECONDS, AT(max_time_s), false },
	{ "memory", 0, WORD_FLAG, AT(memory), false },
	{ "mkfs", 0, WORD_STRING, AT(mkfs), false },
	{ "mount", 0, WORD_STRING, AT(mount), false },
	{ "quiet", 'q', WORD_FLAG, AT(quiet), false },
	{ "seed", 0, WORD_U64, AT(seed), false },
	{ "size", 0, WORD_SIZE, AT(size), false },
	{ "store", 0, WORD_PATH, AT(store), false },
	{ "target", 't', WORD_LIST, AT(targets), false },
	{ "timeout", 0, WORD_SECONDS, AT(timeout_s), false },
	{ "until-decided", 0, WORD_FLAG, AT(until_decided), false },
	{ "until-width", 0, WORD_PERCENT, AT(until_width_pct), false },
	{ "workload", 'w', WORD_LIST, AT(workloads), false },
};

#define N_WORDS ARRAY_SIZE(words)

/* 0 of a thing is none, and inside "not given": only a seed may be 0. */
static int set_number(const struct word *w, void *slot, const char *value)
{
	unsigned long long v = 0;
	unsigned int seconds = 0;
	int ret;

	if (w->kind == WORD_SECONDS) {
		ret = str_to_seconds(value, &seconds);
		v = seconds;
	} else {
		ret = w->kind == WORD_SIZE ? str_to_size(value, &v) : str_to_u64(value, &v);
	}
	if (!ret && !v && w->offset != AT(seed))
		ret = -EINVAL;
	if (ret)
		return ret;
	if (w->kind == WORD_SECONDS)
		*(unsigned int *)slot = seconds;
	else
		*(uint64_t *)slot = v;
	return 0;
}

/* "1%" or "0.5". */
static int set_percent(double *slot, const char *value)
{
	__cleanup_free char *number = xstrdup(value);
	size_t len = strlen(number);
	double v;

	if (len && number[len - 1] == '%')
		number[len - 1] = '\0';
	if (str_to_double(number, &v) || !(v > 0))
		return -EINVAL;
	*slot = v;
	return 0;
}

static int set_text(const struct word *w, char **slot, const char *value)
{
	if (w->kind == WORD_NAME && !file_is_plain_name(value))
		return -EINVAL;
	if (w->kind == WORD_PATH && !*value)
		return -EINVAL;
	str_replace(slot, value);
	return 0;
}

/* A list may be given in parts, but no part may be empty: "-w $UNSET" is a mistake. */
static int set_list(struct strvec *slot, const char *value)
{
	size_t before = slot->n;

	strvec_split(slot, value, ',');
	return slot->n > before ? 0 : -EINVAL;
}

static int set_flag(bool *slot, const char *value)
{
	bool yes = !value || !strcmp(value, "yes") || !strcmp(value, "true") || !strcmp(value, "1");

	if (!yes && strcmp(value, "no") && strcmp(value, "false") && strcmp(value, "0"))
		return -EINVAL;
	*slot = yes;
	return 0;
}

static const char *const kind_help[] = {
	[WORD_STRING] = "a text",
	[WORD_NAME] = "a plain name",
	[WORD_PATH] = "the name of a file",
	[WORD_LIST] = "names with commas between",
	[WORD_U64] = "a whole number that makes sense here",
	[WORD_SIZE] = "a size like 512M or 8G",
	[WORD_SECONDS] = "a time like 90, 90s, 5m or 2h",
	[WORD_PERCENT] = "a percentage like 1% or 0.5%",
	[WORD_FLAG] = "yes or no",
};

int option_set(struct run_options *o, size_t i, const char *where, const char *value,
	       struct strvec *errors)
{
	const struct word *w = &words[i];
	void *slot = (char *)o + w->offset;
	int ret = 0;

	switch (w->kind) {
	case WORD_ARM:
		return options_add_arm(o, value, errors);
	case WORD_STRING:
	case WORD_NAME:
	case WORD_PATH:
		ret = set_text(w, slot, value);
		break;
	case WORD_LIST:
		ret = set_list(slot, value);
		break;
	case WORD_PERCENT:
		ret = set_percent(slot, value);
		break;
	case WORD_FLAG:
		ret = set_flag(slot, value);
		break;
	case WORD_U64:
	case WORD_SIZE:
	case WORD_SECONDS:
		ret = set_number(w, slot, value);
		break;
	}
	if (ret)
		strvec_pushf(errors, "%s: '%s' is not %s", where, value, kind_help[w->kind]);
	if (w->offset == AT(seed) && w->kind == WORD_U64)
		o->have_seed = true;
	o->given |= 1ULL << i;
	return ret;
}

size_t option_of_file(const char *key)
{
	for (size_t i = 0; i < N_WORDS; i++)
		if (!strcmp(words[i].name, key) && !words[i].line_only)
			return i;
	return OPTION_NONE;
}

/* What a word says: of two words that say one thing, only one makes sense. 0: its own thing. */
static int says_what(size_t i)
{
	switch (words[i].offset) {
	case AT(device):
	case AT(image):
	case AT(memory):
		return 1; /* where */
	case AT(blocks):
	case AT(iterations):
		return 2; /* how often */
	default:
		return 0;
	}
}

bool option_overruled(uint64_t line, size_t i)
{
	if (line & 1ULL << i)
		return true;
	for (size_t k = 0; k < N_WORDS; k++)
		if (says_what(i) && says_what(i) == says_what(k) && (line & 1ULL << k))
			return true;
	return false;
}

static void getopt_tables(struct option *longs, char *shorts)
{
	*shorts++ = ':';
	for (size_t i = 0; i < N_WORDS; i++) {
		bool flag = words[i].kind == WORD_FLAG;

		longs[i] = (struct option){ words[i].name, flag ? no_argument : required_argument,
					    NULL, (int)(256 + i) };
		if (words[i].letter) {
			*shorts++ = words[i].letter;
			if (!flag)
				*shorts++ = ':';
		}
	}
	longs[N_WORDS] = (struct option){ NULL, 0, NULL, 0 };
	*shorts = '\0';
}

static size_t word_of(int c)
{
	if (c >= 256)
		return (size_t)c - 256;
	for (size_t i = 0; i < N_WORDS; i++)
		if (words[i].letter == c)
			return i;
	return N_WORDS;
}

/* What getopt_long() did not like. @c: '?' or ':'. */
static void bad_option(int c, const char *word, struct strvec *errors)
{
	const char *what = c == ':' ? "needs a value" : "unknown option";

	if (optopt >= 256)
		strvec_pushf(errors, "--%s: %s", words[optopt - 256].name,
			     c == ':' ? what : "takes no value");
	else if (optopt)
		strvec_pushf(errors, "-%c: %s", optopt, what);
	else
		strvec_pushf(errors, "%s: %s", word, what);
}

static void parse_line(struct run_options *o, int argc, char **argv, struct strvec *errors)
{
	struct option longs[N_WORDS + 1];
	char shorts[2 * N_WORDS + 2];
	int c;

	getopt_tables(longs, shorts);
	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == '?' || c == ':') {
			bad_option(c, argv[optind - 1], errors);
			continue;
		}
		size_t i = word_of(c);
		__cleanup_free char *where = xasprintf("--%s", words[i].name);

		option_set(o, i, where, optarg, errors);
	}
	for (; optind < argc; optind++)
		strvec_pushf(errors, "%s: not an option (workloads are named with -w)",
			     argv[optind]);
}

static int read_config(struct run_options *o, struct strvec *errors)
{
	const char *path = o->config ? o->config : DEFAULT_CONFIG;
	__cleanup_strbuf struct strbuf text = STRBUF_INIT;
	int ret = file_read(path, &text, 1 << 20);

	if (ret == -ENOENT && !o->config)
		return 0;
	if (ret) {
		strvec_pushf(errors, "%s: %s", path, strerror(-ret));
		return ret;
	}
	if (strlen(strbuf_str(&text)) != text.len) {
		strvec_pushf(errors, "%s: holds a NUL byte", path);
		return -EINVAL;
	}
	if (!o->config)
		o->config = xstrdup(path);
	return options_parse_file(o, o->config, strbuf_str(&text), errors);
}

int options_parse(struct run_options *o, int argc, char **argv, struct strvec *errors)
{
	parse_line(o, argc, argv, errors);
	if (o->help)
		return 0;
	read_config(o, errors);
	return errors->n ? -EINVAL : 0;
}

void options_release(struct run_options *o)
{
	for (size_t i = 0; i < o->n_arms; i++) {
		free(o->arms[i].label);
		kv_release(&o->arms[i].settings);
	}
	free(o->arms);
	strvec_release(&o->workloads);
	strvec_release(&o->targets);
	strvec_release(&o->looks);
	free(o->label);
	free(o->device);
	free(o->image);
	free(o->force_device);
	free(o->mkfs);
	free(o->mount);
	free(o->governor);
	free(o->config);
	free(o->store);
	*o = (struct run_options){ 0 };
}
