/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparing runs: the one document that every report renders. Pure: runs in,
 * comparison out.
 *
 * The percent difference is 100 * (B - A) / A of the centres, A the base. Which
 * centre follows from the metric's kind (metric.h): median for times, counts and
 * quantiles, harmonic mean for rates at fixed work, arithmetic mean for rates at
 * fixed time. Where a rate of 0 leaves no harmonic mean, both sides fall back to the
 * median, and the row says so.
 *
 * Only valid iterations enter: outcome OK, no warm-up. What was left out is counted in the
 * arms and said in warnings or notes.
 *
 * Several sessions of an arm can be pooled before (results/pool.h); the document names them.
 *
 * Each row is tested (ranktest.h) with its units: the iterations, in the blocks of their plan
 * when the arms share a session; or the boots, when no boot has iterations of both arms and
 * both have several. All primary rows of all arms are one family (Holm), all others another one
 * (Benjamini and Hochberg, exploratory). verdict.h decides the word. A run that took looks at
 * its data is judged at the share of the look that ended it (stopping.h).
 *
 * Formulas and edge cases: results/stats.h, results/percent.h; the document as JSON:
 * results/schema/comparison.schema.json.
 */
#ifndef FSDELTA_RESULTS_COMPARE_H
#define FSDELTA_RESULTS_COMPARE_H

#include "results/compare-exact.h"
#include "results/pool.h"
#include "results/run.h"
#include "results/stats.h"
#include "results/verdict.h"

#include <math.h>

#define COMPARE_SCHEMA "fsdelta-comparison/1"

/* A note that starts with this: the metric or cell exists on one side only. */
#define COMPARE_MISSING "MISSING: "

#define COMPARE_DELTA 1.0 /* smallest effect of interest, per cent, unless told otherwise */

struct noise;

struct compare_options {
	double delta_pct;     /* smallest effect of interest, >= 0 */
	bool delta_given;     /* it stands, however large the noise */
	const struct noise *noise; /* borrowed: a floor above delta_pct takes its place; NULL */
	struct strvec allow;  /* keys of differences that are accepted */
	struct strvec roles;  /* one per arm, the first "base"; or empty */
	bool welch;	      /* fill compare_row.welch */
	double boot_noise_pct; /* sd between boots of one kernel, > 0; NaN: not known */
	const struct pool *pool; /* where the runs come from; NULL: they are as stored */
};

#define COMPARE_OPTIONS_INIT { .delta_pct = COMPARE_DELTA, .boot_noise_pct = NAN }

struct compare_arm {
	char *label; /* never empty, and not that of another arm ("after", "after (2)") */
	char *role;  /* "base" or "arm", or as the options say: "patch", "fix" */
	char *id; /* of several sessions: of the newest */
	struct strvec ids; /* one a session, the oldest first; empty: not known */
	char *started; /* UTC; NULL: not known */
	struct kv settings, host;
	uint64_t iterations; /* valid and invalid ones, no warm-ups */
	uint64_t invalid, warmups;
	uint64_t boots; /* different ones behind the valid iterations; 0: not known */
	uint64_t planned;
	bool complete;
	char *command; /* quoted */
};

/* A fact that is not the same in all arms, or not known in all of them. */
struct compare_difference {
	char *key;	/* "kernel.release", "mount.options (btrfs)", "settings.mount" */
	char *name;	/* for people: "mount options in force on btrfs" */
	char *target;	/* NULL: not of a target */
	char **values;	/* one per arm; NULL = unknown */
	bool *unlike;	/* one per arm: not what the base has */
	bool planned;	/* the plan varies it on purpose */
	bool major;	/* able to explain a difference by itself */
	char *sentence; /* what differs, without a full stop */
};

/* One side of a row. */
struct compare_side {
	size_t units;	     /* independent units behind the figures: iterations, later boots */
	struct stats stats;  /* n = 0 when the metric is missing on this side */
	double centre;	     /* NaN = not available */
	double *values;	     /* raw, in the order of measurement; n = stats.n */
	uint64_t *seqs, *blocks;
	size_t *boots; /* index in comparison.boots; COMPARE_NO_BOOT: not known */
	size_t lost, planned; /* iterations without a value, of those that could have had one */
};

#define COMPARE_NO_BOOT SIZE_MAX

/*
 * What a test says of a row. Figures that do not exist are NaN; a bound that does not exist
 * is infinite. The verdict is NULL when the sides cannot be compared at all (other work, other
 * machine, other unit); why then says so.
 */
