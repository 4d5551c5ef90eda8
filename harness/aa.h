/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of an A/A session (`run --aa`): false alarms, and the noise floor. */
#ifndef FSDELTA_HARNESS_AA_H
#define FSDELTA_HARNESS_AA_H

#include "harness/session.h"

/*
 * Compares the two results of a session that ended as planned, adds its changes to the noise
 * of the store, and says what came out. 0 or -errno (the message is printed).
 */
int aa_conclude(const struct session *s);

#endif
