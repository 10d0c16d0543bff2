// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/metrics/metrics.h"

namespace candor {

// All rows of one confidence. Counts are sums of weights where rows have weights, else whole numbers.
struct TieBlock {
    double confidence = 0;
    double count = 0;  // > 0
    double correct = 0;
    double wrong() const { return count - correct; }
};

// What every metric but alignment_elical needs of the rows: blocks by ascending confidence and their totals. The
// order of rows is gone here, so no result can depend on it. -0 and 0 are one block; rows of weight 0 are left out.
struct TieBlocks {
    std::vector<TieBlock> blocks;
    double count = 0;
    double correct = 0;
    double wrong() const { return count - correct; }
    bool oneClass() const { return correct <= 0 || wrong() <= 0; }
};

// The rows must be valid (validate or validateScores).
TieBlocks tieBlocks(const Scored& rows);
// Sums up the totals; drops blocks without rows.
TieBlocks tieBlocks(std::vector<TieBlock> blocks);

// Index of each row's block; every confidence must occur in `blocks`.
std::vector<std::size_t> blockOfRows(const TieBlocks& blocks, std::span<const double> confidence);

// "undefined" in words: "0 wrong of 40", "0 correct of 40".
std::string oneClassReason(const TieBlocks& rows);

}  // namespace candor
