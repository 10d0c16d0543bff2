// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

namespace candor {

struct Calibrated {
    std::vector<double> confidences;
    std::string parameters;  // JSON object
};

// Fits a calibrator ("temperature", "platt", "logistic", "isotonic", "beta") on confidences and verdicts (0 or 1) and
// applies it. Scores outside [0, 1] are clipped into it first. NaN (no confidence) is left out of the fit and stays
// NaN. Throws InputError where no finite fit exists.
Calibrated calibratePostHoc(const std::string& calibrator, std::span<const double> confidences,
                            std::span<const double> correct, std::span<const double> apply);

}  // namespace candor
