// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/metrics/calibration_error.h"
#include "core/metrics/tie_blocks.h"

namespace candor {

// Proper scores and what they are made of (spec/metrics.md B.7, B.8).

double brierScore(const TieBlocks& rows);

// Murphy: brier = reliability - resolution + uncertainty over distinct confidences; over bins two terms more,
// + the variance within bins - the covariance within bins (both as they enter the sum).
struct BrierParts {
    double reliability = 0, resolution = 0, uncertainty = 0;
    double withinVariance = 0, withinCovariance = 0;
};
BrierParts brierPartsByValue(const TieBlocks& rows);
BrierParts brierPartsByBin(const TieBlocks& rows, const BinOffsets& offsets);

// CORP: the score against that of the isotonically recalibrated confidences.
struct CorpParts {
    double miscalibration = 0, discrimination = 0, uncertainty = 0;
};
CorpParts corpParts(const TieBlocks& rows);

// Least distance of a clipped confidence from 0 and 1.
inline constexpr double kClip = 0x1p-52;
// Mean negative log-likelihood (natural log) of confidences clipped to [2^-52, 1 - 2^-52]; unclipped it may be
// infinite.
double negativeLogLikelihood(const TieBlocks& rows);
double negativeLogLikelihoodUnclipped(const TieBlocks& rows);

}  // namespace candor
