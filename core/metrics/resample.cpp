// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/resample.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/error.h"

namespace candor {

Resampler::Resampler(const Scored& rows) : weights_(rows.weights.begin(), rows.weights.end()) {
    // A row of weight 0 has no block of its own, so blocks are made without weights.
    const TieBlocks all = tieBlocks({rows.confidence, rows.correct});
    for (const TieBlock& block : all.blocks) confidence_.push_back(block.confidence);
    cellOfRow_ = blockOfRows(all, rows.confidence);
    for (std::size_t i = 0; i < cellOfRow_.size(); ++i) cellOfRow_[i] = 2 * cellOfRow_[i] + (rows.correct[i] != 0);
    cells_.resize(2 * confidence_.size());
}

void Resampler::clear() { std::fill(cells_.begin(), cells_.end(), 0.0); }

TieBlocks Resampler::blocks() const {
    std::vector<TieBlock> blocks;
    blocks.reserve(confidence_.size());
    for (std::size_t i = 0; i < confidence_.size(); ++i) {
        const double count = cells_[2 * i] + cells_[2 * i + 1];
        if (count > 0) blocks.push_back({confidence_[i], count, cells_[2 * i + 1]});
    }
    return tieBlocks(std::move(blocks));
}

Clusters::Clusters(std::size_t rows, std::span<const std::int64_t> cluster) : rows_(rows) {
    if (cluster.empty()) return;
    if (cluster.size() != rows)
        throw InputError("length_mismatch", "there must be one cluster id a row, got " +
                                                std::to_string(cluster.size()) + " for " + std::to_string(rows));
    std::unordered_map<std::int64_t, std::size_t> place;
    for (std::size_t row = 0; row < rows; ++row) {
        const auto [found, added] = place.try_emplace(cluster[row], rowsOf_.size());
        if (added) rowsOf_.emplace_back();
        rowsOf_[found->second].push_back(row);
    }
}

double quantile(std::span<const double> ascending, double p) {
    const double place = p * static_cast<double>(ascending.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(place), ascending.size() - 1);
    const std::size_t high = std::min(low + 1, ascending.size() - 1);
    const double share = place - std::floor(place);
    if (share == 0 || ascending[low] == ascending[high]) return ascending[low];
    return ascending[low] + share * (ascending[high] - ascending[low]);
}

}  // namespace candor
