// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/metrics/tie_blocks.h"
#include "core/metrics/value.h"

namespace candor {

// Cox's calibration line: P(correct) = sigmoid(intercept + slope logit(confidence)), confidences clipped as for NLL.
// A calibrated model has slope 1 and intercept 0; a slope below 1 means overconfidence at both ends.

// Slope of the joint fit. Undefined for one class, equal confidences, or classes that a threshold separates.
Value calibrationSlope(const TieBlocks& rows);
// Intercept with the slope held at 1 (calibration in the large). Undefined for one class.
Value calibrationIntercept(const TieBlocks& rows);

}  // namespace candor
