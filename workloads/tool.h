/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tool: a program that does the work. To add one:
 *   1. write workloads/tools/NAME.c: a parameter table, an argv builder, and a pure parser from
 *      captured bytes to samples;
 *   2. add a line to the table in tools.c and to workloads/Makemodule.am;
 *   3. capture a real output as tests/fixtures/NAME-*, with its expected metrics beside it:
 *      tests/lint-fixtures.sh notices when it is missing.
 *
 * Parsers see only what is in struct tool_output. They never read files, clocks or the
 * environment, accept any bytes, and are fuzzed. Nothing found is an error, never 0; exit status 0 proves nothing.
 */
#ifndef FSDELTA_WORKLOADS_TOOL_H
#define FSDELTA_WORKLOADS_TOOL_H

#include "results/metric.h"
#include "results/outcome.h"
#include "workloads/job.h"

#include <stdbool.h>

enum param_type {
	PARAM_STRING,
	PARAM_U64,
	PARAM_SIZE,    /* bytes with K M G T */
	PARAM_SECONDS, /* 90, 90s, 5m */
	PARAM_BOOL,    /* 0 or 1 */
	PARAM_CHOICE,  /* one of .choices */
	PARAM_ARGV,    /* words with quotes; may repeat */
};

struct tool_param {
	const char *name;
	enum param_type type;
	bool required;
	const char *choices; /* "a|b|c" for PARAM_CHOICE */
	const char *help;
};

/* What the harness gives to the argv builder. */
struct tool_call {
	const struct job *job;
	const char *dir;	/* empty folder under test; also the working directory */
	const char *out_dir;	/* fresh folder outside the file system under test, for the tool's own files */
	const char *libexec;	/* where the native programs are */
	uint64_t seed;
	const char *version;	/* first line of the tool's version output; NULL when unknown */
};

/* What came back. Byte strings may hold anything, NUL too, but are '\0'-terminated as well. */
struct tool_output {
	const struct job *job;
	const char *out, *err, *file; /* stdout, stderr, the tool's own output file ("" if none) */
	size_t out_len, err_len, file_len;
	bool have_file;	  /* the output file exists */
	int status;	  /* wait status */
	double wall_s;	  /* duration of the timed window */
	const char *version; /* as in tool_call */
};

struct tool_result {
	enum outcome outcome; /* OK: samples holds at least one sample */
	char *reason;	      /* set when not OK; owned */
	struct strvec warnings;
	struct samples samples;
};

struct tool {
	const char *name;	 /* "fio" */
	const char *program;	 /* looked up on PATH; NULL: the argv says (native, command) */
	const char *package;	 /* Debian package, for the message when it is missing */
	const char *summary;
	const char *const *version_argv; /* NULL-terminated; NULL: none */
	const char *output_file; /* name in out_dir that the tool writes and the parser wants; NULL */
	const char *primary;	 /* metric that decides when the job names none; may be NULL: the parser's choice */
	const struct tool_param *params; /* ends with name NULL */
	bool any_param;		 /* keys outside the table are passed on (fio) */
	/* Extra check of a whole job: adds sentences to @errors. May be NULL. */
	void (*check)(const struct job *job, struct strvec *errors);
	/* Builds the command. 0 or -errno. */
	int (*argv)(const struct tool_call *call, struct strvec *argv);
	/* Lists untimed commands run before and after the window; may be NULL. */
	int (*setup)(const struct tool_call *call, struct strvec **cmds, size_t *n);
	int (*cleanup)(const struct tool_call *call, struct strvec **cmds, size_t *n);
	void (*parse)(const struct tool_output *o, struct tool_result *r);
};

extern const struct tool *const tools[]; /* sorted by name; NULL at the end */
const struct tool *tool_find(const char *name);
void tool_result_release(struct tool_result *r);
/* Sets outcome and reason (formatted, made printable) and drops the samples. The first failure wins. */
void tool_fail(struct tool_result *r, enum outcome o, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds a warning, made printable. After TOOL_WARNINGS_MAX only "more warnings were left out" is added. */
void tool_warn(struct tool_result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds a sample; shorthand used by the parsers. A value that is not finite is not added. */
void tool_sample(struct tool_result *r, const struct metric *m, struct value v);

#define TOOL_WARNINGS_MAX 24

/*
 * In struct tool_output, .job may be NULL: the bytes were made elsewhere (import), and what was
 * asked for is not known. Parsers then report what is there and judge only what the bytes themselves tell.
 */

#endif
