// SPDX-License-Identifier: GPL-2.0-or-later
/* harness/options: the command line and the plan file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/options.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "tests/unit/scratch.h"

#include <errno.h>

/* Options and errors of one test; the folder is the fixture's. */
struct parsed {
	struct run_options o;
	struct strvec errors;
};

static void parsed_release(struct parsed *p)
{
	options_release(&p->o);
	strvec_release(&p->errors);
}

#define __cleanup_parsed __attribute__((cleanup(parsed_release)))

/*
 * Parses the words of @line, with @file as the plan file (NULL: none, and none can be
 * found: we are in the fixture's folder).
 */
static int parse(void **state, struct parsed *p, const char *line, const char *file)
{
	__cleanup_strvec struct strvec argv = STRVEC_INIT;
	__cleanup_free char *here = realpath(".", NULL);
	int ret;

	assert_int_equal(chdir(*state), 0);
	strvec_push(&argv, "run");
	assert_int_equal(strvec_split_words(&argv, line), 0);
	if (file)
		scratch_write(state, "fsdelta.conf", file);
	ret = options_parse(&p->o, (int)argv.n, argv.v, &p->errors);
	assert_int_equal(chdir(here), 0);
	if (!p->o.help)
		assert_int_equal(ret, p->errors.n ? -EINVAL : 0);
	return ret;
}

static void parse_ok(void **state, struct parsed *p, const char *line, const char *file)
{
	if (parse(state, p, line, file))
		fail_msg("%s", p->errors.v[0]);
}

/* @line and @file give exactly the sentence @want. */
static void refused(void **state, const char *line, const char *file, const char *want)
{
	__cleanup_parsed struct parsed p = { 0 };

	assert_int_equal(parse(state, &p, line, file), -EINVAL);
	assert_string_equal(p.errors.v[0], want);
	assert_int_equal(p.errors.n, 1);
}

static void nothing_given(void **state)
{
	__cleanup_parsed struct parsed p = { 0 };
	struct run_options none = { 0 };

	parse_ok(state, &p, "", NULL);
	assert_memory_equal(&p.o, &none, sizeof(none));
}

static void check_values(const struct run_options *o)
{
	assert_int_equal(o->workloads.n, 2);
	assert_string_equal(o->workloads.v[1], "b");
	assert_int_equal(o->targets.n, 2);
	assert_string_equal(o->targets.v[0], "xfs");
	assert_string_equal(o->label, "lab");
	assert_int_equal(o->iterations, 7);
	assert_string_equal(o->device, "/dev/x");
	assert_string_equal(o->image, "img");
	assert_true(o->memory && o->keep && o->quiet);
	assert_true(o->size == 8ULL << 30);
	assert_string_equal(o->mkfs, "-m single");
	assert_string_equal(o->mount, "noatime,compress=zstd:3");
	assert_string_equal(o->governor, "performance");
	assert_true(o->have_seed && o->seed == 5);
	assert_int_equal(o->timeout_s, 120);
	assert_string_equal(o->store, "st");
}

static void every_word_on_the_line(void **state)
{
	__cleanup_parsed struct parsed p = { 0 }, s = { 0 };

	parse_ok(state, &p, "--workload a,b --target xfs,ext4 --label lab --iterations 7 "
		 "--device /dev/x --image img --memory --keep --quiet --size 8G "
		 "--mkfs '-m single' --mount noatime,compress=zstd:3 --seed 5 --timeout 2m "
		 "--governor performance "
		 "--store st --force-device /dev/x --dry-run --arm q", NULL);
	check_values(&p.o);
	assert_string_equal(p.o.force_device, "/dev/x");
	assert_true(p.o.dry_run);
	assert_false(p.o.help);
	assert_int_equal(p.o.n_arms, 1);
	parse_ok(state, &s, "-w a -wb -t xfs --target=ext4 -l lab -n7 -q", NULL);
	assert_int_equal(s.o.workloads.n, 2);
	assert_int_equal(s.o.targets.n, 2);
	assert_string_equal(s.o.label, "lab");
	assert_int_equal(s.o.iterations, 7);
	assert_true(s.o.quiet);
	assert_false(s.o.have_seed);
}