struct compare_effect {
	double pct, lo, hi;    /* estimate and interval at 1 - comparison.alpha, in percent of the base */
	double p, p_adjusted;
	double mde_pct;	       /* the effect that this many units could have detected */
	double n_needed;       /* units a side that would do */
	const char *verdict;   /* a word of the vocabulary (verdict.h) */
	const char *why;       /* what stands behind it; "" when nothing does */
};

/* What no p-value overrides: about the comparison as a whole or a part of it. */
struct compare_claim {
	const char *word;      /* COMPARE_CONFOUNDED ... */
	char *workload, *target; /* NULL: all */
	size_t arm;	       /* 0: all */
	char *key;	       /* of the difference; NULL: none */
	bool allowed;	       /* accepted by the options */
	char *sentence;	       /* without a full stop */
};

#define COMPARE_CONFOUNDED "CONFOUNDED"
#define COMPARE_CONFLICTING "CONFLICTING"

/* One metric of one workload on one target, one arm against the base. */
struct compare_row {
	char *workload, *target;
	struct metric metric; /* owned strings; as the base declares it where it has it */
	const char *centre_name; /* "median" "hmean" "mean" */
	size_t arm;	      /* index in arms[], never 0 */
	struct compare_side base, side;
	double pct_mean, pct_median, pct_hmean; /* NaN = not available */
	double pct; /* of the centres */
	double delta_pct; /* smallest effect of interest: of the options, or the noise floor */
	struct compare_effect effect;
	struct stats_welch welch; /* NaN unless asked for */
	double recovered_pct; /* of what "patch" changed; NaN: no "fix", or nothing was changed */
	bool confounded, conflicting; /* a claim that was not accepted is about this row */
	struct strvec notes; /* sentences without a full stop */
};

struct comparison {
	struct compare_arm *arms; /* arms[0] is the base */
	size_t n_arms;
	struct strvec varied; /* settings that the common plan of all arms varies */
	struct compare_difference *differences; /* planned ones first, then major ones */
	size_t n_differences;
	struct kv common; /* what is known and the same in all arms: name for people, value */
	struct strvec warnings; /* what could mislead: sentences, the most important first */
	char *watermark; /* debug kernels: the first line of every report; NULL: none */
	struct compare_claim *claims;
	size_t n_claims;
	struct strvec boots; /* ids */
	double alpha; /* VERDICT_ALPHA, or the share of the look that ended the run (stopping.h) */
	char *stopping; /* the rule of the plan and how it ended the run; NULL: there was none */
	/* Pooled ones, the oldest first; none: every arm is one stored result. */
	struct compare_session {
		char *started;
		uint64_t first_seq, first_block; /* of those in the rows */
	} *sessions;
	size_t n_sessions;
	double delta_pct;
	bool delta_varies; /* some rows have a larger one */
	double boot_noise_pct; /* as the options say; NaN: not stated */
	struct compare_row *rows; /* by workload, target, primary first, metric name, arm */
	size_t n_rows;
	struct compare_exact *exact; /* by workload, target, arm, class as it was done, clock */
	size_t n_exact; /* 0: no exact mode */
	bool same_twice; /* the same result is there twice: refuse it */
	bool disjoint; /* an arm has no cell in common with the base */
	bool dead_cells; /* a cell has no valid iteration in any arm */
};

/*
 * @runs[0] is the base. Borrowed. Never fails; what is missing is said in the rows. @o NULL:
 * COMPARE_OPTIONS_INIT.
 */
struct comparison *compare_runs(struct run *const *runs, size_t n,
				const struct compare_options *o);
void comparison_free(struct comparison *c);

/* Does the row have the metric on one side only? */
bool compare_row_is_missing(const struct compare_row *row);
/* Was there a test, and does its family let it stand? */
bool compare_row_is_significant(const struct compare_row *row);

/*
 * What follows from the primary rows, and from them alone; in exact mode, from all rows of
 * exact mode, and from them alone.
 */
enum compare_outcome {
	COMPARE_NO_REGRESSION,
	COMPARE_REGRESSION,
	COMPARE_INCONCLUSIVE, /* or not comparable, or there is no primary row */
};

enum compare_outcome compare_outcome(const struct comparison *c);

static inline void cleanup_comparisonp(struct comparison **c)
{
	comparison_free(*c);
}
#define __cleanup_comparison __attribute__((cleanup(cleanup_comparisonp)))

#endif
