// SPDX-License-Identifier: GPL-2.0-or-later
/* harness/plan: what is run, where, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/plan.h"
#include "lib/mem.h"
#include "tests/unit/scratch.h"

#include <sys/utsname.h>

/* A tool of our own: the plan knows only the keys of [job]. */
static const struct tool_param plain_params[] = { { .name = NULL } };
static const struct tool plain = { .name = "plain", .params = plain_params };
const struct tool *const tools[] = { &plain, NULL };

const struct tool *tool_find(const char *name)
{
	return strcmp(name, plain.name) ? NULL : &plain;
}

struct planned {
	struct run_options o;
	struct plan p;
	struct strvec problems;
};

static void planned_release(struct planned *t)
{
	plan_release(&t->p);
	options_release(&t->o);
	strvec_release(&t->problems);
}

#define __cleanup_planned __attribute__((cleanup(planned_release)))

static void add_job(void **state, const char *name, const char *keys)
{
	__cleanup_free char *file = xasprintf("jobs/%s.job", name);
	__cleanup_free char *text = xasprintf("[job]\nsummary = s\ntool = plain\n%s", keys);

	scratch_write(state, file, text);
}

/* The plan of `fsdelta run LINE` in the fixture's folder, on a machine made of it. */
static void build(void **state, struct planned *t, const char *line)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT, dirs = STRVEC_INIT;
	__cleanup_free char *here = realpath(".", NULL);

	add_job(state, "a", "");
	add_job(state, "b", "iterations = 3\n");
	add_job(state, "c", "iterations = 5\nwarmup = 2\n");
	strvec_push(&argv, "run");
	assert_int_equal(strvec_split_words(&argv, line), 0);
	strvec_pushf(&dirs, "%s/jobs", (char *)*state);
	assert_int_equal(chdir(*state), 0);
	if (options_parse(&t->o, (int)argv.n, argv.v, &t->problems))
		fail_msg("%s", t->problems.v[0]);
	plan_build(&t->p, &t->o, &dirs, *state, &t->problems);
	assert_int_equal(chdir(here), 0);
}

static void build_ok(void **state, struct planned *t, const char *line)
{
	build(state, t, line);
	if (t->problems.n)
		fail_msg("%s", t->problems.v[0]);
	assert_true(t->p.n_steps > 0);
}

/* @line gives exactly the problem @want, and no steps. */
static void refused(void **state, const char *line, const char *want)
{
	__cleanup_planned struct planned t = { 0 };

	build(state, &t, line);
	if (t.problems.n)
		assert_string_equal(t.problems.v[0], want);
	assert_int_equal(t.problems.n, 1);
	assert_int_equal(t.p.n_steps, 0);
}

/* A cell's part of a block, from step @i on: every arm as often as any other. Its length. */
static size_t check_part(const struct plan *p, size_t i, uint64_t next_number)
{
	const struct plan_step *first = &p->steps[i];
	uint64_t times[64] = { 0 };
	size_t n = 0;

	for (; i + n < p->n_steps; n++) {
		const struct plan_step *s = &first[n];

		if (s->job != first->job || s->target != first->target || s->block != first->block)
			break;
		assert_int_equal(s->seq, i + n);
		assert_int_equal(s->warmup, first->warmup);
		assert_int_equal(s->number, next_number + times[s->arm]++);
	}
	for (size_t a = 0; a < p->n_arms; a++)
		assert_int_equal(times[a], times[0]);
	assert_in_range(times[0], 1, 2);
	return n;
}

/*
 * In each block every cell that is still due comes once, as a run of steps of that cell alone,
 * in which each arm comes equally often; numbers of a cell's arm go on without a gap.
 */
