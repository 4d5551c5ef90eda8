/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How an iteration ended. Anything but OK has a reason, and gives no samples. */
#ifndef FSDELTA_RESULTS_OUTCOME_H
#define FSDELTA_RESULTS_OUTCOME_H

enum outcome {
	OUTCOME_OK,
	OUTCOME_FAILED,	 /* the workload said so, or its output cannot be believed */
	OUTCOME_SKIPPED, /* not applicable here */
	OUTCOME_BROKEN,	 /* could not be set up */
	OUTCOME_TIMEOUT, /* did not end by its deadline */
	OUTCOME_CRASHED, /* the kernel or the supervisor died */
};

const char *outcome_str(enum outcome o); /* "OK" "FAILED" ... */
int outcome_parse(const char *s, enum outcome *out); /* 0 or -EINVAL */

#endif
