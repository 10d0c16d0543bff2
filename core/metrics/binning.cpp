// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/binning.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "core/metrics/calibration_error.h"
#include "core/metrics/sum.h"
#include "core/metrics/tie_blocks.h"

namespace candor {
namespace {

void check(std::span<const double> confidence, std::span<const double> correct, const BinOptions& options) {
    if (confidence.size() != correct.size())
        throw InputError("length_mismatch", "confidence and correct must have one length, got " +
                                                std::to_string(confidence.size()) + " and " +
                                                std::to_string(correct.size()));
    const int bins = options.rule == BinRule::Grid ? options.gridSteps : options.bins;
    if (bins < 1) throw InputError("bad_bins", "at least one bin is needed, got " + std::to_string(bins));
    for (std::size_t i = 0; i < confidence.size(); ++i)
        if (!(confidence[i] >= 0 && confidence[i] <= 1))
            throw InputError("conf_out_of_range", "a confidence must lie in [0, 1] in row " + std::to_string(i + 1) +
                                                      ": got " + std::to_string(confidence[i]));
}

// Bin j holds what is nearest to j/steps: its edges lie halfway between grid values.
std::vector<double> gridEdges(int steps) {
    std::vector<double> edges = {0};
    for (int j = 0; j < steps; ++j) edges.push_back((2.0 * j + 1) / (2.0 * steps));
    edges.push_back(1);
    return edges;
}

// Equal mass bins end at the highest confidence they hold; bins without rows have no width.
std::vector<double> massEdges(const TieBlocks& rows, const BinOffsets& offsets) {
    std::vector<double> edges = {0};
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
        const bool last = offsets[b + 1] == rows.blocks.size();
        edges.push_back(
            last ? 1 : (offsets[b + 1] > offsets[b] ? rows.blocks[offsets[b + 1] - 1].confidence : edges.back()));
    }
    return edges;
}

}  // namespace

Binning binByConfidence(std::span<const double> confidence, std::span<const double> correct,
                        const BinOptions& options) {
    check(confidence, correct, options);
    // Only where confidences lie matters here; correct is summed below and need not be 0 or 1.
    const std::vector<double> nothing(confidence.size(), 0.0);
    const TieBlocks rows = tieBlocks({confidence, nothing});
    std::vector<double> edges =
        options.rule == BinRule::Grid ? gridEdges(options.gridSteps) : equalWidthEdges(options.bins);
    BinOffsets offsets = binsByEdges(rows, edges);
    if (options.rule == BinRule::EqualMass && !rows.blocks.empty()) {
        offsets = binsByMass(rows, options.bins);
        edges = massEdges(rows, offsets);
    }
    std::vector<std::int32_t> binOfBlock(rows.blocks.size());
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b)
        std::fill(binOfBlock.begin() + static_cast<std::ptrdiff_t>(offsets[b]),
                  binOfBlock.begin() + static_cast<std::ptrdiff_t>(offsets[b + 1]), static_cast<std::int32_t>(b));

    Binning result;
    result.bins.resize(offsets.size() - 1);
    for (std::size_t b = 0; b < result.bins.size(); ++b) {
        result.bins[b].lower = edges[b];
        result.bins[b].upper = edges[b + 1];
    }
    std::vector<Sum> sums(result.bins.size()), corrects(result.bins.size());
    for (std::size_t block : blockOfRows(rows, confidence)) result.binOf.push_back(binOfBlock[block]);
    for (std::size_t i = 0; i < confidence.size(); ++i) {
        const auto bin = static_cast<std::size_t>(result.binOf[i]);
        ++result.bins[bin].count;
        sums[bin].add(confidence[i]);
        corrects[bin].add(correct[i]);
    }
    for (std::size_t b = 0; b < result.bins.size(); ++b) {
        result.bins[b].confidenceSum = sums[b].value();
        result.bins[b].correct = corrects[b].value();
    }
    return result;
}

}  // namespace candor
