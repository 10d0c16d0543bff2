// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/metrics/metrics.h"
#include "core/metrics/tie_blocks.h"
#include "core/metrics/value.h"

namespace candor {

// kWeighted: has a weighted form. kRanks: needs no probability, any finite score will do.
enum MetricTrait : int { kPlain = 0, kWeighted = 1, kRanks = 2 };

// The table behind allMetrics(). Exactly one of the two functions is set: most metrics need the tie blocks only, the
// paper's alignment needs the rows in their order.
struct MetricEntry {
    std::string name;
    int traits = 0;  // of MetricTrait
    Value (*ofBlocks)(const TieBlocks&) = nullptr;
    Value (*ofRows)(const Scored&) = nullptr;
};

const std::vector<MetricEntry>& metricTable();
// Throws InputError (unknown_metric) naming the nearest known one.
const MetricEntry& metricEntry(const std::string& name);
// `blocks` must be those of `rows`, which must be valid.
Metric evaluate(const MetricEntry& entry, const Scored& rows, const TieBlocks& blocks);

}  // namespace candor
