// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/perfect_calibration.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/metrics/random.h"
#include "core/metrics/resample.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

void check(const CalibrationDraws& options) {
    if (options.draws < 1)
        throw InputError("bad_resamples", "at least one draw is needed, got " + std::to_string(options.draws));
    if (!(options.level > 0 && options.level < 1))
        throw InputError("bad_level", "a confidence level lies between 0 and 1, got " + std::to_string(options.level));
}

// Confidences of each bin in ascending order, so that draws do not depend on the order of rows.
std::vector<std::vector<double>> confidencesOfBins(std::span<const double> confidence, const Binning& binning) {
    std::vector<std::vector<double>> lists(binning.bins.size());
    for (std::size_t i = 0; i < confidence.size(); ++i)
        lists[static_cast<std::size_t>(binning.binOf[i])].push_back(confidence[i]);
    for (auto& list : lists) std::sort(list.begin(), list.end());
    return lists;
}

double ece(const Binning& binning) {
    Sum gaps, count;
    for (const Bin& bin : binning.bins) {
        gaps.add(std::abs(bin.confidenceSum - bin.correct));
        count.add(static_cast<double>(bin.count));
    }
    return gaps.value() / count.value();
}

}  // namespace

PerfectCalibration perfectCalibration(std::span<const double> confidence, std::span<const double> correct,
                                      const BinOptions& bins, const CalibrationDraws& options) {
    validate({confidence, correct});
    check(options);
    const Binning binning = binByConfidence(confidence, correct, bins);
    const auto lists = confidencesOfBins(confidence, binning);
    std::vector<double> eces;
    std::vector<std::vector<double>> accuracies(lists.size());
    Lcg random(options.seed);
    for (int draw = 0; draw < options.draws; ++draw) {
        if (options.stop.stop_requested()) throw Stopped();
        Binning drawn = binning;
        for (std::size_t b = 0; b < lists.size(); ++b) {
            std::int64_t hits = 0;
            for (const double value : lists[b]) hits += random.unit() < value;
            drawn.bins[b].correct = static_cast<double>(hits);
            if (!lists[b].empty())
                accuracies[b].push_back(drawn.bins[b].correct / static_cast<double>(lists[b].size()));
        }
        eces.push_back(ece(drawn));
    }
    PerfectCalibration result;
    result.ece = ece(binning);
    result.expected = std::accumulate(eces.begin(), eces.end(), 0.0) / options.draws;
    const auto atLeast = std::count_if(eces.begin(), eces.end(), [&](double value) { return value >= result.ece; });
    result.p = static_cast<double>(atLeast + 1) / (options.draws + 1);
    const double low = (1 - options.level) / 2, high = (1 + options.level) / 2;
    std::sort(eces.begin(), eces.end());
    result.lo = quantile(eces, low);
    result.hi = quantile(eces, high);
    for (auto& values : accuracies) {
        std::sort(values.begin(), values.end());
        result.bands.push_back(values.empty() ? Interval{0, 1}
                                              : Interval{quantile(values, low), quantile(values, high)});
    }
    return result;
}

}  // namespace candor