static void every_word_in_the_file(void **state)
{
	__cleanup_parsed struct parsed p = { 0 };

	parse_ok(state, &p, "", "; a plan\n# for tests\n[run]\nworkload = a,b\ntarget: xfs,ext4\n"
		 "label=lab\niterations = 7 ; seven\ndevice = /dev/x\nimage = img\nmemory = yes\n"
		 "keep = true\nquiet = 1\nsize = 8GiB\nmkfs = -m single\n"
		 "mount = noatime,compress=zstd:3\nseed = 5\ntimeout = 120s\nstore = st\n"
		 "governor = performance\n");
	check_values(&p.o);
	assert_string_equal(p.o.config, "fsdelta.conf");
	assert_false(p.o.dry_run || p.o.help);
	assert_null(p.o.force_device);
}

static void line_wins(void **state)
{
	__cleanup_parsed struct parsed p = { 0 };

	parse_ok(state, &p, "-w line -n 3 --seed 0 --mount sync --memory --arm x:mount=noatime",
		 "[run]\nworkload = file\ntarget = xfs\niterations = 9\nseed = 8\nmount = async\n"
		 "device = /dev/x\nimage = img\nkeep = no\n[arm a]\nmount = y\n[arm b]\n");
	assert_int_equal(p.o.workloads.n, 1);
	assert_string_equal(p.o.workloads.v[0], "line");
	assert_string_equal(p.o.targets.v[0], "xfs");
	assert_int_equal(p.o.iterations, 3);
	assert_true(p.o.have_seed && p.o.seed == 0);
	assert_string_equal(p.o.mount, "sync");
	assert_false(p.o.keep);
	/* Of the words that say where, one on the line rules out all in the file. */
	assert_true(p.o.memory);
	assert_null(p.o.device);
	assert_null(p.o.image);
	assert_int_equal(p.o.n_arms, 1);
	assert_string_equal(p.o.arms[0].label, "x");
	assert_string_equal(kv_get(&p.o.arms[0].settings, "mount"), "noatime");
}

/* One on the line rules out both in the file. */
static void how_often(void **state)
{
	__cleanup_parsed struct parsed line = { 0 }, file = { 0 }, n = { 0 };

	parse_ok(state, &file, "", "[run]\nblocks = 12\n");
	assert_true(file.o.blocks == 12 && !file.o.iterations);
	parse_ok(state, &line, "--blocks 4", "[run]\niterations = 9\n");
	assert_true(line.o.blocks == 4 && !line.o.iterations);
	parse_ok(state, &n, "-n 4", "[run]\nblocks = 9\nmemory = yes\n");
	assert_true(n.o.iterations == 4 && !n.o.blocks && n.o.memory);
}

static void stopping_words(void **state)
{
	__cleanup_parsed struct parsed line = { 0 }, file = { 0 };

	parse_ok(state, &line, "--aa --until-width 0.5% --looks 8,12 --max-time 30m", NULL);
	assert_true(line.o.aa && !line.o.until_decided);
	assert_true(line.o.until_width_pct == 0.5);
	assert_int_equal(line.o.looks.n, 2);
	assert_int_equal(line.o.max_time_s, 1800);
	parse_ok(state, &file, "", "[run]\nuntil-decided = yes\nuntil-width = 2\n");
	assert_true(file.o.until_decided && file.o.until_width_pct == 2);
	refused(state, "--until-width 0%", NULL,
		"--until-width: '0%' is not a percentage like 1% or 0.5%");
	refused(state, "--until-width %", NULL,
		"--until-width: '%' is not a percentage like 1% or 0.5%");
	refused(state, "--until-width -1", NULL,
		"--until-width: '-1' is not a percentage like 1% or 0.5%");
}