static void check_order(const struct plan *p)
{
	size_t n_cells = p->n_jobs * p->n_targets;
	__cleanup_free uint64_t *next_block = xcalloc(n_cells, sizeof(*next_block));
	__cleanup_free uint64_t *next_number = xcalloc(n_cells, sizeof(*next_number));
	__cleanup_free bool *measured = xcalloc(n_cells, sizeof(*measured));

	for (size_t i = 0, n; i < p->n_steps; i += n) {
		const struct plan_step *first = &p->steps[i];
		size_t cell = first->job * p->n_targets + first->target;

		if (i)
			assert_in_range(first->block - first[-1].block, 0, 1);
		if (!first->warmup && !measured[cell])
			next_number[cell] = 0;
		measured[cell] |= !first->warmup;
		/* Not twice in a block, and in every one until it drops out. */
		if (first->number)
			assert_int_equal(first->block, next_block[cell]);
		else
			assert_true(first->block >= next_block[cell]);
		next_block[cell] = first->block + 1;
		n = check_part(p, i, next_number[cell]);
		next_number[cell] += n / p->n_arms;
	}
}

/* Steps of cell @job x @target in block @block. */
static size_t part_size(const struct plan *p, const char *job, size_t target, uint64_t block)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_steps; i++)
		n += p->steps[i].block == block && p->steps[i].target == target &&
		     str_eq(p->jobs[p->steps[i].job]->name, job);
	return n;
}

static size_t count(const struct plan *p, const char *job, bool warmup)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_steps; i++)
		n += p->steps[i].warmup == warmup && str_eq(p->jobs[p->steps[i].job]->name, job);
	return n;
}

static void order(void **state)
{
	__cleanup_planned struct planned t = { 0 };

	build_ok(state, &t, "-w a,b,c -t btrfs,xfs --arm x --arm y --arm z --seed 1 --size 1G");
	check_order(&t.p);
	/* 2 targets, 3 arms; iterations by default, and as the jobs say. */
	assert_int_equal(count(&t.p, "a", false), 6 * 10);
	assert_int_equal(count(&t.p, "b", false), 6 * 3);
	assert_int_equal(count(&t.p, "c", false), 6 * 5);
	assert_int_equal(count(&t.p, "a", true), 0);
	assert_int_equal(count(&t.p, "c", true), 6 * 2);
	for (size_t arm = 0; arm < 3; arm++)
		assert_int_equal(plan_count(&t.p, arm), 2 * (10 + 3 + 5 + 2));
	/* Warm-ups first; each numbered from 0. */
	for (size_t i = 0; i < t.p.n_steps; i++) {
		assert_int_equal(t.p.steps[i].warmup, i < 12);
		assert_int_equal(t.p.steps[i].number, t.p.steps[i].block - (i < 12 ? 0 : 2));
	}
	assert_int_equal(t.p.steps[t.p.n_steps - 1].block, 2 + 9);
}

/* The sizes of a's blocks for two or three arms, as many digits as blocks. */
static void block_sizes(void **state)
{
	static const struct {
		const char *how, *times;
	} rows[] = {
		{ "-n 1", "1" }, { "-n 2", "11" }, { "-n 5", "11111" }, { "-n 6", "222" },
		{ "-n 7", "2221" }, { "-n 8", "2222" }, { "-n 9", "22221" },
		{ "-n 10", "1111111111" }, { "-n 11", "11111111111" }, { "--blocks 1", "2" },
		{ "--blocks 3", "222" }, { "--blocks 9", "222222222" },
		{ "--blocks 10", "1111111111" }, { "--blocks 12", "111111111111" },
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		const char *times = rows[i / 2].times;
		size_t arms = 2 + i % 2, sum = 0;
		__cleanup_free char *line =
			xasprintf("-w a,b -t btrfs,xfs --size 1G --arm x --arm y %s %s",
				  arms == 3 ? "--arm z" : "", rows[i / 2].how);
		__cleanup_planned struct planned t = { 0 };

		build_ok(state, &t, line);
		check_order(&t.p);
		for (size_t b = 0; b < strlen(times); b++) {
			assert_int_equal(part_size(&t.p, "a", 1, b), arms * (times[b] - '0'));
			sum += times[b] - '0';
		}
		assert_int_equal(count(&t.p, "a", false), 2 * arms * sum);
		assert_int_equal(count(&t.p, "b", false), 2 * arms * sum);
		assert_int_equal(t.p.steps[t.p.n_steps - 1].block, strlen(times) - 1);
	}
}

