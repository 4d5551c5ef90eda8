/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One invocation of `fsdelta run`: the plan executed, a result per arm. */
#ifndef FSDELTA_HARNESS_SESSION_H
#define FSDELTA_HARNESS_SESSION_H

#include "harness/app.h"
#include "harness/plan.h"
#include "harness/stage.h"
#include "results/run.h"
#include "results/store.h"

struct session_arm {
	struct run *run; /* with its iterations, if the plan has a rule or warm-ups */
	struct store_writer *writer;
	char *dir;	 /* the result's folder */
	uint64_t ok, done;
};

struct session {
	const struct app *app;
	const struct plan *plan;
	const struct kv *host;
	struct session_arm *arms;
	struct stage stage;
	int signal_fd;
	int signal;	     /* that ended the run; 0 */
	char *stop_reason;   /* why it ended early; NULL */
	uint64_t start_ns;   /* CLOCK_MONOTONIC */
	struct stopped stopped; /* how the plan's rule ended it */
};

/*
 * Runs the plan, or as much of it as its rule wants. Every finished iteration is on disk when the next one starts; SIGINT, SIGTERM and
 * SIGHUP end it early and keep what there is. Returns 0 or -errno when results could
 * not be written (the message is printed).
 */
int session_run(struct session *s, const struct app *app, const struct plan *p,
		const struct kv *host);
void session_release(struct session *s);

/* A run of arm @arm without iterations, as s->app, s->plan and s->host have it. */
struct run *session_describe(const struct session *s, size_t arm, const char *session_id);

#endif
