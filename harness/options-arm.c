// SPDX-License-Identifier: GPL-2.0-or-later
/* The arms. */
#include "harness/options-words.h"

#include "lib/file.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <string.h>

const char *const option_arm_keys[] = { "mkfs", "mount", NULL };

bool option_is_arm_key(const char *s, size_t len)
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

struct option_arm *option_find_arm(const struct run_options *o, const char *label)
{
	for (size_t i = 0; i < o->n_arms; i++)
		if (!strcmp(o->arms[i].label, label))
			return &o->arms[i];
	return NULL;
}

struct option_arm *option_new_arm(struct run_options *o, const char *label, const char **why)
{
	*why = NULL;
	if (!file_is_plain_name(label))
		*why = "a label must be a plain name";
	else if (option_find_arm(o, label))
		*why = "this label is there already";
	if (*why)
		return NULL;
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

		if (eq && option_is_arm_key(part, (size_t)(eq - part))) {
			*eq = '\0';
			key = part;
			if (kv_get(&arm->settings, key)) {
				bad_arm(errors, spec, "a key is there twice");
				return -EINVAL;
			}
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
	const char *why;

	if (colon)
		*colon = '\0';
	arm = option_new_arm(o, copy, &why);
	if (!arm) {
		bad_arm(errors, spec, why);
		return -EINVAL;
	}
	return colon ? arm_settings(arm, spec, colon + 1, errors) : 0;
}
