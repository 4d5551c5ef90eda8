// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/plan.h"

#include "lib/clock.h"
#include "lib/file.h"
#include "lib/mem.h"
#include "lib/proc.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#define GiB (1024ULL * 1024 * 1024)
#define DEFAULT_TARGET "btrfs"

static const char *const default_suite[] = { "fsync-new", "rename-replace", "unlink-many",
					     "stress-utime" };

static char *own_label(const struct plan *p)
{
	struct utsname u;

	if (p->opt->n_arms)
		return xstrdup(p->opt->arms[0].label);
	if (p->opt->label)
		return xstrdup(p->opt->label);
	return xstrdup(uname(&u) ? "unnamed" : u.release);
}

static void add_arms(struct plan *p)
{
	if (p->opt->n_arms && !p->opt->aa) {
		p->arms = p->opt->arms;
		p->n_arms = p->opt->n_arms;
		return;
	}
	p->arms = p->own;
	p->n_arms = p->opt->aa ? 2 : 1;
	p->own[0].label = own_label(p);
	if (!p->opt->aa)
		return;
	p->own[1].label = xasprintf("%s-again", p->own[0].label);
	for (size_t i = 0; p->opt->n_arms && i < 2; i++)
		kv_copy(&p->own[i].settings, &p->opt->arms[0].settings);
}

static void add_jobs(struct plan *p, const struct strvec *dirs, struct strvec *problems)
{
	__cleanup_strvec struct strvec names = STRVEC_INIT;

	strvec_push_all(&names, &p->opt->workloads);
	for (size_t i = 0; !p->opt->workloads.n && i < ARRAY_SIZE(default_suite); i++)
		strvec_push(&names, default_suite[i]);
	p->jobs = xcalloc(names.n, sizeof(struct job *));
	for (size_t i = 0; i < names.n; i++) {
		struct job *job = job_load(dirs, names.v[i], problems);

		for (size_t k = 0; job && k < p->n_jobs; k++) {
			if (!strcmp(p->jobs[k]->name, job->name)) {
				strvec_pushf(problems, "workload %s: named twice", job->name);
				job_free(job);
				job = NULL;
			}
		}
		if (!job)
			continue;
		if (job->iterations > PLAN_MAX_ITERATIONS || job->warmup > PLAN_MAX_ITERATIONS)
			strvec_pushf(problems, "workload %s: %d iterations at the most", job->name,
				     PLAN_MAX_ITERATIONS);
		p->jobs[p->n_jobs++] = job;
	}
}

