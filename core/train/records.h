// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace candor {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // a number that a record does not have

// One optimiser step: loss is the mean squared error over its rows, gradNorm the norm before clipping.
struct StepRecord {
    std::string stage;
    std::int64_t epoch = 0, step = 0;                         // 1-based
    double loss = kNone, gradNorm = kNone, lr = 0, rate = 0;  // rate: rows a second
};

struct EpochRecord {
    std::string stage;
    std::int64_t epoch = 0, step = 0;
    double trainLoss = kNone, holdoutLoss = kNone, holdoutAuroc = kNone, holdoutEce = kNone;
    bool best = false;
};

}  // namespace candor
