// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/metrics/tie_blocks.h"

namespace candor {

// SmoothECE (Blasiok & Nakkiran 2023; spec/metrics.md B.6): the s at which the residuals (confidence - correct),
// smoothed over [0, 1] by a Gaussian of width s that is reflected at both ends, have mean absolute value s. Below a
// width of 1e-3 the value at that width. Deterministic; the error is below 1e-6. Unweighted or weighted blocks.
double smoothCalibrationError(const TieBlocks& rows);

}  // namespace candor