/* Cells of one plan may have blocks of different sizes; warm-ups are pairs. */
static void block_sizes_by_job(void **state)
{
	__cleanup_planned struct planned t = { 0 };

	add_job(state, "d", "iterations = 7\nwarmup = 3\n");
	build_ok(state, &t, "-w a,b,d --arm x --arm y");
	check_order(&t.p);
	for (uint64_t b = 0; b < 3 + 10; b++) {
		assert_int_equal(part_size(&t.p, "a", 0, b), b < 3 ? 0 : 2);
		assert_int_equal(part_size(&t.p, "b", 0, b), b < 3 || b >= 6 ? 0 : 2);
		assert_int_equal(part_size(&t.p, "d", 0, b), b < 3 ? 2 : b < 6 ? 4 : b < 7 ? 2 : 0);
	}
}

/* With nothing to balance, cells alternate as much as they can. */
static void one_arm_has_no_doubles(void **state)
{
	__cleanup_planned struct planned n = { 0 }, blocks = { 0 };

	build_ok(state, &n, "-w a,b -n 8");
	check_order(&n.p);
	assert_int_equal(n.p.steps[n.p.n_steps - 1].block, 7);
	build_ok(state, &blocks, "-w a,b --blocks 8");
	assert_int_equal(blocks.p.n_steps, 2 * 8);
	assert_int_equal(blocks.p.steps[15].block, 7);
}