static void add_dir_target(struct plan_target *t, const char *dir, struct strvec *problems)
{
	struct stat st;

	t->dir = realpath(dir, NULL);
	if (!t->dir || stat(t->dir, &st))
		strvec_pushf(problems, "target dir:%s: %s", dir, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		strvec_pushf(problems, "target dir:%s: %s", dir, strerror(ENOTDIR));
	else if (access(t->dir, W_OK | X_OK))
		strvec_pushf(problems, "target dir:%s: %s", dir, strerror(errno));
}

/* The samples of two targets with one name could not be told apart. */
static void check_twice(const struct plan *p, const struct plan_target *t,
			struct strvec *problems)
{
	for (const struct plan_target *other = p->targets; other < t; other++)
		if (!strcmp(other->name, t->name) || (t->dir && str_eq(other->dir, t->dir)))
			strvec_pushf(problems, "target %s: named twice", t->name);
}

static void add_targets(struct plan *p, struct strvec *problems)
{
	size_t n = p->opt->targets.n ? p->opt->targets.n : 1;

	p->targets = xcalloc(n, sizeof(*p->targets));
	for (size_t i = 0; i < n; i++) {
		const char *name = p->opt->targets.n ? p->opt->targets.v[i] : DEFAULT_TARGET;
		struct plan_target *t = &p->targets[p->n_targets++];

		t->name = xstrdup(name);
		if (str_starts(name, "dir:"))
			add_dir_target(t, name + 4, problems);
		else
			t->fs = fs_find(name);
		check_twice(p, t, problems);
		if (!t->fs && !str_starts(name, "dir:"))
			strvec_pushf(problems, "target %s: unknown (known: btrfs, ext4, xfs, "
				     "dir:/some/folder; see `fsdelta list targets`)", name);
	}
}

/* Half of what is free, so that page cache and tools have room; 8 GiB at the most. */
static uint64_t default_memory_size(const char *sysroot)
{
	__cleanup_free char *info = proc_read(sysroot, "/proc/meminfo");
	__cleanup_free char *avail = info ? proc_field(info, "MemAvailable") : NULL;
	uint64_t half = avail ? strtoull(avail, NULL, 10) * 1024 / 2 : 2 * GiB;
	uint64_t step = GiB / 4;

	if (half > 8 * GiB)
		return 8 * GiB;
	return half < 2 * step ? 2 * step : half / step * step;
}

static void choose_disk(struct plan *p, const char *sysroot, struct strvec *problems)
{
	const struct run_options *o = p->opt;
	struct env_disk_spec *d = &p->disk;

	if ((o->device != NULL) + (o->image != NULL) + o->memory > 1)
		strvec_push(problems, "--device, --image and --memory: only one of them");
	d->force = o->force_device;
	if (o->device) {
		d->kind = ENV_DISK_BLOCK;
		d->path = o->device;
		if (o->size)
			strvec_push(problems, "--size: a device has the size it has");
		return;
	}
	if (o->force_device)
		strvec_push(problems, "--force-device: only together with --device");
	d->kind = o->image ? ENV_DISK_IMAGE : ENV_DISK_MEMORY;
	d->path = o->image;
	d->size = o->size ? o->size : o->image ? 8 * GiB : default_memory_size(sysroot);
	for (size_t i = 0; i < p->n_targets; i++) {
		const struct fs_type *fs = p->targets[i].fs;

		if (fs && d->size < fs->min_size)
			strvec_pushf(problems, "--size: %s needs at least %llu MiB", fs->name,
				     (unsigned long long)(fs->min_size >> 20));
	}
}

/* Our label is how a device is known to be ours the next time. */
static void check_label(const char *where, const char *options, struct strvec *problems)
{
	__cleanup_strvec struct strvec words = STRVEC_INIT;

	if (!options || strvec_split_words(&words, options))
		return;
	for (size_t i = 0; i < words.n; i++)
		if (str_starts(words.v[i], "-L") || str_starts(words.v[i], "--label"))
			strvec_pushf(problems, "%s: mkfs option %s: the label is fsdelta's mark",
				     where, words.v[i]);
}

static void check_labels(const struct plan *p, struct strvec *problems)
{
	check_label("--mkfs", p->opt->mkfs, problems);
	for (size_t a = 0; a < p->n_arms; a++) {
		__cleanup_free char *where = xasprintf("--arm %s", p->arms[a].label);

		check_label(where, kv_get(&p->arms[a].settings, "mkfs"), problems);
	}
}

/* A folder is used as it is: what is said about file systems would silently do nothing. */
static void check_dir_only(const struct plan *p, struct strvec *problems)
{
	const struct run_options *o = p->opt;
	const struct {
		bool given;
		const char *name;
	} words[] = {
		{ o->mount != NULL, "--mount" }, { o->mkfs != NULL, "--mkfs" },
		{ o->device != NULL, "--device" }, { o->image != NULL, "--image" },
		{ o->memory, "--memory" }, { o->size != 0, "--size" },
	};

	for (size_t i = 0; i < p->n_targets; i++)
		if (!p->targets[i].dir)
			return;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].given)
			strvec_pushf(problems, "%s: a folder is used as it is (-t dir:...)",
				     words[i].name);
	for (size_t a = 0; a < p->n_arms; a++)
		if (p->arms[a].settings.n)
			strvec_pushf(problems, "--arm %s: mount and mkfs options have no effect on a "
				     "folder (-t dir:...)", p->arms[a].label);
}

static void find_varied(struct plan *p)
{
	for (const char *const *key = option_arm_keys; *key; key++) {
		const char *first = kv_get(&p->arms[0].settings, *key);

		for (size_t a = 1; a < p->n_arms; a++) {
			if (!str_eq(kv_get(&p->arms[a].settings, *key), first)) {
				strvec_push(&p->varied, *key);
				break;
			}
		}
	}
}

