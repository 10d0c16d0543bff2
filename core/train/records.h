// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace candor {

// One optimiser step: loss is the mean squared error over its rows, gradNorm the norm before clipping.
struct StepRecord {
    std::string stage;
    std::int64_t epoch = 0, step = 0;                                                           // 1-based
    double loss = std::numeric_limits<double>::quiet_NaN(), gradNorm = loss, lr = 0, rate = 0;  // rate: rows a second
};

struct EpochRecord {
    std::string stage;
    std::int64_t epoch = 0, step = 0;
    double trainLoss = std::numeric_limits<double>::quiet_NaN();
    double holdoutLoss = trainLoss, holdoutAuroc = trainLoss, holdoutEce = trainLoss;  // NaN: none
    bool best = false;
};

}  // namespace candor
