// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/metrics/metrics.h"

namespace candor {

// Post-hoc calibrators (spec/metrics.md B.11 to B.13). Confidences are clipped to [2^-52, 1 - 2^-52] before a
// logarithm.
//   temperature  sigmoid(logit(conf) / T), T in [0.01, 100]
//   platt        sigmoid(a conf + b), fitted to Platt's smoothed targets
//   logistic     sigmoid(a logit(conf) + b), no penalty
//   isotonic     pooled adjacent violators, straight lines between fitted points, clipped outside
//   beta         sigmoid(a ln conf - b ln(1 - conf) + c), a and b >= 0
enum class CalibratorKind : std::uint8_t { Temperature, Platt, Logistic, Isotonic, Beta };

// "temperature", "platt", "logistic", "isotonic", "beta". The second throws InputError (unknown_calibrator).
std::string calibratorName(CalibratorKind kind);
CalibratorKind calibratorKind(const std::string& name);

// A fitted calibrator: a value, safe to share between threads.
struct Calibrator {
    CalibratorKind kind = CalibratorKind::Temperature;
    double T = 1;                // temperature
    double a = 0, b = 0, c = 0;  // platt, logistic: a, b; beta: a, b, c
    std::vector<double> x, y;    // isotonic: fitted points, x ascending
    // "interior"; temperature: "clamped_low" or "clamped_high" (T at an end of its range), "flat" (every confidence is
    // 0.5); beta: "boundary" (a or b is 0 by constraint); platt, logistic, beta: "constant" (all confidences are
    // equal).
    std::string status = "interior";
    double nllBefore = 0, nllAfter = 0;  // on the rows of the fit; temperature: of the unclipped logits
    double firstBefore = 0;              // confidence of the first row of the fit, a value to check against

    // Calibrated confidence of a confidence in [0, 1].
    double operator()(double confidence) const;
    // Throws InputError (non_finite_conf, conf_out_of_range).
    std::vector<double> apply(std::span<const double> confidence) const;
};

// Fits; weights are used. Throws InputError as validate(), and where no finite fit exists: one_class or separable
// (logistic, beta: a threshold separates correct from wrong).
Calibrator fitCalibrator(CalibratorKind kind, const Scored& rows);

// Everything apply() needs, as JSON text. The second throws InputError (bad_calibrator).
std::string toJson(const Calibrator& calibrator);
Calibrator calibratorFromJson(const std::string& text);
// Parameters under the names of the cases, as JSON text: "T", "status", "a", "fitted", ...
std::string parametersJson(const Calibrator& calibrator);

}  // namespace candor
