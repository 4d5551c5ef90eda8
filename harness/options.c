// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/options.h"

#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <getopt.h>
#include <ini.h>
#include <string.h>

#define DEFAULT_CONFIG "fsdelta.conf"

const char *const option_arm_keys[] = { "mkfs", "mount", NULL };

enum word_kind { WORD_STRING, WORD_LIST, WORD_U64, WORD_SIZE, WORD_SECONDS, WORD_FLAG, WORD_ARM };

#define AT(member) offsetof(struct run_options, member)

/* The option language. A word without a short form has 0. */
static const struct word {
	const char *name;
	char letter;
	enum word_kind kind;
	size_t offset;
	bool line_only; /* makes no sense in a plan file */
} words[] = {
	{ "arm", 0, WORD_ARM, 0, true },
	{ "config", 'c', WORD_STRING, AT(config), true },
	{ "device", 0, WORD_STRING, AT(device), false },
	{ "dry-run", 0, WORD_FLAG, AT(dry_run), true },
	{ "force-device", 0, WORD_STRING, AT(force_device), true },
	{ "help", 'h', WORD_FLAG, AT(help), true },
	{ "image", 0, WORD_STRING, AT(image), false },
	{ "iterations", 'n', WORD_U64, AT(iterations), false },
	{ "keep", 0, WORD_FLAG, AT(keep), false },
	{ "label", 'l', WORD_STRING, AT(label), false },
	{ "memory", 0, WORD_FLAG, AT(memory), false },
	{ "mkfs", 0, WORD_STRING, AT(mkfs), false },
	{ "mount", 0, WORD_STRING, AT(mount), false },
	{ "quiet", 'q', WORD_FLAG, AT(quiet), false },
	{ "seed", 0, WORD_U64, AT(seed), false },
	{ "size", 0, WORD_SIZE, AT(size), false },
	{ "store", 0, WORD_STRING, AT(store), false },
	{ "target", 't', WORD_LIST, AT(targets), false },
	{ "timeout", 0, WORD_SECONDS, AT(timeout_s), false },
	{ "workload", 'w', WORD_LIST, AT(workloads), false },
};

#define N_WORDS ARRAY_SIZE(words)

static bool is_arm_key(const char *s, size_t len)
{
	for (const char *const *k = option_arm_keys; *k; k++)
		if (strlen(*k) == len && !strncmp(*k, s, len))
			return true;
	return false;
}

static void bad_arm(struct strvec *errors, const char *spec, const char *why)
{
	strvec_pushf(errors, "--arm '%s': %s (the form is LABEL or LABEL:key=value,...; "
		     "keys: mkfs, mount)", spec, why);
}

static struct option_arm *new_arm(struct run_options *o, const char *label, struct strvec *errors,
				  const char *spec)
{
	if (!file_is_plain_name(label)) {
		bad_arm(errors, spec, "a label must be a plain name");
		return NULL;
	}
	for (size_t i = 0; i < o->n_arms; i++) {
		if (!strcmp(o->arms[i].label, label)) {
			bad_arm(errors, spec, "this label is there already");
			return NULL;
		}
	}
	GROW(o->arms, o->n_arms);
	o->arms[o->n_arms] = (struct option_arm){ .label = xstrdup(label) };
	return &o->arms[o->n_arms++];
}

/*
 * Mount options hold commas and '=' themselves: a part that does not start with a
 * known key continues the value before it.
 */
static int arm_settings(struct option_arm *arm, const char *spec, char *rest,
			struct strvec *errors)
{
	char *save = NULL, *key = NULL;

	for (char *part = strtok_r(rest, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
		char *eq = strchr(part, '=');

		if (eq && is_arm_key(part, (size_t)(eq - part))) {
			*eq = '\0';
			key = part;
			kv_set(&arm->settings, key, eq + 1);
		} else if (key) {
			kv_setf(&arm->settings, key, "%s,%s", kv_get(&arm->settings, key), part);
		} else {
			bad_arm(errors, spec, "it does not start with a known key");
			return -EINVAL;
		}
	}
	return 0;
}

int options_add_arm(struct run_options *o, const char *spec, struct strvec *errors)
{
	__cleanup_free char *copy = xstrdup(spec);
	char *colon = strchr(copy, ':');
	struct option_arm *arm;

	if (colon)
		*colon = '\0';
	arm = new_arm(o, copy, errors, spec);
	if (!arm)
		return -EINVAL;
	return colon ? arm_settings(arm, spec, colon + 1, errors) : 0;
}

static int set_number(const struct word *w, void *slot, const char *value)
{
	unsigned long long v;
	int ret;

	if (w->kind == WORD_SECONDS)
		return str_to_seconds(value, slot);
	ret = w->kind == WORD_SIZE ? str_to_size(value, &v) : str_to_u64(value, &v);
	if (!ret)
		*(uint64_t *)slot = v;
	return ret;
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
	[WORD_LIST] = "names with commas between",
	[WORD_U64] = "a whole number",
	[WORD_SIZE] = "a size like 512M or 8G",
	[WORD_SECONDS] = "a time like 90, 90s, 5m or 2h",
	[WORD_FLAG] = "yes or no",
};

/* @where: "--size" or "fsdelta.conf: size". */
static int set_word(struct run_options *o, size_t i, const char *where, const char *value,
		    struct strvec *errors)
{
	const struct word *w = &words[i];
	void *slot = (char *)o + w->offset;
	int ret = 0;

