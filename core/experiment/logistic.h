// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "core/train/linear_head.h"

namespace candor {

// Logistic regression on standardised features: minimises |w|^2 / 2 + C sum of log losses, intercept free (the form of
// scikit-learn's LogisticRegression), by Newton's method with conjugate gradients.
struct LogisticModel {
    std::vector<double> mean, scale;  // of the training rows; scale 1 where a feature is constant
    std::vector<double> weight;
    double intercept = 0;  // an infinity where all training rows are of one class: that is the limit
    double probability(const float* features) const;
};

// Rows of `features`; `correct` is 0 or 1. Throws Error for no rows or sizes that differ.
LogisticModel fitLogisticL2(const StateMatrix& features, std::span<const std::int64_t> rows,
                            std::span<const double> correct, double c);

}  // namespace candor
