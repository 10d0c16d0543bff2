// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace candor::ui {

struct MeanInterval {
    double mean = 0, lo = 0, hi = 0;
    int n = 0;          // finite values
    int undefined = 0;  // the others, left out
};

// Mean of the finite values with its 95 % t interval; two values: their range; one: no width; none: NaN.
MeanInterval meanInterval(const std::vector<double>& values);

// Quantile of Student's t with `df` >= 1 degrees of freedom, 0.5 < p < 1.
double studentQuantile(double p, int df);

}  // namespace candor::ui