	switch (w->kind) {
	case WORD_ARM:
		return options_add_arm(o, value, errors);
	case WORD_STRING:
		str_replace(slot, value);
		break;
	case WORD_LIST:
		strvec_split(slot, value, ',');
		break;
	case WORD_FLAG:
		ret = set_flag(slot, value);
		break;
	case WORD_U64:
	case WORD_SIZE:
	case WORD_SECONDS:
		ret = set_number(w, slot, value);
		if (!ret && w->offset != AT(seed) && !strcmp(value, "0"))
			ret = -EINVAL;
		break;
	}
	if (ret)
		strvec_pushf(errors, "%s: '%s' is not %s", where, value, kind_help[w->kind]);
	if (!strcmp(w->name, "seed"))
		o->have_seed = true;
	o->given |= 1ULL << i;
	return ret;
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
			strvec_pushf(errors, c == ':' ? "%s: needs a value" : "%s: unknown option",
				     argv[optind - 1]);
			continue;
		}
		size_t i = word_of(c);
		__cleanup_free char *where = xasprintf("--%s", words[i].name);

		set_word(o, i, where, optarg, errors);
	}
	for (; optind < argc; optind++)
		strvec_pushf(errors, "%s: not an option (workloads are named with -w)",
			     argv[optind]);
}

struct ini_context {
	struct run_options *o;
	const char *name;
	struct strvec *errors;
	uint64_t before; /* words that the command line gave */
	bool arms_given;
};

static int ini_arm(struct ini_context *c, const char *label, const char *key, const char *value)
{
	struct option_arm *arm = NULL;

	if (c->arms_given)
		return 1;
	for (size_t i = 0; i < c->o->n_arms; i++)
		if (!strcmp(c->o->arms[i].label, label))
			arm = &c->o->arms[i];
	if (!arm)
		arm = new_arm(c->o, label, c->errors, label);
	if (!arm || !key)
		return 1;
	if (is_arm_key(key, strlen(key)))
		kv_set(&arm->settings, key, value);
	else
		strvec_pushf(c->errors, "%s: [arm %s] %s: unknown key (known: mkfs, mount)",
			     c->name, label, key);
	return 1;
}

static int ini_run_word(struct ini_context *c, const char *key, const char *value)
{
	__cleanup_free char *where = xasprintf("%s: %s", c->name, key);

	for (size_t i = 0; i < N_WORDS; i++) {
		if (strcmp(words[i].name, key) || words[i].line_only)
			continue;
		if (!(c->before & 1ULL << i))
			set_word(c->o, i, where, value, c->errors);
		return 1;
	}
	strvec_pushf(c->errors, "%s: unknown key in [run] (keys are the long options of "
		     "`fsdelta run`)", where);
	return 1;
}

static int ini_line(void *user, const char *section, const char *key, const char *value)
{
	struct ini_context *c = user;

	if (str_starts(section, "arm "))
		return ini_arm(c, section + 4, key, value);
	if (!strcmp(section, "run"))
		return ini_run_word(c, key, value);
	strvec_pushf(c->errors, "%s: [%s] %s: sections are [run] and [arm LABEL]", c->name,
		     section, key);
	return 1;
}

/* inih does not tell of sections without keys, but "[arm base]" alone is an arm. */
static void empty_arms(struct ini_context *c, const char *text)
{
	__cleanup_strvec struct strvec lines = STRVEC_INIT;

	strvec_split(&lines, text, '\n');
	for (size_t i = 0; i < lines.n; i++) {
		char *end = strchr(lines.v[i], ']');

		if (!str_starts(lines.v[i], "[arm ") || !end)
			continue;
		*end = '\0';
		ini_arm(c, lines.v[i] + 5, NULL, NULL);
	}
}

int options_parse_file(struct run_options *o, const char *name, const char *text,
		       struct strvec *errors)
{
	struct ini_context c = { o, name, errors, o->given, o->n_arms > 0 };
	size_t before = errors->n;
	int line;

	empty_arms(&c, text);
	line = ini_parse_string(text, ini_line, &c);
	if (line > 0)
		strvec_pushf(errors, "%s:%d: not understood (expected key = value)", name, line);
	return errors->n > before ? -EINVAL : 0;
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
	str_replace(&o->config, path);
	return options_parse_file(o, path, strbuf_str(&text), errors);
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
	free(o->label);
	free(o->device);
	free(o->image);
	free(o->force_device);
	free(o->mkfs);
	free(o->mount);
	free(o->config);
	free(o->store);
	*o = (struct run_options){ 0 };
}