/* All 6 orders of 2 + 2 come about equally often: 1200 blocks, 5 sigma. */
static void orders_of_a_double_block(void **state)
{
	size_t seen[16] = { 0 };

	for (int seed = 1; seed <= 300; seed++) {
		__cleanup_free char *line = xasprintf("-w a -n 8 --arm x --arm y --seed %d", seed);
		__cleanup_planned struct planned t = { 0 };

		build_ok(state, &t, line);
		for (size_t i = 0; i < t.p.n_steps; i += 4) {
			const struct plan_step *s = &t.p.steps[i];

			seen[s[0].arm * 8 + s[1].arm * 4 + s[2].arm * 2 + s[3].arm]++;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		if (__builtin_popcountll(i) == 2)
			assert_in_range(seen[i], 200 - 65, 200 + 65);
		else
			assert_int_equal(seen[i], 0);
	}
}

static void iterations_of_the_line_win(void **state)
{
	__cleanup_planned struct planned t = { 0 };

	build_ok(state, &t, "-w a,b,c -n 4");
	check_order(&t.p);
	assert_int_equal(t.p.n_arms, 1);
	assert_int_equal(count(&t.p, "a", false), 4);
	assert_int_equal(count(&t.p, "b", false), 4);
	assert_int_equal(count(&t.p, "c", false), 4);
}

static bool same_order(const struct plan *a, const struct plan *b)
{
	if (a->n_steps != b->n_steps)
		return false;
	for (size_t i = 0; i < a->n_steps; i++)
		if (a->steps[i].arm != b->steps[i].arm || a->steps[i].job != b->steps[i].job ||
		    a->steps[i].target != b->steps[i].target)
			return false;
	return true;
}

static void order_depends_on_the_seed_alone(void **state)
{
	static const char line[] = "-w a,c -t btrfs,xfs --arm x --arm y --size 1G";
	__cleanup_free char *seed1 = xasprintf("%s --seed 1", line);
	__cleanup_free char *seed2 = xasprintf("%s --seed 2", line);
	__cleanup_planned struct planned a = { 0 }, b = { 0 }, c = { 0 };

	build_ok(state, &a, seed1);
	build_ok(state, &b, seed1);
	build_ok(state, &c, seed2);
	assert_int_equal(a.p.seed, 1);
	assert_true(same_order(&a.p, &b.p));
	assert_false(same_order(&a.p, &c.p));
}

/* Results are compared with orders of earlier versions: gsl_ran_shuffle of mt19937, seed 1. */
static void order_is_the_same_everywhere(void **state)
{
	static const size_t first[] = { 1, 0, 0, 0, 1, 1, 1, 0, 1, 1 };
	__cleanup_planned struct planned t = { 0 };

	build_ok(state, &t, "-w a -n 10 --arm x --arm y --seed 1");
	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		assert_int_equal(t.p.steps[2 * i].arm, first[i]);
}

/* Every arm is first about as often as any other: 1000 rounds, 5 sigma. */
static void every_arm_comes_first(void **state)
{
	__cleanup_planned struct planned t = { 0 };
	size_t first[2] = { 0 };

	build_ok(state, &t, "-w a -n 1000 --arm x --arm y --seed 7");
	for (size_t i = 0; i < t.p.n_steps; i += 2)
		first[t.p.steps[i].arm]++;
	assert_in_range(first[0], 500 - 79, 500 + 79);
}

static void random_seed(void **state)
{
	__cleanup_planned struct planned a = { 0 }, b = { 0 };

	build_ok(state, &a, "-w a");
	build_ok(state, &b, "-w a");
	/* Short enough to be typed again. */
	assert_true(a.p.seed <= UINT32_MAX && b.p.seed <= UINT32_MAX);
	assert_true(a.p.seed != b.p.seed);
}

static bool same_round(const struct plan_step *a, const struct plan_step *b)
{
	return a->job == b->job && a->target == b->target && a->warmup == b->warmup &&
	       a->number == b->number;
}

static void step_seeds(void **state)
{
	static const char *const lines[] = {
		"-w a,b -t btrfs,xfs --arm x --arm y --size 1G --seed 1",
		"-w a,b -t btrfs,xfs --arm x --arm y --size 1G --seed 4294967295",
		"-w a,c -t btrfs,xfs --arm x --arm y --size 1G --seed 3 -n 7",
	};

	for (size_t l = 0; l < ARRAY_SIZE(lines); l++) {
		__cleanup_planned struct planned t = { 0 };

		build_ok(state, &t, lines[l]);
		for (size_t i = 0; i < t.p.n_steps; i++) {
			uint64_t seed = plan_step_seed(&t.p, &t.p.steps[i]);

			assert_in_range(seed, 1, INT32_MAX);
			/* Equal for one iteration of one cell in all arms, and for nothing else. */
			for (size_t k = 0; k < i; k++)
				assert_int_equal(seed == plan_step_seed(&t.p, &t.p.steps[k]),
						 same_round(&t.p.steps[i], &t.p.steps[k]));
		}
	}
}

static void default_suite(void **state)
{
	static const char *const suite[] = {
		"fsync-new", "rename-replace", "unlink-many", "stress-utime",
	};
	__cleanup_planned struct planned t = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(suite); i++)
		add_job(state, suite[i], "");
	build_ok(state, &t, "");
	assert_int_equal(t.p.n_jobs, ARRAY_SIZE(suite));
	for (size_t i = 0; i < ARRAY_SIZE(suite); i++)
		assert_string_equal(t.p.jobs[i]->name, suite[i]);
	assert_int_equal(t.p.n_targets, 1);
	assert_string_equal(t.p.targets[0].name, "btrfs");
	assert_ptr_equal(t.p.targets[0].fs, fs_find("btrfs"));
	assert_true(plan_needs_root(&t.p));
}

static void label_is(const struct plan *p, size_t arm, const char *want)
{
	__cleanup_free char *label = plan_label(p, arm);

	assert_string_equal(label, want);
}

static void labels(void **state)
{
	__cleanup_planned struct planned none = { 0 }, label = { 0 }, arms = { 0 }, both = { 0 };
	struct utsname u;

	assert_int_equal(uname(&u), 0);
	build_ok(state, &none, "-w a");
	label_is(&none.p, 0, u.release);
	build_ok(state, &label, "-w a -l before");
	label_is(&label.p, 0, "before");
	build_ok(state, &arms, "-w a --arm x --arm y");
	label_is(&arms.p, 1, "y");
	build_ok(state, &both, "-w a -l before --arm x --arm y");
	label_is(&both.p, 0, "before.x");
}

static void options_are(const struct plan *p, size_t arm, const char *mkfs, const char *mount)
{
	__cleanup_free char *got_mkfs = plan_mkfs_options(p, arm);
	__cleanup_free char *got_mount = plan_mount_options(p, arm);

	if (!str_eq(got_mkfs, mkfs) || !str_eq(got_mount, mount))
		fail_msg("arm %zu: mkfs '%s', mount '%s'", arm, got_mkfs ? got_mkfs : "(none)",
			 got_mount ? got_mount : "(none)");
}

