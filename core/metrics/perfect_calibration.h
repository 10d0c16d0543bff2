// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/metrics/binning.h"
#include "core/metrics/metrics.h"

namespace candor {

struct CalibrationDraws {
    int draws = 1000;
    std::uint64_t seed = 0;
    double level = 0.95;
    std::stop_token stop = {};  // throws Stopped
};

// What the binned ECE and the reliability bars would be if the model were perfectly calibrated: labels are drawn from
// the confidences themselves (spec/metrics.md B.14). The order of rows does not matter.
struct PerfectCalibration {
    double ece = 0;               // of the true labels
    double expected = 0;          // mean over draws
    double lo = 0, hi = 0;        // quantiles over draws
    double p = 1;                 // (draws with at least that ECE + 1) / (draws + 1)
    std::vector<Interval> bands;  // one a bin: quantiles of its accuracy; [0, 1] where a bin has no rows
};

// Throws InputError as validate() and binByConfidence().
PerfectCalibration perfectCalibration(std::span<const double> confidence, std::span<const double> correct,
                                      const BinOptions& bins, const CalibrationDraws& options = {});

// Bias-corrected interval of the binned ECE. The plain ECE counts noise as miscalibration, and resampling adds more.
// So the sampling distribution of the ECE is simulated for models whose bins are off by a multiple of the gaps seen
// (normal bin counts), and the interval holds each true ECE for which the ECE seen lies between the outer quantiles:
// at perfect calibration it holds 0 as often as the level says.
struct EceInterval {
    double ece = 0;       // plain
    double debiased = 0;  // 2 ECE - its expectation in closed form (B.6), not below 0
    double median = 0;    // the true ECE for which the ECE seen is the median
    double lo = 0, hi = 0;
};
EceInterval eceInterval(std::span<const double> confidence, std::span<const double> correct, const BinOptions& bins,
                        const CalibrationDraws& options = {});

}  // namespace candor