static void other_file(void **state)
{
	__cleanup_parsed struct parsed p = { 0 };

	scratch_write(state, "other", "\xef\xbb\xbf[run]\r\nlabel = other\r\n");
	parse_ok(state, &p, "-c other", "[run]\nlabel = default\n");
	assert_string_equal(p.o.label, "other");
	assert_string_equal(p.o.config, "other");
	refused(state, "--config none", NULL, "none: No such file or directory");
}

static void numbers(void **state)
{
	static const struct {
		const char *line, *want;
	} rows[] = {
		{ "-n 0", "--iterations: '0' is not a whole number that makes sense here" },
		{ "-n 00", "--iterations: '00' is not a whole number that makes sense here" },
		{ "-n ''", "--iterations: '' is not a whole number that makes sense here" },
		{ "--blocks 0", "--blocks: '0' is not a whole number that makes sense here" },
		{ "-n -1", "--iterations: '-1' is not a whole number that makes sense here" },
		{ "-n 1.5", "--iterations: '1.5' is not a whole number that makes sense here" },
		{ "-n 18446744073709551616", "--iterations: '18446744073709551616' is not a whole "
					     "number that makes sense here" },
		{ "--seed x", "--seed: 'x' is not a whole number that makes sense here" },
		{ "--size 0G", "--size: '0G' is not a size like 512M or 8G" },
		{ "--size 8X", "--size: '8X' is not a size like 512M or 8G" },
		{ "--timeout 0s", "--timeout: '0s' is not a time like 90, 90s, 5m or 2h" },
		{ "--timeout 5d", "--timeout: '5d' is not a time like 90, 90s, 5m or 2h" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		refused(state, rows[i].line, NULL, rows[i].want);
	refused(state, "", "[run]\nsize = 0\n",
		"fsdelta.conf:2: size: '0' is not a size like 512M or 8G");
	refused(state, "", "[run]\nkeep = maybe\n",
		"fsdelta.conf:2: keep: 'maybe' is not yes or no");
}

static void texts(void **state)
{
	refused(state, "-w ''", NULL, "--workload: '' is not names with commas between");
	refused(state, "-t ' , '", NULL, "--target: ' , ' is not names with commas between");
	refused(state, "-l ../x", NULL, "--label: '../x' is not a plain name");
	refused(state, "-l ''", NULL, "--label: '' is not a plain name");
	refused(state, "--device ''", NULL, "--device: '' is not the name of a file");
}

static void unknown_words(void **state)
{
	refused(state, "--frobnicate", NULL, "--frobnicate: unknown option");
	refused(state, "--frobnicate=5", NULL, "--frobnicate=5: unknown option");
	refused(state, "-Z", NULL, "-Z: unknown option");
	refused(state, "-Zq", NULL, "-Z: unknown option");
	refused(state, "-n", NULL, "-n: needs a value");
	refused(state, "-qn", NULL, "-n: needs a value");
	refused(state, "-q --size", NULL, "--size: needs a value");
	refused(state, "--keep=no", NULL, "--keep: takes no value");
	refused(state, "fsync-new", NULL, "fsync-new: not an option (workloads are named with -w)");
	refused(state, "-q -- -x", NULL, "-x: not an option (workloads are named with -w)");
}

static void all_errors_at_once(void **state)
{
	__cleanup_parsed struct parsed p = { 0 };

	assert_int_equal(
		parse(state, &p, "--size x -n 0 --bad -Z extra --arm -x --arm a:b=c",
		      "top = 1\n[run]\ntimeout = never\nfrob = 1\njust words\n[ru]\nx = 1\n"
		      "more words\n[arm y]\nkernel = z\n"),
		-EINVAL);
	static const char *const want[] = {
		"--size: 'x'", "--iterations: '0'", "--bad: unknown", "-Z: unknown", "--arm '-x'",
		"--arm 'a:b=c'", "extra: not an option",
		"fsdelta.conf:1: top: stands before", "fsdelta.conf:3: timeout: 'never'",
		"fsdelta.conf:4: frob: unknown key", "fsdelta.conf:5: not understood",
		"fsdelta.conf:6: [ru]: sections are", "fsdelta.conf:8: not understood",
		"fsdelta.conf:10: [arm y] kernel: unknown key",
	};

	assert_int_equal(p.errors.n, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		if (!str_starts(p.errors.v[i], want[i]))
			fail_msg("%s, not %s", p.errors.v[i], want[i]);
}

/* They would be dangerous, or of no effect, when forgotten in a file. */
static void words_of_the_line_only(void **state)
{
	static const char *const keys[] = {
		"arm", "config", "dry-run", "force-device", "help", "n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		__cleanup_free char *file = xasprintf("[run]\n%s = 1\n", keys[i]);
		__cleanup_free char *want =
			xasprintf("fsdelta.conf:2: %s: unknown key in [run] (keys are the long "
				  "options of `fsdelta run`)", keys[i]);

		refused(state, "", file, want);
	}
}

static void help_needs_no_file(void **state)
{
	__cleanup_parsed struct parsed p = { 0 };

	assert_int_equal(parse(state, &p, "--help", "nonsense"), 0);
	assert_true(p.o.help);
}

static void arm_is(const struct option_arm *arm, const char *label, const char *mkfs,
		   const char *mount)
{
	assert_string_equal(arm->label, label);
	assert_true(str_eq(kv_get(&arm->settings, "mkfs"), mkfs));
	assert_true(str_eq(kv_get(&arm->settings, "mount"), mount));
	assert_int_equal(arm->settings.n, !!mkfs + !!mount);
}

static void arms_on_the_line(void **state)
{
	__cleanup_parsed struct parsed p = { 0 };

	parse_ok(state, &p,
		 "--arm base --arm colon: --arm c:mount=noatime,commit=60,compress=zstd:3 "
		 "--arm 'd:mkfs=-O a,b -m x=y,mount=discard=async,ssd' --arm e:mount= --arm 'f g'",
		 NULL);
	assert_int_equal(p.o.n_arms, 6);
	arm_is(&p.o.arms[0], "base", NULL, NULL);
	arm_is(&p.o.arms[1], "colon", NULL, NULL);
	arm_is(&p.o.arms[2], "c", NULL, "noatime,commit=60,compress=zstd:3");
	arm_is(&p.o.arms[3], "d", "-O a,b -m x=y", "discard=async,ssd");
	arm_is(&p.o.arms[4], "e", NULL, "");
	arm_is(&p.o.arms[5], "f g", NULL, NULL);
}

static void bad_arms(void **state)
{
	static const struct {
		const char *line, *spec, *why;
	} rows[] = {
		{ "--arm ''", "", "a label must be a plain name" },
		{ "--arm :mount=x", ":mount=x", "a label must be a plain name" },
		{ "--arm ../x", "../x", "a label must be a plain name" },
		{ "--arm -x", "-x", "a label must be a plain name" },
		{ "--arm .", ".", "a label must be a plain name" },
		{ "--arm a/b:mount=x", "a/b:mount=x", "a label must be a plain name" },
		{ "--arm a --arm a:mount=x", "a:mount=x", "this label is there already" },
		{ "--arm a:noatime", "a:noatime", "it does not start with a known key" },
		{ "--arm a:kernel=x", "a:kernel=x", "it does not start with a known key" },
		{ "--arm a:mountx=x", "a:mountx=x", "it does not start with a known key" },
		{ "--arm a:mount=x,mount=y", "a:mount=x,mount=y", "a key is there twice" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		__cleanup_free char *want =
			xasprintf("--arm '%s': %s (the form is LABEL or LABEL:key=value,...; keys: "
				  "mkfs, mount)", rows[i].spec, rows[i].why);

		refused(state, rows[i].line, NULL, want);
	}
}

static void arms_in_the_file(void **state)
{
	__cleanup_parsed struct parsed p = { 0 };

	parse_ok(state, &p, "",
		 "[arm zero]\n[run]\nquiet = no\n[ arm  two words ]\nmkfs = -O 'a b'\n"
		 "mount = x=1,y\n[arm last]");
	assert_int_equal(p.o.n_arms, 3);
	arm_is(&p.o.arms[0], "zero", NULL, NULL);
	arm_is(&p.o.arms[1], "two words", "-O 'a b'", "x=1,y");
	arm_is(&p.o.arms[2], "last", NULL, NULL);
}

static void bad_arms_in_the_file(void **state)
{
	refused(state, "", "[arm ../x]\nmount = y\nmkfs = z\n",
		"fsdelta.conf:1: [arm ../x]: a label must be a plain name");
	refused(state, "", "[arm a]\nmount = y\n[arm a]\nmount = z\n",
		"fsdelta.conf:3: [arm a]: this label is there already");
	refused(state, "", "[arm]\n", "fsdelta.conf:1: [arm]: sections are [run] and [arm LABEL]");
	refused(state, "", "\n[arm a\n", "fsdelta.conf:2: the section has no ']'");
	refused(state, "", "[arm 12345678901234567890123456789012345678901234567890]\nmount = x\n",
		"fsdelta.conf:1: [arm 12345678901234567890123456789012345678901234567890]: "
		"the label is too long");
	refused(state, "--arm x", "[arm a]\nmuont = z\n",
		"fsdelta.conf:2: [arm a] muont: unknown key (known: mkfs, mount)");
}

/* Indented lines are keys and sections of their own, not more of the value above. */
static void indented_file(void **state)
{
	__cleanup_parsed struct parsed p = { 0 };

	parse_ok(state, &p, "", "[run]\n  label = x\n  iterations = 3\n\tworkload = a\n\n"
		 "  [arm y]\n    mount = z\n    # end\n");
	assert_string_equal(p.o.label, "x");
	assert_int_equal(p.o.iterations, 3);
	assert_string_equal(p.o.workloads.v[0], "a");
	assert_int_equal(p.o.n_arms, 1);
	arm_is(&p.o.arms[0], "y", NULL, "z");
}

static void long_lines(void **state)
{
	__cleanup_parsed struct parsed p = { 0 };
	__cleanup_strbuf struct strbuf fits = STRBUF_INIT, cut = STRBUF_INIT;

	strbuf_adds(&fits, "[run]\nmount=");
	strbuf_pad(&fits, 'x', 198 - strlen("mount="));
	parse_ok(state, &p, "", fits.buf);
	assert_int_equal(strlen(p.o.mount), 192);
	strbuf_adds(&cut, "[run]\n# ");
	strbuf_pad(&cut, '-', 500);
	strbuf_adds(&cut, "\nmount=");
	strbuf_pad(&cut, 'x', 199 - strlen("mount="));
	refused(state, "", cut.buf, "fsdelta.conf:3: the line is longer than 198 bytes");
}

static void file_with_nul(void **state)
{
	__cleanup_free char *path = scratch_path(state, "nul");

	assert_int_equal(file_write(path, "[run]\n\0label = x\n", 17), 0);
	refused(state, "-c nul", NULL, "nul: holds a NUL byte");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(nothing_given),
		scratch_test(every_word_on_the_line),
		scratch_test(every_word_in_the_file),
		scratch_test(line_wins),
		scratch_test(how_often),
		scratch_test(stopping_words),
		scratch_test(other_file),
		scratch_test(numbers),
		scratch_test(texts),
		scratch_test(unknown_words),
		scratch_test(all_errors_at_once),
		scratch_test(words_of_the_line_only),
		scratch_test(help_needs_no_file),
		scratch_test(arms_on_the_line),
		scratch_test(bad_arms),
		scratch_test(arms_in_the_file),
		scratch_test(bad_arms_in_the_file),
		scratch_test(indented_file),
		scratch_test(long_lines),
		scratch_test(file_with_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
