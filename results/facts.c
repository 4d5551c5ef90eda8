// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/facts.h"

#include "lib/mem.h"
#include "lib/strbuf.h"

#include <math.h>
#include <string.h>

/* In the order of importance, which is that of the warnings. */
static const struct fact_kind host_kinds[] = {
	{ .key = "kernel.release", .name = "kernel", .varied_by = "kernel", .group = "kernel" },
	{ .key = "kernel.build_id", .name = "kernel build", .varied_by = "kernel",
	  .group = "kernel", .must_differ = true },
	{ .key = "kernel.version", .name = "kernel version string", .varied_by = "kernel",
	  .group = "kernel" },
	{ .key = "kernel.debug", .name = "kernel debug options", .shape = FACT_COMMAS },
	{ .key = "kernel.tuning", .name = "kernel configuration that tunes", .shape = FACT_COMMAS },
	{ .key = "kernel.cmdline", .name = "kernel command line", .shape = FACT_WORDS },
	{ .key = "machine.id", .name = "machine" },
	{ .key = "virtual", .name = "virtualisation" },
	{ .key = "cpu.model", .name = "CPU" },
	{ .key = "cpu.count", .name = "number of CPUs" },
	{ .key = "cpu.microcode", .name = "CPU microcode" },
	{ .key = "cpu.governor", .name = "CPU governor", .group = "governor" },
	{ .key = "cpu.driver", .name = "cpufreq driver" },
	{ .key = "cpu.limits", .name = "CPU frequency limits (kHz)" },
	{ .key = "cpu.boost", .name = "CPU boost" },
	{ .key = "cpu.smt", .name = "CPU multithreading" },
	{ .key = "cpu.mitigations", .name = "CPU mitigations" },
	{ .key = "memory.total", .name = "memory (KiB)", .shape = FACT_NEAR },
	{ .key = "memory.writeback", .name = "writeback settings", .shape = FACT_WORDS },
	{ .key = "memory.hugepages", .name = "transparent huge pages" },
	{ .key = "clock.source", .name = "clock source" },
	{ .key = "kernel.config_hash", .name = "kernel configuration", .minor = true },
	{ .key = "fsdelta.version", .name = "version of fsdelta", .minor = true },
};

static const struct fact_kind tool_kind = { .name = "tool" };
static const struct fact_kind other_kind = { .name = "other", .minor = true };

const struct fact_kind fact_target_kinds[] = {
	{ .key = "target.fs", .name = "file system" },
	{ .key = "target.device", .name = "disk" },
	{ .key = "mkfs.command", .name = "mkfs", .varied_by = "mkfs", .shape = FACT_COMMAND },
	{ .key = "fs.features", .name = "file system features", .varied_by = "mkfs",
	  .shape = FACT_COMMAS },
	{ .key = "mount.options", .name = "mount options in force", .varied_by = "mount",
	  .shape = FACT_COMMAS, .must_differ = true, .lists_asked = true },
	{ .key = "device.model", .name = "device" },
	{ .key = "device.size", .name = "device size (bytes)" },
	{ .key = "device.rotational", .name = "device is rotational" },
	{ .key = "device.scheduler", .name = "I/O scheduler" },
	{ .key = "device.write_cache", .name = "device write cache" },
	{ .key = "device.queue", .name = "device queue limits" },
	{ .key = NULL },
};

const struct fact_kind fact_iteration_kinds[] = {
	{ .key = "cpu.governor", .name = "CPU governor in force", .group = "governor" },
	{ .key = "cpu.frequency", .name = "CPU frequency seen (MHz)", .shape = FACT_SEEN },
	{ .key = "cpu.frequency-before", .name = "CPU frequency seen before (MHz)",
	  .shape = FACT_SEEN, .minor = true },
	{ .key = NULL },
};

const char *fact_host_key(size_t i)
{
	return i < ARRAY_SIZE(host_kinds) ? host_kinds[i].key : NULL;
}

const struct fact_kind *fact_kind_of_host(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(host_kinds); i++)
		if (!strcmp(host_kinds[i].key, key))
			return &host_kinds[i];
	if (str_starts(key, "tool.") || str_starts(key, "mkfs."))
		return &tool_kind;
	return &other_kind;
}

char *fact_name_of_host(const char *key)
{
	const struct fact_kind *kind = fact_kind_of_host(key);

	if (kind->key)
		return xstrdup(kind->name);
	if (str_starts(key, "tool."))
		return xasprintf("version of %s", key + strlen("tool."));
	if (str_starts(key, "mkfs."))
		return xasprintf("version of %s", key);
	return xstrdup(key);
}

