// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/metrics/metrics.h"
#include "core/metrics/tie_blocks.h"

namespace candor {

// Alignment: how often "confident" (confidence >= threshold) agrees with "correct". A fifth of the rows picks the
// threshold out of .01 ... .99, the rest is scored (spec/metrics.md B.10).
struct Alignment {
    double value = 0;
    double threshold = 0.5;
};

// The paper's: the first int(0.2 n) rows in the order given pick. Thresholds that make all of them equal are skipped;
// the first with strictly more agreement wins; 0.5 where none does.
Alignment alignmentElical(const Scored& rows);

// A random fifth of the correct and of the wrong rows picks, by the same search; `seeds` times, with
// generators that `seed` starts.
struct RandomAlignment {
    double mean = 0, deviation = 0;  // over seeds; sample deviation, 0 for one seed
    double thresholdMean = 0;
    int seeds = 0;
    std::string undefinedReason;  // not empty: nothing is left to score
};
RandomAlignment alignmentRandom(const TieBlocks& rows, int seeds = 20, std::uint64_t seed = 0);

// The best threshold of all rows in hindsight, midpoints of neighbouring confidences and both ends searched: an upper
// bound. Of equal agreement the lowest threshold.
Alignment alignmentOracle(const TieBlocks& rows);
// Agreement at a fixed threshold.
double agreementAt(const TieBlocks& rows, double threshold);

}  // namespace candor
