// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/tie_blocks.h"

#include <algorithm>
#include <cstdint>

#include "core/metrics/sum.h"

namespace candor {
namespace {

double withoutSign(double confidence) { return confidence == 0 ? 0.0 : confidence; }  // -0 is 0

std::size_t countEqual(const std::vector<double>& sorted, std::size_t& from, double value) {
    const std::size_t first = from;
    while (from < sorted.size() && sorted[from] == value) ++from;
    return from - first;
}

// Sorts each class by itself and merges: half the work of sorting pairs.
std::vector<TieBlock> blocksOfPlainRows(const Scored& rows) {
    std::vector<double> right, wrong;
    right.reserve(rows.confidence.size());
    wrong.reserve(rows.confidence.size());
    for (std::size_t i = 0; i < rows.confidence.size(); ++i)
        (rows.correct[i] != 0 ? right : wrong).push_back(withoutSign(rows.confidence[i]));
    std::sort(right.begin(), right.end());
    std::sort(wrong.begin(), wrong.end());
    std::vector<TieBlock> blocks;
    std::size_t r = 0, w = 0;
    while (r < right.size() || w < wrong.size()) {
        const double value = w == wrong.size() || (r < right.size() && right[r] < wrong[w]) ? right[r] : wrong[w];
        const auto correct = static_cast<double>(countEqual(right, r, value));
        const auto errors = static_cast<double>(countEqual(wrong, w, value));
        blocks.push_back({value, correct + errors, correct});
    }
    return blocks;
}

struct WeightedRow {
    double confidence, correct, weight;
    auto operator<=>(const WeightedRow&) const = default;
};

// Sorted by all three fields, so that sums of weights are made in one order whatever the order of rows.
std::vector<TieBlock> blocksOfWeightedRows(const Scored& rows) {
    std::vector<WeightedRow> sorted;
    for (std::size_t i = 0; i < rows.confidence.size(); ++i)
        if (rows.weights[i] > 0) sorted.push_back({withoutSign(rows.confidence[i]), rows.correct[i], rows.weights[i]});
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return (a <=> b) < 0; });
    std::vector<TieBlock> blocks;
    for (std::size_t i = 0; i < sorted.size();) {
        const double value = sorted[i].confidence;
        Sum wrong, correct;
        for (; i < sorted.size() && sorted[i].confidence == value; ++i)
            (sorted[i].correct != 0 ? correct : wrong).add(sorted[i].weight);
        blocks.push_back({value, wrong.value() + correct.value(), correct.value()});
    }
    return blocks;
}

}  // namespace

TieBlocks tieBlocks(std::vector<TieBlock> blocks) {
    std::erase_if(blocks, [](const TieBlock& block) { return !(block.count > 0); });
    Sum correct, wrong;
    for (const TieBlock& block : blocks) {
        correct.add(block.correct);
        wrong.add(block.wrong());
    }
    return {std::move(blocks), correct.value() + wrong.value(), correct.value()};
}

TieBlocks tieBlocks(const Scored& rows) {
    return tieBlocks(rows.weights.empty() ? blocksOfPlainRows(rows) : blocksOfWeightedRows(rows));
}

std::vector<std::size_t> blockOfRows(const TieBlocks& blocks, std::span<const double> confidence) {
    std::vector<std::size_t> of(confidence.size());
    const auto less = [](const TieBlock& block, double value) { return block.confidence < value; };
    for (std::size_t i = 0; i < of.size(); ++i)
        of[i] = static_cast<std::size_t>(
            std::lower_bound(blocks.blocks.begin(), blocks.blocks.end(), confidence[i], less) - blocks.blocks.begin());
    return of;
}

std::string oneClassReason(const TieBlocks& rows) {
    const bool allRight = rows.wrong() <= 0;
    return std::string(allRight ? "only correct answers: 0 wrong of " : "only wrong answers: 0 correct of ") +
           std::to_string(static_cast<std::int64_t>(rows.count));
}

}  // namespace candor
