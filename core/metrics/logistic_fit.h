// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/metrics/tie_blocks.h"

namespace candor {

// log(p / (1 - p)) of a confidence clipped to [2^-52, 1 - 2^-52].
double logitOfClipped(double confidence);
double sigmoid(double x);
// log(1 + exp(x)) without overflow.
double softplus(double x);

// One weighted observation: up to three features (unused ones 0), how often it was correct and how often wrong.
struct LogisticRow {
    std::array<double, 3> x{};
    double correct = 0, wrong = 0;
    double offset = 0;  // added to the linear part as it is
};

struct LogisticFit {
    std::array<double, 3> coefficient{};
    double loss = 0;  // sum of negative log-likelihoods
    bool converged = false;
};

// Maximum likelihood of sigmoid(offset + sum of coefficient x) by Newton's method with halved steps, no penalty, from
// 0. `features` of the three are free. Not converged: no finite optimum (separable) or features that depend on each
// other.
LogisticFit fitLogistic(const std::vector<LogisticRow>& rows, std::size_t features);

// Some correct answer lies strictly below a wrong one and some strictly above one: a line through logits has a finite
// fit.
bool overlaps(const TieBlocks& rows);

}  // namespace candor
