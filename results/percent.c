// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/percent.h"

#include <math.h>

double percent_change(double base, double arm)
{
	double pct;

	if (!isfinite(base) || !isfinite(arm) || base == 0)
		return NAN;
	pct = 100 * ((arm - base) / base);
	return isfinite(pct) ? pct : NAN;
}
