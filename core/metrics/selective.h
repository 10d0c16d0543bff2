// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/metrics/tie_blocks.h"
#include "core/metrics/value.h"

namespace candor {

// Selective prediction (spec/metrics.md B.9): answer the k most confident of n questions, k = 1..n. Ties are averaged
// over all orders of their block, so the expected errors rise evenly through it. Unweighted.

// Mean over k of errors/k; the least value these labels allow; mean over k of errors/n.
double areaUnderRiskCoverage(const TieBlocks& rows);
double oracleRiskCoverage(const TieBlocks& rows);
double generalisedRiskCoverage(const TieBlocks& rows);

// ((1 - acc) - AURC) / ((1 - acc) - oracle). One class: undefined. The second one over k > n - floor(n/2) only, which
// needs four rows.
Value predictionRejectionRatio(const TieBlocks& rows);
Value predictionRejectionRatioOfHalf(const TieBlocks& rows);

// Accuracy of the ceil(percent n / 100) most confident rows.
double selectiveAccuracy(const TieBlocks& rows, int percent);
// Largest k/n at the end of a tie block with accuracy >= percent/100; 0 where there is none.
double coverageAtAccuracy(const TieBlocks& rows, int percent);

struct RiskCoveragePoint {
    double coverage, risk, threshold;
};
// One point a distinct confidence, by rising coverage: answering everything at or above `threshold`.
std::vector<RiskCoveragePoint> riskCoverageCurve(const TieBlocks& rows);

}  // namespace candor
