// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/metrics/tie_blocks.h"

namespace candor {

// Isotonic regression of correctness on confidence: pools adjacent violators, equal confidences pooled first with
// summed weights (spec/metrics.md B.11). One fitted value a tie block, not decreasing.
std::vector<double> poolAdjacentViolators(const TieBlocks& rows);

}  // namespace candor
