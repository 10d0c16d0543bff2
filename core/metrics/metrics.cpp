// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/metrics.h"

#include "core/metrics/registry.h"
#include "core/metrics/tie_blocks.h"

namespace candor {

std::vector<Metric> allMetrics(const Scored& rows) {
    validate(rows);
    const TieBlocks blocks = tieBlocks(rows);
    std::vector<Metric> metrics;
    for (const MetricEntry& entry : metricTable()) metrics.push_back(evaluate(entry, rows, blocks));
    return metrics;
}

std::vector<Metric> scoreMetrics(const Scored& rows) {
    validateScores(rows);
    const TieBlocks blocks = tieBlocks(rows);
    std::vector<Metric> metrics;
    for (const MetricEntry& entry : metricTable())
        metrics.push_back(
            entry.traits & kRanks
                ? evaluate(entry, rows, blocks)
                : Metric{entry.name, 0, "needs a probability: a score ranks only, until it is calibrated"});
    return metrics;
}

Metric metric(const Scored& rows, const std::string& name) {
    const MetricEntry& entry = metricEntry(name);
    validate(rows);
    return evaluate(entry, rows, entry.ofBlocks ? tieBlocks(rows) : TieBlocks());
}

std::vector<std::string> metricNames() {
    std::vector<std::string> names;
    for (const MetricEntry& entry : metricTable()) names.push_back(entry.name);
    return names;
}

}  // namespace candor
