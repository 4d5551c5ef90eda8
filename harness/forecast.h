/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be said of a plan before it starts: what it could see and how long it takes, from
 * earlier runs of the same workloads on the same kind of target on this machine; and what no
 * result of it could show.
 */
#ifndef FSDELTA_HARNESS_FORECAST_H
#define FSDELTA_HARNESS_FORECAST_H

#include "harness/session.h"

/* Adds sentences without a full stop. */
void forecast_plan(const struct app *app, const struct plan *p, const struct kv *host,
		   struct strvec *lines, struct strvec *warnings);
/* The same from the warm-ups that @s has done, where each arm has several; nothing otherwise. */
void forecast_warmups(const struct session *s, struct strvec *lines);

#endif
