// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/metrics/tie_blocks.h"

namespace candor {

struct Temperature {
    double T = 1;
    std::string status;                    // "interior", "clamped_low", "clamped_high", "flat"
    double lossBefore = 0, lossAfter = 0;  // mean negative log-likelihood at T = 1 and at T
};

// T in [0.01, 100] of the least negative log-likelihood of sigmoid(logit(conf) / T), which is convex in 1/T.
Temperature temperatureOf(const TieBlocks& rows);

}  // namespace candor
