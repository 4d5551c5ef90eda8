// SPDX-License-Identifier: GPL-2.0-or-later
/* The processors of a host: how fast they may be, and how fast they are. */
#include "harness/host.h"

#include "lib/mem.h"
#include "lib/proc.h"
#include "lib/strbuf.h"
#include "lib/strvec.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>

#define CPUS "/sys/devices/system/cpu"

static void set_owned(struct kv *kv, const char *key, char *value)
{
	if (value)
		kv_set(kv, key, value);
	free(value);
}

/* "cpu0", but not "cpuidle". */
static bool is_cpu(const char *name)
{
	return str_starts(name, "cpu") && isdigit((unsigned char)name[3]);
}

static size_t count_cpus(const char *cpuinfo)
{
	size_t n = 0;

	for (const char *s = cpuinfo; (s = strstr(s, "processor\t")); s++)
		n += s == cpuinfo || s[-1] == '\n';
	return n;
}

/* The different values of a file of every CPU; NULL: no CPU has it. */
static char *of_all_cpus(const char *root, const char *file)
{
	__cleanup_free char *base = xasprintf("%s" CPUS, root);
	__cleanup_strvec struct strvec values = STRVEC_INIT;
	DIR *dir = opendir(base);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		__cleanup_free char *v = is_cpu(e->d_name) ?
			proc_read_line(base, "/%s/%s", e->d_name, file) : NULL;

		if (v && !strvec_has(&values, v))
			strvec_push(&values, v);
	}
	if (dir)
		closedir(dir);
	strvec_sort(&values);
	return values.n ? strvec_join(&values, ",") : NULL;
}

/*
 * "name: state" of every weakness that this kernel knows of and this CPU has, as the kernel
 * words it.
 */
static void mitigations(const char *root, struct kv *host)
{
	__cleanup_free char *base = xasprintf("%s" CPUS "/vulnerabilities", root);
	__cleanup_strvec struct strvec all = STRVEC_INIT;
	DIR *dir = opendir(base);
	bool any = false;
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		__cleanup_free char *state = proc_read_line(base, "/%s", e->d_name);

		any |= state != NULL;
		if (state && strcmp(state, "Not affected") != 0)
			strvec_pushf(&all, "%s: %s", e->d_name, state);
	}
	if (dir)
		closedir(dir);
	strvec_sort(&all);
	if (any)
		set_owned(host, "cpu.mitigations", strvec_join(&all, "; "));
}

/* Only the flags of x86 tell: elsewhere nothing is known. */
static void virtual(const char *cpuinfo, struct kv *host)
{
	__cleanup_free char *flags = proc_field(cpuinfo, "flags");
	__cleanup_strvec struct strvec words = STRVEC_INIT;

	if (!flags)
		return;
	strvec_split(&words, flags, ' ');
	kv_set(host, "virtual", strvec_has(&words, "hypervisor") ? "yes" : "no");
}

/* Each driver has its own switch, and one says the opposite. */
static void boost(const char *root, struct kv *host)
{
	__cleanup_free char *off = proc_read_line(root, CPUS "/intel_pstate/no_turbo");

	if (off)
		kv_set(host, "cpu.boost", strcmp(off, "0") ? "0" : "1");
	else
		set_owned(host, "cpu.boost", proc_read_line(root, CPUS "/cpufreq/boost"));
}

char *host_governor(const char *root)
{
	return of_all_cpus(root, "cpufreq/scaling_governor");
}

void host_cpu(const char *root, struct kv *host)
{
	__cleanup_free char *info = proc_read(root, "/proc/cpuinfo");

	if (info) {
		set_owned(host, "cpu.model", proc_field(info, "model name"));
		/* Not every architecture numbers them in this form. */
		if (count_cpus(info))
			kv_setf(host, "cpu.count", "%zu", count_cpus(info));
		virtual(info, host);
		set_owned(host, "cpu.microcode", proc_field(info, "microcode"));
	}
	mitigations(root, host);
	set_owned(host, "cpu.governor", host_governor(root));
	set_owned(host, "cpu.driver", of_all_cpus(root, "cpufreq/scaling_driver"));
	set_owned(host, "cpu.limits", of_all_cpus(root, "cpufreq/scaling_max_freq"));
	boost(root, host);
	set_owned(host, "cpu.smt", proc_read_line(root, CPUS "/smt/active"));
}

static double fastest_in(const char *cpuinfo)
{
	double most = 0, mhz;

	for (const char *s = cpuinfo; (s = strstr(s, "cpu MHz")); s++) {
		__cleanup_free char *text = proc_field(s, "cpu MHz");

		if (text && !str_to_double(text, &mhz) && mhz > most)
			most = mhz;
	}
	return most;
}

double host_frequency(const char *root)
{
	__cleanup_free char *base = xasprintf("%s" CPUS, root), *info = NULL;
	DIR *dir = opendir(base);
	double most = 0;
	struct dirent *e;
	uint64_t khz;

	while (dir && (e = readdir(dir)))
		if (is_cpu(e->d_name) &&
		    !proc_read_u64(base, &khz, "/%s/cpufreq/scaling_cur_freq", e->d_name) &&
		    (double)khz / 1000 > most)
			most = (double)khz / 1000;
	if (dir)
		closedir(dir);
	if (most > 0)
		return most;
	info = proc_read(root, "/proc/cpuinfo");
	return info ? fastest_in(info) : 0;
}
