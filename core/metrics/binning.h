// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace candor {

enum class BinRule : std::uint8_t { EqualWidth = 0, EqualMass = 1, Grid = 2 };  // stored on disk: do not renumber

struct BinOptions {
    BinRule rule = BinRule::EqualWidth;
    int bins = 10;
    int gridSteps = 20;  // Grid: one bin a value j/gridSteps
};

// One interval of confidence, closed on the right; the first bin is closed on both sides.
struct Bin {
    double lower = 0, upper = 1;
    std::int64_t count = 0;
    double correct = 0;        // sum
    double confidenceSum = 0;  // sum
};

// Index of the bin of each row and the bins. Every row lands in exactly one bin, so counts sum to the rows.
struct Binning {
    std::vector<Bin> bins;
    std::vector<std::int32_t> binOf;
};

// Throws InputError if sizes differ, bins < 1 or a confidence is not in [0, 1]. Edges as spec/metrics.md B.4, B.5.
// Pure.
Binning binByConfidence(std::span<const double> confidence, std::span<const double> correct, const BinOptions& options);

}  // namespace candor
