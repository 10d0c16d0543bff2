// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/metrics/metrics.h"

namespace candor {

struct BootstrapOptions {
    int resamples = 1000;
    std::uint64_t seed = 0;
    double level = 0.95;
    std::span<const std::int64_t> cluster =
        {};                     // one id a row where questions repeat: rows of one id are drawn together
    std::stop_token stop = {};  // throws Stopped
};

struct BootstrapInterval {
    std::string name;
    double lo = 0, hi = 0;
    double mean = 0;              // of the resamples that count
    std::int64_t skipped = 0;     // resamples in which the metric is undefined
    std::string undefinedReason;  // not empty: undefined in all of them
};

// Percentile intervals, type-7 quantiles, all metrics on the same resamples: index = below(n) row by row from one
// generator (spec/metrics.md B.14). The sequence of resamples, and only that, depends on the order of rows.
// Throws InputError as validate(), unknown_metric, bad_resamples, bad_level.
std::vector<BootstrapInterval> bootstrap(const Scored& rows, std::span<const std::string> names,
                                         const BootstrapOptions& options);

// The metrics for which this interval is sound (AUROC, Brier, NLL, AURC, accuracy), and ece_ew10, whose percentile
// interval is kept under its name although it is biased: show eceInterval() instead.
std::vector<std::string> bootstrapMetrics();

}  // namespace candor