static void options_join(void **state)
{
	__cleanup_planned struct planned t = { 0 }, bare = { 0 };

	build_ok(state, &t, "-w a --mkfs '-m single' --mount noatime,compress=zstd:3 --arm base "
		 "--arm 'x:mkfs=-O no-holes,mount=ssd' --arm y:mount=");
	options_are(&t.p, 0, "-m single", "noatime,compress=zstd:3");
	options_are(&t.p, 1, "-m single -O no-holes", "noatime,compress=zstd:3,ssd");
	options_are(&t.p, 2, "-m single", "noatime,compress=zstd:3");
	build_ok(state, &bare, "-w a --mount '' --arm base --arm x:mount=ssd --arm y:mount=");
	options_are(&bare.p, 0, NULL, NULL);
	options_are(&bare.p, 1, NULL, "ssd");
	options_are(&bare.p, 2, NULL, NULL);
}

static void varied_settings(void **state)
{
	__cleanup_planned struct planned none = { 0 }, one = { 0 }, both = { 0 };

	build_ok(state, &none, "-w a --mount noatime --arm x:mount=ssd --arm y:mount=ssd");
	assert_int_equal(none.p.varied.n, 0);
	build_ok(state, &one, "-w a --arm x:mkfs=-K --arm y:mkfs=-K,mount=ssd");
	assert_int_equal(one.p.varied.n, 1);
	assert_string_equal(one.p.varied.v[0], "mount");
	build_ok(state, &both, "-w a --arm x --arm y:mount=a --arm z:mkfs=b");
	assert_int_equal(both.p.varied.n, 2);
}

static void folder_target(void **state)
{
	__cleanup_planned struct planned t = { 0 };
	__cleanup_free char *real = NULL;

	scratch_write(state, "work/x", "");
	build_ok(state, &t, "-w a -t dir:work/../work");
	__cleanup_free char *dir = scratch_path(state, "work");

	real = realpath(dir, NULL);
	assert_string_equal(t.p.targets[0].name, "dir:work/../work");
	assert_string_equal(t.p.targets[0].dir, real);
	assert_null(t.p.targets[0].fs);
	assert_false(plan_needs_root(&t.p));
}

static void disk_is(void **state, const char *line, enum env_disk_kind kind, const char *path,
		    const char *text)
{
	__cleanup_planned struct planned t = { 0 };
	__cleanup_free char *got = NULL;

	build_ok(state, &t, line);
	got = plan_disk_text(&t.p);
	assert_int_equal(t.p.disk.kind, kind);
	assert_true(str_eq(t.p.disk.path, path));
	assert_string_equal(got, text);
}

static void disks(void **state)
{
	disk_is(state, "-w a --size 3G", ENV_DISK_MEMORY, NULL, "memory 3 GiB");
	disk_is(state, "-w a --memory --size 700M", ENV_DISK_MEMORY, NULL, "memory 700 MiB");
	disk_is(state, "-w a --image i", ENV_DISK_IMAGE, "i", "image i 8 GiB");
	disk_is(state, "-w a --image i --size 1T", ENV_DISK_IMAGE, "i", "image i 1024 GiB");
	disk_is(state, "-w a --device /dev/x --force-device /dev/x", ENV_DISK_BLOCK, "/dev/x",
		"/dev/x");
}

