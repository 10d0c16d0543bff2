// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/bootstrap.h"

#include <algorithm>

#include "core/error.h"
#include "core/metrics/registry.h"
#include "core/metrics/resample.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

void check(const BootstrapOptions& options) {
    if (options.resamples < 1)
        throw InputError("bad_resamples", "at least one resample is needed, got " + std::to_string(options.resamples));
    if (!(options.level > 0 && options.level < 1))
        throw InputError("bad_level", "a confidence level lies between 0 and 1, got " + std::to_string(options.level));
}

// The rows drawn, in order: only for metrics that depend on it.
struct Drawn {
    std::vector<double> confidence, correct, weights;
    void clear() {
        for (auto* list : {&confidence, &correct, &weights}) list->clear();
    }
    void add(const Scored& rows, std::size_t row) {
        confidence.push_back(rows.confidence[row]);
        correct.push_back(rows.correct[row]);
        if (!rows.weights.empty()) weights.push_back(rows.weights[row]);
    }
    Scored scored() const { return {confidence, correct, weights}; }
};

BootstrapInterval summary(const std::string& name, std::vector<double> values, const BootstrapOptions& options,
                          const std::string& reason) {
    BootstrapInterval result{name, 0, 0, 0, options.resamples - static_cast<std::int64_t>(values.size()), {}};
    if (values.empty()) {
        result.undefinedReason = reason;
        return result;
    }
    Sum sum;
    for (double value : values) sum.add(value);
    result.mean = sum.value() / static_cast<double>(values.size());
    std::sort(values.begin(), values.end());
    result.lo = quantile(values, (1 - options.level) / 2);
    result.hi = quantile(values, (1 + options.level) / 2);
    return result;
}

}  // namespace

std::vector<BootstrapInterval> bootstrap(const Scored& rows, std::span<const std::string> names,
                                         const BootstrapOptions& options) {
    validate(rows);
    check(options);
    std::vector<const MetricEntry*> entries;
    for (const std::string& name : names) entries.push_back(&metricEntry(name));
    const bool ordered = std::any_of(entries.begin(), entries.end(), [](const auto* entry) { return entry->ofRows; });
    const Clusters clusters(rows.confidence.size(), options.cluster);
    Resampler resampler(rows);
    Drawn drawn;
    Lcg random(options.seed);
    std::vector<std::vector<double>> values(names.size());
    std::vector<std::string> reasons(names.size());
    for (int b = 0; b < options.resamples; ++b) {
        if (options.stop.stop_requested()) throw Stopped();
        resampler.clear();
        drawn.clear();
        clusters.draw(random, [&](std::size_t row) {
            resampler.add(row);
            if (ordered) drawn.add(rows, row);
        });
        const TieBlocks blocks = resampler.blocks();
        for (std::size_t i = 0; i < entries.size(); ++i) {
            // Only rows of weight 0 can be drawn: nothing is defined then. Without order the rows only tell of weights.
            const Metric metric = blocks.blocks.empty()
                                      ? Metric{names[i], 0, "no weight was drawn"}
                                      : evaluate(*entries[i], ordered ? drawn.scored() : rows, blocks);
            if (metric.defined())
                values[i].push_back(metric.value);
            else
                reasons[i] = metric.undefinedReason;
        }
    }
    std::vector<BootstrapInterval> intervals;
    for (std::size_t i = 0; i < names.size(); ++i)
        intervals.push_back(summary(names[i], std::move(values[i]), options, reasons[i]));
    return intervals;
}

std::vector<std::string> bootstrapMetrics() { return {"accuracy", "auroc", "brier", "nll", "aurc", "ece_ew10"}; }

}  // namespace candor
