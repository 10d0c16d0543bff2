// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "core/metrics/tie_blocks.h"
#include "core/metrics/value.h"

namespace candor {

// Which end of a bin belongs to it. The outermost bins are closed on both sides.
enum class Closed { Right, Left };

// Edge i of `bins` equal widths: the double i/bins, one rounded division (spec/metrics.md B.4).
std::vector<double> equalWidthEdges(int bins);

// Bin b holds blocks [offsets[b], offsets[b + 1]); blocks are never split. offsets.size() = bins + 1.
using BinOffsets = std::vector<std::size_t>;
BinOffsets binsByEdges(const TieBlocks& rows, const std::vector<double>& edges, Closed closed = Closed::Right);
// Tie-safe equal mass: a block of c rows that starts at ascending rank a goes to bin floor(bins (2a + c) / (2n)) (B.5).
BinOffsets binsByMass(const TieBlocks& rows, int bins);
// As EliCal's evaluation: edges i * 0.1, closed on the left, confidence 1 falls out but is counted in n
// (elical.md 5.2).
BinOffsets binsOfElical(const TieBlocks& rows);

struct BinSum {
    double count = 0, confidence = 0, correct = 0;  // sums
    double gap() const { return count > 0 ? (confidence - correct) / count : 0; }
    double accuracy() const { return count > 0 ? correct / count : 0; }
};
std::vector<BinSum> binSums(const TieBlocks& rows, const BinOffsets& offsets);

// Sum over bins of count/n |mean confidence - accuracy|.
double expectedCalibrationError(const TieBlocks& rows, const BinOffsets& offsets);
// The largest of those gaps over bins that have rows.
double maximumCalibrationError(const TieBlocks& rows, const BinOffsets& offsets);
// Root of the mean squared gap; debiased: less acc (1 - acc) / (count - 1) a bin, bins of one row are 0, clamped at 0.
double rmsCalibrationError(const TieBlocks& rows, const BinOffsets& offsets);
double rmsCalibrationErrorDebiased(const TieBlocks& rows, const BinOffsets& offsets);
// 2 ECE - sum of count/n E|N(gap, acc (1 - acc) / count)|: ECE less its bias, the folded normal in closed form (B.6).
double expectedCalibrationErrorDebiased(const TieBlocks& rows, const BinOffsets& offsets);

}  // namespace candor