/* Half of what is free, in steps, at most 8 GiB and at least what is of use. */
static void memory_by_default(void **state)
{
	static const struct {
		const char *meminfo, *text;
	} rows[] = {
		{ "MemTotal: 999 kB\nMemAvailable: 67108864 kB\n", "memory 8 GiB" },
		{ "MemAvailable:  8388608 kB\n", "memory 4 GiB" },
		{ "MemAvailable:  3000000 kB\n", "memory 1280 MiB" },
		{ "MemAvailable:   100000 kB\n", "memory 512 MiB" },
		{ "MemTotal: 67108864 kB\n", "memory 2 GiB" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		scratch_write(state, "proc/meminfo", rows[i].meminfo);
		disk_is(state, "-w a", ENV_DISK_MEMORY, NULL, rows[i].text);
	}
}

static void bad_disks(void **state)
{
	static const char one[] = "--device, --image and --memory: only one of them";

	refused(state, "-w a --device /dev/x --memory", one);
	refused(state, "-w a --device /dev/x --image i", one);
	refused(state, "-w a --memory --image i", one);
	refused(state, "-w a --device /dev/x --size 1G", "--size: a device has the size it has");
	refused(state, "-w a --force-device /dev/x", "--force-device: only together with --device");
	refused(state, "-w a --size 100M", "--size: btrfs needs at least 256 MiB");
}

static void bad_plans(void **state)
{
	__cleanup_strvec struct strvec many = STRVEC_INIT;
	__cleanup_free char *line = NULL;

	refused(state, "-w a,b,a", "workload a: named twice");
	refused(state, "-w a -t xfs,btrfs,xfs", "target xfs: named twice");
	refused(state, "-w a -t ntfs", "target ntfs: unknown (known: btrfs, ext4, xfs, "
		"dir:/some/folder; see `fsdelta list targets`)");
	refused(state, "-w a -t dir:none", "target dir:none: No such file or directory");
	refused(state, "-w a -t dir:jobs/a.job", "target dir:jobs/a.job: Not a directory");
	refused(state, "-w a -t dir:jobs,dir:./jobs", "target dir:./jobs: named twice");
	refused(state, "-w a --seed 0", "--seed: 1 to 4294967295");
	refused(state, "-w a --seed 4294967296", "--seed: 1 to 4294967295");
	refused(state, "-w a --mkfs -Lmine", "--mkfs: mkfs option -Lmine: the label is fsdelta's "
		"mark");
	refused(state, "-w a -t dir:jobs --mount noatime", "--mount: a folder is used as it is "
		"(-t dir:...)");
	refused(state, "-w a -n 100001", "--iterations: 100000 at the most");
	refused(state, "-w a --blocks 100001", "--blocks: 100000 at the most");
	refused(state, "-w a --blocks 3 -n 6", "--iterations and --blocks: only one of them");
	add_job(state, "endless", "iterations = 18446744073709551615\n");
	refused(state, "-w endless", "workload endless: 100000 iterations at the most");
	add_job(state, "hot", "warmup = 100001\n");
	refused(state, "-w hot", "workload hot: 100000 iterations at the most");
	strvec_push(&many, "-w a -n 1");
	for (int i = 0; i < 65; i++)
		strvec_pushf(&many, "--arm arm%d", i);
	line = strvec_join(&many, " ");
	refused(state, line, "65 arms: 64 at the most");
	*strrchr(line, '-') = '\0';
	*strrchr(line, '-') = '\0';
	__cleanup_planned struct planned t = { 0 };

	build_ok(state, &t, line);
	assert_int_equal(t.p.n_steps, 64);
}

static void all_problems_at_once(void **state)
{
	__cleanup_planned struct planned t = { 0 };

	build(state, &t, "-w none,a,a -t ntfs,xfs --memory --image i --size 1M -n 200000");
	assert_int_equal(t.problems.n, 6);
	assert_int_equal(t.p.n_steps, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(order),
		scratch_test(block_sizes),
		scratch_test(block_sizes_by_job),
		scratch_test(one_arm_has_no_doubles),
		scratch_test(orders_of_a_double_block),
		scratch_test(iterations_of_the_line_win),
		scratch_test(order_depends_on_the_seed_alone),
		scratch_test(order_is_the_same_everywhere),
		scratch_test(every_arm_comes_first),
		scratch_test(random_seed),
		scratch_test(step_seeds),
		scratch_test(default_suite),
		scratch_test(labels),
		scratch_test(options_join),
		scratch_test(varied_settings),
		scratch_test(folder_target),
		scratch_test(disks),
		scratch_test(memory_by_default),
		scratch_test(bad_disks),
		scratch_test(bad_plans),
		scratch_test(all_problems_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
