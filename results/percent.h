/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FSDELTA_RESULTS_PERCENT_H
#define FSDELTA_RESULTS_PERCENT_H

/*
 * 100 * (arm - base) / base. NaN ("not available") when base is 0 or a value is not
 * finite, or when the result does not fit a double.
 */
double percent_change(double base, double arm);

#endif
