// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/metrics/metrics.h"

namespace candor {

// Results of one or two methods on one set of questions, once a seed. Seed s of both methods used the same subset of
// labels, which is what pairs them.
struct CrossedSet {
    std::vector<double> correct;              // one a question
    std::vector<std::int64_t> cluster;        // equal ids: the same question text; empty: all differ
    std::vector<std::vector<double>> first;   // [seed][question]
    std::vector<std::vector<double>> second;  // as many seeds; empty: one method only
};

enum class SetAverage : std::uint8_t { Macro, Weighted, Pooled };  // as GroupAverage

struct CrossedOptions {
    std::string metric = "auroc";
    SetAverage average = SetAverage::Macro;
    int resamples = 1000;
    std::uint64_t seed = 0;
    double level = 0.95;
    std::stop_token stop = {};  // throws Stopped
};

struct CrossedResult {
    double value = 0;  // mean over seeds of the average over sets
    Interval interval;
};

struct CrossedBootstrap {
    CrossedResult first, second, difference;  // difference: first - second; unset for one method
    double p = 1;                 // of the difference, two-sided: twice the smaller share beyond 0, (k + 1) / (B + 1)
    std::int64_t skipped = 0;     // resamples in which a set's metric was undefined
    std::string undefinedReason;  // not empty: undefined as it stands, or in every resample
};

// Resamples seeds, and questions within each set (clusters together), at once: the interval holds for new seeds and new
// questions. Both methods see the same resample. Throws InputError (length_mismatch, empty, ..., unknown_metric).
CrossedBootstrap crossedBootstrap(std::span<const CrossedSet> sets, const CrossedOptions& options);

}  // namespace candor
