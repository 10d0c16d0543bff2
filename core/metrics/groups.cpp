// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/groups.h"

#include <algorithm>
#include <unordered_map>

#include "core/error.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

struct Part {
    std::vector<double> confidence, correct, weights;
    Scored scored() const { return {confidence, correct, weights}; }
    bool weightless() const {
        return !weights.empty() && std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; });
    }
};

std::vector<Metric> metricsOf(const Part& part) {
    if (!part.weightless()) return allMetrics(part.scored());
    std::vector<Metric> metrics;
    for (const std::string& name : metricNames()) metrics.push_back({name, 0, "all weights of this group are 0"});
    return metrics;
}

}  // namespace

GroupAverage averageOf(const std::string& name, std::span<const Metric> values, std::span<const double> rows) {
    GroupAverage average;
    average.name = name;
    Sum plain, weighted, count;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i].defined()) continue;
        ++average.sets;
        plain.add(values[i].value);
        weighted.add(rows[i] * values[i].value);
        count.add(rows[i]);
    }
    const std::string reason = average.sets > 0 ? "" : "undefined in every set";
    average.macro = {name, average.sets > 0 ? plain.value() / average.sets : 0, reason};
    average.weighted = {name, average.sets > 0 ? weighted.value() / count.value() : 0, reason};
    average.pooled = {name, 0, "not asked for"};
    return average;
}

GroupMetrics groupMetrics(const Scored& rows, std::span<const std::string> group) {
    validate(rows);
    if (group.size() != rows.confidence.size())
        throw InputError("length_mismatch", "there must be one group a row, got " + std::to_string(group.size()) +
                                                " for " + std::to_string(rows.confidence.size()));
    GroupMetrics result;
    std::vector<Part> parts;
    std::unordered_map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < group.size(); ++i) {
        const auto [found, added] = place.try_emplace(group[i], parts.size());
        if (added) {
            parts.emplace_back();
            result.groups.push_back(group[i]);
        }
        Part& part = parts[found->second];
        part.confidence.push_back(rows.confidence[i]);
        part.correct.push_back(rows.correct[i]);
        if (!rows.weights.empty()) part.weights.push_back(rows.weights[i]);
    }
    std::vector<double> counts;
    for (const Part& part : parts) {
        result.metrics.push_back(metricsOf(part));
        counts.push_back(static_cast<double>(part.confidence.size()));
    }
    const std::vector<Metric> pooled = allMetrics(rows);
    for (std::size_t m = 0; m < pooled.size(); ++m) {
        std::vector<Metric> values;
        for (const auto& metrics : result.metrics) values.push_back(metrics[m]);
        result.averages.push_back(averageOf(pooled[m].name, values, counts));
        result.averages.back().pooled = pooled[m];
    }
    return result;
}

}  // namespace candor
