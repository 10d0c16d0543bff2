// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/calibration_error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/metrics/normal.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

std::size_t firstAbove(const TieBlocks& rows, double edge) {
    const auto found = std::upper_bound(rows.blocks.begin(), rows.blocks.end(), edge,
                                        [](double value, const TieBlock& block) { return value < block.confidence; });
    return static_cast<std::size_t>(found - rows.blocks.begin());
}

std::size_t firstAtOrAbove(const TieBlocks& rows, double edge) {
    const auto found = std::lower_bound(rows.blocks.begin(), rows.blocks.end(), edge,
                                        [](const TieBlock& block, double value) { return block.confidence < value; });
    return static_cast<std::size_t>(found - rows.blocks.begin());
}

// E|X| of a normal X.
double foldedNormalMean(double mean, double variance) {
    if (!(variance > 0)) return std::abs(mean);
    const double deviation = std::sqrt(variance);
    return deviation * std::sqrt(2 / std::numbers::pi) * std::exp(-mean * mean / (2 * variance)) +
           mean * (1 - 2 * normalCdf(-mean / deviation));
}

template <class Term>
double meanOverRows(const TieBlocks& rows, const BinOffsets& offsets, Term term) {
    Sum sum;
    for (const BinSum& bin : binSums(rows, offsets))
        if (bin.count > 0) sum.add(term(bin));
    return sum.value() / rows.count;
}

}  // namespace

std::vector<double> equalWidthEdges(int bins) {
    std::vector<double> edges(static_cast<std::size_t>(bins) + 1);
    for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = static_cast<double>(i) / static_cast<double>(bins);
    return edges;
}

BinOffsets binsByEdges(const TieBlocks& rows, const std::vector<double>& edges, Closed closed) {
    BinOffsets offsets(edges.size(), 0);
    for (std::size_t i = 1; i + 1 < edges.size(); ++i)
        offsets[i] = closed == Closed::Right ? firstAbove(rows, edges[i]) : firstAtOrAbove(rows, edges[i]);
    offsets.back() = rows.blocks.size();
    return offsets;
}

BinOffsets binsByMass(const TieBlocks& rows, int bins) {
    BinOffsets offsets(static_cast<std::size_t>(bins) + 1, rows.blocks.size());
    const auto total = static_cast<std::int64_t>(rows.count);
    std::int64_t rank = 0;
    std::size_t bin = 0;  // offsets up to this one are set
    offsets[0] = 0;
    for (std::size_t i = 0; i < rows.blocks.size(); ++i) {
        const auto count = static_cast<std::int64_t>(rows.blocks[i].count);
        const std::int64_t wanted = std::min<std::int64_t>(bins - 1, bins * (2 * rank + count) / (2 * total));
        while (bin < static_cast<std::size_t>(wanted)) offsets[++bin] = i;
        rank += count;
    }
    return offsets;
}

BinOffsets binsOfElical(const TieBlocks& rows) {
    BinOffsets offsets(11, 0);
    for (std::size_t i = 1; i < 10; ++i) offsets[i] = firstAtOrAbove(rows, static_cast<double>(i) * 0.1);
    offsets[10] = firstAtOrAbove(rows, 1.0);
    return offsets;
}

std::vector<BinSum> binSums(const TieBlocks& rows, const BinOffsets& offsets) {
    std::vector<BinSum> sums(offsets.size() - 1);
    for (std::size_t b = 0; b < sums.size(); ++b) {
        Sum count, confidence, correct;
        for (std::size_t i = offsets[b]; i < offsets[b + 1]; ++i) {
            const TieBlock& block = rows.blocks[i];
            count.add(block.count);
            confidence.add(block.count * block.confidence);
            correct.add(block.correct);
        }
        sums[b] = {count.value(), confidence.value(), correct.value()};
    }
    return sums;
}

double expectedCalibrationError(const TieBlocks& rows, const BinOffsets& offsets) {
    return meanOverRows(rows, offsets, [](const BinSum& bin) { return std::abs(bin.confidence - bin.correct); });
}

double maximumCalibrationError(const TieBlocks& rows, const BinOffsets& offsets) {
    double largest = 0;
    for (const BinSum& bin : binSums(rows, offsets)) largest = std::max(largest, std::abs(bin.gap()));
    return largest;
}

double rmsCalibrationError(const TieBlocks& rows, const BinOffsets& offsets) {
    return std::sqrt(meanOverRows(rows, offsets, [](const BinSum& bin) { return bin.count * bin.gap() * bin.gap(); }));
}

double rmsCalibrationErrorDebiased(const TieBlocks& rows, const BinOffsets& offsets) {
    const double mean = meanOverRows(rows, offsets, [](const BinSum& bin) {
        if (bin.count <= 1) return 0.0;
        const double noise = bin.accuracy() * (1 - bin.accuracy()) / (bin.count - 1);
        return bin.count * (bin.gap() * bin.gap() - noise);
    });
    return std::sqrt(std::max(0.0, mean));
}

double expectedCalibrationErrorDebiased(const TieBlocks& rows, const BinOffsets& offsets) {
    const double expected = meanOverRows(rows, offsets, [](const BinSum& bin) {
        return bin.count * foldedNormalMean(bin.gap(), bin.accuracy() * (1 - bin.accuracy()) / bin.count);
    });
    return 2 * expectedCalibrationError(rows, offsets) - expected;
}

}  // namespace candor
