// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace candor {

double normalCdf(double x);
// Inverse of normalCdf to double precision; -infinity at 0, infinity at 1, NaN outside [0, 1].
double normalQuantile(double probability);
// Two-sided p of a standard normal z.
double twoSidedP(double z);

}  // namespace candor