const char *fact_of_target(const struct run_target *t, const struct fact_kind *kind)
{
	if (!strcmp(kind->key, "target.fs"))
		return t->fs;
	if (!strcmp(kind->key, "target.device"))
		return t->device;
	if (!strcmp(kind->key, "mkfs.command"))
		return t->mkfs;
	return NULL;
}

bool fact_is_set(enum fact_shape shape)
{
	return shape == FACT_COMMAS || shape == FACT_WORDS;
}

/*
 * A loop device has another name each time, and a kernel image another path; and of a kernel's
 * command line, what it prints and where its root is found.
 */
static bool is_place(const char *word)
{
	static const char *const starts[] = {
		"/dev/", "BOOT_IMAGE=", "console=", "earlyprintk", "initrd=", "log_buf_len=",
		"loglevel=", "root=", "rootfstype=", "rootwait", "systemd.",
	};
	static const char *const words[] = { "quiet", "ro", "rw", "splash" };

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (str_starts(word, starts[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static void split(enum fact_shape shape, const char *value, struct strvec *out)
{
	__cleanup_strvec struct strvec words = STRVEC_INIT;

	if (shape == FACT_COMMAS) {
		strvec_split(out, value, ',');
		return;
	}
	strvec_split(&words, value, ' ');
	for (size_t i = 0; i < words.n; i++)
		if (!is_place(words.v[i]))
			strvec_push(out, words.v[i]);
}

void fact_subtract(enum fact_shape shape, const char *a, const char *b, struct strvec *out)
{
	__cleanup_strvec struct strvec x = STRVEC_INIT, y = STRVEC_INIT;

	split(shape, a, &x);
	split(shape, b, &y);
	for (size_t i = 0; i < x.n; i++)
		if (!strvec_has(&y, x.v[i]) && !strvec_has(out, x.v[i]))
			strvec_push(out, x.v[i]);
}

static bool sets_equal(enum fact_shape shape, const char *a, const char *b)
{
	__cleanup_strvec struct strvec more = STRVEC_INIT;

	fact_subtract(shape, a, b, &more);
	fact_subtract(shape, b, a, &more);
	return !more.n;
}

static bool commands_equal(const char *a, const char *b)
{
	__cleanup_strvec struct strvec x = STRVEC_INIT, y = STRVEC_INIT;

	split(FACT_COMMAND, a, &x);
	split(FACT_COMMAND, b, &y);
	for (size_t i = 0; x.n == y.n && i < x.n; i++)
		if (strcmp(x.v[i], y.v[i]))
			return false;
	return x.n == y.n;
}

static bool nearly_equal(const char *a, const char *b, double share)
{
	double x, y;

	if (str_to_double(a, &x) || str_to_double(b, &y))
		return !strcmp(a, b);
	return fabs(x - y) <= share * fmax(fabs(x), fabs(y));
}

bool fact_equal(enum fact_shape shape, const char *a, const char *b)
{
	if (!a || !b)
		return false;
	switch (shape) {
	case FACT_COMMAS:
	case FACT_WORDS:
		return sets_equal(shape, a, b);
	case FACT_COMMAND:
		return commands_equal(a, b);
	case FACT_NEAR:
		return nearly_equal(a, b, 0.02);
	case FACT_SEEN:
		return nearly_equal(a, b, 0.05);
	default:
		return !strcmp(a, b);
	}
}

/*
 * Without a "no" in front and "=value" behind. noatime, relatime and strictatime are values of
 * one option.
 */
static const char *option_name(const char *option, size_t *len)
{
	static const char atime[] = "atime";

	if (str_starts(option, "no"))
		option += 2;
	*len = strcspn(option, "=");
	if (*len > strlen(atime) && str_ends(option, atime)) {
		option += *len - strlen(atime);
		*len = strlen(atime);
	}
	return option;
}

static bool same_option(const char *a, const char *b)
{
	size_t la, lb;
	const char *x = option_name(a, &la), *y = option_name(b, &lb);

	return la == lb && !strncmp(x, y, la);
}

void fact_drop_asked(struct strvec *elements, const char *asked)
{
	__cleanup_strvec struct strvec options = STRVEC_INIT;
	struct strvec left = STRVEC_INIT;

	if (!asked)
		return;
	strvec_split(&options, asked, ',');
	for (size_t i = 0; i < elements->n; i++) {
		bool explained = false;

		for (size_t k = 0; k < options.n; k++)
			explained |= same_option(elements->v[i], options.v[k]);
		if (!explained)
			strvec_push(&left, elements->v[i]);
	}
	strvec_release(elements);
	*elements = left;
}