void plan_build(struct plan *p, const struct run_options *opt, const struct strvec *dirs,
		const char *sysroot, struct strvec *problems)
{
	*p = (struct plan){ .opt = opt };
	if (opt->have_seed)
		p->seed = opt->seed;
	else if (getrandom(&p->seed, 4, 0) != 4) /* short enough to be typed again */
		p->seed = clock_mono_ns() & UINT32_MAX;
	add_arms(p);
	if (p->n_arms > PLAN_MAX_ARMS)
		strvec_pushf(problems, "%zu arms: %d at the most", p->n_arms, PLAN_MAX_ARMS);
	if (opt->iterations > PLAN_MAX_ITERATIONS)
		strvec_pushf(problems, "--iterations: %d at the most", PLAN_MAX_ITERATIONS);
	if (opt->blocks > PLAN_MAX_ITERATIONS)
		strvec_pushf(problems, "--blocks: %d at the most", PLAN_MAX_ITERATIONS);
	if (opt->iterations && opt->blocks)
		strvec_push(problems, "--iterations and --blocks: only one of them");
	if (opt->aa && opt->n_arms > 1)
		strvec_pushf(problems, "--aa: measures one arm against itself, but there are %zu",
			     opt->n_arms);
	add_jobs(p, dirs, problems);
	add_targets(p, problems);
	plan_choose_stop(p, problems);
	choose_disk(p, sysroot, problems);
	check_dir_only(p, problems);
	check_labels(p, problems);
	/* What the generator takes: more would be another name for the same order. */
	if (p->seed > UINT32_MAX || (opt->have_seed && !p->seed))
		strvec_push(problems, "--seed: 1 to 4294967295");
	find_varied(p);
	if (!problems->n)
		plan_make_order(p);
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->n_targets; i++) {
		free(p->targets[i].name);
		free(p->targets[i].dir);
	}
	for (size_t i = 0; i < p->n_jobs; i++)
		job_free(p->jobs[i]);
	free(p->targets);
	free(p->jobs);
	free(p->steps);
	for (size_t i = 0; i < ARRAY_SIZE(p->own); i++) {
		free(p->own[i].label);
		kv_release(&p->own[i].settings);
	}
	strvec_release(&p->varied);
	*p = (struct plan){ 0 };
}

char *plan_label(const struct plan *p, size_t arm)
{
	if (p->opt->n_arms && p->opt->label)
		return xasprintf("%s.%s", p->opt->label, p->arms[arm].label);
	return xstrdup(p->arms[arm].label);
}

uint64_t plan_count(const struct plan *p, size_t arm)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_steps; i++)
		n += p->steps[i].arm == arm;
	return n;
}

bool plan_needs_root(const struct plan *p)
{
	for (size_t i = 0; i < p->n_targets; i++)
		if (p->targets[i].fs)
			return true;
	return false;
}

static char *join(const char *a, const char *b, char sep)
{
	if (a && *a && b && *b)
		return xasprintf("%s%c%s", a, sep, b);
	if (a && *a)
		return xstrdup(a);
	return b && *b ? xstrdup(b) : NULL;
}

char *plan_mount_options(const struct plan *p, size_t arm)
{
	return join(p->opt->mount, kv_get(&p->arms[arm].settings, "mount"), ',');
}

char *plan_mkfs_options(const struct plan *p, size_t arm)
{
	return join(p->opt->mkfs, kv_get(&p->arms[arm].settings, "mkfs"), ' ');
}

uint64_t plan_step_seed(const struct plan *p, const struct plan_step *s)
{
	/* Tools take 32 bits at the most; 0 means "random" to some. */
	return (p->seed * 1000003 + s->round * 10007 + s->job * 101 + s->target) % 2147483647 + 1;
}

char *plan_disk_text(const struct plan *p)
{
	__cleanup_free char *size = p->disk.size % GiB == 0 ?
		xasprintf("%llu GiB", (unsigned long long)(p->disk.size / GiB)) :
		xasprintf("%llu MiB", (unsigned long long)(p->disk.size >> 20));

	switch (p->disk.kind) {
	case ENV_DISK_MEMORY:
		return xasprintf("memory %s", size);
	case ENV_DISK_IMAGE:
		return xasprintf("image %s %s", p->disk.path, size);
	case ENV_DISK_BLOCK:
		break;
	}
	return xstrdup(p->disk.path);
}
