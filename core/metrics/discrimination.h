// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "core/metrics/tie_blocks.h"
#include "core/metrics/value.h"

namespace candor {

// Ranking metrics (spec/metrics.md B.1, B.3). They need no probability: any finite score will do.

// Share of (correct, wrong) pairs in which the correct answer is more confident, ties count half. One class: undefined.
Value areaUnderRoc(const TieBlocks& rows);

// sum over distinct thresholds of (recall step) x precision. Correct answers are the positives and high confidence
// ranks first, or errors are and low confidence does. No positive: undefined.
Value averagePrecisionOfCorrect(const TieBlocks& rows);
Value averagePrecisionOfErrors(const TieBlocks& rows);

// Spearman's rank correlation of confidence and correctness (mid-ranks). A constant side: undefined.
Value spearmanOfCorrectness(const TieBlocks& rows);
// The same of any two lists of finite numbers of equal size, for truths that are shares of correct samples.
// Throws InputError (length_mismatch, non_finite).
Value spearman(std::span<const double> x, std::span<const double> y);

}  // namespace candor
